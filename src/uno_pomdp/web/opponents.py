"""Who may be asked to play here: agents of the package, within the server's budgets, and those a page offers."""

from functools import cache
from pathlib import Path
from typing import Any, Final

from uno_pomdp.agent_kinds import AGENTS
from uno_pomdp.errors import InvalidAgent
from uno_pomdp.registry import AgentSpec, BeliefSpec, coach_for, opponent_for
from uno_pomdp.rules import PRESETS, Rules
from uno_pomdp.web.settings import Settings

OFFERED: Final = (
    "champion:ms=50",
    "flat:ms=50",
    "flat:ms=50,belief=particles,model=heuristic",
    "ismcts:ms=50",
    "champion",
    "heuristic",
    "baseline",
    "greedy",
    "random",
)
"""The opponents that a page offers, strong ones first; any other text may be typed."""
ADDED: Final = {
    "champion:ms=50": "the champion's net and 50 ms of search",
    "flat:ms=50": "flat Monte Carlo, 50 ms a move",
    "flat:ms=50,belief=particles,model=heuristic": "the same, and it draws conclusions from your choices",
    "ismcts:ms=50": "information-set MCTS, 50 ms a move",
    "champion": "a net trained by self-play, without search",
}
"""What an offered opponent is, where its kind's sentence does not say it."""
OWN: Final = "agents of your own can't be asked for here: play them with `uno-pomdp play py:…`"
"""A request that names code would run it."""


def checked(text: str, settings: Settings) -> AgentSpec:
    """Return the agent that a text describes, if a request may ask for it: no files, no code, no endless budgets."""
    if "py:" in text:  # before it is read: some kinds ask their model what it can do, which imports and calls it
        raise InvalidAgent(OWN)
    spec = AgentSpec.parse(text)
    _check(spec, settings)
    return spec


def _check(spec: AgentSpec | BeliefSpec, settings: Settings) -> None:
    if spec.name == "py":
        raise InvalidAgent(OWN)
    most = {
        "ms": settings.most_milliseconds,
        "sims": settings.most_simulations,
        "threads": 1,
        "particles": settings.most_particles,
        "limit": 25 * settings.most_particles,
    }
    for name, value in spec.options.items():
        if isinstance(value, AgentSpec | BeliefSpec):
            _check(value, settings)
        elif isinstance(value, Path):
            raise InvalidAgent(f"files can't be named here: leave {name}=… out, or use `uno-pomdp play`")
        elif name in most and isinstance(value, int | float) and value > most[name]:
            raise InvalidAgent(f"{name}={value:g} is too much for this server: {most[name]:g} is the most here")


def seated(text: str, rules: Rules, seat: int | None, settings: Settings) -> str:
    """Return the text of an agent that can play these rules at this seat, or both; the default for an empty text."""
    spec = checked(text.strip() or opponent_for(rules), settings)
    spec.make().check_game(rules, seat)
    return spec.text


@cache
def options_json() -> dict[str, Any]:
    """Return what a page offers: rules, opponents with the rules that they know, the coach. Takes a moment once."""
    rules = [
        {"name": name, "summary": known.about, "opponent": opponent_for(known.rules), "coach": coach_for(known.rules)}
        for name, known in PRESETS.items()
    ]
    opponents = [
        {"name": text, "summary": ADDED.get(text, AGENTS[text.partition(":")[0]].about), "rules": _played_by(text)}
        for text in OFFERED
    ]
    return {"rules": rules, "opponents": opponents, "coach": coach_for(Rules())}


def _played_by(text: str) -> list[str]:
    """Return the presets that an agent can play."""
    agent, found = AgentSpec.parse(text).make(), []
    for name, known in PRESETS.items():
        try:
            agent.check_game(known.rules)
        except InvalidAgent:
            continue
        found.append(name)
    return found
