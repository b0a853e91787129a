"""The folder of a training: what lies there and is no training's is not overwritten."""

from pathlib import Path

import pytest

from uno_pomdp.errors import PlaceTaken
from uno_pomdp.learning.best_response import RESPONSE
from uno_pomdp.learning.checkpoint import CHECKPOINT, CURVE
from uno_pomdp.learning.training_folder import NET, begun_or_resumed, check_folder


@pytest.mark.parametrize("names", [(NET,), (CURVE,), (RESPONSE,), (NET, CURVE)])
def test_results_that_no_training_has_written_are_overwritten_only_by_force(
    names: tuple[str, ...], tmp_path: Path
) -> None:
    for name in names:
        (tmp_path / name).write_text("mine")
    with pytest.raises(PlaceTaken, match=f"holds {' and '.join(names)} but no training to go on with: name another"):
        begun_or_resumed(tmp_path, "mini", {}, "", "cpu")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == dict.fromkeys(names, "mine")
    check_folder(tmp_path, force=True)
    (tmp_path / CHECKPOINT).touch()  # whose results they are
    check_folder(tmp_path, force=False)
