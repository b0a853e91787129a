"""The server as a process of its own, and a client over a real connection."""

import http.client
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from tests.cli.command import entry_point
from uno_pomdp.schemas import schema


@contextmanager
def served(store: Path, *more: str, descriptors: int | None = None) -> Iterator["Server"]:
    """Start `uno-pomdp serve` at a free port, perhaps with so many descriptors; what is left of it is killed."""
    command = [*entry_point(), "serve", "--port", "0", "--no-browser", "--json", "--store", str(store), *more]
    if descriptors is not None:
        command = ["sh", "-c", 'ulimit -n "$0" && exec "$@"', str(descriptors), *command]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", env=os.environ | {"PYTHONUTF8": "1"}
    )
    try:
        assert process.stdout is not None
        said = ""
        while "}" not in said:
            line = process.stdout.readline()
            assert line, process.communicate()
            said += line
        told = json.loads(said)
        Draft202012Validator(schema("serve")).validate(told)
        yield Server(process, told["port"])
    finally:
        process.kill()
        process.communicate()


class Server:
    """A server that runs."""

    def __init__(self, process: "subprocess.Popen[str]", port: int) -> None:
        self.process = process
        self.port = port

    def send(self, method: str, path: str, value: Any = None) -> http.client.HTTPConnection:
        """Send a request, and do not wait for the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        body = None if value is None else json.dumps(value).encode()
        connection.request(method, path, body, {"Content-Type": "application/json"})
        return connection

    def ask(self, method: str, path: str, value: Any = None) -> Any:
        """Return the JSON that a request is answered with."""
        connection = self.send(method, path, value)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        assert answer.status < 300, (answer.status, text)
        return json.loads(text)

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str, str]:
        """Send a signal, and return exit code and what was written since."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err
