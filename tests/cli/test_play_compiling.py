"""`play` with cold kernels: what it compiles first is seen to be compiled."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from uno_pomdp.cli.commands import play
from uno_pomdp.cli.leaving import Leave
from uno_pomdp.cli.play import session
from uno_pomdp.rules import preset
from uno_pomdp.session.setup import Setup


def test_what_is_compiled_before_the_first_card_is_shown_to_be(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    showing: list[bool] = []
    inside = False

    @contextmanager
    def shown() -> Iterator[None]:
        nonlocal inside
        inside = True
        yield
        inside = False

    def dealt(*_: Any) -> Setup:
        showing.append(inside)
        return Setup(preset("mini-9"), 1, 0, "random")

    def claimed(*_: Any) -> None:
        showing.append(inside)
        raise Leave  # before anything is played

    for module in (play, session):
        monkeypatch.setattr(module, "showing_compilation", shown)
    monkeypatch.setattr(session, "new_game", dealt)
    monkeypatch.setattr(session, "new_file", claimed)
    with pytest.raises(Leave):
        play.play("random", record=tmp_path / "game.txt")
    assert showing == [True, True]
