"""A small issuer of tokens, on the loopback interface unless told where, with an RSA key of its own: discovery, keys and signing,
no sign-in.

The runtime smoke signs its synthetic users in with it, so that an app's own authentication is tried and nothing is switched off.
"""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

LIFETIME = 600  # seconds


class Issuer:
    def __init__(self, audience: str, address: str = "127.0.0.1"):
        self.audience = audience
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.key_id = "key-1"
        self.server = ThreadingHTTPServer((address, 0), self.handler())
        self.url = f"http://{address}:{self.server.server_address[1]}"
        self.documents = {
            "/.well-known/openid-configuration": {"issuer": self.url, "jwks_uri": f"{self.url}/keys"},
            "/keys": {"keys": [self.public_key()]},
        }

    def handler(self):
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                found = issuer.documents.get(self.path)
                body = json.dumps(found).encode()
                self.send_response(404 if found is None else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *words):
                """Nobody reads it."""

        return Handler

    def public_key(self) -> dict:
        return {**json.loads(RSAAlgorithm.to_jwk(self.key.public_key())), "kid": self.key_id, "use": "sig", "alg": "RS256"}

    def claims(self, sub: str, **more) -> dict:
        now = int(time.time())
        return {"iss": self.url, "aud": self.audience, "sub": sub, "iat": now, "exp": now + LIFETIME, **more}

    def sign(self, claims: dict) -> str:
        return jwt.encode(claims, self.key, "RS256", headers={"kid": self.key_id})

    def start(self) -> None:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()
