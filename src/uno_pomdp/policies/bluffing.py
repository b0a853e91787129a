"""How often the heuristic bluffs and challenges: stated rates, from what the player itself sees.

A +4 is a *lie* while its player holds the active colour. Both rates rest on p, the probability that a hand of n cards
holds a colour. With N cards in the deck, k colours and v cards seen, v_c of them of the colour,

    p = 1 − (1 − s)ⁿ,    s = (C N / k − v_c) / (N − v)    the share of the colour among the cards not seen

where C is the share of coloured cards in a deck: nobody is told the deck itself. A liar counts what lies open to all.
A victim counts its own hand too, and knows how often the other one lies:

    liar      β = min(1, e^(lie + each · w) (1 − p) / p),    w cards in the victim's hand
    victim    κ = 1 / (1 + e^−(challenge + slope · ln o)),   o = β p′ / (1 − p′)

with p′ the victim's own p, so that o are the odds of a lie as the victim sees them. A lie stops who is about to win,
and costs a joker where nobody is. Nothing here looks at a hidden hand.
"""

from typing import Final

import numpy as np

from uno_pomdp.game.bits import popcount
from uno_pomdp.game.layout import Record
from uno_pomdp.jit import inner_kernel, kernel

COLOURED: Final = 0.9
"""C: 100 cards of 108 are coloured in the standard deck, 10 of 12 in `mini-bluff`."""
_LARGEST: Final = 0.95
_SMALLEST: Final = 0.02


@inner_kernel
def odds_of_colour(of_colour: int, seen: int, cards: int, colours: int, size: int) -> float:
    """Return p / (1 − p) for a hand of this size, where so many cards were seen, and so many of the colour."""
    in_deck, unseen = popcount(np.uint64(colours)), cards - seen
    left = COLOURED * cards / (in_deck if in_deck > 0 else 1) - of_colour
    share = left / (unseen if unseen > 0 else 1)
    share = _SMALLEST if share < _SMALLEST else _LARGEST if share > _LARGEST else share
    none = (1.0 - share) ** size
    return (1.0 - none) / none


@kernel
def lie_rate(of_colour: int, seen: int, cards: int, colours: int, size: int, victims: int, weights: Record) -> float:
    """Return β of a liar that keeps `size` cards, against a victim with so many; what was seen is the played pile."""
    lies: float = np.exp(weights["lie"] + weights["lie_each"] * victims)
    rate: float = lies / odds_of_colour(of_colour, seen, cards, colours, size)
    return rate if rate < 1.0 else 1.0


@kernel
def challenge_rate(
    played: int, own: int, seen: int, victims: int, cards: int, colours: int, size: int, weights: Record
) -> float:
    """Return κ of a victim with so many cards, of which `own` have the colour, against `size` cards.

    `played` cards of the colour lie open, among `seen` cards.
    """
    lies = lie_rate(played, seen, cards, colours, size, victims, weights)
    odds = lies * odds_of_colour(played + own, seen + victims, cards, colours, size)
    rate: float = 1.0 / (1.0 + np.exp(-weights["challenge"] - weights["challenge_odds"] * np.log(odds)))
    return rate
