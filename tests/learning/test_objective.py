"""Advantages and the loss, against sums written out by hand."""

from math import log

import pytest
import torch

from uno_pomdp.learning.collector import new_batch
from uno_pomdp.learning.config import TrainConfig
from uno_pomdp.learning.objective import ChoiceBatch, Weights, advantages, between, policy_loss


def one_game(movers: list[int], values: list[float], result: int | None) -> ChoiceBatch:
    """Return the choices of one table; the game ends after the last of them if it has a result."""
    batch = new_batch(len(movers), 1, torch.device("cpu"))
    batch.mover[:, 0] = torch.tensor(movers)
    batch.value[:, 0] = torch.tensor(values)
    batch.ended.zero_()
    batch.result.zero_()
    batch.learns.fill_(True)
    if result is not None:
        batch.ended[-1], batch.result[-1] = 1, result
    return batch


def test_with_a_trace_of_one_an_advantage_is_the_result_less_what_was_expected() -> None:
    batch = one_game([0, 1, 1, 0], [0.1, -0.2, 0.3, 0.4], result=-1)
    for by_seat in (False, True):
        found = advantages(batch, torch.zeros(1), torch.zeros(1), 1.0, by_seat)[:, 0]
        assert found.tolist() == pytest.approx([-1 - 0.1, 1 + 0.2, 1 - 0.3, -1 - 0.4], abs=1e-6)


def test_with_no_trace_the_next_choice_judges_whosever_it_is() -> None:
    batch = one_game([0, 1, 1, 0], [0.1, -0.2, 0.3, 0.4], result=1)
    found = advantages(batch, torch.zeros(1), torch.zeros(1), 0.0, by_seat=False)[:, 0]
    assert found.tolist() == pytest.approx([0.2 - 0.1, 0.3 + 0.2, -0.4 - 0.3, 1 - 0.4], abs=1e-6)


def test_by_seat_the_next_choice_of_the_same_seat_judges() -> None:
    batch = one_game([0, 1, 1, 0], [0.1, -0.2, 0.3, 0.4], result=1)
    found = advantages(batch, torch.zeros(1), torch.zeros(1), 0.0, by_seat=True)[:, 0]
    assert found.tolist() == pytest.approx([0.4 - 0.1, 0.3 + 0.2, -1 - 0.3, 1 - 0.4], abs=1e-6)


def test_a_game_that_goes_on_is_judged_by_the_choice_after_the_batch() -> None:
    batch = one_game([0, 1], [0.1, 0.2], result=None)
    found = advantages(batch, torch.tensor([0.5]), torch.tensor([0]), 0.5, by_seat=False)[:, 0]
    last = -0.5 - 0.2
    assert found.tolist() == pytest.approx([-0.2 - 0.1 + 0.5 * -last, last], abs=1e-6)


def test_an_ending_parts_two_games() -> None:
    batch = one_game([0, 1, 0], [0.0, 0.0, 0.0], result=1)
    batch.ended[0], batch.result[0] = 1, -1
    for by_seat in (False, True):
        found = advantages(batch, torch.zeros(1), torch.zeros(1), 1.0, by_seat)[:, 0]
        assert found.tolist() == pytest.approx([-1.0, -1.0, 1.0])


def test_the_loss_is_the_sum_of_its_parts() -> None:
    new, old, magnet = ([0.5, 0.3, 0.2], [0.4, 0.4, 0.2], [0.2, 0.2, 0.6])
    logs = [torch.tensor([each]).log() for each in (new, old, magnet)]
    weights = Weights(entropy=0.1, magnet=0.2, stay=0.3, clip=0.0)
    loss, parts = policy_loss(logs[0], torch.tensor([1]), logs[1], torch.tensor([2.0]), logs[2], weights)
    entropy = -sum(p * log(p) for p in new)
    to_magnet = sum(p * log(p / q) for p, q in zip(new, magnet, strict=True))
    to_old = sum(p * log(p / q) for p, q in zip(new, old, strict=True))
    wanted = -(0.3 / 0.4) * 2.0 - 0.1 * entropy + 0.2 * to_magnet + 0.3 * to_old
    assert loss.item() == pytest.approx(wanted, abs=1e-6)
    assert parts["entropy"].item() == pytest.approx(entropy, abs=1e-6)
    assert parts["moved"].item() == pytest.approx(to_old, abs=1e-6)


@pytest.mark.parametrize(
    ("ratio", "advantage", "gain"), [(1.5, 1.0, 1.2), (0.5, 1.0, 0.5), (1.5, -1.0, -1.5), (0.5, -1.0, -0.8)]
)
def test_a_ratio_counts_so_far_and_no_further(ratio: float, advantage: float, gain: float) -> None:
    old = torch.tensor([[0.4, 0.6]]).log()
    new = torch.tensor([[0.4 * ratio, 1 - 0.4 * ratio]]).log()
    loss, _ = policy_loss(new, torch.tensor([0]), old, torch.tensor([advantage]), None, Weights(0.0, 0.0, 0.0, 0.2))
    assert loss.item() == pytest.approx(-gain, abs=1e-6)


def test_mirror_descent_steps_to_the_geometric_mean_of_magnet_and_improved_policy() -> None:
    """The loss without clipping is least at log π ∝ (Q + stay · log π_old + magnet · log m) / (stay + magnet)."""
    q, stay, pull = torch.tensor([1.0, 0.0, -1.0]), 0.5, 0.25
    old, magnet = torch.tensor([[0.2, 0.5, 0.3]]).log(), torch.tensor([[0.1, 0.1, 0.8]]).log()
    logits = torch.zeros(1, 3, requires_grad=True)
    optimiser = torch.optim.Adam([logits], lr=0.05)
    for _ in range(600):
        log_all = torch.log_softmax(logits, 1)
        rows = log_all.expand(3, 3)
        weights = Weights(entropy=0.0, magnet=pull, stay=stay, clip=0.0)
        # an action's share of the choices is its old probability, as in play
        loss = torch.zeros(())
        for action in range(3):
            part, _ = policy_loss(rows[:1], torch.tensor([action]), old, q[action : action + 1], magnet, weights)
            loss = loss + old[0, action].exp() * part
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    wanted = torch.softmax((q + stay * old[0] + pull * magnet[0]) / (stay + pull), 0)
    assert torch.softmax(logits[0], 0).tolist() == pytest.approx(wanted.tolist(), abs=2e-3)


def test_weights_move_with_what_is_done() -> None:
    config = TrainConfig(entropy=(0.02, 0.0), magnet=(0.1, 0.3))
    assert Weights.at(config, 0.5).entropy == pytest.approx(0.01)
    assert Weights.at(config, 0.5).magnet == pytest.approx(0.2)
    assert between((1.0, 3.0), 7.0) == 3.0
