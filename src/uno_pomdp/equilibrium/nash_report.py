"""Is it a Nash equilibrium if both players use this agent? What is known, and a verdict that claims no more.

Self-play over duplicate deals gives half of the points to any agent and says nothing. Best responses do: attempts by
play, which bound the exploitability from below, and on mini decks the exact ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from uno_pomdp.arena.match import make
from uno_pomdp.arena.statistics import Interval
from uno_pomdp.equilibrium.attempts import Attempt, AttemptTrainer, Challenger, Report, attempt_all, self_play
from uno_pomdp.equilibrium.cfr import solve
from uno_pomdp.equilibrium.compact.compact_game import pays_off
from uno_pomdp.equilibrium.compact.compact_solution import exact_of_scripted, solve_compact
from uno_pomdp.equilibrium.sequence_form import Bracket, Exploitability, exploitability
from uno_pomdp.equilibrium.tree.game_tree import GameTree, build_tree
from uno_pomdp.equilibrium.tree_policies import policy_of
from uno_pomdp.game.rng import later_seed
from uno_pomdp.plots import picture
from uno_pomdp.pomdp.deals import TooLarge
from uno_pomdp.rules import Rules

CLOSE: Final = 0.001
"""The largest exploitability in points with which an agent is called an (approximate) equilibrium."""
SOLVED: Final = 1e-3
"""The exploitability at which the solver that bounds the value of the game stops."""
ASKED_SETS: Final = 5_000
"""The most information sets to which an agent is led one by one: more would take minutes."""


@dataclass(frozen=True, slots=True)
class ExactMargin:
    """What the whole tree of a mini game says about an agent."""

    result: Exploitability
    """The agent's own value and what the best response of each seat earns, from −1 to 1."""
    game: Bracket
    """Where the value of the game to player 1 lies."""

    def __repr__(self) -> str:
        low, high = self.game.low, self.game.high
        return f"<ExactMargin {100 * self.margin:.3f} of 100; the value of the game is {low:+.6f} to {high:+.6f}>"

    @property
    def margin(self) -> float:
        """The exploitability in points: the margin of the best response over duplicate deals."""
        return self.result.points

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values, in points: a win is 1, a draw ½."""
        return {
            "margin": self.margin,
            "self_play": _points(self.result.value),
            "best_response_as_player_1": _points(self.result.best[0]),
            "best_response_as_player_2": _points(self.result.best[1]),
            "value_of_the_game": Bracket(_points(self.game.low), _points(self.game.high)).to_json(),
        }


@dataclass(frozen=True, slots=True)
class NashReport:
    """What is known about an agent that plays both seats.

    >>> import uno_pomdp as uno
    >>> report = uno.nash("random", rules="mini-7", pairs=10, simulations=20)
    >>> round(report.exact.margin, 4)
    0.0937
    """

    rules: str
    """The rules by name, or as the text that `Rules.parse` reads."""
    agent: str
    """The agent that the report is about."""
    seed: int
    """Same seed, same games."""
    self_play: Interval
    """Player 1's points when both players are the agent."""
    bounds: tuple[Attempt, ...]
    """Attempts at a best response, the best margin first."""
    exact: ExactMargin | None
    """What the whole tree says, where there is one and the agent can say its policy."""
    why_not: str = ""
    """Why nothing exact is known; empty if it is."""

    @property
    def best(self) -> Attempt | None:
        """The attempt that shows most: that with the highest lower bound; None if there are no attempts."""
        return max(self.bounds, key=lambda bound: bound.joint.low, default=None)

    @property
    def finding(self) -> str:
        """The verdict in two words: `no equilibrium`, `an equilibrium` (within `CLOSE`), or `not shown`."""
        if self.exact is not None:
            return "an equilibrium" if self.exact.margin <= CLOSE else "no equilibrium"
        return "no equilibrium" if self.best is not None and self.best.shown else "not shown"

    @property
    def verdict(self) -> str:
        """What was shown, in one sentence."""
        who, best = f"{self.agent} against itself", self.best
        if self.exact is not None:
            margin = self.exact.margin
            if margin <= CLOSE:
                return (
                    f"On {self.rules} {who} is an equilibrium within {100 * margin:.3f} points of 100: over the whole "
                    "game tree no best response gains more."
                )
            return (
                f"On {self.rules} {who} is no equilibrium: over the whole game tree the best responses gain "
                f"{100 * margin:.2f} points of 100."
            )
        if best is not None and best.shown:
            return (
                f"On {self.rules} {who} is no equilibrium: {best.name} gains at least {100 * best.joint.low:.2f} "
                "points of 100, with 95 % confidence over all attempts."
            )
        return (
            f"On {self.rules} none of these attempts is shown to beat {self.agent}, which does not show that it is an "
            "equilibrium."
        )

    def reached(self, bound: Attempt) -> float | None:
        """Return which share of the exact margin an attempt reached; None where that is unknown or nothing."""
        if self.exact is None or self.exact.margin <= CLOSE:
            return None
        return bound.margin.estimate / self.exact.margin

    def to_json(self) -> dict[str, Any]:
        """Return all of it as JSON values; points of a game, where a win is 1."""
        return {
            "rules": self.rules,
            "agent": self.agent,
            "seed": self.seed,
            "self_play_of_player_1": self.self_play.to_json(),
            "bounds": [bound.to_json() | {"reached": self.reached(bound)} for bound in self.bounds],
            "exact": None if self.exact is None else self.exact.to_json(),
            "nothing_exact_because": self.why_not or None,
            "verdict": self.verdict,
        }

    def __repr__(self) -> str:
        exact = "" if self.exact is None else f", exact margin {100 * self.exact.margin:.3f} of 100"
        return f"<NashReport on {self.agent}, rules {self.rules}: {len(self.bounds)} attempts{exact}>"

    def _repr_html_(self) -> str:
        """Return the margins with their joint intervals and the exact one as a line, for a notebook."""
        from uno_pomdp.display.reports import margins_html

        rows = [(one.name, one.about, (one.margin.estimate, one.joint.low, one.joint.high)) for one in self.bounds]
        title = f"Best-response attempts against {self.agent}, rules {self.rules}"
        words = [f"Player 1 has {self.self_play.percent()} in self-play.", self.verdict]
        return margins_html(
            title, "what it knows of the agent", rows, None if self.exact is None else self.exact.margin, words
        )

    def __str__(self) -> str:
        lines = [f"{self.agent} on {self.rules}: player 1 has {self.self_play.percent()} in self-play"]
        lines += [f"{each.name}: margin {each.margin.percent()}" for each in self.bounds]
        if self.exact is not None:
            lines.append(f"exact: {self.exact.result}")
        return "\n".join([*lines, self.verdict])

    def draw(self, path: Path, over: bool = True) -> None:
        """Draw the margins with their intervals, and the exact margin as a line."""
        with picture(path, "margin, points of 100", "", over) as axes:
            places = range(len(self.bounds))
            middles = [100 * bound.margin.estimate for bound in self.bounds]
            below = [100 * (bound.margin.estimate - bound.joint.low) for bound in self.bounds]
            above = [100 * (bound.joint.high - bound.margin.estimate) for bound in self.bounds]
            axes.axvline(0.0, color="black", linewidth=0.8)
            axes.errorbar(middles, places, xerr=[below, above], fmt="o", capsize=3, label="attempt, 95 % together")
            if self.exact is not None:
                axes.axvline(100 * self.exact.margin, linestyle="--", color="tab:red", label="exact best response")
            axes.set_yticks(places, [bound.name.replace(":", "\n", 1) for bound in self.bounds])
            axes.set_ylim(len(self.bounds) - 0.5, -0.5)
            axes.set_title(f"Best-response attempts against {self.agent}, rules {self.rules}", fontsize=9)
            axes.legend()


