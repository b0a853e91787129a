"""Nash reports on many agents, each against itself, in one table.

Each row is the report that `nash_report` makes on that agent alone, with the same seed, pairs and budget.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from uno_pomdp.agents.agent import Budget
from uno_pomdp.arena.match import Match
from uno_pomdp.equilibrium.attempts import Report, challengers_of
from uno_pomdp.equilibrium.compact.compact_game import pays_off
from uno_pomdp.equilibrium.nash_report import NashReport, nash_report
from uno_pomdp.equilibrium.tree.game_tree import GameTree, build_tree
from uno_pomdp.errors import UnoError
from uno_pomdp.plots import picture
from uno_pomdp.pomdp.deals import TooLarge
from uno_pomdp.rules import Rules

AGENTS: Final = (
    "random",
    "greedy",
    "baseline",
    "heuristic",
    "flat:sims=50",
    "ismcts:sims=50",
    "pomcp:sims=50",
    "value:sims=50",
    "champion",
    "champion:sims=50",
)
"""One agent of every kind; searches have a small budget of simulations: minutes for the table, and reproducible."""
TITLES: Final = ("agent", "player 1 : 2", "margin", "95 % together", "exact", "verdict", "best attempt")
"""What the columns of a table are called."""


@dataclass(frozen=True, slots=True)
class NashTable:
    """Nash reports on several agents under the same rules."""

    rules: str
    """The rules by name."""
    seed: int
    """Same seed, same games."""
    reports: tuple[NashReport, ...]
    """A report on each agent."""
    unfinished: tuple[str, ...] = ()
    """Agents without a report, because the run was stopped before."""

    def rows(self) -> list[list[str]]:
        """Return the rows of the table as text, in points of 100; `exact` is empty where nothing exact is known."""
        return [_row(report) for report in self.reports]

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values: every report whole."""
        return {
            "rules": self.rules,
            "seed": self.seed,
            "reports": [report.to_json() for report in self.reports],
            "unfinished": list(self.unfinished),
        }

    def __repr__(self) -> str:
        shown = sum(report.finding.startswith("no equilibrium") for report in self.reports)
        return f"<NashTable of {len(self.reports)} agents, rules {self.rules}: {shown} shown to be no equilibrium>"

    def __str__(self) -> str:
        rows = [list(TITLES), *self.rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)

    def draw(self, path: Path, over: bool = True) -> None:
        """Draw player 1's points in self-play and the best attempt's margin, both above one half, with intervals."""
        with picture(path, "points of 100 above one half", "", over) as axes:
            axes.axvline(0.0, color="black", linewidth=0.8)
            for shift, name, found in (
                (-0.15, "player 1 in self-play, 95 %", [_above_half(report) for report in self.reports]),
                (0.15, "best attempt against it, 95 % together", [_margin(report) for report in self.reports]),
            ):
                known = [(place + shift, at) for place, at in enumerate(found) if at is not None]
                middles = [100 * at[0] for _, at in known]
                sides = [[100 * (at[0] - at[1]) for _, at in known], [100 * (at[2] - at[0]) for _, at in known]]
                axes.errorbar(middles, [place for place, _ in known], xerr=sides, fmt="o", capsize=3, label=name)
            exact = [(100 * one.exact.margin, place) for place, one in enumerate(self.reports) if one.exact is not None]
            if exact:
                axes.plot(*zip(*exact, strict=True), "D", color="tab:red", label="exact best response")
            axes.set_yticks(range(len(self.reports)), [report.agent for report in self.reports])
            axes.set_ylim(len(self.reports) - 0.5, -0.5)
            axes.set_title(f"Every agent against itself, rules {self.rules}", fontsize=9)
            axes.figure.legend(loc="outside lower center", ncols=3, fontsize=8)  # inside it would hide intervals


def nash_reports(
    rules: Rules,
    agents: tuple[str, ...],
    budget: Budget,
    pairs: int,
    seed: int = 0,
    folder: Path | None = None,
    report: Report | None = None,
    **where: Any,
) -> Iterator[NashReport]:
    """Yield a report on each agent, as soon as it is made; the arguments are those of `nash_report`."""
    tree = tree_of(rules)
    for agent in agents:
        challengers = challengers_of(agent, budget, rules)
        yield nash_report(rules, agent, challengers, pairs, seed, tree=tree, folder=folder, report=report, **where)


def agents_for(rules: Rules) -> tuple[str, ...]:
    """Return those of `AGENTS` that can play by these rules: not all rules have a champion."""
    return tuple(agent for agent in AGENTS if _can_play(agent, rules))


def tree_of(rules: Rules) -> GameTree | None:
    """Return the whole tree of a mini game, which all reports share; None where there is none, or where it is large."""
    if pays_off(rules):  # scripted agents do without it
        return None
    try:
        return build_tree(rules)
    except TooLarge:
        return None


def _can_play(agent: str, rules: Rules) -> bool:
    try:
        Match(rules, (agent, agent), 1).check()
    except UnoError:
        return False
    return True


def _row(report: NashReport) -> list[str]:
    at, best = report.self_play, report.best
    points = f"{100 * at.estimate:.1f} : {100 * (1 - at.estimate):.1f} ± {50 * (at.high - at.low):.1f}"
    margin, interval, name = "", "", ""
    if best is not None:
        margin, name = f"{100 * best.margin.estimate:+.1f}", best.name
        interval = f"{100 * best.joint.low:+.1f} to {100 * best.joint.high:+.1f}"
    exact = "" if report.exact is None else f"{100 * report.exact.margin:+.1f}"
    return [report.agent, points, margin, interval, exact, report.finding, name]


def _above_half(report: NashReport) -> tuple[float, float, float]:
    at = report.self_play
    return at.estimate - 0.5, at.low - 0.5, at.high - 0.5


def _margin(report: NashReport) -> tuple[float, float, float] | None:
    best = report.best
    return None if best is None else (best.margin.estimate, best.joint.low, best.joint.high)
