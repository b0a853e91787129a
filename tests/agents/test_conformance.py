"""Every registered agent keeps the laws of `check_agent`, and the check catches those who do not."""

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from tests.helpers import PRINTED_PLAIN
from uno_pomdp.agent_kinds import AGENTS
from uno_pomdp.agents.agent import Agent, Candidate, Decision
from uno_pomdp.agents.scripted import ScriptedAgent
from uno_pomdp.cards import CARD_TYPES, COLOURS, NO_CARDS, Cards, CardType, colour_of
from uno_pomdp.errors import UnoError
from uno_pomdp.game.actions import KEEP
from uno_pomdp.game.events import Event, Played
from uno_pomdp.game.game import MAX_SEED, Game
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import Seed
from uno_pomdp.policies.kernels import BASELINE
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import Rules, preset
from uno_pomdp.testing import agents, check_agent

SMALL = {name: f"{name}:sims=40" for name in ("flat", "ismcts", "pomcp", "value")}
"""Budgets for tests."""


@pytest.mark.parametrize("rules", ["house", "pass", PRINTED_PLAIN, "mini-7", "mini-12"])
@pytest.mark.parametrize(
    "name", sorted(AGENTS.keys() - {"policy", "champion", "onnx", "py"})
)  # which play what a file says, under its rules
def test_every_agent_conforms(name: str, rules: str) -> None:
    games, at_most = (1, 60) if name == "pomcp" else (2, 400)  # its particles take their time
    check_agent(lambda: make_agent(SMALL.get(name, name)), Rules.parse(rules), games=games, seed=5, at_most=at_most)


@pytest.mark.parametrize("belief", ["uniform", "particles", "particles,model=greedy,particles=200,resample=0.9"])
def test_planners_conform_with_any_belief(belief: str) -> None:
    check_agent(lambda: make_agent(f"flat:sims=30,belief={belief}"), preset("house"), games=1, seed=2, at_most=40)


@pytest.mark.parametrize("name", ["flat", "ismcts"])
def test_planners_keep_to_the_clock(name: str) -> None:
    check_agent(lambda: make_agent(f"{name}:ms=3"), preset("house"), games=1, deterministic=False, at_most=30)


class Wrong(ScriptedAgent):
    """A baseline player with something wrong, as each test says."""

    def __init__(self) -> None:
        super().__init__(BASELINE)


