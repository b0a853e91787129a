"""What the person is shown: the entry as it was understood, the position, the belief, the best move."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from uno_pomdp.advise.advisor import Advisor, first_card_acts, moves_shown
from uno_pomdp.advise.session import Session
from uno_pomdp.agents.agent import Decision
from uno_pomdp.cards import COLOUR_NAMES, Cards
from uno_pomdp.cli.ui.belief import assumptions, belief_view, in_short
from uno_pomdp.cli.ui.candidates import candidates_view
from uno_pomdp.cli.ui.console import STYLES, action_text, card_text, cards_text
from uno_pomdp.cli.ui.narrate import narrator_for
from uno_pomdp.game.actions import Action, seat_name
from uno_pomdp.game.events import Event
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.outcome import Outcome
from uno_pomdp.narration.explain import effect_of
from uno_pomdp.narration.words import capitalised

HELP = """\
Write what happens at the table, move by move; whose turn it is, is known.
  r5  red 5  gs  yr  b+2   a card was played: skip is s, reverse r
  1   2                    you played the move with that number
  w red   w4 b             a black card, with the colour it declares
  draw r5   draw r5 g7     you drew these cards
  draw   draw 2            the opponent drew
  keep                     the card just drawn was kept
  challenge shows r5 g7    you challenged a +4; if wrong: … draw r1 g2 …
  challenge                they challenged yours; if right: … draw r1 g2 g3 y4
  r7 got g1 g2             a card that swaps the hands, and what you got
  draw 3   draw 3 none     they drew until one fitted, or till the deck ran out
  me forgot uno g1 g2      you forgot UNO and drew these; or opponent forgot uno
me or opponent may stand before it, and is then checked.
  fix 7 r5   entry 7 of the log was r5; fix hand …, fix top … also work
  undo       take the last entry back         belief   what they may hold
  best       the best move again              log      every move so far
  hand       your hand; hand r5 … checks it   save FILE, quit"""
"""What `?` says."""


def standing(seen: Observation) -> Text:
    """Return how the game stands, in two lines, with a penalty or the end below them."""
    top = Text("Top ") + card_text(seen.top) + Text(f" ({COLOUR_NAMES[seen.colour]})", STYLES[seen.colour])
    played = f"{seen.played_size}" + f" ({seen.hidden_played} not known)" * (seen.hidden_played > 0)
    line = top + Text(f"; draw pile {seen.draw_size}, played {played}; opponent holds {seen.opponent_size}\n")
    line += Text(f"You hold {len(seen.hand)}: ") + cards_text(seen.hand)
    if seen.outcome is not None:
        return line + Text(f"\n{ending(seen.outcome, seen.seat)}", "bold")
    if seen.penalty:
        owed = capitalised(narrator_for(seen.seat).debt(seen))
        return line + Text(f"\n{owed}.", "bold reverse")
    return line


def ending(outcome: Outcome, seat: Seat) -> str:
    """Return how the game ended, to the person at this seat."""
    who = {None: "Nobody wins", seat: "You win"}.get(outcome.winner, "The opponent wins")
    return f"{who} ({outcome.reason})."


def advice_view(decision: Decision, seen: Observation, width: int) -> RenderableType:
    """Return the best move and what comes of it, in the words of a hint, and what was weighed."""
    best = Text("Best ", "bold") + action_text(decision.action)
    if not decision.candidates and decision.note:
        best += Text(f" ({decision.note})", "dim")
    best += Text(f": {effect_of(decision.action, seen)}.")
    if not decision.candidates:
        return best
    return Group(best, candidates_view(decision, numbers=numbered(decision), width=width))


def numbered(decision: Decision) -> dict[Action, int]:
    """Return the number of each move that is shown: what can be typed for it."""
    return {action: number for number, action in enumerate(moves_shown(decision), 1)}


def after_entry(session: Session, events: Sequence[Event], width: int) -> RenderableType:
    """Return what is shown after an entry."""
    advisor = session.advisor
    if advisor is None:
        return Text("")
    table = advisor.table
    narrator = narrator_for(table.seat)
    parts: list[RenderableType] = [narrator.sentences([event]) for event in events]
    if not table.moves and (acts := first_card_acts(table)):
        parts.append(Text(acts, "bold"))
    parts.append(standing(table.observation))
    if not table.over:
        parts += [in_short(advisor.aware), belief_view(advisor.belief, width=width, beside=advisor.aware)]
        decision = advisor.advice()
        if decision is not None:
            parts.append(advice_view(decision, table.observation, width))
    return Group(*parts)


def beliefs_view(advisor: Advisor, width: int) -> RenderableType:
    """Return what the opponent may hold, with all that is assumed about its choices."""
    both = belief_view(advisor.belief, width=width, beside=advisor.aware)
    return Group(Text("The opponent's choices are taken in two ways:"), assumptions(advisor.aware, width), both)


def log_view(advisor: Advisor) -> RenderableType:
    """Return every move of both players."""
    table = advisor.table
    begun = table.record(("", "")).midgame is not None
    lay = "begun in the middle, on top lay" if begun else "the first top card was"
    first = Text(f"{seat_name(table.seat)} is you; {lay} ") + card_text(table.observations[0].top)
    return Group(first, narrator_for(table.seat).listed(table.history.steps))


def compared(hand: Cards, named: Cards) -> str:
    """Return in a sentence how a hand that was typed differs from the one that follows from the entries."""
    if hand == named:
        return f"That is right: you hold {hand}."
    more = Cards(bytes(max(a - b, 0) for a, b in zip(named.data, hand.data, strict=True)))
    fewer = Cards(bytes(max(a - b, 0) for a, b in zip(hand.data, named.data, strict=True)))
    parts = [f"you {what} {cards}" for what, cards in (("don't hold", more), ("also hold", fewer)) if len(cards)]
    return f"That does not add up: by the entries {' and '.join(parts)}; an entry is wrong or missing."
