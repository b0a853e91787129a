"""`uno-pomdp serve` as a process: it says where it is, survives what is sent to it, ends when told, loses nothing."""

import os
import random
import resource
import signal
import socket
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.cli.inside import call
from tests.web_server.process import Server, served
from uno_pomdp import extras
from uno_pomdp.web import connections
from uno_pomdp.web.security import SHORT
from uno_pomdp.web.serving import address_of, listening

GARBAGE = (
    b"\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01",
    b"GET\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET /\xff\xfe HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"POST /api/play HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    b"POST /api/play HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"GET / HTTP/1.1\r\n" + b"x: " + b"y" * 200_000 + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
)
OPEN = "others can reach the board at 0.0.0.0, unencrypted and without a password: whoever can connect can play here"


def test_a_store_in_no_folder_is_refused_and_no_folder_made(tmp_path: Path) -> None:
    done = call("serve", "--store", str(tmp_path / "none" / "board.sqlite"), "--port", "0", "--no-browser")
    place = tmp_path / "none"
    assert done.err == f"uno-pomdp: {place}/board.sqlite can't be written: there is no folder {place}\n"
    assert (done.code, list(tmp_path.iterdir())) == (2, [])


def settled(server: Server, path: str) -> Any:
    """Return the state when it is the person's turn, or the end."""
    for _ in range(3000):
        state = server.ask("GET", path)
        if state["status"] in ("yours", "over"):
            return state
        assert state["status"] != "failed"
        time.sleep(0.02)
    raise AssertionError(state)


def killed_in_mid_move(store: Path, opponents: Sequence[str], kills: int, rng: random.Random) -> int:
    """Kill the server while moves of several games are under way, again and again; return how many moves were kept.

    What was answered is there after the restart; what was not may be or not, but never in part.
    """
    with served(store) as server:
        made = [server.ask("POST", "/api/play", {"opponent": opponent, "to": 500}) for opponent in opponents]
        paths = [f"/api/play/{one['token']}" for one in made]
        known = {path: settled(server, path) for path in paths}
        server.end(signal.SIGKILL)
    moves = 0
    for _ in range(kills):
        with served(store) as server:
            sent = []
            for path in paths:
                state = settled(server, path)
                assert state["moves"][: known[path]["number"]] == known[path]["moves"]
                if state["status"] == "over":
                    continue
                move = {"move": rng.choice(state["legal"]), "at": state["number"]}
                known[path] = state
                if rng.random() < 0.5:
                    known[path] = server.ask("POST", f"{path}/move", move)
                    assert known[path]["number"] == state["number"] + 1
                    moves += 1
                else:
                    sent.append(server.send("POST", f"{path}/move", move))  # and nobody waits for the answer
            time.sleep(rng.random() * 0.05)
            server.end(signal.SIGKILL)
            for connection in sent:
                connection.close()
    with served(store) as server:
        for path in paths:
            state = settled(server, path)
            assert state["moves"][: known[path]["number"]] == known[path]["moves"]
    return moves


def test_nothing_that_was_answered_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    assert killed_in_mid_move(tmp_path / "board.sqlite", ("greedy", "heuristic", "random"), 1, random.Random(3)) >= 1


def test_garbage_is_answered_or_dropped_and_the_server_ends_cleanly_with_a_stream_open(tmp_path: Path) -> None:
    with served(tmp_path / "board.sqlite", "--host", "0.0.0.0") as server:
        for sent in GARBAGE:
            with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
                connection.sendall(sent)
                connection.shutdown(socket.SHUT_WR)
                said = connection.recv(100_000)
                assert b" 500 " not in said
                assert b"Traceback" not in said
        path = f"/api/play/{server.ask('POST', '/api/play', {'rules': 'mini-9', 'opponent': 'greedy'})['token']}"
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
            head = f"GET {path}/events HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nTransfer-Encoding: chunked\r\n\r\n"
            connection.sendall(head.encode())
            assert b" 200 " in connection.recv(100_000)
            connection.sendall(b"zz\r\n")  # in the middle of the answer
            while connection.recv(100_000):
                pass
        stream = server.send("GET", f"{path}/events")
        answer = stream.getresponse()
        assert answer.readline() == b"event: state\n"
        begun = time.monotonic()
        code, out, err = server.end(signal.SIGTERM)
        assert time.monotonic() - begun < 10
        assert (code, out) == (143, "")
        assert err == f"uno-pomdp: {OPEN}\n"  # nobody can fill the log
        answer.close()
        stream.close()


SMUGGLED = "GET /api/options HTTP/1.1\r\nHost: 127.0.0.1:{0}\r\n\r\n"
CHUNKS = "Host: 127.0.0.1:{0}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
TWO_LENGTHS = f"POST / HTTP/1.1\r\nContent-Length: 5\r\n{CHUNKS}"
OLD_CHUNKS = f"POST / HTTP/1.0\r\n{CHUNKS}"


