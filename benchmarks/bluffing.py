"""How to bluff: small decks under `challenge`, solved, with what each habit costs.

*Solution*: the value of the game, how often the solution bluffs where it can and challenges where it can, weighted by
how often one gets there when both play it, and how likely a wild +4 is a bluff. In points, where a win is 1 and a draw
½, the first player's edge is half the value.

*Rates*: the same by hand and sizes, with what it costs to give up the choice there: never, or always, to bluff or
challenge with just that hand and those sizes, and to do the best elsewhere. Only where both cost something does the
mixture matter; elsewhere it is a tie, of which the solver shows one side or the middle. In a hand C is a card of the
colour in question (that to match, or that before the wild +4), D one of the other.

*Habits*: what it costs a player never or always to bluff, never or always to challenge. *At best* is the value of the
game less that of the game in which this player does not have the other actions: the best policy with that habit,
against an opponent who knows it. *Replaced* is what a best response gains on the solution in which this one behaviour,
and nothing else, is replaced by the habit. Points of 100 of the player in that seat.

*Decks*: the same for a family of decks.

*Agreement*: CFR+, the linear programme, and open_spiel on the exported tree.

Pictures go to docs/pictures, or where `--pictures FOLDER` says; `--part` measures one part alone.
"""

import functools
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.belief_quality import PICTURES
from benchmarks.equilibrium import SpielTree
from benchmarks.experiments.bluffing import HABITS, Choice, Habit, allowed_by, choices_of, guilt_of, rate_of, with_habit
from benchmarks.experiments.linear_program import solve_program
from benchmarks.experiments.restricted_game import Flags, restricted
from benchmarks.harness import Benchmark, Claim, Part, Run, at_most, run_parts, shown
from uno_pomdp.arrays import Floats
from uno_pomdp.cards import WILD, WILD_FOUR, Cards
from uno_pomdp.equilibrium.cfr import solve
from uno_pomdp.equilibrium.sequence_form import best_response, exploitability
from uno_pomdp.equilibrium.tree.game_tree import GameTree, build_tree
from uno_pomdp.game.layout import COLOUR_MASK, SEATS, Seat
from uno_pomdp.plots import check_picture, picture
from uno_pomdp.rules import Rules, preset

POINTS: Final = 50
"""Points of 100 in one unit of a result from −1 to 1."""
PRECISE: Final = 1e-7
"""The exploitability to which games are solved: 0.00001 points of 100."""
FAMILY_PRECISE: Final = 2e-6
"""The same for the games of the family."""
ROWS: Final = 10
"""How many hands and sizes of a deck are listed, those met most often."""


@dataclass(frozen=True, slots=True)
class Deck:
    """A deck of the family: as many R0 as Y1, wilds, and wild +4s, under `challenge`."""

    numbers: int
    """Copies of R0, and of Y1."""
    wilds: int
    """Wilds."""
    fours: int
    """Wild +4s."""
    hand: int = 2
    """Cards dealt to each player."""

    @property
    def rules(self) -> Rules:
        """The rules: those of `mini-bluff` with this deck."""
        names = ["R0"] * self.numbers + ["Y1"] * self.numbers + ["W"] * self.wilds + ["W4"] * self.fours
        return Rules(deck=Cards.parse(" ".join(names)), hand_size=self.hand, wild_four="challenge", reshuffle="no")

    def __str__(self) -> str:
        wilds = f", {self.wilds} W" if self.wilds else ""
        return f"{self.numbers} R0, {self.numbers} Y1{wilds}, {self.fours} W4, hands of {self.hand}"


MINI_BLUFF: Final = Deck(5, 0, 2)
"""The deck of the preset."""
MIXING: Final = Deck(5, 2, 1, 3)
"""A deck on which bluffs have to be mixed."""
SMALL: Final = Deck(4, 0, 2), Deck(4, 1, 1)
"""Two decks for a quick run."""
FAMILY: Final = (
    Deck(4, 0, 2),
    Deck(5, 0, 1),
    MINI_BLUFF,
    Deck(5, 0, 3),
    Deck(5, 0, 4),
    Deck(6, 0, 2),
    Deck(5, 0, 2, 3),
    Deck(6, 0, 2, 3),
    Deck(4, 1, 1),
    Deck(5, 1, 1),
    Deck(6, 1, 1),
    Deck(4, 2, 1),
    Deck(4, 1, 2),
    Deck(5, 1, 1, 3),
    Deck(6, 1, 1, 3),
    Deck(7, 1, 1, 3),
    Deck(4, 2, 1, 3),
    MIXING,
    Deck(6, 1, 1, 4),
)
"""More and fewer cards of each kind, and larger hands."""


