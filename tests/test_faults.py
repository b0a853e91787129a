"""Mutation testing: the faults fit the sources, the page lists them, and the tool changes nothing but a copy."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tools.faults import ROOT, Fault, InvalidFault, check, load_faults, main, try_all

FAULTS = load_faults()
PAGE = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
SMALL = Fault("small", 2, "src/sums.py", "a + b", "a - b", "sums are wrong", ("tests/test_sums.py",))


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a small tree of sources with one test, which needs no plugin of pytest: they take their time to load."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (tmp_path / "src").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "src" / "sums.py").write_text("def add(a, b):\n    return a + b\n", encoding="utf-8")
    test = "from sums import add\n\n\ndef test_add():\n    assert add(0, 0) == 0\n    assert add(2, 3) == 5\n"
    (tmp_path / "tests" / "test_sums.py").write_text(test, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_each_fault_fits_the_sources(fault: Fault) -> None:
    check([fault])


def test_the_page_lists_every_fault_with_the_test_that_catches_it() -> None:
    rows = {row[1]: row[0] for row in re.findall(r"^(\| `([\w-]+)` \|.*)$", PAGE, flags=re.MULTILINE)}
    assert set(rows) == {fault.id for fault in FAULTS}
    for fault in FAULTS:
        named = re.findall(r"`(tests/[\w/]+\.py)::\w+`", rows[fault.id])
        assert set(named) <= set(fault.tests), fault.id
        assert named or "survives" in rows[fault.id], fault.id


def test_a_fault_that_a_test_notices_is_caught_and_another_survives(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (tree / "src" / "sums.py").read_bytes()
    harmless = replace(SMALL, id="harmless", after="b + a")
    runs = try_all([SMALL, harmless], tree)
    assert [run.noticed for run in runs] == [("tests/test_sums.py::test_add",), ()]
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("caught    small: tests/test_sums.py::test_add")
    assert said[1].startswith("SURVIVED  harmless")
    assert (tree / "src" / "sums.py").read_bytes() == before
    assert sorted(path.name for path in tree.iterdir()) == ["src", "tests"]


def test_tests_that_fail_without_a_fault_prove_nothing(tree: Path) -> None:
    (tree / "tests" / "test_sums.py").write_text("def test_add():\n    assert False\n", encoding="utf-8")
    with pytest.raises(InvalidFault, match="test_add fails without any fault: mend that first"):
        try_all([SMALL], tree)


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (replace(SMALL, before="a * b"), "small: its text occurs 0 times in src/sums.py, and has to once"),
        (replace(SMALL, before="a"), r"small: its text occurs \d times in src/sums.py, and has to once"),
        (replace(SMALL, file="src/nothing.py"), "small: there is no src/nothing.py"),
        (replace(SMALL, tests=("tests/test_nothing.py",)), "small: there is no tests/test_nothing.py"),
    ],
)
def test_a_fault_that_does_not_fit_is_refused(tree: Path, fault: Fault, says: str) -> None:
    with pytest.raises(InvalidFault, match=says):
        try_all([fault], tree)


def test_a_name_that_is_not_known_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nonsense"]) == 2
    assert capsys.readouterr().err == "faults: no fault is called nonsense: the names are in faults.toml\n"


def test_a_name_that_is_given_twice_is_refused(tmp_path: Path) -> None:
    row = '[[fault]]\nid = "x"\nround = 2\nfile = "f"\nbefore = "a"\nafter = "b"\nbreaks = "c"\ntests = []\n'
    (tmp_path / "faults.toml").write_text(2 * row, encoding="utf-8")
    with pytest.raises(InvalidFault, match=r"x is in faults\.toml twice"):
        load_faults(tmp_path / "faults.toml")
