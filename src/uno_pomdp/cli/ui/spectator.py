"""The spectator's view: both hands, one seat's belief about the other's hand, and the win probability."""

from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from uno_pomdp.agents.agent import Decision
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.cards import COLOUR_NAMES, card_name
from uno_pomdp.cli.ui.annotated_game import hope_of
from uno_pomdp.cli.ui.belief import belief_view, in_short
from uno_pomdp.cli.ui.console import STYLES, card_text, cards_text, say
from uno_pomdp.cli.ui.narrate import PLAYERS
from uno_pomdp.cli.ui.sparkline import strip
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.quantities import percent
from uno_pomdp.registry import BeliefSpec
from uno_pomdp.session.policy_aware import EXACT, PolicyAware, SwitchedOff
from uno_pomdp.session.watched import WatchedGame


class Spectator:
    """Follows a game that is being played, and can show it after every action."""

    def __init__(self, names: tuple[str, str], seat: Seat, spec: BeliefSpec | None = None) -> None:
        self.names = names
        """Who plays."""
        self.seat = seat
        """Whose belief is shown."""
        self.watched: WatchedGame
        """What has happened, from the deal on."""
        self.dealt = False
        """Whether there was a deal yet."""
        self._spec = spec
        self._off = SwitchedOff()

    def look(self, game: Game, decision: Decision | None) -> None:
        """Take in the deal or an action."""
        self.game, self._decision, self.dealt = game, decision, True
        if decision is None:
            self.watched = WatchedGame.of_deal(game, self.names)
            self.belief = ClosedFormBelief(game.rules, game.observation(self.seat))
            opponent = self.names[1 - self.seat]
            self.aware = PolicyAware(game.history(self.seat), opponent, self._spec, off=self._off)
        else:
            self.watched.grow(game, decision)
            step = self.watched.timeline.step(self.watched.timeline.last, self.seat)
            self.belief.update(*step)
            self.aware.update(*step)

    def told(self, decision: Decision) -> list[Text]:
        """Return what the last action was, a line for each thing that happened."""
        timeline = self.watched.timeline
        number = timeline.last
        lines = PLAYERS.lines(number, timeline.events(number), timeline.sizes(number))
        hope = hope_of(decision)
        return lines if hope is None else [*lines[:-1], lines[-1] + Text(f", hopes for {percent(hope)}", "dim")]

    # --- for people --------------------------------------------------------------------------------------

    def block(self, width: int) -> RenderableType:
        """Return the last action alone with what a spectator sees after it, for a page that only grows."""
        told = [] if self._decision is None else self.told(self._decision)
        title = Text(self._belief_title(), "dim")
        shown = Group(*told, self.table_view(), title, self.belief_view(width), self._chance())
        self._mention()
        return shown

    def _mention(self) -> None:
        """Say once of a belief that it has failed."""
        for sentence in self._off.news():
            say(sentence)

    def table_view(self) -> RenderableType:
        """Return both hands and what lies between them."""
        game = self.game
        hands = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
        for seat in SEATS:
            turn = "▶" if game.turn == seat and not game.over else " "
            size = len(game.hand(seat))
            name = f"{turn} {seat_name(seat)}, {self.names[seat]}"
            hands.add_row(Text(name), Text(f"{size:>2} card{'s' if size != 1 else ' '}"), cards_text(game.hand(seat)))
        seen = game.observation(self.seat)
        state = Text("  top ") + card_text(seen.top) + Text(", ") + Text(COLOUR_NAMES[seen.colour], STYLES[seen.colour])
        state += Text(f" to match; draw pile {seen.draw_size}, played {len(seen.played)}")
        if seen.penalty:
            state += Text(f"; {PLAYERS.debt(seen)}", "bold reverse")
        if game.outcome is not None:
            state += Text(f"; {game.outcome}", "bold")
        return Group(hands, state)

    def belief_view(self, width: int) -> RenderableType:
        """Return the seat's belief about the other's hand, beside the truth, and the policy-aware belief."""
        truth = self.game.hand(1 - self.seat)
        return Group(in_short(self.aware), belief_view(self.belief, truth, width, self.aware))

    def course(self, width: int) -> RenderableType:
        """Return player 1's win probability from the deal to now."""
        return Group(strip(self.watched.chances, width), self._chance())

    def _chance(self) -> Text:
        now = self.watched.chances[-1]
        return Text(f"both hands open: {seat_name(0)} {percent(now)}, {seat_name(1)} {percent(1.0 - now)}")

    def _belief_title(self) -> str:
        return f"what {seat_name(self.seat)} can know of {seat_name(1 - self.seat)}'s hand"

    # --- for machines ------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return the moment as JSON values: the last action, if there was one, and what a spectator sees after it."""
        game, seen = self.game, self.belief.observation
        whose = {"player": self.seat + 1}
        aware = self.aware.to_json()
        self._mention()
        return {
            "number": self.watched.timeline.last,
            **({} if self._decision is None else self._move_json(self._decision)),
            "hands": [[card_name(card) for card in game.hand(seat)] for seat in SEATS],
            "top": card_name(seen.top),
            "colour": COLOUR_NAMES[seen.colour],
            "penalty": seen.penalty,
            "draw_pile": seen.draw_size,
            "player_1_wins": self.watched.chances[-1],
            "belief": whose | {"choices": EXACT} | self.belief.to_json(),
            "policy_aware_belief": whose | aware,
        }

    def _move_json(self, decision: Decision) -> dict[str, Any]:
        move = self.game.last_move
        return {
            "player": move.seat + 1,
            "drawn": [card_name(card) for card in move.cards],
            "reshuffled": move.reshuffled is not None,
            "hope": hope_of(decision),
            **decision.to_json(),
        }
