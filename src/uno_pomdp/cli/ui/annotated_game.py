"""One game with comments: every move of both players, what the mover hopes for, what the other could know."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.table import Table
from rich.text import Text

from uno_pomdp.agents.agent import Decision
from uno_pomdp.arena.match import Watch, play_game
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.cards import Cards
from uno_pomdp.cli.ui.console import card_text, cards_text, out
from uno_pomdp.cli.ui.narrate import PLAYERS, deed, done_in
from uno_pomdp.evaluation.luck import luck_of
from uno_pomdp.game.actions import FORGOT_UNO, seat_name
from uno_pomdp.game.events import Drew, Event, Played, Reshuffled, Swapped
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.record import GameRecord, replay
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import Rules


@dataclass(frozen=True, slots=True)
class AnnotatedGame:
    """A game, and what its players thought."""

    record: GameRecord
    """The game."""
    decisions: tuple[Decision, ...]
    """One for each action, forced ones included."""

    def hopes(self) -> list[float | None]:
        """Return for each action the mover's win probability with it; None where the agent gave no value."""
        return [hope_of(decision) for decision in self.decisions]

    def to_json(self) -> dict[str, Any]:
        """Return the game and its outcome as JSON values, without the moves: an observer can give those."""
        record = self.record
        return {
            "rules": record.rules.name,
            "deal_seed": record.seed,
            "players": list(record.players),
            "result": str(record.outcome),
            "luck": luck_of(record).to_json(),
        }

    def surprises(self) -> list[tuple[float, bool] | None]:
        """Return for each turn the other seat's exact P(the mover has nothing playable), and whether that was so.

        None where the mover owes a penalty, decides about a card just drawn or forgot UNO: then it is not the question.
        """
        whole = replay(self.record)
        histories = [whole.history(seat) for seat in SEATS]
        beliefs = [ClosedFormBelief(whole.rules, history.first) for history in histories]
        found: list[tuple[float, bool] | None] = []
        for number, move in enumerate(whole.moves):
            seen = histories[move.seat].before(number)
            if seen.penalty or seen.deciding or move.action == FORGOT_UNO:
                found.append(None)
            else:
                stuck = not any(action.card is not None for action in seen.legal_actions())
                found.append((beliefs[1 - move.seat].nothing_playable(), stuck))
            for seat in SEATS:
                beliefs[seat].update(*histories[seat].steps[number])
        return found


def hope_of(decision: Decision) -> float | None:
    """Return the mover's win probability with its action; None where the agent gave no value."""
    return next((each.value for each in decision.candidates if each.action == decision.action), None)


def play_annotated(rules: Rules, agents: tuple[str, str], seed: int, watch: Watch | None = None) -> AnnotatedGame:
    """Play one game between two agents and keep what they thought; somebody may watch."""
    deal, *own = np.random.SeedSequence(seed).spawn(3)
    heard: list[Decision] = []

    def listen(game: Game, decision: Decision | None) -> None:
        if decision is not None:
            heard.append(decision)
        if watch is not None:
            watch(game, decision)

    players = make_agent(agents[0]), make_agent(agents[1])
    deal_seed = int(deal.generate_state(1, np.uint64)[0])
    record = play_game(rules, deal_seed, players, (own[0], own[1]), record=True, watch=listen).record
    assert record is not None
    return AnnotatedGame(record, tuple(heard))


def print_game(commented: AnnotatedGame) -> None:
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
    table.add_column(PLAYERS.head, no_wrap=True)
    table.add_column("who", no_wrap=True)
    table.add_column("what")
    table.add_column("win", justify="right", no_wrap=True)
    table.add_column("stuck?", justify="right", no_wrap=True)
    table.add_column("hand then")
    hands = deal.hands
    comments = zip(game.events_by_move(), commented.hopes(), commented.surprises(), strict=True)
    for number, (events, hope, surprise) in enumerate(comments, 1):
        done = done_in(events)
        for event in events:
            hands = _after(hands, event)
            who = None if isinstance(event, Reshuffled | Swapped) else event.seat
            name, hand = ("", Text()) if who is None else (PLAYERS.labels[who], cards_text(hands[who]))
            sizes = PLAYERS.sizes((len(hands[0]), len(hands[1])))
            if event is not done:
                table.add_row("", "" if isinstance(event, Reshuffled) else sizes, name, deed(event), "", "", hand)
                continue
            win = "" if hope is None else f"{100 * hope:.0f} %"
            stuck = "" if surprise is None else f"{100 * surprise[0]:.0f} % {'yes' if surprise[1] else ' no'}"
            table.add_row(str(number), sizes, name, deed(event), win, stuck, hand)
    out.print(table)
    out.print(Text(f"{game.outcome}", "bold"))
    out.print(
        "P1 : P2: the cards in both hands after the move. win: the mover's own estimate for this move. stuck?: the "
        "probability to the other player, exact if choices tell nothing, that the mover had nothing to play, and "
        "whether it was so.",
        style="dim",
    )


def _after(hands: tuple[Cards, Cards], event: Event) -> tuple[Cards, Cards]:
    """Return both hands after an event."""
    match event:
        case Swapped():
            return event.hands
        case Played(action=action) if action.card is not None:
            changed = hands[event.seat] - Cards.of([action.card])
        case Drew():
            changed = hands[event.seat] + Cards.of(event.cards or ())
        case _:
            return hands
    return (changed, hands[1]) if event.seat == 0 else (hands[0], changed)
