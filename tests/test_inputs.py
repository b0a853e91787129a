"""Files that are read: what is too long, damaged or something else is one sentence, and numpy's advice is not in it."""

import io
import os
import random
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from tests.cli.inside import call
from tests.nets.following import untrained
from uno_pomdp.agents.tabular import load_policy
from uno_pomdp.cli.files import held_game, read_game
from uno_pomdp.equilibrium.cfr import solve
from uno_pomdp.equilibrium.tree.game_tree import build_tree
from uno_pomdp.equilibrium.tree_policies import table_of
from uno_pomdp.errors import InvalidRecord, UnoError, UnusableFile
from uno_pomdp.files import make_folder, try_place
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import load_record, parse_record, save_record
from uno_pomdp.game.record import record_of
from uno_pomdp.inputs import read_archive, read_bytes, read_text
from uno_pomdp.nets.net_file import load_net
from uno_pomdp.nets.onnx.model import read_model
from uno_pomdp.pomdp.fitted_value import load_value
from uno_pomdp.rules import preset

DEVICES: Final = os.path.exists("/dev/zero")


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a net, a policy and a record, all of mini-7."""
    folder = tmp_path_factory.mktemp("good")
    untrained(preset("mini-7")).save(folder / "net.npz")
    tree = build_tree(preset("mini-7"))
    table_of(tree, solve(tree, iterations=1).policy, {}).save(folder / "policy.npz")
    save_record(folder / "game.txt", record_of(Game.new(preset("mini-7"), 1)))
    return folder


def saved(path: Path, **arrays: object) -> Path:
    """Write an archive; what it holds need not be sound."""
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=True, **arrays)  # type: ignore[arg-type]
    return path


@pytest.mark.skipif(not DEVICES, reason="there are no devices here")
@pytest.mark.parametrize(
    "words",
    ["analyze FILE", "advise --resume FILE", "play --resume FILE", "arena policy:file=FILE random",
     "arena champion:file=FILE random", "arena value:file=FILE random", "nash greedy --response FILE",
     "solve mini-7 --against policy:file=FILE", "arena pomcp:model=policy:file=FILE random"],
)  # fmt: skip
@pytest.mark.parametrize("file", ["/dev/zero", "/dev/null"])
def test_a_device_without_end_or_without_anything_is_refused_in_a_sentence(words: str, file: str) -> None:
    done = call(*words.replace("FILE", file).split())
    assert done.err.startswith(f"uno-pomdp: {file}")
    assert (done.code, done.out, done.err.count("\n"), done.err.count(file)) == (2, "", 1, 1)


def test_no_more_is_read_than_is_allowed(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_bytes(b"x" * (2 << 20))
    assert len(read_bytes(path, 2 << 20)) == 2 << 20
    with pytest.raises(UnusableFile, match="it is longer than 1 MB"):
        read_bytes(path, 1 << 20)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_record_may_come_from_a_pipe(good: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes((good / "game.txt").read_bytes()))
    writer.start()
    assert load_record(pipe) == load_record(good / "game.txt")
    writer.join()


def test_lines_may_end_as_on_any_system(good: Path, tmp_path: Path) -> None:
    text = (good / "game.txt").read_bytes()
    for number, end in enumerate((b"\r\n", b"\r")):
        path = tmp_path / f"{number}.txt"
        path.write_bytes(text.replace(b"\n", end))
        assert read_text(path) == text.decode()
        assert load_record(path) == load_record(good / "game.txt")


def test_a_pickled_object_is_refused_without_the_advice_to_load_it(good: Path, tmp_path: Path) -> None:
    with np.load(good / "policy.npz") as archive:
        arrays = dict(archive)
    bad = [saved(tmp_path / "object.npz", **arrays | {"first": np.array([{}], object)})]
    bad.append(saved(tmp_path / "header.npz", **arrays | {"header": np.array({}, object)}))
    np.save(tmp_path / "array.npy", np.arange(3))
    (tmp_path / "pickle.npz").write_bytes(b"\x80\x04N.")
    for path in (*bad, tmp_path / "array.npy", tmp_path / "pickle.npz"):
        for words in (("arena", f"policy:file={path}", "random"), ("arena", f"champion:file={path}", "random")):
            done = call(*words, "--rules", "mini-7")
            assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
            assert "pickle" not in done.err.replace(str(path), "")
            assert done.err.count(str(path)) == 1


def test_an_archive_that_grows_without_end_is_refused_before_it_is_unpacked(good: Path, tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(good / "net.npz") as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    content = bytearray(path.read_bytes())
    at = content.rindex(b"PK\x01\x02")  # the last entry of the directory says how long it will be
    content[at + 24 : at + 28] = (0xFFFFFFF0).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(UnusableFile, match="holds no net: it is longer than 2048 MB once it is unpacked"):
        load_net(path)


def test_a_byte_order_mark_is_passed_over(good: Path, tmp_path: Path) -> None:
    path = tmp_path / "notepad.txt"
    text = (good / "game.txt").read_text(encoding="utf-8")
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert load_record(path) == load_record(good / "game.txt") == parse_record(f"\ufeff{text}")
    assert call("analyze", str(path), "--coach", "flat:sims=1").code == 0


@pytest.mark.parametrize(
    "load",
    [
        load_net,
        load_policy,
        load_value,
        load_record,
        read_model,
        make_folder,
        try_place,
        lambda name: held_game(Path(name)),
        lambda name: read_game(Path(name)),
    ],
)
def test_a_name_with_a_nul_is_refused_in_a_sentence(load: Callable[[str], object]) -> None:
    with pytest.raises(UnoError, match="no file's name has a NUL character"):
        load("a\0b")


def test_a_folder_or_nothing_in_the_place_of_a_record_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UnusableFile, match=r"can't be read: (Is a directory|Permission denied)"):
        load_record(tmp_path)
    with pytest.raises(UnusableFile, match=r"nothing\.txt can't be read: No such file"):
        load_record(tmp_path / "nothing.txt")


@pytest.mark.parametrize("given", [b"", b"uno-pomdp game, version 2", None, 7])
def test_what_is_no_text_is_no_record(given: Any) -> None:
    with pytest.raises(InvalidRecord, match="a record is a text, not"):
        parse_record(given)


@pytest.mark.parametrize("name", ["net.npz", "policy.npz", "game.txt"])
def test_bytes_that_changed_are_refused_in_a_sentence_or_do_not_matter(good: Path, tmp_path: Path, name: str) -> None:
    chance, whole = random.Random(7), (good / name).read_bytes()
    load = {"net.npz": load_net, "policy.npz": load_policy, "game.txt": load_record}[name]
    refused = []
    for _ in range(150):
        content = bytearray(whole)
        for _ in range(chance.choice((1, 1, 4))):
            content[chance.randrange(len(content))] = chance.randrange(256)
        if chance.random() < 0.3:
            del content[chance.randrange(len(content)) :]
        path = tmp_path / name
        path.write_bytes(content)
        try:
            load(path)  # type: ignore[operator]
        except (UnusableFile, InvalidRecord) as error:
            refused.append(str(error))
    assert len(refused) > 75
    assert name == "game.txt" or all(sentence.startswith(f"{path} ") for sentence in refused)
    assert not any("pickle" in sentence for sentence in refused)


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("[" * 100_000, "it is damaged: its header is no JSON text"),
        ("5", "it is damaged: its header is no JSON object"),
        (7, "it is damaged: its header is no text"),
    ],
)
def test_a_header_that_is_none_is_refused(tmp_path: Path, header: object, reason: str) -> None:
    path = saved(tmp_path / "file.npz", header=np.array(header))
    with pytest.raises(UnusableFile) as caught:
        read_archive(path, ())
    assert str(caught.value) == reason


def test_what_an_archive_lacks_is_named(tmp_path: Path) -> None:
    path = saved(tmp_path / "file.npz", header=np.array("{}"))
    with pytest.raises(UnusableFile, match="it has no array 'weights'"):
        read_archive(path, ("weights",))
    assert read_archive(path, (), ("value",)).arrays == {}


def test_a_file_is_named_once_in_what_is_said_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("binary.npz").write_bytes(io.BytesIO(bytes(range(256))).getvalue())
    Path("empty.npz").touch()
    Path("folder.npz").mkdir()
    lines = ["analyze FILE", "advise --resume FILE", "play --resume FILE", "arena policy:file=FILE random",
             "arena champion:file=FILE random", "arena champion:sims=5,positions=FILE random",
             "arena value:file=FILE random", "nash greedy --response FILE",
             "solve mini-7 --against policy:file=FILE"]  # fmt: skip
    for line in lines:
        for file in ("binary.npz", "empty.npz", "folder.npz", "none.npz"):
            done = call(*line.replace("FILE", file).split())
            assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done.err
            assert done.err.count(file) == 1, done.err
            assert done.err.startswith(f"uno-pomdp: {file}"), done.err
