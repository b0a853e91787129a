"""The screen, as a pure function of what the seat has seen: log, table, hand. It fits 80 columns and 24 lines.

The log stands on top and is never cut. When a very long game makes the whole taller than the terminal, the oldest
moves scroll off at the top: they are then just above, in the terminal's own scrollback, and what matters for the move
is still below. A window in which even that has no room gets it in words, and is told how many lines are missing.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.text import Text

from uno_pomdp.cards import COLOUR_NAMES, CardType
from uno_pomdp.cli.play.log import rails
from uno_pomdp.cli.play.view import SeatView, what_fits
from uno_pomdp.cli.ui.card_art import CARD_WIDTH, drawn_card, drawn_cards
from uno_pomdp.cli.ui.console import STYLES, card_text, out
from uno_pomdp.cli.ui.narrate import narrator_for
from uno_pomdp.game.actions import CHALLENGE, DRAW, KEEP, Action
from uno_pomdp.game.layout import DRAW_BIT, FIRST
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.scoring import MatchRound
from uno_pomdp.narration.words import capitalised
from uno_pomdp.session.parse import choices

ALARM: Final = "bold white on red"
PROMPTS: Final = (
    "a number, or g5, wild red … · ? · help · hint · why · belief · log · quit",
    "number, g5, … · ? help hint why quit",
    "? or help",
)
"""What can be typed, as much of it as a line holds."""
PRACTICE_PROMPTS: Final = (
    "a number, or g5, wild red … · undo · ? · help · hint · why · belief · log · quit",
    "number, g5, … · undo ? help hint why quit",
    "? undo help",
)
"""The same in a practice game."""
COLOUR_PROMPTS: Final = (
    "{colours}, or Enter for another card · ? · help · hint · why · belief · quit",
    "Enter: another · ? help hint why quit",
    "Enter: another",
)
"""The same where a colour is asked for; those that the deck has."""


def fitting(texts: Sequence[str], width: int) -> Text:
    """Return the first of several texts that a line holds."""
    return Text(next((text for text in texts if len(text) <= width), texts[-1]), "dim")


def fitted(
    view: SeatView, width: int, height: int, below: int, lines: Callable[[RenderableType], int]
) -> RenderableType:
    """Return as much of the screen as a window holds above so many lines: top card, colour and hand in any case.

    Of the whole screen the log may be too long: then its oldest moves scroll away. Where something else would, there
    is a shorter form and a sentence that names the size needed.
    """
    room = height - below
    scored = [] if view.match is None else [line_above(view)]
    needed = lines(Group(*scored, table(view, width), hand(view.now, width)))
    if needed <= room:
        return screen(view, width)
    drawn = Text(f"Small window: from {width} × {needed + below} on cards are drawn; `log` has the moves.", "dim")
    least = Group(top_line(view.now, width), hand_line(view.now))
    for form in (Group(compact(view, width), drawn), compact(view, width), least):
        if lines(form) <= room:
            return form
    too_small = Text(f"Too small: needs {width} × {lines(least) + below}.", ALARM)
    return Group(hand_line(view.now), too_small, top_line(view.now, width))


def compact(view: SeatView, width: int) -> RenderableType:
    """Return the game in a few lines, the hand in words: for windows in which no cards can be drawn."""
    seen = view.now
    news = Text() if seen.penalty else happened(view)
    beside = [debt(seen)] if seen.penalty else [news] if news else []
    stands = [] if view.match is None else [Text(capitalised(score(view, view.match)))]
    parts: list[Text] = [*stands, top_line(seen, width), *beside]
    if seen.turn == seen.seat and seen.outcome is None:
        parts.append(Text(f"You: {offer(seen, seen.legal_actions())}"))
    return Group(*parts, hand_line(seen))


def top_line(seen: Observation, width: int) -> Text:
    """Return the top card, the colour and the counts in a line."""
    text = Text("Top ") + card_text(seen.top) + Text(" ")
    text += Text(f" {COLOUR_NAMES[seen.colour].upper()} ", f"{STYLES[seen.colour]} reverse")
    text += Text(f" opp {seen.opponent_size}", "bold")
    owed = Text(f" {'+' if seen.turn == seen.seat else 'opp +'}{seen.penalty} ", ALARM) if seen.penalty else Text()
    uno = Text(" UNO! ", ALARM) if seen.opponent_size == 1 else Text()
    for more in (owed, uno, Text(f" deck {seen.draw_size}")):
        text += Text(" ") + more if more and len(text) + len(more) < width else Text()
    return text


def hand_line(seen: Observation) -> Text:
    """Return the hand in words; what can be played has its number before it, in brackets."""
    marked = numbers(seen.legal_actions())
    cards = [Text(f"[{marked[one]}]" if one in marked else "", "bold") + card_text(one) for one in seen.hand]
    return Text("Hand ") + Text(" ").join(cards)


def screen(view: SeatView, width: int) -> Group:
    """Return all that the person is shown."""
    seen = view.now
    return Group(
        title(view, width),
        rails(view, width),
        line_above(view),
        table(view, width),
        hand(seen, width),
    )


def title(view: SeatView, width: int) -> Text:
    """Return who plays whom, by what rules."""
    text = Text().append("UNO", "bold").append("  ")
    if view.practice:
        text.append("practice", "bold").append(" · ")
    text.append(f"you are player {view.seat + 1} · rules {view.rules.name} · opponent: {view.opponent}")
    text.truncate(width, overflow="ellipsis")
    return text


def line_above(view: SeatView) -> Rule:
    """Return the line between log and table: in a match with the score, in sight however long the log is."""
    if view.match is None:
        return Rule(style="dim", characters="─")
    stands = Text(f"{score(view, view.match)} · to {view.match.to}", "bold")
    return Rule(stands, style="dim", characters="─")


def score(view: SeatView, match: MatchRound) -> str:
    """Return where a match stands, the person's points first."""
    return f"round {match.round} · YOU {match.score[view.seat]} : {match.score[1 - view.seat]} OPPONENT"


