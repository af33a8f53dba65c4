"""A PostgreSQL server for one occasion: its own directory, its own socket, nobody's network."""

import os
import shutil
import signal
import subprocess
import time

import psycopg2

PROGRAMS = ("/usr/lib/postgresql/15/bin", "/usr/bin")
TEMPLATE = "/opt/mozaiks/postgres.tar"  # a cluster that was made with the image
USER = "sandbox"

# Nothing that it holds need survive a crash, and it has few users and little room.
OPTIONS = {
    "listen_addresses": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "shared_buffers": "16MB",
    "max_connections": "20",
    "max_parallel_workers": "0",
    "jit": "off",
    "logging_collector": "off",
}


class Missing(Exception):
    """The machine has no PostgreSQL, or it does not come up here."""


def program(name: str) -> str:
    for directory in PROGRAMS:
        if os.access(os.path.join(directory, name), os.X_OK):
            return os.path.join(directory, name)
    raise Missing(f"there is no program {name} of PostgreSQL in {' or '.join(PROGRAMS)}")


class Database:
    def __init__(self, directory: str, template: str = TEMPLATE):
        """DIRECTORY must be there, belong to this user, and have a path short enough for a socket in it."""
        self.directory = directory
        self.template = template
        self.data = os.path.join(directory, "data")
        self.log = os.path.join(directory, "postgres.log")
        self.server: subprocess.Popen | None = None

    def url(self, name: str) -> str:
        return f"postgresql://{USER}@/{name}?host={self.directory}"

    def make(self, deadline: float) -> None:
        if os.path.exists(self.template):
            os.mkdir(self.data, 0o700)
            command = ["tar", "-xf", self.template, "-C", self.data]
        else:
            command = [
                program("initdb"), "-D", self.data, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8",
                "--no-sync", "--wal-segsize=1",
            ]
        with open(self.log, "ab") as log:
            left = max(0.1, deadline - time.monotonic())
            subprocess.run(command, stdout=log, stderr=log, check=True, timeout=left)

    def start(self, deadline: float) -> None:
        """Make the cluster and have it answer, by DEADLINE (monotonic). Missing when that can't be."""
        server = program("postgres")
        try:
            self.make(deadline)
        except (OSError, subprocess.SubprocessError) as error:
            raise Missing(f"its cluster can't be made: {error}{self.last_words()}") from error
        settings = [word for name, value in OPTIONS.items() for word in ("-c", f"{name}={value}")]
        with open(self.log, "ab") as log:
            self.server = subprocess.Popen(
                [server, "-D", self.data, "-k", self.directory, *settings], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        while True:
            try:
                self.connect("postgres").close()
                return
            except psycopg2.OperationalError as error:
                if self.server.poll() is not None or time.monotonic() > deadline:
                    self.stop()
                    raise Missing(f"it does not come up: {str(error).strip()}{self.last_words()}") from error
            time.sleep(0.02)

    def connect(self, name: str):
        connection = psycopg2.connect(self.url(name), connect_timeout=2)
        connection.autocommit = True
        return connection

    def create(self, name: str) -> None:
        connection = self.connect("postgres")
        connection.cursor().execute(f'CREATE DATABASE "{name}"')
        connection.close()

    def drop(self, name: str) -> None:
        connection = self.connect("postgres")
        connection.cursor().execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        connection.close()

    def last_words(self) -> str:
        try:
            with open(self.log, "rb") as log:
                lines = log.read()[-2000:].decode(errors="replace").strip().splitlines()
        except OSError:
            return ""
        return f" ({lines[-1]})" if lines else ""

    def stop(self) -> None:
        """End the server at once, and its cluster with it."""
        if self.server is not None:
            self.server.send_signal(signal.SIGQUIT)
            try:
                self.server.wait(5)
            except subprocess.TimeoutExpired:
                self.server.kill()
                self.server.wait()
            self.server = None
        shutil.rmtree(self.data, ignore_errors=True)