def nash_report(
    rules: Rules,
    agent: str,
    challengers: Sequence[Challenger],
    pairs: int,
    seed: int = 0,
    trainers: Sequence[AttemptTrainer] = (),
    tree: GameTree | None = None,
    folder: Path | None = None,
    report: Report | None = None,
    **where: Any,
) -> NashReport:
    """Return what is known about an agent: self-play, every attempt, and the whole tree where there is one.

    A tree that was built before can be handed in; `where` goes to `run_match`: processes, cluster.
    """
    exact, why_not = exact_of(rules, agent, tree)
    found = [
        *challengers,
        *(train(rules, agent, later_seed(seed, 1 + number)) for number, train in enumerate(trainers)),
    ]
    return NashReport(
        rules=str(rules),
        agent=make(agent).name,
        seed=seed,
        self_play=self_play(rules, agent, pairs, seed, folder, report, **where),
        bounds=attempt_all(rules, agent, found, pairs, seed, folder, report, **where),
        exact=exact,
        why_not=why_not,
    )


def exact_of(rules: Rules, agent: str, tree: GameTree | None = None) -> tuple[ExactMargin | None, str]:
    """Return what the whole game says, or why nothing does."""
    can = make(agent).can
    if not can.has_policy:
        return None, "the agent has no policy in closed form: it can only be measured by playing"
    try:
        if tree is None and can.kernel_policy is not None and pays_off(rules):
            game = solve_compact(rules, target=SOLVED).result.bracket
            return ExactMargin(exact_of_scripted(rules, can.kernel_policy), game), ""
        tree = build_tree(rules) if tree is None else tree
    except TooLarge as error:
        return None, str(error)
    if not can.looked_up and tree.sets > ASKED_SETS:
        return None, f"the agent would have to be asked at {tree.sets:,} information sets, more than {ASKED_SETS:,}"
    policy = policy_of(tree, lambda: make(agent))
    return ExactMargin(exploitability(tree, policy), solve(tree, target=SOLVED).result.bracket), ""


def _points(value: float) -> float:
    """Return a value from −1 to 1 as points from 0 to 1."""
    return (1.0 + value) / 2.0
