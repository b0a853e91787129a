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
from pathlib import Path
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


def rlcard_wilds() -> tuple[int, int]:
    """Return after how many wilds of 100 random games the observation has a wrong colour, and how many there were."""
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
    return wrong, wilds


def rlcard_shows_a_wrong_colour() -> bool:
    """After 113 of 152 wilds of 100 random games the observation has another colour than the declared one."""
    return rlcard_wilds() == (113, 152)


def rlcard_table(own: str, drawn: str = "", top: str = "r-1") -> Any:
    """Return an environment in which player 1 holds these cards, beside some, and draws that one."""
    env = module("rlcard").make("uno", config={"seed": 1})
    card = module("rlcard.games.uno.card").UnoCard
    env.reset()

    def made(text: str) -> Any:
        colour, trait = text.split("-")
        kind = "number" if trait.isdigit() else "wild" if trait.startswith("wild") else "action"
        return card(kind, colour, trait)

    table = env.game.round
    table.target, table.current_player, table.direction = made(top), 0, 1
    env.game.players[0].hand = [made(text) for text in own.split()]
    if drawn:
        env.game.dealer.deck.append(made(drawn))
    return env


def rlcard_reverse_goes_on() -> bool:
    """Who plays a reverse acts again, as the printed rules for two players say."""
    env = rlcard_table("r-reverse r-2 g-3")
    return bool(env.step("r-reverse", True)[1] == 0)


def rlcard_takes_drawn_cards() -> bool:
    """Drawn cards come into the hand if they are of the active colour, or wild."""
    taken = []
    for drawn in ("r-5", "r-wild"):
        env = rlcard_table("g-2 g-3", drawn)
        env.step("draw", True)
        taken.append(len(env.game.players[0].hand) == 3)
    return any(taken)


def rlcard_drawn_four_counts() -> bool:
    """Of a +4 that is drawn, and so played by itself, the other draws four."""
    env = rlcard_table("g-2 g-3", "r-wild_draw_4")
    held = len(env.game.players[1].hand)
    env.step("draw", True)
    return len(env.game.players[1].hand) == held + 4


def rlcard_has_three_players() -> bool:
    """Its `uno` has three players if `game_num_players` says so."""
    return bool(module("rlcard").make("uno", config={"game_num_players": 3}).num_players == 3)


def rlcard_breaks_at_illegal_numbers() -> bool:
    """By its number an illegal action ends in an error of NumPy's: the choice of another in its place fails."""
    env = rlcard_table("r-2 r-3 g-4")
    try:
        env.step(module("rlcard.games.uno.utils").ACTION_SPACE["b-9"])
    except ValueError as error:
        return "1-dimensional" in str(error)
    return False


def rlcard_plays_what_does_not_fit() -> bool:
    """By its name a held card is played that does not fit."""
    env = rlcard_table("r-2 r-3 g-4")
    env.step("g-4", True)
    return len(env.game.players[0].hand) == 2 and env.game.round.target.str == "g-4"


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


def spiel_checks_on_request() -> bool:
    """Illegal actions are refused where that is asked for."""
    state = crazy_eights()
    illegal = min(set(range(52)) - set(state.legal_actions()))
    try:
        state.clone().apply_action_with_legality_check(illegal)
    except module("pyspiel").SpielError:
        return True
    return False


def spiel_options() -> bool:
    """Crazy eights can be set by players, special cards, reshuffle, most cards drawn and most turns."""
    options = module("pyspiel").load_game("crazy_eights").get_parameters()
    return set(options) == {"players", "use_special_cards", "reshuffle", "max_draw_cards", "max_turns"}


def spiel_shows_the_suit() -> bool:
    """Players see which suit was named in crazy eights."""
    chance = Random(1)
    for _ in range(200):
        state = module("pyspiel").load_game(CRAZY_EIGHTS).new_initial_state()
        while not state.is_terminal():
            names = [state.action_to_string(state.current_player(), action) for action in state.legal_actions()]
            if not state.is_chance_node() and all("suit" in name.lower() for name in names):
                return len({str(state.child(action).observation_string(0)) for action in state.legal_actions()}) == 4
            state.apply_action(chance.choice(state.legal_actions()))
    return False


def spiel_solves_ours() -> bool:
    """Among its algorithms are an ISMCTS and an exact exploitability."""
    found = hasattr(module("open_spiel.python.algorithms.ismcts"), "ISMCTSBot")
    return found and hasattr(module("pyspiel"), "exploitability")


# --- PettingZoo ------------------------------------------------------------------------------------------


def pettingzoo_has_uno() -> bool:
    """One of its classic games has this name."""
    return any("uno" in each.name for each in pkgutil.iter_modules(module("pettingzoo.classic").__path__))


def pettingzoo_has_players() -> bool:
    """One of its parts has agents or algorithms."""
    names = {each.name for each in pkgutil.iter_modules(module("pettingzoo").__path__)}
    return bool(names & {"agents", "algorithms", "players", "search"})


def pettingzoo_ends_games() -> bool:
    """In most of its classic games an illegal action loses: they stand in its `TerminateIllegalWrapper`."""
    spec = find_spec("pettingzoo.classic")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    texts = [file.read_text() for file in Path(spec.submodule_search_locations[0]).rglob("*.py")]
    games = [text for text in texts if "\ndef env(" in text]
    return len(games) < 2 * sum("TerminateIllegalWrapper(" in text for text in games)


def pettingzoo_has_what_is_named() -> bool:
    """Agents in turn and parallel ones have an interface each, and there is a test of seeds."""
    tests = module("pettingzoo.test")
    return hasattr(tests, "seed_test") and all(
        hasattr(module("pettingzoo"), name) for name in ("AECEnv", "ParallelEnv")
    )


FACTS: Final[dict[str, dict[Callable[[], bool], bool]]] = {
    "rlcard": {
        rlcard_reverse_goes_on: False,
        rlcard_takes_drawn_cards: False,
        rlcard_drawn_four_counts: False,
        rlcard_has_three_players: False,
        rlcard_repeats_cards: True,
        rlcard_random_agents_repeat: False,
        rlcard_breaks_at_illegal_numbers: True,
        rlcard_plays_what_does_not_fit: True,
        rlcard_shows_a_wrong_colour: True,
        rlcard_searches: False,
    },
    "pyspiel": {
        spiel_has_uno: False,
        spiel_options: True,
        spiel_checks_actions: False,
        spiel_checks_on_request: True,
        spiel_shows_the_suit: True,
        spiel_resamples: False,
        spiel_solves_ours: True,
    },
    "pettingzoo": {
        pettingzoo_has_uno: False,
        pettingzoo_ends_games: True,
        pettingzoo_has_players: False,
        pettingzoo_has_what_is_named: True,
    },
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
