"""Games in which an agent with a net follows both seats, and the same by plain Python."""

from collections.abc import Iterator

import numpy as np

from uno_pomdp.agents.scripted import ScriptedAgent
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.cards import CARD_TYPES, COLOURED_TYPES, COLOURS, RANKS_PER_COLOUR, WILD
from uno_pomdp.game.actions import Action
from uno_pomdp.game.events import Played
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import PLAYABLE
from uno_pomdp.game.observation import Observation
from uno_pomdp.nets.net_file import NetFile, random_net
from uno_pomdp.nets.policy_agent import PolicyNetAgent
from uno_pomdp.policies.kernels import HEURISTIC
from uno_pomdp.rules import Rules


def untrained(rules: Rules, seed: int = 1) -> NetFile:
    """Return a champion that has learnt nothing."""
    return NetFile(rules, {"trained": "not at all"}, random_net((16, 16), seed))


def followed(rules: Rules, seed: int) -> Iterator[tuple[Game, tuple[PolicyNetAgent, PolicyNetAgent]]]:
    """Yield a game at each choice, with two agents that have followed it; half of its moves are random."""
    champion = untrained(rules)
    agents = PolicyNetAgent(champion), PolicyNetAgent(champion)
    game = Game.new(rules, seed)
    chance = np.random.default_rng(seed)
    for seat, agent in enumerate(agents):
        agent.start(rules, game.observation(seat), seed)
    script = ScriptedAgent(HEURISTIC)
    while not game.over:
        legal = game.legal_actions()
        action = legal[0]
        if len(legal) > 1:
            yield game, agents
            action = legal[chance.integers(len(legal))]
            if chance.random() < 0.5:
                script.start(rules, game.observation(game.turn), int(chance.integers(1 << 30)))
                action = script.decide().action
        game.apply(action)
        for seat, agent in enumerate(agents):
            agent.update(*game.last_step(seat))


def colours_in_order(rules: Rules, seen: Observation) -> list[int]:
    """Return the colours as the encoding orders them."""
    unseen = seen.unseen(rules)

    def key(colour: int) -> tuple[bool, bool, int, int, int]:
        types = range(13 * colour, 13 * colour + 13)
        own, rest = sum(seen.hand.data[t] for t in types), sum(unseen.data[t] for t in types)
        return colour != seen.colour, colour not in rules.colours, -own, -rest, colour

    return sorted(COLOURS, key=key)


def card_at(place: int, order: list[int]) -> int:
    """Return the type at a place of the encoding."""
    return place if place >= COLOURED_TYPES else 13 * order[place // 13] + place % 13


def action_at(place: int, order: list[int]) -> int:
    """Return the id of the action at a place of the encoding."""
    if place < COLOURED_TYPES:
        return card_at(place, order)
    return place if place >= 60 else 4 * (place // 4) + order[place % 4]


def encoded(rules: Rules, seen: Observation, belief: ClosedFormBelief, past: list[tuple[Played, int]]) -> list[float]:
    """Return the encoding, field by field, from the words of its description."""
    order = colours_in_order(rules, seen)
    expected, unseen = belief.expected_counts(), seen.unseen(rules)
    legal = {action.id: action for action in seen.legal_actions()}
    row = [float(seen.hand.data[card_at(place, order)]) for place in range(CARD_TYPES)]
    row += [float(unseen.data[card_at(place, order)]) for place in range(CARD_TYPES)]
    row += [float(expected[card_at(place, order)]) for place in range(CARD_TYPES)]
    row += [float(action_at(place, order) in legal) for place in range(62)]
    row += [_stuck(belief, legal.get(action_at(place, order))) for place in range(60)]
    row += [1.0 - belief.has_colour(colour) for colour in order]
    row += [belief.nothing_playable()]
    rank = seen.top % RANKS_PER_COLOUR if seen.top < WILD else 13 + seen.top - WILD
    row += [float(rank == each) for each in range(15)]
    row += [len(seen.hand) / 10, seen.opponent_size / 10, seen.draw_size / 50, len(seen.played) / 50]
    row += [float(len(seen.hand) == size) for size in (1, 2, 3, 4)]
    row += [float(seen.opponent_size == size) for size in (1, 2, 3, 4)]
    for seat in (seen.seat, 1 - seen.seat):
        chosen, left = _traced([play for play in past if play[0].seat == seat])
        row += [chosen[colour] for colour in order] + [left[colour] for colour in order]
    flags = rules.skip == "again", rules.drawn_card == "may_play", rules.wild_four == "last_resort"
    return row + [float(flag) for flag in (*flags, rules.draw == "optional", rules.reshuffle == "yes")]


def _stuck(belief: ClosedFormBelief, action: Action | None) -> float:
    if action is None or action.card is None or action.colour is None:
        return 0.0
    return belief.avoids(int(PLAYABLE[action.colour, action.card]))


def _traced(plays: list[tuple[Played, int]]) -> tuple[list[float], list[float]]:
    """Return what a seat's plays, each with the colour before it, turned to and left: each play fades the earlier."""
    chosen, left = [0.0] * 4, [0.0] * 4
    for nth, (play, before) in enumerate(plays):
        faded = 0.8 ** (len(plays) - 1 - nth)
        colour, card = play.action.colour, play.action.card
        assert colour is not None
        assert card is not None
        left[before] += faded * (colour != before)
        chosen[colour] += faded * (colour != before or card >= WILD)
    return chosen, left


def plays_so_far(game: Game) -> list[tuple[Played, int]]:
    """Return every play of a game with the active colour before it."""
    again = Game.new(game.rules, game.seed)
    found = []
    for number, move in enumerate(game.moves):
        before = again.observation(0).colour
        again.apply(move.action)
        found += [(event, before) for event in again.events(0, number) if isinstance(event, Played)]
    return found
