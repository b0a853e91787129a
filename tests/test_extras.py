"""How to install an extra: from the clone where there is one, else from the index."""

import re
from importlib import metadata
from pathlib import Path

import pytest

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
