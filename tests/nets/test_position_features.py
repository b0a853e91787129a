"""What the net of positions is told, counted slowly, and what it says."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests.helpers import PRINTED_PLAIN
from tests.nets.following import colours_in_order, untrained
from uno_pomdp.errors import UnusableFile
from uno_pomdp.game.actions import DRAW, KEEP
from uno_pomdp.game.game import Game
from uno_pomdp.game.kernels import count_pile
from uno_pomdp.game.layout import States
from uno_pomdp.jit import kernel
from uno_pomdp.nets.net_file import POLICY, Net, NetFile, halved, load_net, random_net
from uno_pomdp.nets.position_features import INPUTS, OPPONENTS, POSITIONS, Workspace, look, new_workspace, worth
from uno_pomdp.nets.pretrained import WEIGHTS_FOLDER, pretrained_policy, pretrained_position_values, pretrained_rules
from uno_pomdp.rules import Rules, preset

NET = random_net((12, 8), 4, POSITIONS)


@kernel
def told(states: States, workspace: Workspace, opponent: int, row: npt.NDArray[np.float32]) -> None:
    """Write all inputs for the first position."""
    row[:] = 0.0
    count_pile(states[0], workspace.pile)
    for nth in range(look(workspace, workspace.pile, states[0], opponent)):
        row[workspace.where[nth]] = workspace.given[workspace.where[nth]]


@kernel
def worth_one(net: Net, workspace: Workspace, states: States, opponent: int) -> float:
    """Return what the net says of the first position."""
    return worth(net, workspace, states[0], opponent)


def choices(rules: Rules, seed: int) -> Iterator[Game]:
    """Yield a random game at each choice."""
    game, chance = Game.new(rules, seed), np.random.default_rng(seed)
    while not game.over:
        legal = game.legal_actions()
        if len(legal) > 1:
            yield game
        game.apply(legal[chance.integers(len(legal))])


def slowly(game: Game, opponent: int) -> npt.NDArray[np.float32]:
    """Return the inputs as the table of the module says, one by one."""
    seen, rules = game.observation(game.turn), game.rules
    order = colours_in_order(rules, seen)
    own, other = seen.hand, game.observation(1 - game.turn).hand
    pile = seen.unseen(rules).array().astype(int) - other.array()
    place = {card: 13 * order.index(card // 13) + card % 13 if card < 52 else card for card in range(54)}
    row = np.zeros(INPUTS)
    for start, hand in ((0, own), (54, other)):
        for card, count in enumerate(hand.data):
            if count:
                row[start + place[card]] = count
                if card >= 52 or card // 13 == seen.colour or (seen.top < 52 and card % 13 == seen.top % 13):
                    row[108 + start + place[card]] = 1
    row[216], row[217] = DRAW in seen.legal_actions(), KEEP in seen.legal_actions()
    row[218 + (seen.top % 13 if seen.top < 52 else seen.top - 39)] = 1
    row[233:237] = len(own) / 10, len(other) / 10, seen.draw_size / 50, len(seen.played) / 50
    for start, hand in ((237, own), (241, other)):
        if len(hand) <= 4:
            row[start + len(hand) - 1] = 1
    row[245:249] = [sum(pile[13 * colour : 13 * colour + 13]) / 10 for colour in order]
    row[249:254] = [pile[52] / 10, pile[53] / 10, *(sum(pile[rank:52:13]) / 10 for rank in (10, 11, 12))]
    row[254 + opponent] = 1
    return row.astype(np.float32)


@pytest.mark.parametrize("rules", ["house", "pass", PRINTED_PLAIN, "mini-9", "mini-12"])
def test_inputs_are_those_of_the_table(rules: str) -> None:
    workspace, row = new_workspace(NET), np.empty(INPUTS, np.float32)
    seen = 0
    for seed in range(6 if rules in ("house", "pass", PRINTED_PLAIN) else 60):
        for game in choices(Rules.parse(rules), seed):
            opponent = seed % len(OPPONENTS)
            told(game.to_state(), workspace, opponent, row)
            np.testing.assert_allclose(row, slowly(game, opponent), atol=1e-6)
            seen += 1
    assert seen > 20


def test_the_value_is_that_of_the_layers() -> None:
    workspace, row = new_workspace(NET), np.empty(INPUTS, np.float32)
    sizes, at, bias_at = NET.sizes.tolist(), 0, 0
    for game in list(choices(preset("house"), 3))[:1]:
        told(game.to_state(), workspace, 0, row)
        values = row.astype(np.float64)
        for layer, (wide, high) in enumerate(pairwise(sizes)):
            weights = NET.weights[at : at + wide * high].reshape(wide, high)
            values = values @ weights + NET.biases[bias_at : bias_at + high]
            values = values if layer == len(sizes) - 2 else np.maximum(values, 0.0)
            at, bias_at = at + wide * high, bias_at + high
        assert worth_one(NET, workspace, game.to_state(), 0) == pytest.approx(np.tanh(values[0]), abs=1e-5)


def test_nets_are_not_taken_for_each_other(tmp_path: Path) -> None:
    positions, policy = tmp_path / "positions.npz", tmp_path / "policy.npz"
    NetFile(preset("house"), {}, NET, POSITIONS).save(positions)
    untrained(preset("house")).save(policy)
    again = load_net(positions, POSITIONS)
    np.testing.assert_array_equal(again.net.weights, halved(NET).weights)
    assert (again.shape, load_net(policy).shape) == (POSITIONS, POLICY)
    with pytest.raises(UnusableFile, match="does not say 'uno-pomdp champion'"):
        load_net(positions)
    with pytest.raises(UnusableFile, match="does not say 'uno-pomdp positions'"):
        load_net(policy, POSITIONS)


def test_every_champion_of_the_package_has_its_positions() -> None:
    for name in pretrained_rules():
        values, champion = pretrained_position_values(Rules.parse(name)), pretrained_policy(Rules.parse(name))
        assert values.rules == Rules.parse(name)
        assert values.about["champion"] == champion.checksum
    assert {path.stem for path in (WEIGHTS_FOLDER / "positions").glob("*.npz")} == set(pretrained_rules())
