"""What `help` says."""

import textwrap

from rich.text import Text

from uno_pomdp.narration.rule_words import rules_in_words
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
    aim = "No card left wins. A card fits by colour or rank; black cards always fit."
    return [aim, *(f"{subject:<14} {words}" for subject, words in rules_in_words(rules))]
