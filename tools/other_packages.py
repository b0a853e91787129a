"""Try what docs/comparison.md says about other packages, as far as they are installed: one line for each fact.

pip install rlcard==1.2.0 open_spiel==2.0.2 pettingzoo==1.27.0
python tools/other_packages.py
"""

import importlib
import pkgutil
import sys
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from random import Random
from typing import Any, Final


def module(name: str) -> Any:
    """Return a module of a package that has no types."""
    return importlib.import_module(name)


# --- rlcard ----------------------------------------------------------------------------------------------


class First:
    """A player without chance: it takes the first legal action."""

    use_raw = False

    def step(self, state: dict[str, Any]) -> Any:
        """Return an action."""
        return next(iter(state["legal_actions"]))

    def eval_step(self, state: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return an action and nothing about it."""
        return self.step(state), {}


def rlcard_game(seed: int, agent: Callable[[int], Any]) -> list[str]:
    """Return what player 1 saw in a game of two such agents."""
    env = module("rlcard").make("uno", config={"seed": seed})
    env.set_agents([agent(env.num_actions) for _ in range(2)])
    trajectories, _ = env.run(is_training=False)
    return [str(item["raw_obs"]) for item in trajectories[0] if isinstance(item, dict)]


def rlcard_repeats_cards() -> bool:
    """With players without chance, the same seed gives the same games."""
    return all(rlcard_game(seed, lambda _: First()) == rlcard_game(seed, lambda _: First()) for seed in range(5))


def rlcard_random_agents_repeat() -> bool:
    """With its random agents, the same seed gives the same games."""
    random_agent = module("rlcard.agents").RandomAgent
    return all(rlcard_game(seed, random_agent) == rlcard_game(seed, random_agent) for seed in range(5))


def rlcard_shows_the_declared_colour() -> bool:
    """After most wilds the observation has the colour that was declared."""
    env, chance, wrong, wilds = module("rlcard").make("uno", config={"seed": 1}), Random(1), 0, 0
    for _ in range(100):
        state, _ = env.reset()
        while not env.is_over():
            action = chance.choice(state["raw_legal_actions"])
            state, _ = env.step(action, True)
            colour, _, trait = action.partition("-")
            if trait in ("wild", "wild_draw_4") and not env.is_over():
                wilds += 1
                wrong += state["raw_obs"]["target"].partition("-")[0] != colour
    return 2 * wrong < wilds


def rlcard_searches() -> bool:
    """One of its agents has a name that speaks of a search."""
    names = [each.name for each in pkgutil.iter_modules(module("rlcard.agents").__path__)]
    return any(word in name for name in names for word in ("mcts", "search", "pomcp"))


# --- open_spiel ------------------------------------------------------------------------------------------

CRAZY_EIGHTS: Final = "crazy_eights(players=2,use_special_cards=true,reshuffle=true)"


def crazy_eights() -> Any:
    """Return a state of its nearest game in which a player has a choice."""
    state, chance = module("pyspiel").load_game(CRAZY_EIGHTS).new_initial_state(), Random(1)
    while state.is_chance_node() or len(state.legal_actions()) < 2:
        state.apply_action(chance.choice(state.legal_actions()))
    return state


def spiel_has_uno() -> bool:
    """Among its games is one of this name."""
    return any(game.short_name in ("uno", "python_uno") for game in module("pyspiel").registered_games())


def spiel_resamples() -> bool:
    """Crazy eights can resample hidden cards."""
    pyspiel = module("pyspiel")
    try:
        crazy_eights().resample_from_infostate(0, pyspiel.UniformProbabilitySampler(0.0, 1.0))
    except pyspiel.SpielError:
        return False
    return True


def spiel_checks_actions() -> bool:
    """Every illegal action is refused unasked."""
    state = crazy_eights()
    for illegal in set(range(52)) - set(state.legal_actions()):
        try:
            state.clone().apply_action(illegal)
        except module("pyspiel").SpielError:
            continue
        return False
    return True


# --- PettingZoo ------------------------------------------------------------------------------------------


def pettingzoo_has_uno() -> bool:
    """One of its classic games has this name."""
    return any("uno" in each.name for each in pkgutil.iter_modules(module("pettingzoo.classic").__path__))


def pettingzoo_has_players() -> bool:
    """One of its parts has agents or algorithms."""
    names = {each.name for each in pkgutil.iter_modules(module("pettingzoo").__path__)}
    return bool(names & {"agents", "algorithms", "players", "search"})


FACTS: Final[dict[str, dict[Callable[[], bool], bool]]] = {
    "rlcard": {
        rlcard_repeats_cards: True,
        rlcard_random_agents_repeat: False,
        rlcard_shows_the_declared_colour: False,
        rlcard_searches: False,
    },
    "pyspiel": {spiel_has_uno: False, spiel_resamples: False, spiel_checks_actions: False},
    "pettingzoo": {pettingzoo_has_uno: False, pettingzoo_has_players: False},
}
"""By package: what is asked, and what the page says."""


def main() -> int:
    """Print what is found; return how many answers differ from the page."""
    differ = 0
    for package, facts in FACTS.items():
        if find_spec(package) is None:
            print(f"{package}: not installed")
            continue
        for ask, said in facts.items():
            found = ask()
            differ += found != said
            name = {"pyspiel": "open_spiel"}.get(package, package)
            verdict = "as the page says" if found == said else "NOT as the page says"
            print(f"{name} {version(name)}: {ask.__doc__} {'Yes' if found else 'No'}, {verdict}.")
    return differ


if __name__ == "__main__":
    sys.exit(main())
