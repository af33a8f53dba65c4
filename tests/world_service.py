"""world_service - stands in for a service of a preview: NAME PORT; leaves its process's number in /tmp/pid.NAME"""

import http.server
import json
import os
import sys

name, port = sys.argv[1], int(sys.argv[2])
with open("/workspace/app/app.json", encoding="utf-8") as file:
    app = json.load(file)["appId"]


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"appId": os.environ.get("ANSWER_APP", app)}).encode()
        self.send_response(503 if self.path in os.environ.get("SICK_" + name, "").split() else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


with open(f"/tmp/pid.{name}", "w", encoding="ascii") as file:
    file.write(str(os.getpid()))
print(f"{name} is up", flush=True)
http.server.ThreadingHTTPServer(("127.0.0.1", port), Answer).serve_forever()
