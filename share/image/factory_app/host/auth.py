"""Who calls, and what they may do.

A public app has one visitor, whatever a request carries. Any other app has its users' tokens, signed by an issuer whose keys
are fetched from it. Which algorithm is right is said here and never by the token.
"""

import asyncio
import json
import time
import urllib.request
from dataclasses import dataclass

import jwt

from .bundle import App
from .settings import Issuer, Settings

VISITOR = "public"

KEYS_KEPT = 300  # seconds
KEYS_APART = 10  # seconds between two fetches, so that made-up key ids can't make the host flood its issuer
RETRY = 1  # seconds until the next try, when a fetch failed
FETCH_LIMIT = 5  # seconds
FETCH_MOST = 1 << 18  # bytes
CLOCK_SKEW = 10  # seconds that the issuer's clock may be ahead or behind


class Anonymous(Exception):
    """Nobody is signed in: no token, or none that counts."""


class Unreachable(Exception):
    """The issuer does not tell its keys now."""


@dataclass(frozen=True)
class Caller:
    user: str | None  # the token's subject; none: a public app's visitor
    name: str | None
    roles: tuple[str, ...]
    permissions: frozenset[str]

    @property
    def store_id(self) -> str:
        return VISITOR if self.user is None else self.user

    def may(self, permission: str | None) -> bool:
        return permission is None or permission in self.permissions


class Visitors:
    """A public app: everybody is the same visitor."""

    def __init__(self, permissions: frozenset[str]):
        self.visitor = Caller(None, None, (), permissions)

    async def caller(self, header: str | None) -> Caller:
        return self.visitor


def fetch(url: str) -> dict:
    # Proxies of the environment are left out: a preview's issuer is on this machine or named by the operator.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=FETCH_LIMIT) as answer:
            found = json.loads(answer.read(FETCH_MOST))
    except (OSError, ValueError) as error:
        raise Unreachable(f"{url}: {error}") from error
    if not isinstance(found, dict):
        raise Unreachable(f"{url}: is no JSON object")
    return found


class Keys:
    """The issuer's name and its signing keys. PyJWT's own client has neither a time limit nor a pause between fetches."""

    def __init__(self, settings: Issuer):
        self.settings = settings
        self.issuer = settings.issuer
        self.url = settings.jwks_url
        self.keys: dict[str, jwt.PyJWK] = {}
        self.fetched = self.tried = float("-inf")
        self.one_at_a_time = asyncio.Lock()

    def discover(self) -> None:
        """Ask the authority for what the settings leave open."""
        if self.issuer is not None and self.url is not None:
            return
        found = fetch(f"{self.settings.authority}/.well-known/openid-configuration")
        known = {self.settings.authority, self.settings.browser_authority.rstrip("/")}
        if self.issuer is None and str(found.get("issuer")).rstrip("/") not in known:
            raise Unreachable(f"{self.settings.authority} says that it is {found.get('issuer')}")
        self.issuer = self.issuer or found["issuer"]
        self.url = self.url or found.get("jwks_uri")

    def refresh(self) -> None:
        self.discover()
        try:
            keys = jwt.PyJWKSet.from_dict(fetch(self.url)).keys
        except (jwt.PyJWTError, AttributeError, TypeError) as error:
            raise Unreachable(f"{self.url}: holds no keys: {error}") from error
        self.keys = {key.key_id: key for key in keys if key.key_type == "RSA" and key.public_key_use in (None, "sig")}
        self.fetched = time.monotonic()

    async def find(self, key_id: str | None) -> jwt.PyJWK:
        async with self.one_at_a_time:
            now = time.monotonic()
            wanted = key_id not in self.keys or now - self.fetched > KEYS_KEPT
            if wanted and now - self.tried > KEYS_APART:
                self.tried = now
                try:
                    await asyncio.to_thread(self.refresh)
                except Unreachable:
                    self.keys = {}
                    self.tried = now - KEYS_APART + RETRY
                    raise
        if not self.keys:
            raise Unreachable("they could not be fetched a moment ago")
        if key_id not in self.keys:
            raise Anonymous("the token's key is not one of the issuer's")
        return self.keys[key_id]


def claim(claims: dict, name: str):
    """A claim by its name, or by the dotted path to it."""
    if name in claims:
        return claims[name]
    for part in name.split("."):
        claims = claims.get(part) if isinstance(claims, dict) else None
    return claims


def texts(value) -> list[str]:
    """The words of a claim, which issuers write as a list or separated by spaces."""
    if isinstance(value, str):
        return value.split()
    return [word for word in value if isinstance(word, str)] if isinstance(value, list) else []


class Tokens:
    """An app with sign-in: everybody is who their token says."""

    def __init__(self, settings: Issuer, contract: dict):
        self.settings = settings
        self.keys = Keys(settings)
        self.known = frozenset(contract.get("permissions", []))
        self.roles = contract.get("roles", {})

    async def claims(self, header: str | None) -> dict:
        scheme, _, token = (header or "").partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise Anonymous("nobody is signed in")
        try:
            head = jwt.get_unverified_header(token.strip())
            if head.get("alg") != "RS256":
                raise Anonymous("the token is not signed with RS256")
            key = await self.keys.find(head.get("kid"))
            return jwt.decode(
                token.strip(), key.key, algorithms=["RS256"], audience=self.settings.audience, issuer=self.keys.issuer,
                leeway=CLOCK_SKEW, options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except jwt.PyJWTError as error:
            raise Anonymous(f"the token does not count: {error}") from error

    async def caller(self, header: str | None) -> Caller:
        claims = await self.claims(header)
        if not isinstance(claims["sub"], str) or not claims["sub"]:
            raise Anonymous("the token names no user")
        roles = texts(claim(claims, self.settings.roles_claim))
        scopes = texts(claim(claims, self.settings.scopes_claim))
        given = self.known.intersection(scopes).union(*(self.roles.get(role, []) for role in roles))
        name = next((claims[n] for n in ("name", "preferred_username", "email") if isinstance(claims.get(n), str)), None)
        return Caller(claims["sub"], name, tuple(roles), given)


def callers(settings: Settings, app: App) -> Visitors | Tokens:
    if settings.issuer is None:
        return Visitors(settings.visitor_permissions)
    return Tokens(settings.issuer, app.auth_contract)
