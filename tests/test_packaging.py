"""The package as others get it: a wheel, built from the sources, with what it asks for and nothing else beside it."""

import json
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Final

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools.wheel_assets import Assets, missing
from uno_pomdp import __version__

ROOT: Final = Path(__file__).parents[1]
CONSTRAINTS: Final = ROOT / "constraints.txt"
SCRIPTS: Final = "Scripts" if sys.platform == "win32" else "bin"


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """Run a command with the pinned versions, require that it ends well and return what it wrote."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV", "COLUMNS")}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=kept | {"PIP_CONSTRAINT": str(CONSTRAINTS), "PYTHONUTF8": "1"} | environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build_wheel(folder: Path) -> Path:
    """Build the wheel from a copy of what it is made of, with what is installed: `make` has built it without."""
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name in ("src", "tests", "benchmarks", "tools"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, source, cwd=folder)
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_the_package_alone_and_works_in_an_empty_environment(tmp_path: Path) -> None:
    wheel = build_wheel(tmp_path)
    assert wheel.name == f"uno_pomdp-{__version__}-py3-none-any.whl"
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names} == {"uno_pomdp", f"uno_pomdp-{__version__}.dist-info"}
    source = tmp_path / "source" / "src"
    modules = {path.relative_to(source).as_posix() for path in source.rglob("*.py")}
    assert {name for name in names if name.endswith(".py")} == modules
    assert any(name.endswith("licenses/LICENSE") for name in names)

    environment, elsewhere = tmp_path / "environment", tmp_path / "elsewhere"
    elsewhere.mkdir()
    venv.create(environment, with_pip=False)
    scripts = environment / SCRIPTS
    pip = (sys.executable, "-m", "pip", "--python", scripts / "python")  # pip itself need not be there
    run(*pip, "install", "--quiet", "--no-compile", "--no-deps", wheel, cwd=elsewhere)
    link_packages(needed("uno-pomdp", ""), environment)
    run(*pip, "check", cwd=elsewhere)  # what the wheel asks for is there, in a version that fits
    command = scripts / "uno-pomdp"
    assert run(command, "--version", cwd=elsewhere) == f"uno-pomdp {__version__}\n"
    assert assets_of(source) == {name for name in names if "/pages/" in name and not name.endswith(".py")}
    pages = ("--html", "page.html", "--coach", "flat:sims=20")
    run(command, "analyze", Path(__file__).parent / "golden" / "mini-9.txt", *pages, cwd=tmp_path)
    assert "<style>" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "uno_pomdp/schemas/common.json" in names
    match = ("--rules", "mini-9", "--pairs", "2", "--json")
    said = run(command, "arena", "champion", "random", *match, cwd=elsewhere)  # kernels as here: they may be on disk
    assert json.loads(said)["games"] == 4
    assert not list(elsewhere.iterdir())


def assets_of(source: Path) -> set[str]:
    """Return the templates, styles and scripts of pages, as a wheel names them; there are some of each."""
    found = [path for name in ("static", "templates") for path in (source / "uno_pomdp/pages" / name).iterdir()]
    assert {path.suffix for path in found} >= {".css", ".js", ".html"}
    return {path.relative_to(source).as_posix() for path in found}


@pytest.mark.parametrize("lost", ["static/*.js", "static/*.css", "templates/*.html"])
def test_there_is_no_wheel_without_what_its_pages_are_made_of(lost: str, tmp_path: Path) -> None:
    pages = Path("src/uno_pomdp/pages")
    shutil.copytree(ROOT / pages, tmp_path / pages)
    assert missing(tmp_path) == []
    for path in (tmp_path / pages).glob(lost):
        path.unlink()
    assert missing(tmp_path) == [f"src/uno_pomdp/pages/{lost}"]
    with pytest.raises(FileNotFoundError, match=r"no wheel without .*" + re.escape(lost)):
        Assets.check(tmp_path)


def pinned() -> set[str]:
    """Return the packages that the constraints name."""
    lines = CONSTRAINTS.read_text(encoding="utf-8").splitlines()
    return {canonicalize_name(line.partition("==")[0]) for line in lines if re.match(r"\w", line)}


def link_packages(names: set[str], environment: Path) -> None:
    """Put packages that are installed here into an environment, and nothing else: as links, for copies take long."""
    (folder,) = environment.rglob("site-packages")
    for name in names:
        here = metadata.distribution(name)
        for part in {file.parts[0] for file in here.files or () if ".." not in file.parts}:
            if part != "__pycache__" and not (folder / part).exists():
                (folder / part).symlink_to(str(here.locate_file(part)))


def needed(package: str, extra_of_it: str = "dev") -> set[str]:
    """Return all packages that a package brings with it here, those of one of its extras included."""
    found: set[str] = set()
    waiting = [(package, extra_of_it)]
    while waiting:
        name, extra = waiting.pop()
        for requirement in map(Requirement, metadata.requires(name) or ()):
            needed_here = requirement.marker is None or requirement.marker.evaluate({"extra": extra})
            if needed_here and canonicalize_name(requirement.name) not in found:
                found.add(canonicalize_name(requirement.name))
                waiting.append((requirement.name, ""))
    return found


def test_every_package_that_is_installed_has_a_pinned_version() -> None:
    assert needed("uno-pomdp") - pinned() == set()


def test_no_pinned_version_is_a_range() -> None:
    lines = CONSTRAINTS.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line and not re.fullmatch(r"[\w.-]+==[\w.]+|#.*", line)] == []
