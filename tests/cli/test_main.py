"""The command itself: version, help, the list of rules, refusals in one sentence."""

import re

import pytest

from tests.cli.command import uno
from uno_pomdp import __version__
from uno_pomdp.rules import PRESETS

UNKNOWN = "uno-pomdp: no rules are called 'nope': choose one of " + ", ".join(PRESETS)


def test_the_version_is_the_packages() -> None:
    assert uno("--version").stdout == f"uno-pomdp {__version__}\n"


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_names_every_command(option: str) -> None:
    text = uno(option).stdout
    assert re.search(r"\bdemo\b", text)
    assert re.search(r"\brules\b", text)


def test_help_of_a_command_names_its_options() -> None:
    text = uno("demo", "--help", NO_COLOR="1").stdout
    for option in ("--rules", "--pairs", "--seed"):
        assert option in text


def test_the_list_of_rules_has_every_preset_with_its_cards_and_hands() -> None:
    done = uno("rules", COLUMNS="200")
    title, *rows = done.stdout.splitlines()
    assert title.split() == ["name", "cards", "hands", "what"]
    assert [row.split(maxsplit=3)[:3] for row in rows] == [
        [name, str(len(known.rules.deck)), str(known.rules.hand_size)] for name, known in PRESETS.items()
    ]
    assert [row.split(maxsplit=3)[3].strip() for row in rows] == [known.about for known in PRESETS.values()]
    assert done.stderr == ""


def test_the_list_of_rules_fits_80_columns() -> None:
    text = uno("rules", COLUMNS="80", NO_COLOR="1").stdout
    assert max(map(len, text.splitlines())) <= 80
    assert [line.split()[0] for line in text.splitlines()[1:] if not line.startswith(" ")] == list(PRESETS)


def test_unknown_rules_end_with_one_sentence_and_exit_code_2() -> None:
    done = uno("demo", "--rules", "nope", code=2)
    assert done.stderr == UNKNOWN + "\n"
    assert done.stdout == ""


def test_a_refusal_is_one_line_in_a_narrow_terminal_too() -> None:
    assert uno("demo", "--rules", "nope", code=2, COLUMNS="40").stderr == UNKNOWN + "\n"


def test_markup_in_a_wrong_name_is_shown_as_it_was_typed() -> None:
    assert "'[bold]x[/bold]'" in uno("demo", "--rules", "[bold]x[/bold]", code=2).stderr


def test_debug_shows_the_whole_traceback() -> None:
    done = uno("--debug", "demo", "--rules", "nope", code=2)
    assert done.stderr.startswith("Traceback (most recent call last):")
    above, _, last = done.stderr.rstrip().rpartition("\n")
    assert above.endswith("InvalidRules: " + UNKNOWN.removeprefix("uno-pomdp: "))
    assert last == UNKNOWN


@pytest.mark.parametrize(
    "arguments", [["demo", "--pairs", "0"], ["demo", "--seed", "-1"], ["dance"], ["demo", "house"]]
)
def test_what_the_command_does_not_know_ends_with_exit_code_2_and_no_traceback(arguments: list[str]) -> None:
    done = uno(*arguments, code=2)
    assert "Traceback" not in done.stderr
    assert done.stderr
    assert done.stdout == ""
