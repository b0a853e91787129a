"""What `?` says."""

from rich.text import Text

from uno_pomdp.rules import Rules


def help_text(rules: Rules) -> Text:
    """Return how to play, what to type and how to read the screen, under these rules."""
    text = Text()
    for title, lines in (("Rules", _rules(rules)), ("What to type", TYPING), ("The screen", SCREEN)):
        text.append(f"{title}\n", "bold")
        text.append("".join(f"  {line}\n" for line in lines))
    text.rstrip()
    return text


TYPING = (
    "3              the card with that number; Enter does what alone can be done",
    "r5 gs yr b+2   red 5, green skip, yellow reverse, blue +2, also in words",
    "wild red       a black card with its colour; also w r, +4 b, w4:b",
    "draw, keep     draw; keep the card just drawn; challenge: doubt a +4",
    "hint           the coach's candidates, with the probability of winning",
    "belief         what you could know of the opponent's hand, by two assumptions",
    "log            every move in words, with the sizes of both hands after it",
    "save FILE      save a copy; the game itself is saved at every move",
    "quit           leave; `uno-pomdp play --resume` goes on",
)
SCREEN = (
    "Every move of both is on top: read a column down, then the next. ↓2: drew 2.",
    "·: the other moved again. mix: the played pile was shuffled back.",
    "R7⇄: the hands were swapped. ch✓ ch✗: a +4 was challenged, rightly or not.",
    "Heavy frames with a number can be played. rev: reverse, W +4: wild +4.",
)


def _rules(rules: Rules) -> list[str]:
    four = "; +4 only without the active colour" if rules.wild_four == "last_resort" else ""
    one = "" if rules.draw == "until_playable" else f": one card, {rules.meaning('drawn_card')}"
    owed = "nothing can be put on it" if rules.stack == "no" else ANSWERS[rules.stack]
    lines = [
        "No card left wins. A card fits by colour or rank; black cards fit always.",
        f"skip, reverse  {rules.meaning('skip')}",
        f"+2, +4         the other draws and loses the turn; {owed}",
        f"wild, wild +4  you choose the colour{four}",
        f"draw           {rules.meaning('draw')}{one}",
        f"empty deck     {rules.meaning('reshuffle')}",
    ]
    if rules.wild_four == "challenge":
        lines += [
            "challenge      a +4 can be doubted: who played it shows the hand to you. If it",
            "               holds the colour before it, that player draws 4, else you draw 6.",
        ]
    if rules.first_card == "acts":
        lines.append(f"first card     {rules.meaning('first_card')}")
    if rules.swap == "seven_zero":
        lines.append("7, 0           the hands are swapped")
    return lines


ANSWERS = {
    "same": "or +2 on +2, +4 on +4",
    "rising": "or +2, +4 on +2, +4 on +4",
}
"""How a debt is answered, in words."""
