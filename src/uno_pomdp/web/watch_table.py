"""`WatchTable`: a game of two agents with both hands open, played while somebody looks; or a finished game as recorded.

The game runs ahead of what a page shows: the page steps through what is there. `moments` are made from the
timeline of both seats; nothing is hidden from a spectator, who plays in neither seat.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from uno_pomdp.agents.agent import Agent, Decision
from uno_pomdp.cards import COLOUR_NAMES, card_name
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.notation import format_record
from uno_pomdp.game.record import GameRecord, record_of, replay
from uno_pomdp.game.record_parsing import parse_record
from uno_pomdp.narration.words import PLAYERS, capitalised
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import Rules
from uno_pomdp.session.analysis import belief_json
from uno_pomdp.session.opponent import lead_opponent
from uno_pomdp.session.watched import WatchedGame
from uno_pomdp.web.board import Board, LiveSession
from uno_pomdp.web.preparing import prepare
from uno_pomdp.web.problems import Problem
from uno_pomdp.web.store import NotStored
from uno_pomdp.web.tokens import Key

FAILED: Final = "An agent has failed, which is a bug of it: this game can't go on."


@dataclass(frozen=True, slots=True)
class Pairing:
    """A game of two agents that is to be played: the same seed gives the game of `uno-pomdp watch`."""

    rules: Rules
    agents: tuple[str, str]
    """Who plays."""
    seed: int
    """Of the deal and of both agents."""

    def deal(self) -> Game:
        """Return the game before any move."""
        return Game.new(self.rules, int(self._seeds()[0].generate_state(1, np.uint64)[0]))

    def players(self, game: Game) -> tuple[Agent, Agent]:
        """Return both agents as they are after the moves of this game."""
        own = self._seeds()[1:]
        first, second = (make_agent(text) for text in self.agents)
        for seat, agent in enumerate((first, second)):
            lead_opponent(agent, game, seat, own[seat])
        return first, second

    def _seeds(self) -> list[np.random.SeedSequence]:
        return np.random.SeedSequence(self.seed).spawn(3)


class WatchTable(LiveSession):
    """One game that is looked at."""

    kind: ClassVar[str] = "watch"

    def __init__(self, board: Board, key: Key, pairing: Pairing | None, record: GameRecord | None) -> None:
        super().__init__(board, key, "preparing")
        self._pairing = pairing
        self._record = record
        self._watched: WatchedGame | None = None
        self._game: Game | None = None
        self._players: tuple[Agent, Agent] | None = None
        self._moves: list[dict[str, Any]] = []
        self._unsaved = ""

    # --- in and out of the store -------------------------------------------------------------------------

    @classmethod
    def restored(cls, board: Board, key: Key, values: dict[str, Any]) -> "WatchTable":
        """Return a game as it was stored."""
        record = None if values["record"] is None else parse_record(values["record"])
        pairing = None
        if values["agents"] is not None:
            first, second = values["agents"]
            pairing = Pairing(Rules.parse(values["rules"]), (first, second), values["seed"])
        return cls(board, key, pairing, record)

    def keep(self) -> None:
        """Write the game to the store, in whatever thread."""
        pairing = self._pairing
        values = {
            "record": None if self._record is None else format_record(self._record),
            "rules": None if pairing is None else pairing.rules.name,
            "agents": None if pairing is None else list(pairing.agents),
            "seed": None if pairing is None else pairing.seed,
        }
        self._save(values)

    # --- the game ----------------------------------------------------------------------------------------

    def go_on(self) -> None:
        """Play on, if somebody looks and nothing runs yet; a game that nobody looks at rests."""
        resting = self._work is None or self._work.done()
        if resting and len(self.channel) and self.status in ("preparing", "playing"):
            self._work = asyncio.ensure_future(self._played())

    async def _played(self) -> None:
        """Play while somebody looks."""
        with self._failing("a watched game stopped"), suppress(Problem):  # of a busy server it is asked again
            if self._watched is None:
                await self._board.workers.search(self._begun, urgent=False)
                self._show()
            while self.status == "playing" and len(self.channel):
                await self._board.workers.search(self._one_move, urgent=False)
                self._show()

    def _begun(self) -> None:
        """Bring the game and its agents to where the record is."""
        record, pairing = self._record, self._pairing
        if pairing is not None:
            for text in pairing.agents:
                prepare(text, pairing.rules)
            game = pairing.deal() if record is None else replay(record)
            self._game, self._players = game, pairing.players(game)
            begun = WatchedGame.of_deal(game, pairing.agents)
        self._watched = begun if record is None else WatchedGame.of_record(record)

    def _one_move(self) -> None:
        """Let the player to move make its move, and keep the game."""
        game, players, watched, pairing = self._game, self._players, self._watched, self._pairing
        assert game is not None
        assert players is not None
        assert watched is not None
        assert pairing is not None
        decision = players[game.turn].decide()
        game.apply(decision.action)
        for seat in SEATS:
            players[seat].update(*game.last_step(seat))
        watched.grow(game, decision)
        self._record = record_of(game, pairing.agents)
        try:
            self.keep()
        except NotStored as error:  # a full disk is no reason to stop: same seed, same game
            self._unsaved = error.trouble
        else:
            self._unsaved = ""

    def _show(self) -> None:
        """Show all moves that were made."""
        watched = self._watched
        assert watched is not None
        last = watched.timeline.last
        self._moves += [_move_json(watched, number) for number in range(len(self._moves) + 1, last + 1)]
        over = self._game is None or self._game.over
        self.status = "over" if over else "playing"
        self._changed()

    # --- what a client sees ------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return the game as far as it has come."""
        watched, pairing, record = self._watched, self._pairing, self._record
        rules = record.rules if pairing is None and record is not None else None if pairing is None else pairing.rules
        names = ("", "") if watched is None else watched.names
        outcome = None if record is None else record.outcome
        return {
            "version": self.version,
            "status": self.status,
            "trouble": FAILED if self.status == "failed" else self._unsaved,
            "rules": "" if rules is None else rules.name,
            "players": list(names if pairing is None else pairing.agents),
            "seed": None if pairing is None else str(pairing.seed),
            "note": "" if watched is None or pairing is not None else watched.note,
            "open": None if watched is None or not watched.chances else watched.chances[0],
            "moves": self._moves,
            "result": None if outcome is None or self.status != "over" else capitalised(f"{outcome}."),
        }

    def moment(self, number: int) -> dict[str, Any]:
        """Return the table after so many moves: hands, what each seat can know, what the mover thought."""
        watched = self._watched
        if watched is None or number > len(self._moves):
            raise Problem("conflict", f"the game has not come to move {number} yet: it has {len(self._moves)}")
        return moment_json(watched, number)

    def record(self) -> str:
        """Return the game as a record, once it is over."""
        if self._record is None or self.status != "over":
            raise Problem("conflict", "the game is not over yet: wait for its end")
        return format_record(self._record)


