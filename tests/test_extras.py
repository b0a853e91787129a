"""How to install an extra: from the clone where there is one, else from the index."""

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from tests.helpers import run_python
from uno_pomdp import extras

ROOT = Path(__file__).parents[1]


class Installed:
    """A distribution as pip leaves it."""

    def __init__(self, origin: str | None) -> None:
        self._origin = origin

    def read_text(self, name: str) -> str | None:
        """Return what pip noted about where it comes from."""
        return self._origin if name == "direct_url.json" else None


def test_in_a_clone_the_hint_is_for_the_clone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(ROOT)
    assert extras.missing("training needs", "torch", "train") == (
        "training needs torch: install it with pip install '.[train]'"
    )
    monkeypatch.chdir(tmp_path)  # from elsewhere a dot would be another folder
    assert extras.install_command("train") == f"pip install '{ROOT}[train]'"


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (None, "pip install 'uno-pomdp[plots]'"),
        ('{"url": "https://example.org/uno_pomdp.whl", "archive_info": {}}', "pip install 'uno-pomdp[plots]'"),
        ('{"url": "file:///nowhere/at/all", "dir_info": {}}', "pip install 'uno-pomdp[plots]'"),
        (f'{{"url": "{ROOT.as_uri()}", "dir_info": {{}}}}', f"pip install '{ROOT}[plots]'"),
    ],
)
def test_what_was_installed_from_a_folder_that_is_there_is_added_to_from_it(
    origin: str | None, command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(extras, "HERE", tmp_path / "site-packages" / "uno_pomdp")
    monkeypatch.setattr(extras, "distribution", lambda _: Installed(origin))
    assert extras.install_command("plots") == command


def test_every_hint_names_an_extra_that_there_is_and_comes_from_one_place() -> None:
    known = set(metadata.distribution("uno-pomdp").metadata.get_all("Provides-Extra") or ())
    used = []
    for path in (ROOT / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        used += re.findall(r'missing\("[^"]+", .+?, "(\w+)"\)', text)
        assert path.name == "extras.py" or "pip install" not in text
    web, kits = {"web"}, {"gymnasium", "pettingzoo", "onnx", "openspiel"}
    assert set(used) == {"plots", "cluster", "solve", "train"} | web | kits
    assert set(used) <= known


@pytest.mark.parametrize("version", ["0.65.0", "0.65.1", "0.66.0rc1", "0.68.1", "0.68.0dev0+12.gabc"])
def test_versions_of_numba_that_were_tried_are_taken(version: str) -> None:
    extras.require_numba(version)


@pytest.mark.parametrize("version", ["0.62.1", "0.64.0", "0.69.0", "0.70.0dev0", "1.66.0", "none"])
def test_other_versions_of_numba_are_refused_in_a_sentence(version: str) -> None:
    with pytest.raises(extras.NotInstalled) as refused:
        extras.require_numba(version)
    assert str(refused.value) == (
        f"uno-pomdp works with Numba 0.65 to 0.68, and {version} is installed: "
        "pip install 'numba>=0.65,<0.69' changes that"
    )


def test_the_versions_of_numba_are_those_that_are_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (major, oldest), (_, newest) = extras.NUMBA
    assert f"numba>={major}.{oldest},<{major}.{newest + 1}" in project["dependencies"]


OTHER = "import numba; numba.__version__ = '0.62.1'\n"
REFUSED = (
    "uno-pomdp works with Numba 0.65 to 0.68, and 0.62.1 is installed: pip install 'numba>=0.65,<0.69' changes that"
)


@pytest.mark.parametrize("line", ["arena random greedy", "play greedy", "advise", "solve mini-7", "serve --port 0"])
def test_a_command_refuses_another_numba_with_exit_code_2(line: str) -> None:
    done = run_python(
        f"{OTHER}import sys\nfrom uno_pomdp.cli.main import run\nsys.argv = ['uno-pomdp', *{line.split()!r}]\n"
        "try:\n    run()\nexcept SystemExit as end:\n    print('code', end.code)"
    )
    assert done.stderr == f"uno-pomdp: {REFUSED}\n"
    assert done.stdout == "code 2\n"


def test_what_needs_no_kernel_works_with_any_numba_and_python_is_told_the_same() -> None:
    done = run_python(
        f"{OTHER}import uno_pomdp as uno\nprint(uno.preset('house').name)\n"
        "try:\n    uno.Game\nexcept uno.UnoError as error:\n    print(error)"
    )
    assert done.stdout.splitlines() == ["house", REFUSED]