@functools.cache
def solved(deck: Deck, precise: float = PRECISE) -> tuple[GameTree, Floats, float]:
    """Return the tree of a deck, its solution and its value."""
    tree = build_tree(deck.rules)
    found = solve(tree, target=precise, look_every=200)
    bracket = found.result.bracket
    return tree, found.policy, (bracket.low + bracket.high) / 2


def cost(tree: GameTree, value: float, habit: Habit, seat: Seat, sets: Flags | None, precise: float) -> float:
    """Return what a habit costs a player at best, in points of 100, everywhere or at some information sets."""
    bracket = solve(
        restricted(tree, allowed_by(tree, habit, seat, sets)), target=precise, look_every=100
    ).result.bracket
    lost = (value - (bracket.low + bracket.high) / 2) * (1 - 2 * seat)
    return round(POINTS * lost, 4) + 0.0  # what the solver leaves open is less


# --- the solution ----------------------------------------------------------------------------------------


def solution(run: Run, pictures: Path | None) -> Iterator[Claim]:
    """Show what the game is worth and how often the solution bluffs and challenges."""
    del pictures
    assert MINI_BLUFF.rules == preset("mini-bluff")
    for deck in run.pick((MINI_BLUFF, MIXING), SMALL[:1]):
        tree, policy, value = solved(deck)
        yield shown(f"{deck}: nodes", tree.size, "nodes")
        yield shown(f"{deck}: information sets", tree.sets, "sets")
        yield at_most(f"{deck}: exploitability", exploitability(tree, policy).exploitability, PRECISE, "result")
        yield shown(f"{deck}: value for player 1", value, "result")
        yield shown(f"{deck}: first player's edge", POINTS * value, "points of 100")
        names: tuple[Choice, ...] = ("bluff", "challenge")
        for name in names:
            choice = choices_of(tree, name)
            for seat in SEATS:
                sets = np.arange(tree.sets) >= tree.set_start[1]
                found = rate_of(tree, policy, choice, sets if seat else ~sets)
                about = (
                    f"{found.sets:,} sets, {found.reached:,} reached, {found.mixed:,} mixed, {found.reach:.4f} a game"
                )
                yield shown(f"{deck}: player {seat + 1}, {name}s", 100 * found.rate, f"%; {about}")
        yield shown(f"{deck}: wild +4s that are bluffs", 100 * guilt_of(tree, policy), "%")


# --- by hand and sizes -----------------------------------------------------------------------------------


def kinds_of(tree: GameTree, name: Choice) -> list[tuple[Seat, str, Flags]]:
    """Return the information sets with a choice by player, hand and sizes; colours that swap are the same."""
    seen, choice = tree.seen, choices_of(tree, name)
    colour = COLOUR_MASK[np.where(choice.sets & (seen["before"] < len(COLOUR_MASK)), seen["before"], seen["colour"])]
    bits = (colour[:, None] >> np.arange(seen["hand"].shape[1], dtype=np.uint64)) & np.uint64(1)
    same = (seen["hand"] * bits).sum(axis=1).astype(int)
    wilds, fours = seen["hand"][:, WILD].astype(int), seen["hand"][:, WILD_FOUR].astype(int)
    rest = seen["hand_size"] - same - wilds - fours
    found: dict[tuple[Seat, str], list[int]] = {}
    for number in np.flatnonzero(choice.sets).tolist():
        seat: Seat = SEATS[int(number >= tree.set_start[1])]
        counts = zip(("C", "D", "W", "W4"), (same[number], rest[number], wilds[number], fours[number]), strict=True)
        hand = " ".join(card for card, count in counts for _ in range(int(count)))
        at = f"{hand} v {seen['opponent_size'][number]}, pile {seen['draw_size'][number]}"
        found.setdefault((seat, at), []).append(number)
    return [(seat, at, np.isin(np.arange(tree.sets), numbers)) for (seat, at), numbers in found.items()]


