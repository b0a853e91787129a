"""Who may be asked to play here: agents of the package, within the server's budgets, and those a page offers."""

from functools import cache
from pathlib import Path
from typing import Any, Final

from uno_pomdp.agent_kinds import AGENTS
from uno_pomdp.default_agents import CHAMPION_COACH, COACH, coach_for, opponent_for
from uno_pomdp.errors import InvalidAgent
from uno_pomdp.narration.rule_words import rules_in_words
from uno_pomdp.quantities import count_of
from uno_pomdp.registry import AgentSpec, BeliefSpec
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
COACHES: Final = {
    CHAMPION_COACH: "the champion's net and 16,000 simulations a move",
    COACH: "flat Monte Carlo, 50,000 games a move",
    "flat:ms=1000": "flat Monte Carlo, a second a move",
    "flat:ms=200": "flat Monte Carlo, a fifth of a second a move: quick, and less sure",
    "flat:ms=1000,belief=particles,model=heuristic": "a second a move, and it draws conclusions from choices",
    "ismcts:ms=1000": "information-set MCTS, a second a move",
}
"""The coaches that a page offers, with what each is; any other text may be typed."""
OWN: Final = "agents of your own can't be asked for here: play them with `uno-pomdp play py:…`"
"""A request that names code would run it."""


def checked(text: str, settings: Settings) -> AgentSpec:
    """Return the agent that a text describes, if a request may ask for it: no files, no code, no endless budgets."""
    if "py:" in text:  # before it is read: some kinds ask their model what it can do, which imports and calls it
        raise InvalidAgent(OWN)
    spec = AgentSpec.parse(text)
    _check(spec, settings)
    return spec


def checked_or_none(text: str | None, settings: Settings) -> str | None:
    """Return the text of a coach that may be asked for; None, and an empty text, are the usual one."""
    return None if text is None or not text.strip() else checked(text.strip(), settings).text


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


def rules_json(rules: Rules) -> list[dict[str, str]]:
    """Return rules as a person reads them: what each is about, and what it says."""
    size = len(rules.deck)
    words = [("the aim", "no card left wins; a card fits by colour or rank, black cards always fit")]
    words.append(("the deal", f"{count_of(rules.hand_size, 'card')} each, from a deck of {size}"))
    return [{"about": about, "words": sentence} for about, sentence in (*words, *rules_in_words(rules))]


@cache
def options_json() -> dict[str, Any]:
    """Return what a page offers: rules, opponents and coaches with the rules that they know. Takes a moment once."""
    rules = [
        {
            "name": name,
            "summary": known.about,
            "words": rules_json(known.rules),
            "opponent": opponent_for(known.rules),
            "coach": coach_for(known.rules),
        }
        for name, known in PRESETS.items()
    ]
    opponents = [
        {"name": text, "summary": ADDED.get(text, AGENTS[text.partition(":")[0]].about), "rules": _played_by(text)}
        for text in OFFERED
    ]
    coaches = [{"name": text, "summary": about, "rules": _played_by(text)} for text, about in COACHES.items()]
    return {"rules": rules, "opponents": opponents, "coaches": coaches, "coach": coach_for(Rules())}


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
