"""What `help` says."""

import textwrap

from rich.text import Text

from uno_pomdp.rules import Rules


def help_text(rules: Rules) -> Text:
    """Return how to play, what to type and how to read the screen, under these rules."""
    text = Text()
    for title, lines in (("Rules", _rules(rules)), ("What to type", TYPING), ("The screen", _screen(rules))):
        text.append(f"{title}\n", "bold")
        text.append("".join(f"  {line}\n" for line in lines))
    text.rstrip()
    return text


TYPING = (
    "3              the card with that number; Enter does what alone can be done",
    "r5 gs yr b+2   red 5, green skip, yellow reverse, blue +2, also in words",
    "wild red       a black card with its colour; also w r, +4 b, w4:b",
    "draw, keep     draw; keep the card just drawn",
    "hint, belief   the coach's candidates; what the opponent may hold",
    "?, why         this position, or the opponent's last move, in a sentence",
    "undo           take your last move back: in practice games",
    "log, save FILE every move in words; a copy: the game is saved at every move",
    "quit           leave; `uno-pomdp play --resume` goes on",
)


def _screen(rules: Rules) -> list[str]:
    marks = "·: the other moved again. mix: the played pile was shuffled back."
    if rules.wild_four == "challenge" or rules.swap == "seven_zero":
        marks = "·: the other moved again. mix: reshuffled."
        marks += " ch✓ ch✗: right, wrong challenge." if rules.wild_four == "challenge" else ""
        marks += " R7⇄: swapped." if rules.swap == "seven_zero" else ""
    return [
        "Every move of both is on top: read a column down, then the next. ↓2: drew 2.",
        *textwrap.wrap(marks, 77),
        "Heavy frames with a number can be played. rev: reverse, W +4: wild +4.",
    ]


def _rules(rules: Rules) -> list[str]:
    four = "; +4 only without the active colour" if rules.wild_four == "last_resort" else ""
    one = "" if rules.draw == "until_playable" else f": one card, {rules.meaning('drawn_card')}"
    lines = [
        "No card left wins. A card fits by colour or rank; black cards always fit.",
        f"skip, reverse  {rules.meaning('skip')}",
        f"+2, +4         {OWED[rules.stack]}",
        f"wild, wild +4  you choose the colour{four}",
        f"draw           {rules.meaning('draw')}{one}",
        f"empty deck     {rules.meaning('reshuffle')}",
    ]
    if rules.wild_four == "challenge":
        lines.append("challenge +4   you see the hand: with the old colour it draws 4, else you 6")
    if rules.first_card == "acts":
        lines.append(f"first card     {rules.meaning('first_card')}")
    if rules.swap == "seven_zero":
        lines.append("7, 0           the hands are swapped")
    return lines


OWED = {
    "no": "the other draws and loses the turn; nothing can be put on it",
    "same": "the other draws and loses the turn, or puts +2 on +2, +4 on +4",
    "rising": "the other draws and loses the turn, or puts +2 on +2, +4 on both",
}
"""What a debt is, in words."""