def rates(run: Run, pictures: Path | None) -> Iterator[Claim]:
    """Show how often the solution bluffs and challenges by hand and sizes, and where that matters."""
    names: tuple[Choice, ...] = ("bluff", "challenge")
    for deck in run.pick((MINI_BLUFF, MIXING), SMALL[1:]):
        tree, policy, value = solved(deck)
        for name in names:
            choice = choices_of(tree, name)
            rows = [(rate_of(tree, policy, choice, sets), seat, at, sets) for seat, at, sets in kinds_of(tree, name)]
            rows.sort(key=lambda row: -row[0].reach)
            drawn = []
            for rate, seat, at, sets in rows[: run.pick(ROWS, 2)]:
                never, always = (cost(tree, value, (when, name), seat, sets, 1e-6) for when in ("never", "always"))
                about = f"%; {100 * rate.reach:.2f} in 100 games; never costs {never:.3f}, always {always:.3f} points"
                yield shown(f"{deck}: player {seat + 1} {name}s with {at}", 100 * rate.rate, about)
                drawn.append((f"player {seat + 1}: {at}", rate.rate, never, always))
            if pictures is not None:
                which = "mini-bluff" if deck == MINI_BLUFF else "mixing"
                draw_rates(pictures / f"bluffing-{name}s-{which}.svg", name, drawn)


def draw_rates(path: Path, name: Choice, rows: Sequence[tuple[str, float, float, float]]) -> None:
    """Draw the rates as bars, those that matter filled."""
    with picture(path, f"{name}s, %", "") as axes:
        places = range(len(rows))
        matter = ["tab:blue" if min(row[2:]) > 0.001 else "lightgrey" for row in rows]
        axes.barh(places, [100 * row[1] for row in rows], color=matter, edgecolor="tab:blue")
        axes.set_yticks(places, [row[0] for row in rows])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlim(0, 100)


# --- habits ----------------------------------------------------------------------------------------------


def habits(run: Run, pictures: Path | None) -> Iterator[Claim]:
    """Show what habits cost each player, at best and where they merely replace a behaviour of the solution."""
    drawn: dict[Deck, list[float]] = {}
    for deck in run.pick((MINI_BLUFF, MIXING), SMALL[:1]):
        tree, policy, value = solved(deck)
        for habit in HABITS:
            mean = 0.0
            for seat in SEATS:
                best = cost(tree, value, habit, seat, None, 1e-6)
                answer = best_response(tree, with_habit(tree, policy, habit, seat), SEATS[1 - seat])
                replaced = round(POINTS * (answer.value - value * (2 * seat - 1)), 4) + 0.0
                title = f"{deck}: player {seat + 1}, {' '.join(habit)}"
                yield shown(f"{title}, at best", best, "points of 100")
                yield shown(f"{title}, replaced", replaced, "points of 100")
                mean += best / 2
            drawn.setdefault(deck, []).append(mean)
    if pictures is not None:
        draw_habits(pictures / "bluffing-habits.svg", drawn)


def draw_habits(path: Path, drawn: Mapping[Deck, Sequence[float]]) -> None:
    """Draw the cost of each habit, deck by deck, as the mean of both seats."""
    with picture(path, "", "cost at best, points of 100, mean of both seats") as axes:
        width = 0.8 / len(drawn)
        for number, (deck, costs) in enumerate(drawn.items()):
            places = [place + (number - (len(drawn) - 1) / 2) * width for place in range(len(costs))]
            bars = axes.bar(places, costs, width, label=str(deck))
            axes.bar_label(bars, [f"{max(each, 0.0):.2f}" for each in costs], fontsize=8)
        axes.set_xticks(range(len(HABITS)), [" ".join(habit) for habit in HABITS])
        axes.legend()


# --- the family ------------------------------------------------------------------------------------------


