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
    "3            the card with that number        Enter   the only thing that can be done",
    "r5 gs yr b+2 red 5, green skip, yellow reverse, blue +2; words work too: red 5",
    "wild red     a black card with its colour; w r, +4 b and w4:b work too",
    "draw, keep   draw; keep the card just drawn (d, k)",
    "hint         the coach's candidates with their probability of winning",
    "belief       what you could know of the opponent's hand",
    "log          every move in words        save [FILE]   save a copy; it is saved anyway",
    "quit         leave; `uno-pomdp play --resume` goes on",
)
SCREEN = (
    "On top every move of both players: read a column down, then the next. ↓2: drew 2 cards.",
    "mix: the played pile was shuffled back. A column with · is a player who moved again.",
    "Heavy frames with a number: can be played. Light frames: can't. rev: reverse.",
)


def _rules(rules: Rules) -> list[str]:
    skip = "the other is skipped: you move again" if rules.skip == "again" else "no effect, the turn passes"
    drawn = "the turn passes" if rules.drawn_card == "keep" else "you may play that card at once, or keep it"
    when = "only if nothing fits" if rules.draw == "forced" else "whenever you like"
    four = "" if rules.wild_four == "always" else ", only without the active colour in hand"
    short = "the played pile is shuffled back" if rules.reshuffle == "yes" else "the game ends, fewer cards win"
    return [
        "Who gets rid of all cards first wins. A card fits with the colour or the rank of the top",
        "card; black cards fit always and choose the colour.",
        f"skip, reverse   {skip}",
        "+2, +4          the other draws and loses the turn; nothing can be put on it",
        f"wild, wild +4   you choose the colour{four}",
        f"draw            {when}: one card, {drawn}",
        f"empty deck      {short}",
    ]
