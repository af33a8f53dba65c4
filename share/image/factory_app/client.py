"""How the smoke speaks to the host: over its unix socket, each request within limits that end in time."""

import http.client
import json
import re
import socket
import time
from dataclasses import dataclass
from typing import Any

REQUEST_LIMIT = 10  # seconds
STEP_LIMIT = 20
ANSWER_MOST = 1 << 20  # bytes

FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<function>\S+)')


class Over(Exception):
    """The smoke can't go on: the host is gone, hangs, or the time is over."""


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any
    text: str

    @property
    def detail(self) -> str:
        return str(self.body.get("detail", "")) if isinstance(self.body, dict) else ""

    def holds(self, id: str) -> bool:
        return id in self.text


class Connection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Client:
    def __init__(self, path: str, deadline: float):
        self.path = path
        self.deadline = deadline  # of the whole smoke
        self.step_end = deadline

    def begin_step(self) -> None:
        self.step_end = min(self.deadline, time.monotonic() + STEP_LIMIT)

    def ask(self, method: str, path: str, body: dict | None = None, token: str | None = None) -> Answer:
        """The host's answer. OSError when it does not listen; Over when it takes too long."""
        left = min(REQUEST_LIMIT, self.step_end - time.monotonic())
        if left <= 0:
            raise Over(f"no time was left for {method} {path}")
        connection = Connection(self.path, left)
        head = {"Authorization": f"Bearer {token}"} if token else {}
        if body is not None:
            head["Content-Type"] = "application/json"
        try:
            connection.request(method, path, None if body is None else json.dumps(body), head)
            response = connection.getresponse()
            text = response.read(ANSWER_MOST).decode(errors="replace")
        except TimeoutError as error:
            raise Over(f"{method} {path} was not answered within {left:.0f} seconds") from error
        except http.client.HTTPException as error:
            raise Over(f"{method} {path}: the host ended while it was to answer") from error
        finally:
            connection.close()
        try:
            return Answer(response.status, json.loads(text), text)
        except ValueError:
            return Answer(response.status, None, text)


def last_failure(log: str, root: str) -> str:
    """Where in the app the last exception of a log came from, and what it was: "modules/a.py:3 in create: KeyError: 'x'"."""
    place = said = ""
    lines = log.splitlines()
    for number, line in enumerate(lines):
        match = FRAME.search(line)
        if match and match["file"].startswith(root + "/"):
            place = f"{match['file'][len(root) + 1:]}:{match['line']} in {match['function']}"
            said = next((later for later in lines[number + 1:] if later[:1].strip() and "Traceback" not in later), "")
    return f"{place}: {said}".strip(": ")
