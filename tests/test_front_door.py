"""`import uno_pomdp as uno`: every name is there, typed, lazy, and its example does what it says."""

import ast
import doctest
import sys
from pathlib import Path

import pytest

import uno_pomdp as uno
from tests.helpers import run_python

PACKAGE = Path(uno.__file__).parent
NAMES = [name for name in uno.__all__ if name != "__version__"]


def typed_names() -> dict[str, str]:
    """Return what type checkers are told: names, and where they come from."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text("utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    found = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.asname or "": f"{node.module}.{alias.name}" for node in found for alias in node.names}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_has_an_example_that_does_what_it_says(name: str) -> None:
    if name == "learner":
        pytest.importorskip("torch")
    found = getattr(uno, name)
    examples = doctest.DocTestFinder(recurse=False).find(found, name, globs={})
    assert sum(len(one.examples) for one in examples) >= 2, f"{name} has no example"
    runner = doctest.DocTestRunner(verbose=False)
    said: list[str] = []
    for one in examples:
        runner.run(one, out=said.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)


@pytest.mark.parametrize("method", ["Belief.after", "Agent.consider"])
def test_a_method_of_the_front_door_has_an_example_that_does_what_it_says(method: str) -> None:
    owner, _, name = method.partition(".")
    test = doctest.DocTestParser().get_doctest(getattr(getattr(uno, owner), name).__doc__, {}, method, None, None)
    assert test.examples
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


def test_type_checkers_are_told_of_the_same_names_from_the_same_places() -> None:
    told = typed_names()
    assert sorted(told) == sorted(NAMES)
    for name, place in told.items():
        assert place.rpartition(".")[2] == name
        module = sys.modules[place.rpartition(".")[0]] if getattr(uno, name) is not None else None
        assert getattr(module, name) is getattr(uno, name)


def test_the_import_brings_nothing_heavy_and_lists_all_names() -> None:
    run_python(
        "import sys, uno_pomdp\n"
        "assert not {'numpy', 'numba', 'rich', 'joblib'} & set(sys.modules)\n"
        "assert {'Game', 'match', 'nash', '__version__'} <= set(dir(uno_pomdp))\n"
    )


def test_a_name_that_does_not_exist_is_refused_with_the_remedy() -> None:
    with pytest.raises(AttributeError, match=r"^uno_pomdp has no name 'Gane': dir\(uno_pomdp\) lists those it has$"):
        uno.Gane  # noqa: B018  # asking is the test


def test_no_name_is_that_of_a_room() -> None:
    rooms = {path.stem for path in PACKAGE.iterdir()}
    assert not rooms & set(NAMES)


def test_nothing_below_imports_a_name_of_the_front_door() -> None:
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "uno_pomdp":
                assert not {alias.name for alias in node.names} & set(uno.__all__), path
            assert not (isinstance(node, ast.Import) and any(alias.name == "uno_pomdp" for alias in node.names)), path


def test_a_policy_that_does_not_exist_is_refused_wherever_one_is_named() -> None:
    game = uno.Game.new("mini-7", seed=1)
    worlds = uno.UniformBelief.after(game, seat=0).sample(2, seed=1)
    for ask in (
        lambda: uno.ParticleBelief.after(game, seat=0, model="nobody"),
        lambda: uno.UnoPOMDP("mini-7", "nobody"),
        lambda: uno.rollouts(worlds, game.legal_actions(), policy="nobody"),
    ):
        with pytest.raises(uno.UnoError, match=r"^no policy is called 'nobody': choose one of random, greedy"):
            ask()