def _move_json(watched: WatchedGame, number: int) -> dict[str, Any]:
    timeline = watched.timeline
    move = timeline.move(number)
    return {
        "number": number,
        "by": move.seat + 1,
        "words": PLAYERS.told(timeline.events(number)),
        "action": str(move.action),
        "sizes": list(timeline.sizes(number)),
        "open": watched.chances[number] if watched.chances else None,
    }


def moment_json(watched: WatchedGame, number: int) -> dict[str, Any]:
    """Return one moment of a game as JSON values; what a record hides is null."""
    timeline = watched.timeline
    seen = timeline.seen(number)
    hands = [timeline.hand(number, seat) for seat in SEATS]
    decision = watched.decisions[number - 1] if number else None
    over = seen.outcome is not None
    return {
        "number": number,
        "turn": None if over else seen.turn + 1,
        "hands": [None if hand is None else [card_name(card) for card in hand] for hand in hands],
        "sizes": list(timeline.sizes(number)),
        "top": card_name(seen.top),
        "colour": COLOUR_NAMES[seen.colour],
        "debt": seen.penalty,
        "debt_words": f"{capitalised(PLAYERS.debt(seen))}." if seen.penalty and not over else "",
        "draw_size": seen.draw_size,
        "played_size": seen.played_size,
        "beliefs": [belief_json(watched.belief(number, seat)) if seat in timeline.seats else None for seat in SEATS],
        "decision": None if decision is None else _thought(decision),
    }


def _thought(decision: Decision) -> dict[str, Any]:
    return decision.to_json() | {"milliseconds": decision.milliseconds}
