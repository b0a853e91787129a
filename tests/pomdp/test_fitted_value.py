"""Value functions that are fitted against an opponent: what they say, their files, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from uno_pomdp.agents.tabular import load_policy
from uno_pomdp.arrays import Floats
from uno_pomdp.errors import CannotWrite, UnusableFile
from uno_pomdp.policies.kernels import GREEDY, HEURISTIC, noisy
from uno_pomdp.policies.opponent_models import PolicyModel
from uno_pomdp.pomdp.fit_value import fit_value
from uno_pomdp.pomdp.fitted_value import FORMAT, FittedValue, load_value
from uno_pomdp.pomdp.linear_features import FEATURES, NAMES
from uno_pomdp.pomdp.model import InvalidModel, UnoPOMDP
from uno_pomdp.pomdp.sampled_transitions import sample_transitions
from uno_pomdp.pomdp.value_iteration import value_iteration
from uno_pomdp.registry import as_model
from uno_pomdp.rules import preset


def quick(opponent: str = "greedy", **options: Any) -> FittedValue:
    """Return V fitted to a few games."""
    return fit_value(UnoPOMDP("house", opponent, **options), games=12, worlds=4, seed=3)


# --- fitting ---------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_value_and_the_opponent_matters() -> None:
    first, again, other = quick(), quick(), quick("random")
    assert np.array_equal(first.value.weights, again.value.weights)
    assert not np.array_equal(first.value.weights, other.value.weights)
    assert (first.opponent, first.policy, other.opponent) == ("greedy", GREEDY, "random")
    assert repr(first) == "<FittedValue of house against greedy, discount 1, step cost 0>"


def test_a_discount_and_a_cost_make_decisions_worth_less() -> None:
    """V at the decisions of the same games: γ draws it towards 0, and a step costs λ wherever one is ahead."""
    plain, discounted, costly = quick(), quick(discount=0.8), quick(step_cost=0.05)
    features = sample_transitions(preset("house"), 12, 4, 3, GREEDY).features

    def values(found: FittedValue) -> Floats:
        return np.asarray(found.value.bound * np.tanh(features @ found.value.weights))

    assert (discounted.value.discount, costly.value.step_cost) == (0.8, 0.05)
    assert (plain.value.bound, discounted.value.bound) == (1.0, 1.0)
    assert costly.value.bound == pytest.approx(1 + 60 * 0.05)
    assert np.abs(values(discounted)).mean() < 0.8 * np.abs(values(plain)).mean()
    assert values(costly).mean() < values(plain).mean() - 0.05


def test_how_far_it_is_is_told() -> None:
    told: list[tuple[str, int, int]] = []
    found = fit_value(UnoPOMDP("house", "greedy"), games=3, worlds=2, report=lambda *at: told.append(at))
    assert [at for at in told if at[0] == "games"] == [("games", number, 3) for number in (1, 2, 3)]
    assert len([at for at in told if at[0] == "iterations"]) == found.about["iterations"]


def test_an_opponent_that_kernels_do_not_know_is_refused_with_what_there_is_for_it() -> None:
    with pytest.raises(
        InvalidModel, match="only scripted policies give in kernels, not champion: choose one of random"
    ):
        fit_value(UnoPOMDP("house", as_model("champion")), games=1)


# --- files -----------------------------------------------------------------------------------------------


def test_a_value_comes_back_from_its_file_which_says_what_it_is(tmp_path: Path) -> None:
    found = quick("heuristic:noise=0.1", discount=0.95, step_cost=0.01)
    found.save(tmp_path / "v.npz")
    again = load_value(tmp_path / "v.npz")
    assert (again.rules, again.opponent, again.about) == (found.rules, found.opponent, found.about)
    assert again.policy == noisy(HEURISTIC, 0.1)
    assert again.value[1:] == found.value[1:]
    assert np.array_equal(again.value.weights, found.value.weights)
    with np.load(tmp_path / "v.npz") as archive:
        header = json.loads(str(archive["header"]))
    assert header["format"] == FORMAT
    assert {"version", "package", "rules", "opponent", "gamma", "step_cost", "features", "about"} < header.keys()


def test_an_opponent_that_is_no_scripted_policy_is_taken_for_heuristic_in_a_lookahead() -> None:
    assert FittedValue(preset("house"), "champion", quick().value, {}).policy == HEURISTIC


@pytest.fixture(scope="module")
def parts() -> tuple[dict[str, Any], "np.ndarray[Any, np.dtype[np.float64]]"]:
    found = quick()
    header = {
        "format": FORMAT, "version": 1, "package": "0", "rules": found.rules.to_json(), "opponent": "greedy",
        "gamma": 1.0, "step_cost": 0.0, "bound": 1.0, "features": list(NAMES), "about": {},
    }  # fmt: skip
    return header, found.value.weights


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "uno-pomdp policy"}, "is no value file: its header does not say 'uno-pomdp value'"),
        ({"version": 2}, "is of version 2, but only version 1 is read"),
        ({"features": ["one"]}, "is for other features than this version has: fit it anew with uno-pomdp solve"),
        ({"gamma": 1.5}, "is damaged: gamma: 1.5 is not a number above 0 and up to 1"),
        ({"gamma": "1"}, "is damaged: its gamma is no number"),
        ({"gamma": True}, "is damaged: its gamma is no number"),
        ({"step_cost": -1}, "is damaged: step_cost: -1 is not a number from 0 to 1"),
        ({"bound": 0.5}, "is damaged: its bound is below 1"),
        ({"bound": None}, "is damaged: its bound is no number"),
        ({"opponent": 3}, "is damaged: its header says nothing about the opponent"),
        ({"about": []}, "is damaged: its header says nothing about the opponent"),
        ({"rules": {}}, "is damaged: rules have the fields"),
    ],
)
def test_a_header_that_can_not_be_is_refused(
    parts: tuple[dict[str, Any], Any], tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    header, weights = parts
    np.savez(tmp_path / "v.npz", header=np.array(json.dumps(header | change)), weights=weights)
    with pytest.raises(UnusableFile, match=message):
        load_value(tmp_path / "v.npz")


@pytest.mark.parametrize(
    "damaged",
    [lambda w: w[1:], lambda w: w.astype(np.float32), lambda w: np.where(np.arange(FEATURES) == 3, np.nan, w)],
)
def test_weights_that_can_not_be_are_refused(
    parts: tuple[dict[str, Any], Any], tmp_path: Path, damaged: Callable[[Any], Any]
) -> None:
    header, weights = parts
    np.savez(tmp_path / "v.npz", header=np.array(json.dumps(header)), weights=damaged(weights))
    with pytest.raises(UnusableFile, match=f"is damaged: its weights are not {FEATURES} numbers"):
        load_value(tmp_path / "v.npz")


def test_other_files_are_refused_and_none_takes_the_place_of_another_unasked(tmp_path: Path) -> None:
    value_iteration(UnoPOMDP("mini-7", PolicyModel(GREEDY))).policy.save(tmp_path / "policy.npz")
    (tmp_path / "text.npz").write_text("no archive")
    for name in ("policy.npz", "text.npz"):
        with pytest.raises(UnusableFile, match=f"{name} is no value file"):
            load_value(tmp_path / name)
    with pytest.raises(UnusableFile, match="can't be read: No such file"):
        load_value(tmp_path / "none.npz")
    before = (tmp_path / "policy.npz").read_bytes()
    with pytest.raises(CannotWrite, match=r"policy\.npz"):
        quick().save(tmp_path / "policy.npz", over=False)
    assert (tmp_path / "policy.npz").read_bytes() == before
    quick().save(tmp_path / "v.npz")
    with pytest.raises(UnusableFile, match="is no policy file"):
        load_policy(tmp_path / "v.npz")