def table(view: SeatView, width: int) -> Text:
    """Return the top card, and beside it the colour, the counts, what is owed and what has just happened."""
    seen = view.now
    room = width - CARD_WIDTH - 2
    news = happened(view)
    lines = [counts(seen, room), colour_line(seen), *([debt(seen)] if seen.penalty else []), news]
    beside_card = [line for text in lines for line in wrapped(text, room)] or [Text()]
    top = drawn_card(seen.top, colour=seen.colour, filled=True)
    blank = Text(" " * CARD_WIDTH)
    left = [*top.split("\n"), *[blank] * max(len(beside_card) - 3, 0)]
    right = [*beside_card, *[Text()] * (len(left) - len(beside_card))]
    rows = [Text("  ").join(pair) for pair in zip(left, right, strict=True)]
    return Text("\n").join(rows)


def happened(view: SeatView) -> Text:
    """Return what has just happened, in sentences."""
    if not view.steps:
        begins = "You begin." if view.now.turn == view.seat else "The opponent begins."
        if view.now.penalty:
            return Text(f"{begins} The first card acts: it is a +2.")
        if view.now.turn != FIRST:
            loses = view.narrator.names[FIRST]
            return Text(
                f"{begins} The first card acts: {loses} {'lose' if loses == 'you' else 'loses'} the first turn."
            )
        return Text(begins)
    news = view.news()
    if not news and view.now.turn == view.seat and view.now.outcome is None:  # the own card skipped the other player
        return view.narrator.sentences(view.steps[-1].events) + Text(" The opponent loses a turn: you move again.")
    return view.narrator.sentences(news)


def wrapped(text: Text, width: int) -> list[Text]:
    """Return a text in lines of at most this width."""
    return list(text.wrap(out, width)) if text else []


def counts(seen: Observation, width: int) -> Text:
    """Return how many cards lie where."""
    size = seen.opponent_size
    text = Text("Opponent ") + Text("▮" * min(size, 20), "bold") + Text(f" {size} card{'s' * (size != 1)}", "bold")
    if size == 1:
        text += Text("  ") + Text(" UNO! ", ALARM)
    right = Text(f"deck {seen.draw_size} · played {len(seen.played)}")
    text.pad_right(max(width - len(text) - len(right), 1))
    return text + right


def colour_line(seen: Observation) -> Text:
    """Return the active colour, in words and in colour, and what fits."""
    text = Text("Colour ") + Text(f" {COLOUR_NAMES[seen.colour].upper()} ", f"{STYLES[seen.colour]} reverse")
    return text if seen.penalty or seen.outcome else text + Text(f"  {what_fits(seen)}", "dim")


def debt(seen: Observation) -> Text:
    """Return who has to draw a penalty."""
    owed = narrator_for(seen.seat).debt(seen)
    if seen.turn != seen.seat:
        return Text(f" {capitalised(owed)} ", "bold reverse")
    lost = "" if seen.legal_mask & ~int(DRAW_BIT) else " and lose your turn"
    return Text(f" +{seen.penalty} FOR YOU: {owed}{lost} ", ALARM)


def numbers(legal: tuple[Action, ...]) -> Mapping[CardType, int]:
    """Return the number of each card that can be played."""
    return {each: n for n, each in enumerate(choices(legal), 1) if not isinstance(each, Action)}


def hand(seen: Observation, width: int) -> Text:
    """Return the hand, the cards that can be played marked, and what else can be done."""
    legal = seen.legal_actions()
    marked = numbers(legal)
    size = len(seen.hand)
    text = Text().append(f"Your hand, {size} card{'s' * (size != 1)}", "bold")
    if size == 1:
        text += Text(" (UNO is said for you)")
    if seen.turn == seen.seat and seen.outcome is None:
        text += Text(f": {offer(seen, legal)}")
    return text + Text("\n") + drawn_cards(seen.hand, marked, width) if size else text


def offer(seen: Observation, legal: tuple[Action, ...]) -> str:
    """Return what can be done, in words."""
    others = [f"{n} {each}" for n, each in enumerate(choices(legal), 1) if isinstance(each, Action)]
    if KEEP in legal:
        if len(legal) == 1:
            return "the card drawn does not fit: press Enter to keep it"
        return f"play the card drawn, or {others[0]} it"
    if CHALLENGE in legal:
        return f"{others[0]} the {seen.penalty}, or {others[1]} (wrongly, you draw {seen.asked_by(CHALLENGE)})"
    if seen.penalty and len(legal) > 1:
        return f"the numbered ones answer it, or {others[0]} the {seen.penalty}"
    if seen.deciding:
        return "the card drawn fits, and has to be played"
    if len(legal) == 1:
        if legal[0].card is not None:
            return f"press Enter to play {legal[0]}, all that fits"
        if seen.penalty:
            return f"press Enter to draw {seen.penalty}"
        return f"nothing fits, Enter to draw {'until a card does' if seen.draws_until() else seen.asked_by(DRAW)}"
    more = f", or {others[0]}" if others else ""
    if len(seen.hand) == 1:
        return f"play it{more}"
    marked = numbers(legal)
    return f"the numbered one{'s' * (sum(map(marked.__contains__, seen.hand)) > 1)} can be played{more}"
