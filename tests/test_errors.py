"""What refusals repeat of a wrong request: quoted, cut, without control characters, and all by one function."""

import ast
from pathlib import Path
from typing import Final

import pytest

import uno_pomdp as uno
from tests.cli.inside import call
from uno_pomdp.engine.protocol import Refused, read_request, refusal
from uno_pomdp.errors import MOST_QUOTED, MOST_SAID, UnoError, abridged, quoted, sentence, sentence_of

SOURCES: Final = Path(uno.__file__).parent
LONG: Final = "\x1b[31m" + "x" * 5_000_000
SHORT: Final = 1_000
"""Characters that suffice for any sentence with a quoted text and all choices."""
RECORD: Final = uno.format_record(uno.record_of(uno.Game.new("mini-7", seed=1)))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("r5", "'r5'"),
        ("a\nb\x1b[31m\x9b\u202e\0", r"'a\nb\x1b[31m\x9b\u202e\x00'"),
        ("x" * (MOST_QUOTED + 1), f"'{'x' * MOST_QUOTED}…'"),
        (b"ab", "b'ab'"),
        (None, "None"),
        (7, "7"),
        (1 << 20_000, "a number of 20,001 bits"),
        (["x" * 100], f"['{'x' * (MOST_QUOTED - 2)}…"),
    ],
    ids=["text", "controls", "long", "bytes", "none", "number", "many digits", "list"],
)
def test_what_is_quoted_is_short_and_has_no_control_characters(value: object, shown: str) -> None:
    assert quoted(value) == shown


def test_a_beginning_is_cut_and_escaped() -> None:
    assert abridged("a\x1bb") == r"a\x1bb"
    assert abridged(LONG) == r"\x1b[31m" + "x" * (MOST_QUOTED - 5) + "…"


def test_a_sentence_that_is_too_long_keeps_its_beginning_and_its_end() -> None:
    assert sentence("short\nand sweet") == r"short\nand sweet"
    said = sentence(f"{LONG}: give another name")
    assert said.startswith(r"\x1b[31mxxx")
    assert said.endswith("xxx: give another name")
    assert len(said) < MOST_SAID + 10
    assert sentence_of(UnoError(LONG)) == sentence(LONG)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (RECORD, "LONG"),
        ("rules: mini-7", "LONG"),
        ("hand_size: 2", "hand_size: LONG"),
        ("seed: 1", "seed: LONG"),
        ("reshuffle: no", "reshuffle: LONG"),
        ("reshuffle: no", "LONG: no"),
        ("player 1: unknown", "player 1: LONG"),
        ("top: ", "top: LONG"),
        ("hand 1: ", "hand 1: LONG "),
        ("result: ", "1. player 1: LONG\nresult: "),
        ("result: ", "LONG: R1\nresult: "),
        ("result: ", "1. player 1: R1 LONG\nresult: "),
        ("result: ", "1. player 1: R1; LONG\nresult: "),
        ("result: unfinished", "result: LONG"),
        ("unfinished\n", "unfinished\nLONG"),
    ],
    ids=range(15),
)
def test_a_record_with_a_line_of_5_mb_is_refused_in_a_short_sentence(old: str, new: str) -> None:
    text = RECORD.replace(old, new.replace("LONG", LONG))
    assert LONG in text
    with pytest.raises(uno.InvalidRecord) as caught:
        uno.parse_record(text)
    assert len(str(caught.value)) < SHORT
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "line",
    [b'{"id": "q", "record": "%s", "x\\u001b%s": 1}', b'{"id": "%s"}', b'{"id": "q", "record": "", "agent": ["%s"]}'],
)
def test_a_reply_of_the_engine_repeats_no_more_than_a_beginning(line: bytes) -> None:
    with pytest.raises(Refused) as caught:
        read_request(line.replace(b"%s", b"x" * 100_000))
    message = refusal(caught.value, None, 1)["error"]["message"]
    assert len(message) < SHORT
    assert message.isprintable()


def test_a_name_in_a_record_does_not_steer_the_terminal(tmp_path: Path) -> None:
    game = tmp_path / "game.txt"
    game.write_text(RECORD.replace("player 1: unknown", "player 1: Ann\x1b]0;mine\x07"), encoding="utf-8")
    done = call("analyze", str(game))
    assert (done.code, done.out) == (2, "")
    assert r"'Ann\x1b]0;mine\x07' is no name for a record" in done.err
    assert "\x1b" not in done.err


def quoting_by_hand(path: Path) -> list[str]:
    """Return the places where a message repeats a value by `!r`, but for names of the package's own constants."""
    found = []
    for raised in (
        node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Raise)
    ):
        for part in ast.walk(raised):
            if isinstance(part, ast.FormattedValue) and part.conversion in (ord("r"), ord("a")):
                own = isinstance(part.value, ast.Name) and part.value.id.isupper()
                if not own and (path.name, ast.unparse(part.value)) not in OWN:
                    found.append(f"{path.relative_to(SOURCES)}, line {part.lineno}: {ast.unparse(part.value)}")
    return found


OWN: Final = {
    ("net_file.py", "shape.format"),
    ("export.py", "net.shape.format"),
    ("record_lines.py", "expected"),
    ("__init__.py", "name"),
    ("kernel_keys.py", "value"),
}
"""What is repeated by `!r` though it is no constant: words of the package, names in a program."""


def test_all_refusals_quote_by_one_function() -> None:
    assert [place for path in sorted(SOURCES.rglob("*.py")) for place in quoting_by_hand(path)] == []
