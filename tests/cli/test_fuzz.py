"""Whatever a command is asked, it ends with exit code 0, or with 2 and one sentence."""

import random
from pathlib import Path

import pytest

from tests.cli.fuzzing import COMMANDS, case, cases, ended, new_folder, pools, refusable, standing_in_a_copy_of, trouble
from tests.cli.fuzzing import parameters as declared
from tests.cli.inside import Done


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with files of every kind."""
    folder = tmp_path_factory.mktemp("template")
    new_folder(folder)
    return folder


def check(words: list[str], template: Path) -> Done:
    """Run a request and require that it ends as it should."""
    with standing_in_a_copy_of(template):
        done = ended(words)
    assert not trouble(words, done), (words, done.err)
    return done


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_each_parameter_may_be_wrong(command: str, template: Path) -> None:
    chance = random.Random(command)
    for name in refusable(command):
        check(case(command, chance, frozenset({name})), template)


def test_requests_of_all_kinds(template: Path) -> None:
    codes = [check(words, template).code for words in cases(80, seed=1)]
    assert codes.count(0) >= 10
    assert codes.count(2) >= 10


def test_every_command_and_all_that_it_declares_is_tried() -> None:
    assert len(COMMANDS) >= 13
    for command in COMMANDS:
        for one in declared(command):
            right, wrong = pools(command, one)
            assert right
            assert wrong


@pytest.mark.parametrize(
    "done",
    [
        Done(1, "", ""),
        Done(130, "", ""),
        Done(2, "", ""),
        Done(2, "", "uno-pomdp: one\nuno-pomdp: two\n"),
        Done(2, "", "warning\nuno-pomdp: one\n"),
        Done(0, "", "Traceback (most recent call last):\n"),
        Done(2, "", "uno-pomdp: long-name.txt: long-name.txt is no file\n"),
    ],
)
def test_what_is_not_right_is_seen(done: Done) -> None:
    assert trouble(["analyze", "long-name.txt"], done)
