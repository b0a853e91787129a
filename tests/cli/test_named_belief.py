"""`--belief` of watch, play and advise: another belief beside the exact one, and the filter at work."""

import json
from pathlib import Path

import pytest

from tests.cli.inside import call

SPEC = "particles,model=greedy,particles=300,resample=0.9"


def test_watch_shows_the_filter_at_work_beside_the_truth() -> None:
    told = call("watch", "random", "greedy", "--rules", "house", "--belief", SPEC).out
    words = " ".join(told.split())
    assert "choosing as greedy, which it does: ± " in words
    assert "particles (greedy): effective sample size " in words
    assert "of 300, " in words
    assert "resampled now; " in words or "rejuvenated now; " in words
    assert "in truth" in words
    assert "effective sample size" not in call("watch", "random", "greedy", "--rules", "house").out


def test_watch_has_it_in_its_document() -> None:
    document = json.loads(call("watch", "random", "greedy", "--rules", "house", "--belief", SPEC, "--json").out)
    shown = [moment["policy_aware_belief"] for moment in (document["deal"], *document["moves"])]
    assert {each["choices"] for each in shown} == {"greedy"}
    assert shown[0]["filter"]["effective_sample_size"] == pytest.approx(300)
    counts = [each["filter"]["resamplings"] + each["filter"]["rejuvenations"] for each in shown]
    assert counts == sorted(counts)
    assert counts[-1] > 0
    assert all(bool(now["filter"]["did"]) == (b > a) for now, a, b in zip(shown[1:], counts, counts[1:], strict=False))


@pytest.mark.parametrize("belief", ["closed", "uniform", "enumerated", "enumerated,model=greedy", "particles"])
def test_every_kind_of_belief_can_be_shown(belief: str) -> None:
    told = call("watch", "random", "greedy", "--rules", "mini-9", "--belief", belief)
    assert told.code == 0
    assert ("choosing as greedy" if "model" in belief else belief) in told.out


def test_play_shows_it_when_asked_and_the_truth_only_at_the_end(tmp_path: Path) -> None:
    options = ("--rules", "mini-9", "--seed", "3", "--record", str(tmp_path / "game.txt"), "--belief", SPEC)
    told = call("play", "random", *options, typed="belief\n" + "1\n" * 40)
    before, _, after = told.out.partition("still held")
    words = " ".join(before.split())
    assert "it chooses as greedy does, an assumption that you made" in words
    assert "particles (greedy): effective sample size 300 of 300" in words
    assert "in truth" not in before
    assert "The belief particles,particles=300,model=greedy,resample=0.9 after each move" in " ".join(after.split())
    assert "in truth" in after


def test_advise_shows_it() -> None:
    typed = "opponent\nr5 r7 y1 g+2 w4 b3 red skip\ng1\nw red\nr7\nr2\n"
    options = ("advise", "--coach", "heuristic", "--belief", "particles,model=baseline,particles=200")
    words = " ".join(call(*options, typed=typed).out.split())
    assert "choosing as baseline, an assumption" in words
    assert "particles (baseline): effective sample size" in words
    document = json.loads(call(*options, "--json", typed=typed).out)
    assert document["policy_aware_belief"]["filter"]["kind"] == "particles (baseline)"


@pytest.mark.parametrize("command", [("watch", "random", "greedy"), ("play", "random"), ("advise",)])
@pytest.mark.parametrize(
    ("belief", "sentence"),
    [
        ("greedy", "no belief is called 'greedy': write belief=particles,model=greedy"),
        ("closed,particles=5", "closed has no option 'particles': it has none; write belief=particles,particles=5"),
        ("particles,model=flat", "flat does not state its policy"),
        ("particles,particles=0", "particles: 0 is not a whole number from 1 to 1,000,000"),
    ],
)
def test_a_wrong_one_is_refused_before_anything_else(command: tuple[str, ...], belief: str, sentence: str) -> None:
    told = call(*command, "--rules", "mini-9", "--belief", belief)
    assert told.code == 2
    assert sentence in " ".join(told.err.split())