@pytest.mark.parametrize("unclear", [TWO_LENGTHS, OLD_CHUNKS])
def test_a_request_whose_end_is_unclear_is_refused_and_nothing_after_it_is_read(tmp_path: Path, unclear: str) -> None:
    with served(tmp_path / "board.sqlite") as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
            connection.sendall((unclear + SMUGGLED).format(server.port).encode())
            said = b"".join(iter(lambda: connection.recv(100_000), b""))
        assert said.startswith(b"HTTP/1.1 400 ")
        assert b"\r\nconnection: close\r\n" in said.lower()
        assert said.count(b"HTTP/1.1 ") == 1
        assert server.end()[2] == ""


def descriptors(server: Server) -> int:
    """Return how many descriptors a server has open."""
    return len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))


@pytest.mark.skipif(not Path("/proc").exists(), reason="counts descriptors in /proc")
def test_idle_connections_beyond_the_descriptors_keep_nobody_out_and_say_nothing(tmp_path: Path) -> None:
    with served(tmp_path / "board.sqlite", descriptors=128) as server, ExitStack() as idle:
        path = f"/api/play/{server.ask('POST', '/api/play', {'rules': 'mini-9', 'opponent': 'greedy'})['token']}"
        stream = server.send("GET", f"{path}/events")
        answer = stream.getresponse()
        for _ in range(200):
            idle.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=10))
        assert server.ask("POST", "/api/play", {"rules": "mini-9", "opponent": "greedy"})["token"]
        server.ask("POST", f"{path}/coach", {"on": True})
        while b'"coach":true' not in answer.readline():  # whoever plays is not thrown out
            pass
        assert descriptors(server) < 64
        answer.close()
        stream.close()
        assert server.end() == (143, "", "")


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="changes the limit of another process")
def test_a_server_without_a_descriptor_says_so_once_and_answers_again_when_there_is_one(tmp_path: Path) -> None:
    with served(tmp_path / "board.sqlite", descriptors=1024) as server, ExitStack() as idle:
        few = descriptors(server) + 3
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (few, 1024))
        for _ in range(20):
            idle.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=10))
        time.sleep(3)  # several attempts
        assert descriptors(server) == few
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (1024, 1024))
        assert server.ask("GET", "/api/options")["rules"]
        assert server.end() == (143, "", f"uno-pomdp: {SHORT}\n")


def test_a_process_with_too_few_descriptors_is_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "descriptor_limit", lambda: 64)
    refused = call("serve", "--port", "0", "--store", str(tmp_path / "board.sqlite"), "--no-browser")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == (
        "uno-pomdp: the board needs 128 open files, but the system allows 64: raise that with ulimit -n 128, or more\n"
    )
    assert not (tmp_path / "board.sqlite").exists()


LONG = {"rules": "house", "first": "flat:ms=50", "second": "flat:ms=50", "pairs": 20_000}


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_an_experiment_ends_with_the_server_and_says_nothing_of_it(tmp_path: Path, number: int, code: int) -> None:
    with served(tmp_path / "board.sqlite") as server:
        path = f"/api/lab/{server.ask('POST', '/api/lab', LONG)['token']}"
        stream = server.send("GET", f"{path}/events")
        answer = stream.getresponse()
        while b'"status":"running"' not in answer.readline():
            pass
        children = [pid for pid in _processes() if _parent(pid) == server.process.pid]
        assert len(children) == 1
        assert os.getpgid(children[0]) != os.getpgid(
            server.process.pid
        )  # Ctrl-C at a terminal reaches the server alone
        ended, out, err = server.end(number)
        assert (ended, out, err) == (code, "", "")
        begun = time.monotonic()
        while children[0] in _processes():
            assert time.monotonic() - begun < 10
            time.sleep(0.05)
        answer.close()
        stream.close()


def _processes() -> list[int]:
    """Return all processes that run."""
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit() and _parent(int(path.name))]


def _parent(pid: int) -> int:
    """Return the process that started another; 0 if that has ended."""
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return 0
    return 0 if state == "Z" else int(parent)


def test_a_port_in_use_an_address_that_is_none_and_a_missing_extra_get_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNO_POMDP_GAMES", str(tmp_path / "games"))
    with listening("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        refused = call("serve", "--port", str(port), "--no-browser")
        assert (refused.code, refused.out) == (2, "")
        assert refused.err == (
            f"uno-pomdp: port {port} is in use, perhaps by another board: give another with --port, or 0 for any\n"
        )
    refused = call("serve", "--host", "no.such.host.invalid", "--no-browser")
    assert refused.code == 2
    assert "is no address of this machine" in refused.err
    refused = call("serve", "--port", "0", "--store", str(tmp_path), "--no-browser")
    assert refused.code == 2
    assert refused.err.count("\n") == 1
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    refused = call("serve", "--no-browser")
    assert refused.code == 2
    assert refused.err.startswith("uno-pomdp: the board needs starlette: install it with pip install ")


def test_addresses_are_written_as_browsers_take_them() -> None:
    assert address_of("127.0.0.1", 80) == address_of("0.0.0.0", 80) == "http://127.0.0.1:80/"
    assert address_of("::1", 8765) == "http://[::1]:8765/"
    assert address_of("localhost", 1) == "http://localhost:1/"
