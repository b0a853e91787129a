"""What docs/comparison.md says about other packages is so, as far as they are installed."""

from collections.abc import Callable
from importlib.util import find_spec

import pytest

from tools.other_packages import FACTS, spiel_has_uno


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        pytest.param(ask, said, id=ask.__name__, marks=pytest.mark.skipif(find_spec(package) is None, reason=package))
        for package, facts in FACTS.items()
        for ask, said in facts.items()
        if ask is not spiel_has_uno  # other tests register ours
    ],
)
def test_the_page_says_what_is_so(ask: Callable[[], bool], said: bool) -> None:
    assert ask() == said