def caught(agent: type[Agent], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_agent(agent, preset("house"), games=2)


def test_an_illegal_action_is_caught() -> None:
    class Keeps(Wrong):
        def decide(self) -> Decision:
            return Decision(KEEP)

    caught(Keeps, "keep is not legal: an agent has to choose a legal action")


def test_randomness_of_its_own_is_caught() -> None:
    chance = np.random.default_rng(1)

    class Moody(Wrong):
        def decide(self) -> Decision:
            return Decision(self.observation.legal_actions()[chance.integers(len(self.observation.legal_actions()))])

        def policy(self) -> "np.ndarray[tuple[int], np.dtype[np.float64]] | None":  # type: ignore[override]
            return None

    caught(Moody, "the same seed and the same information have to lead to the same decision")


def test_reasons_that_do_not_fit_are_caught() -> None:
    class Boasts(Wrong):
        def decide(self) -> Decision:
            done = super().decide()
            return replace(done, candidates=(Candidate(done.action, value=1.5),))

    caught(Boasts, "a candidate's value has to be a probability of winning")


def test_a_policy_that_does_not_add_up_is_caught() -> None:
    class Doubles(Wrong):
        def policy(self) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
            return super().policy() * 2

    caught(Doubles, "a policy has to add up to one")


# --- players that know more than they are told ---------------------------------------------------------------


def card_against(hand: Cards, seen: Observation) -> Decision:
    """Return what gets at a hand that is known: a card in the colour of which it has fewest, as far as one is legal."""
    legal = seen.legal_actions()
    held = [sum(hand[card] for card in range(CARD_TYPES) if colour_of(card) == colour) for colour in COLOURS]
    return Decision(min(legal, key=lambda action: 9 if action.colour is None else held[action.colour]))


class Frames(Agent):
    """Looks for the game in the variables of those who call it."""

    name = "frames"

    def decide(self) -> Decision:
        """Return what gets at the other hand."""
        return card_against(self.other_hand(), self.observation)

    def other_hand(self) -> Cards:
        """Return the other player's hand."""
        game = self.game()
        return NO_CARDS if game is None else game.hand(1 - self.observation.seat)

    def game(self) -> Game | None:
        """Return the game."""
        frame = sys._getframe()
        while frame.f_back is not None:
            frame = frame.f_back
            for value in frame.f_locals.values():
                game = getattr(value, "_game", getattr(value, "game", value))
                if isinstance(game, Game):
                    return game
        return None


class Drawn(Frames):
    """Reads what was drawn where it still lies, behind the end of the draw pile."""

    name = "drawn"

    def decide(self) -> Decision:
        """Return a move by what lies there."""
        game = self.game()
        assert game is not None
        state, legal = game.to_state()[0], self.observation.legal_actions()
        return Decision(legal[int(state["draw_pile"][int(state["draw_size"]) :].sum()) % len(legal)])


class Shuffles(Frames):
    """Reads how the played cards will be shuffled."""

    name = "shuffles"

    def decide(self) -> Decision:
        """Return a move by that."""
        game = self.game()
        assert game is not None
        legal = self.observation.legal_actions()
        return Decision(legal[int(game.to_state()["rng"][0]) % len(legal)])


class Everywhere(Frames):
    """Looks for the game among all objects of the process."""

    name = "everywhere"

    def other_hand(self) -> Cards:
        """Return the other player's hand."""
        for game in gc.get_objects():
            if isinstance(game, Game) and game.observation(self.observation.seat) == self.observation:
                return game.hand(1 - self.observation.seat)
        return NO_CARDS


class Remembers(Frames):
    """Looks only once at each place, and has what it saw from a variable of the module when it is asked again."""

    name = "remembers"
    known: ClassVar[dict[str, Cards]] = {}

    def other_hand(self) -> Cards:
        """Return the other player's hand."""
        return self.known.setdefault(str(self.observation), super().other_hand())


@pytest.mark.parametrize("agent", [Frames, Everywhere, Remembers, Drawn, Shuffles])
def test_a_look_at_hidden_cards_is_caught(agent: type[Agent]) -> None:
    caught(agent, "in a process where other cards are hidden, it was .*, not ")


def test_an_agent_that_deals_the_game_again_from_its_seed_is_caught() -> None:
    class Deals(Agent):
        name = "deals"

        def begin(self, seed: Seed) -> None:
            assert isinstance(seed, np.random.SeedSequence)
            assert isinstance(seed.entropy, int)
            self.game = Game.new(self.rules, seed.entropy % (MAX_SEED + 1))

        def follow(self, events: Sequence[Event]) -> None:
            for event in events:
                if isinstance(event, Played):
                    self.game.apply(event.action)

        def decide(self) -> Decision:
            return card_against(self.game.hand(1 - self.observation.seat), self.observation)

    caught(Deals, "the agent raised IllegalAction: ")


def test_what_an_agent_saw_in_the_other_seat_does_not_tell_it_the_hand() -> None:
    """Both seats have deals of their own: nothing can be remembered from one game for another."""
    tops: dict[int, list[CardType]] = {0: [], 1: []}

    class Notes(ScriptedAgent):
        def __init__(self) -> None:
            super().__init__(BASELINE)

        def begin(self, seed: Seed) -> None:
            tops[self.observation.seat].append(self.observation.top)
            super().begin(seed)

    check_agent(Notes, preset("house"), games=4)
    assert tops[0] != tops[1]


def test_an_agent_that_follows_the_clock_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    def wait(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(agents, "sleep", wait)

    class Hurries(Agent):
        name = "hurries"

        def decide(self) -> Decision:
            return Decision(self.observation.legal_actions()[0 if now[0] % 2 < 1 else -1])

    caught(Hurries, "the same seed and the same information have to lead to the same decision: asked again, it was")


def test_an_agent_that_fails_is_caught_with_its_place() -> None:
    class Fails(Wrong):
        def decide(self) -> Decision:
            raise ValueError("no idea")

    caught(Fails, r"the agent raised ValueError: no idea \(player 1's seat, after action \d+ of the game with seed 0\)")


def test_one_that_fails_in_the_other_process_alone_is_caught() -> None:
    here = os.getpid()

    class Fails(Wrong):
        def decide(self) -> Decision:
            if os.getpid() != here:
                raise ValueError("no idea")
            return super().decide()

    caught(Fails, "in a process where other cards are hidden, it was ValueError: no idea, not")


def test_one_that_ends_the_other_process_is_caught() -> None:
    here = os.getpid()

    class Ends(Wrong):
        def decide(self) -> Decision:
            if os.getpid() != here:
                os._exit(3)
            return super().decide()

    caught(Ends, "in a process where other cards are hidden, it was its process ended with code 3, not")
    check_agent(lambda: make_agent("greedy"), "mini-7", games=1)  # with a new one


def test_a_factory_that_cannot_be_sent_is_refused_in_a_sentence() -> None:
    lock = threading.Lock()

    def factory() -> Agent:
        assert lock is not None
        return make_agent("greedy")

    with pytest.raises(UnoError, match=r"can't be sent there .*lock.*: give a function or class of a module"):
        check_agent(factory, "mini-7")
    check_agent(factory, "mini-7", games=1, deterministic=False)


def test_the_other_process_works_where_the_check_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that has worked elsewhere for the check before."""

    class Reads(Wrong):
        def begin(self, seed: Seed) -> None:
            assert Path("plan.txt").read_text() == Path.cwd().name
            from plan import PLACE  # type: ignore[import-not-found]  # of this folder

            assert Path.cwd().name == PLACE
            super().begin(seed)

    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "plan.txt").write_text(name)
        (tmp_path / name / "plan.py").write_text(f"PLACE = {name!r}")
        with monkeypatch.context() as there:
            there.chdir(tmp_path / name)
            there.syspath_prepend(tmp_path / name)
            there.delitem(sys.modules, "plan", raising=False)
            check_agent(Reads, "mini-7", games=1)


def test_what_an_agent_prints_is_no_answer(capfd: pytest.CaptureFixture[str]) -> None:
    class Talks(Wrong):
        def decide(self) -> Decision:
            print("a word")
            return super().decide()

    check_agent(Talks, "mini-9", games=1)
    assert "a word" in capfd.readouterr().out


ABANDONED = """
import os, sys, uno_pomdp as uno
from uno_pomdp.testing.apart import AgentApart

class Thinks(uno.Agent):
    name = "thinks"
    def begin(self, seed):
        sys.stderr.write("thinking\\\\n")
        while True:
            pass

game = uno.Game.new("mini-7", seed=1)
apart = AgentApart(Thinks)
apart.start(game.rules, game.observation(0), None, game.to_state())
os._exit(7)
"""


def test_the_other_process_ends_with_its_parent_whatever_the_agent_does() -> None:
    done = subprocess.run([sys.executable, "-c", ABANDONED], capture_output=True, check=False)
    assert done.returncode == 7  # its error output was at its end: nobody holds it any more
