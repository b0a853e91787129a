"""Commands whose compiled kernels are damaged on the disk say so once, compile again and go on."""

import functools
import shutil
from pathlib import Path

import pytest

from tests.cli.command import uno
from uno_pomdp.kernel_cache import kernel_folder

COMMANDS = {
    "arena random greedy --rules mini-7 --pairs 2 --processes 1": ("", "random v greedy"),
    "play random --rules mini-7 --seed 3 --coach flat:sims=2": ("1\nquit\n", "go on with:"),
}
DAMAGED = (
    "uno_pomdp.game.bindings.legal_one-*.nbc",
    "uno_pomdp.game.kernels.legal_mask*.nbc",
    "uno_pomdp.game.kernels.playable_mask-*.nbc",
    "uno_pomdp.game.rng.mix-*.nbc",
    "uno_pomdp.arena.kernel_match.pair_seeds_all-*.nbc",
)
"""Files of kernels of which either command needs several, and that are soon compiled."""


@functools.cache
def run_once(line: str, games: Path) -> None:
    """Run a command: now its kernels are kept."""
    uno(*line.split(), stdin=COMMANDS[line][0], UNO_POMDP_GAMES=str(games))


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where games of the first runs are saved."""
    return tmp_path_factory.mktemp("games")


@pytest.mark.parametrize("line", COMMANDS)
@pytest.mark.parametrize("left", [0, 40], ids=["emptied", "cut short"])
def test_a_command_goes_on_with_one_sentence(line: str, left: int, tmp_path: Path, games: Path) -> None:
    typed, says = COMMANDS[line]
    run_once(line, games)
    folder = kernel_folder()
    assert folder is not None
    kept = tmp_path / "cache" / "kernels"
    kept.mkdir(parents=True)
    for path in folder.glob("*.nbc"):  # other tests may be writing there: these are only ever replaced whole
        shutil.copy(path, kept)
    for pattern in DAMAGED:
        assert list(kept.glob(pattern)), pattern
        for path in kept.glob(pattern):
            path.write_bytes(path.read_bytes()[:left])
    others = str(tmp_path / "others")
    done = uno(*line.split(), stdin=typed, UNO_POMDP_CACHE=str(kept.parent), UNO_POMDP_GAMES=others)
    assert says in done.stdout
    assert done.stderr.count("is damaged: it is compiled again") == 1
    assert done.stderr.startswith("uno-pomdp: the compiled kernel ")
