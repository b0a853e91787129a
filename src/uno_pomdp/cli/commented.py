"""One game with comments: every move of both players, what the mover hopes for, what the other could know."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.table import Table
from rich.text import Text

from uno_pomdp.agents.protocol import Agent, Decision
from uno_pomdp.arena.match import play_game
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.cards import Cards
from uno_pomdp.cli.console import action_text, card_text, cards_text, out
from uno_pomdp.game.engine import Game
from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.rng import Seed
from uno_pomdp.game.transcript import GameRecord, replay
from uno_pomdp.game.values import Drew, Event, Kept, Observation, Played, Reshuffled, seat_name
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import Rules


class Listener(Agent):
    """Another agent, whose decisions are written down."""

    def __init__(self, agent: Agent, heard: list[Decision]) -> None:
        self.name = agent.name
        self._agent = agent
        self._heard = heard

    def start(self, rules: Rules, observation: Observation, seed: Seed) -> None:
        """Begin a game."""
        self._agent.start(rules, observation, seed)

    def update(self, events: Sequence[Event], observation: Observation) -> None:
        """Take in one action."""
        self._agent.update(events, observation)

    def decide(self) -> Decision:
        """Return what the other agent decides."""
        decision = self._agent.decide()
        self._heard.append(decision)
        return decision


@dataclass(frozen=True, slots=True)
class Commented:
    """A game, and what its players thought."""

    record: GameRecord
    """The game."""
    decisions: tuple[Decision, ...]
    """One for each action, forced ones included."""

    def hopes(self) -> list[float | None]:
        """Return for each action the mover's probability of winning with it; None where nothing was weighed."""
        found = []
        for decision in self.decisions:
            values = [each.value for each in decision.candidates if each.action == decision.action]
            found.append(values[0] if values else None)
        return found

    def surprises(self) -> list[tuple[float, bool] | None]:
        """Return for each turn the other seat's exact P(the mover has nothing playable), and whether that was so.

        None where the mover owes a penalty or decides about a card just drawn: then it is not the question.
        """
        whole = replay(self.record)
        game = Game.from_deal(whole.rules, whole.deal)
        beliefs = [ClosedFormBelief(whole.rules, game.observation(seat)) for seat in SEATS]
        found: list[tuple[float, bool] | None] = []
        for number, move in enumerate(whole.moves):
            seen = game.observation(game.turn)
            if seen.penalty or seen.deciding:
                found.append(None)
            else:
                stuck = not any(action.card is not None for action in seen.legal_actions())
                found.append((beliefs[1 - game.turn].nothing_playable(), stuck))
            game.apply(move.action)
            for seat in SEATS:
                beliefs[seat].update(game.events(seat, number), game.observation(seat))
        return found


def play_commented(rules: Rules, agents: tuple[str, str], seed: int) -> Commented:
    """Play one game between two agents and keep what they thought."""
    deal, *own = np.random.SeedSequence(seed).spawn(3)
    heard: list[Decision] = []
    players = Listener(make_agent(agents[0]), heard), Listener(make_agent(agents[1]), heard)
    deal_seed = int(deal.generate_state(1, np.uint64)[0])
    record = play_game(rules, deal_seed, players, (own[0], own[1]), record=True).record
    assert record is not None
    return Commented(record, tuple(heard))


def print_game(commented: Commented) -> None:
    """Print the deal, every move of both players with its comment, and the result."""
    game = replay(commented.record)
    deal = game.deal
    out.print(f"One game, rules [bold]{game.rules.name}[/], deal seed {game.seed}")
    for seat in SEATS:
        name = commented.record.players[seat]
        out.print(Text(f"{seat_name(seat)}, {name}, is dealt ") + cards_text(deal.hands[seat]))
    out.print(Text("top card ") + card_text(deal.top))
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("#", justify="right")
    table.add_column("who", no_wrap=True)
    table.add_column("what")
    table.add_column("win", justify="right", no_wrap=True)
    table.add_column("stuck?", justify="right", no_wrap=True)
    table.add_column("hand then")
    hands = list(deal.hands)
    comments = zip(game.moves, commented.hopes(), commented.surprises(), strict=True)
    for number, (move, hope, surprise) in enumerate(comments, 1):
        for event in game.events(since=number - 1)[: 2 if move.reshuffled is not None else 1]:
            if isinstance(event, Reshuffled):
                table.add_row("", "", f"the played pile goes back: {len(event.returned)} cards reshuffled", "", "", "")
                continue
            hands[event.seat] = _after(hands[event.seat], event)
            win = "" if hope is None else f"{100 * hope:.0f} %"
            stuck = "" if surprise is None else f"{100 * surprise[0]:.0f} % {'yes' if surprise[1] else ' no'}"
            hand = cards_text(hands[event.seat])
            table.add_row(str(number), seat_name(event.seat), _what(event), win, stuck, hand)
    out.print(table)
    out.print(Text(f"{game.outcome}", "bold"))
    out.print(
        "win: the mover's own estimate for this move. stuck?: the probability, exact to what the other player has "
        "seen, that the mover had nothing to play, and whether it was so.",
        style="dim",
    )


def _after(hand: Cards, event: Played | Drew | Kept) -> Cards:
    if isinstance(event, Played) and event.action.card is not None:
        return hand - Cards.of([event.action.card])
    return hand + Cards.of(event.cards or ()) if isinstance(event, Drew) else hand


def _what(event: Event) -> Text:
    match event:
        case Played(action=action):
            return Text("plays ") + action_text(action)
        case Drew(count=0):
            return Text("has to draw, but the deck is exhausted")
        case Drew(cards=cards, penalty=penalty):
            return Text("draws the penalty " if penalty else "draws ") + cards_text(cards or ())
        case _:
            return Text("keeps it")