def decks(run: Run, pictures: Path | None) -> Iterator[Claim]:
    """Solve every deck of the family."""
    drawn: list[tuple[Deck, list[float]]] = []
    for deck in run.pick(FAMILY, SMALL):
        tree, policy, value = solved(deck, FAMILY_PRECISE)
        bluffs, challenges = (rate_of(tree, policy, choices_of(tree, name)) for name in ("bluff", "challenge"))
        costs = [np.mean([cost(tree, value, habit, seat, None, 1e-5) for seat in SEATS]) for habit in HABITS]
        about = (
            f"points of 100; {tree.size:,} nodes; bluffs {100 * bluffs.rate:.1f} %, "
            f"challenges {100 * challenges.rate:.1f} %, guilty {100 * guilt_of(tree, policy):.1f} %"
        )
        yield shown(f"{deck}: first player's edge", POINTS * value, about)
        for habit, lost in zip(HABITS, costs, strict=True):
            yield shown(f"{deck}: {' '.join(habit)}, at best, mean of both seats", float(lost), "points of 100")
        drawn.append((deck, [float(each) for each in costs]))
        solved.cache_clear()  # large trees
    if pictures is not None:
        draw_decks(pictures / "bluffing-decks.svg", drawn)


def draw_decks(path: Path, drawn: Sequence[tuple[Deck, Sequence[float]]]) -> None:
    """Draw what the two honest and wary habits cost, deck by deck: where both cost something, bluffs are mixed."""
    with picture(path, "cost at best, points of 100, mean of both seats", "") as axes:
        for habit, place, colour in ((0, -0.2, "tab:orange"), (3, 0.2, "tab:blue")):
            places = [number + place for number in range(len(drawn))]
            axes.barh(places, [costs[habit] for _, costs in drawn], 0.4, color=colour, label=" ".join(HABITS[habit]))
        axes.set_yticks(range(len(drawn)), [str(deck) for deck, _ in drawn], fontsize=7)
        axes.set_ylim(len(drawn) - 0.5, -0.5)
        axes.legend()


# --- agreement -------------------------------------------------------------------------------------------


def agreement(run: Run, pictures: Path | None) -> Iterator[Claim]:
    """Compare solvers with each other."""
    del pictures
    deck = run.pick(MINI_BLUFF, SMALL[0])
    tree, _, value = solved(deck)
    plus = solve(tree, "cfr+", target=1e-6, iterations=50_000, look_every=500)
    program, _ = solve_program(tree)
    yield at_most(f"{deck}: value, CFR+ − linear programme", abs(plus.result.value - program), 2e-6, "result")
    yield at_most(f"{deck}: value, PCFR+ − linear programme", abs(value - program), 1e-6, "result")


def peers(run: Run, pictures: Path | None) -> Iterator[Claim]:
    """Compare best responses and exploitability with open_spiel's, for the solution and for habits."""
    del pictures
    deck = run.pick(MINI_BLUFF, SMALL[0])
    tree, policy, _ = solved(deck)
    theirs = SpielTree(tree)
    gap = 0.0
    for each in (policy, *(with_habit(tree, policy, habit, 0) for habit in HABITS[: run.pick(4, 1)])):
        ours = exploitability(tree, each)
        gap = max(gap, abs(ours.exploitability - theirs.exploitability(each)))
    yield at_most(f"{deck}: exploitability − open_spiel's, the largest of five policies", gap, 1e-9, "result")


Drawing = Callable[[Run, Path | None], Iterator[Claim]]
"""Measures a part and draws its pictures into a folder, if there is one."""
PARTS: Final[Mapping[str, Drawing]] = {
    "solution": solution,
    "rates": rates,
    "habits": habits,
    "decks": decks,
    "agreement": agreement,
    "open_spiel": peers,
}
"""By name: what can be measured alone."""


def measured(run: Run, part: Drawing, pictures: Path | None) -> Iterator[Claim]:
    """Measure a part; its pictures go to this folder, unless told otherwise in a full run to those of the pages."""
    folder = pictures or run.pick(PICTURES, None)
    if folder is not None:
        check_picture(folder / "any.svg")  # before the work, not after it
    yield from part(run, folder)


def benchmark(only: str | None, pictures: Path | None) -> Benchmark:
    """Return the parts, or one of them alone, with the folder of their pictures."""
    parts = PARTS if only is None else {only: PARTS[only]}
    return Benchmark(
        "bluffing",
        tuple(
            Part(
                name,
                functools.partial(measured, part=part, pictures=pictures),
                peer="pyspiel" if name == "open_spiel" else None,
            )
            for name, part in parts.items()
        ),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; return the exit code."""
    return run_parts(PARTS, benchmark, arguments)


if __name__ == "__main__":
    warnings.filterwarnings("ignore", module="open_spiel")
    sys.exit(main())
