"""The process in which the smoke has the app run."""

import os
import signal
import subprocess
import sys
import time

from client import last_failure

LOG_MOST = 1 << 16  # bytes of the host's log that are looked at


class Host:
    """The app under its host, in a process of its own that is told no more than it needs."""

    def __init__(self, directory: str, root: str):
        self.root = root
        self.socket = os.path.join(directory, "host.sock")
        self.log = os.path.join(directory, "host.log")
        self.seen = 0
        self.process: subprocess.Popen | None = None

    def start(self, environ: dict[str, str]) -> None:
        command = [
            sys.executable, "-m", "uvicorn", "--app-dir", os.path.dirname(os.path.abspath(__file__)), "--uds", self.socket,
            "--no-access-log", "host.app:app",
        ]
        with open(self.log, "ab") as log:
            # Its descriptors are closed by Python's own flags; a group of its own, so that what it starts ends with it.
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environ, close_fds=False,
                start_new_session=True, cwd=environ.get("MOZAIKS_APP_WORKSPACE_PATH"),
            )

    def read_log(self) -> str:
        with open(self.log, "rb") as log:
            log.seek(max(self.seen, os.fstat(log.fileno()).st_size - LOG_MOST))
            return log.read().decode(errors="replace")

    def last_line(self) -> str:
        lines = [line for line in self.read_log().splitlines() if line.strip()]
        return lines[-1] if lines else "it said nothing"

    def failure(self) -> str:
        """What broke in the app since this was asked last. The host answers first, and writes its log then."""
        for _ in range(50):
            log = self.read_log()
            found = last_failure(log, self.root)
            if found:
                self.seen = os.path.getsize(self.log)
                return found
            time.sleep(0.02)
        return ""

    def stop(self) -> None:
        if self.process is None:
            return
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
