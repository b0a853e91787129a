"""Two-player UNO as a Python game of OpenSpiel: importing this module registers `python_uno`.

    python_uno(rules=mini-7)             any rules of `Rules.parse`, with `;` for the comma and `:` for the equals sign
    python_uno(rules=house,moves=500)    the most actions of a game with reshuffles, which is drawn then

Chance is explicit and card by card, so no chance node has more than 54 outcomes (`adapters.spiel.position`). Actions
have the numbers that they have everywhere here; forced ones are taken like others. `resample_from_infostate` draws the
hidden cards from the exact belief. OpenSpiel's C++ ISMCTS can't call it on a Python game: take the Python `ISMCTSBot`.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from uno_pomdp.adapters.spiel.position import Position, start
from uno_pomdp.adapters.spiel.resampling import Chosen, sampled_game
from uno_pomdp.cards import WILD_FOUR, CardType, card_name
from uno_pomdp.errors import IllegalAction, UnoError
from uno_pomdp.extras import NotInstalled, missing
from uno_pomdp.game.actions import ACTIONS, FORGOT_UNO, seat_name
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import ACTIONS as ACTION_COUNT
from uno_pomdp.game.layout import SEATS, SWAPS, ActionId, Seat
from uno_pomdp.quantities import Whole, naming
from uno_pomdp.rules import Rules

try:
    import pyspiel
except ModuleNotFoundError:
    raise NotInstalled(missing("the OpenSpiel game needs", "open_spiel", "openspiel")) from None

from uno_pomdp.adapters.spiel.observer import Observer, public_text  # what needs pyspiel itself

NAME: Final = "python_uno"
"""The name under which the game is registered."""
MOVES: Final = 10_000
"""Actions of a game with reshuffles at most, unless told otherwise; random games under `house` have about 70."""
CHANCE_OUTCOMES: Final = 54
"""Card types."""


class CannotConvert(UnoError):
    """A game that has no counterpart in OpenSpiel."""


def _game_type(bounded: bool) -> pyspiel.GameType:
    """Return what OpenSpiel asks about a game; an information state has a tensor if its length is bounded."""
    return pyspiel.GameType(
        short_name=NAME,
        long_name="Two-player UNO",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=bounded,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification={"rules": "house", "moves": MOVES},
    )


class UnoGame(pyspiel.Game):
    """The game under some rules.

    >>> import pyspiel
    >>> import uno_pomdp.adapters.open_spiel
    >>> game = pyspiel.load_game("python_uno(rules=mini-9;hand_size:3)")
    >>> game.rules.hand_size, game.num_distinct_actions(), game.max_chance_outcomes()
    (3, 63, 54)
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given: dict[str, Any] = {"rules": "house", "moves": MOVES} | dict(params or {})
        self.rules: Final = Rules.parse(str(given["rules"]).replace(";", ",").replace(":", "="))
        """The rules."""
        with naming("moves", IllegalAction):
            moves = Whole(1, 1_000_000).checked(given["moves"])
        bounded = self.rules.reshuffle == "no"
        self.moves: Final = _most_actions(self.rules) if bounded else moves
        """Actions of a game at most."""
        self.longest: Final = _most_told(self.rules, self.moves) if bounded else None
        """Tokens of an information state at most; None if that would say nothing."""
        self.beginning: Final = start(self.rules)
        """The position before the deal."""
        info = pyspiel.GameInfo(
            num_distinct_actions=ACTION_COUNT,
            max_chance_outcomes=CHANCE_OUTCOMES,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.moves,
        )
        super().__init__(_game_type(bounded), info, {"rules": _in_parameters(self.rules), "moves": moves})

    def new_initial_state(self) -> "UnoState":
        """Return the state before the deal."""
        return UnoState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return how many cards chance names at most."""
        dealt = 1 + 2 * self.rules.hand_size
        return dealt + (1 if self.longest is not None else self.moves) * len(self.rules.deck)

    def make_py_observer(self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None) -> Observer:
        """Return an observer; by default of the present, what one player sees."""
        if params:
            raise IllegalAction(f"an observer of {NAME} has no parameters, but {', '.join(params)} was given")
        return Observer(iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), self.longest)


class UnoState(pyspiel.State):
    """A state: one attribute, which never changes but is replaced, so that a copy costs nothing."""

    def __init__(self, game: UnoGame) -> None:
        super().__init__(game)
        self.position: Position = game.beginning
        """Where the game stands, hidden cards included."""

    def current_player(self) -> int:
        """Return who is to move: a seat, chance, or nobody once the game is over."""
        if self.position.of_chance:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else self.position.turn

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        here = self.position
        return here.over or (not here.of_chance and here.actions >= self.get_game().moves)

    def _legal_actions(self, player: Seat) -> list[ActionId]:  # noqa: ARG002  # only ever the player to move
        legal = self.position.legal
        return [action for action in range(ACTION_COUNT) if legal >> action & 1]

    def chance_outcomes(self) -> list[tuple[CardType, float]]:
        """Return which cards chance may name next, with their probabilities."""
        return self.position.outcomes(self.get_game().rules)

    def _apply_action(self, action: int) -> None:
        here = self.position
        if here.of_chance:
            self.position = here.after_card(self.get_game().rules, action)
        elif here.legal >> action & 1:
            self.position = here.after_action(action)
        else:
            legal = ", ".join(str(ACTIONS[each]) for each in self._legal_actions(here.turn))
            raise IllegalAction(f"action {action} is not legal for {seat_name(here.turn)}: legal is {legal}")

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"card {card_name(action)}"
        return str(ACTIONS[action])

    def returns(self) -> list[float]:
        """Return 1 for the winner and −1 for the other; zeros for a draw, and while the game goes on."""
        winner = self.position.winner if self.position.over else None
        return [0.0, 0.0] if winner is None else [1.0 if seat == winner else -1.0 for seat in SEATS]

    def __str__(self) -> str:
        here = self.position
        named = " ".join(map(card_name, here.named))
        if not here.dealt:
            return f"dealing: {named}".rstrip()
        lines = [f"{seat_name(seat)}: {here.hand(seat)}" for seat in SEATS]
        lines += [f"draw pile: {here.pile()}", public_text(here.observation(here.turn))]
        return "\n".join([*lines, f"drawing: {named}".rstrip()] if here.of_chance else lines)

    def resample_from_infostate(self, player: Seat, sampler: Any) -> "UnoState":
        """Return a state that this player can't tell from this one, its hidden cards drawn from the exact belief.

        The belief is the choice-agnostic one: what the opponent chose is no evidence, what it could not do is.
        `sampler` returns numbers from 0 to 1, as OpenSpiel's do. Not while chance deals or draws, nor after the end.
        """
        if self.position.of_chance or self.is_terminal():
            raise IllegalAction("a state is resampled where a player is to move, not at a chance node or after the end")
        game = self.get_game()
        dealt, chosen = sampled_game(game.rules, self.position.told[player], int(sampler() * 2**53))
        return _replayed(game, dealt, chosen)


def state_of(game: Game) -> UnoState:
    """Return a game of this package as a state of OpenSpiel.

    >>> import uno_pomdp as uno
    >>> from uno_pomdp.adapters.open_spiel import state_of
    >>> state = state_of(uno.Game.new("house", seed=5))
    >>> [state.action_to_string(action) for action in state.legal_actions()]
    ['Y9', 'G3', 'G+2']
    """
    if game.deal.midgame is not None or any(move.action == FORGOT_UNO for move in game.moves):
        raise CannotConvert("OpenSpiel knows games from the deal on in which nobody forgets UNO")
    cards = [game.deal.top, *game.deal.hands[0], *game.deal.hands[1]]
    spiel = UnoGame({"rules": _in_parameters(game.rules)})
    return _replayed(spiel, cards, [(move.action.id, move.cards) for move in game.moves])


def _in_parameters(rules: Rules) -> str:
    """Return rules as OpenSpiel can write them in a list of parameters."""
    return str(rules).replace(",", ";").replace("=", ":")


def _most_actions(rules: Rules) -> int:
    """Return a number of actions that no game without reshuffles exceeds: each card is drawn and played once."""
    cards = len(rules.deck)
    plays, draws = cards, cards + 1
    keeps = draws if rules.drawn_card == "may_play" else 0
    return plays + draws + keeps + (rules.deck[WILD_FOUR] if rules.wild_four == "challenge" else 0)


def _most_told(rules: Rules, actions: int) -> int:
    """Return a number of tokens that no information state without reshuffles exceeds."""
    cards = len(rules.deck)
    shown = rules.deck[WILD_FOUR] if rules.wild_four == "challenge" else 0
    swapped = sum(bool(SWAPS[card]) for card in rules.deck) if rules.swap != "no" else 0
    return 2 + rules.hand_size + actions + cards + (shown + swapped) * cards


def _replayed(game: UnoGame, dealt: Iterable[CardType], chosen: Iterable[Chosen]) -> UnoState:
    """Return the state after a deal and some actions, each with the cards that were drawn by it."""
    state = game.new_initial_state()
    for card in dealt:
        state.apply_action(card)
    for action, drawn in chosen:
        state.apply_action(action)
        for card in drawn if state.position.draws_until else sorted(drawn):
            state.apply_action(card)
    return state


pyspiel.register_game(_game_type(bounded=False), UnoGame)
