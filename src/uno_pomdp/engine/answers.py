"""The answer to one query: the position, its analysis, and the replies that tell of it."""

import json
from collections.abc import Callable
from typing import Any, Final

from uno_pomdp.agents.agent import InvalidAgent
from uno_pomdp.agents.failure import AgentFailure
from uno_pomdp.agents.progress import Progress, SearchStopped
from uno_pomdp.beliefs.belief import ImpossibleEvent
from uno_pomdp.default_agents import coach_for
from uno_pomdp.engine.positions import position
from uno_pomdp.engine.protocol import Query, Refused
from uno_pomdp.errors import IllegalAction, InvalidBelief, UnoError, UnusableFile
from uno_pomdp.game.record import GameRecord
from uno_pomdp.game.seat_history import SeatHistory
from uno_pomdp.session.analysis import Analysis, analyse, aware_of, begin_analysis

Tell = Callable[[dict[str, Any]], None]
"""Sends a reply on the way."""
NEVER: Final = float("inf")


class Answer:
    """The work on one query, which can be stopped."""

    def __init__(self, query: Query, tell: Tell) -> None:
        self.query: Final = query
        """What is asked."""
        self.progress: Final = Progress(
            None if query.every is None else self._report, NEVER if query.every is None else query.every
        )
        """Follows the search, and stops it."""
        self.stopped = Refused("stopped", "the engine ended before the analysis did")
        """Why it was stopped, if it was."""
        self._tell = tell
        self._begun: Analysis | None = None

    def __repr__(self) -> str:
        return f"<Answer to {self.query.name}>"

    def cancel(self) -> None:
        """Stop it because its asker does not want it any more."""
        self.stopped = Refused("cancelled", "the query was cancelled")
        self.progress.stop()

    def final(self) -> dict[str, Any]:
        """Return the last reply; `Refused` says why there is none."""
        try:
            self.progress.check()
            history, record = self._position()
            return self._analysed(history, record)
        except SearchStopped as error:
            raise self.stopped from error

    def _position(self) -> tuple[SeatHistory, GameRecord]:
        try:
            return position(self.query)
        except UnoError:
            raise
        except Exception as error:  # whoever asks has to hear of a fault here, but not what cards it is about
            raise Refused("failed", f"the engine failed to read the record: {type(error).__name__}") from error

    def _analysed(self, history: SeatHistory, record: GameRecord) -> dict[str, Any]:
        agent = self.query.agent or coach_for(record.rules, all_known=not history.first.hidden_played)
        try:
            opponent = record.players[1 - history.seat]
            wanted = "policy_aware" in self.query.include
            aware = aware_of(history, opponent, progress=self.progress, coach=agent) if wanted else None
            self._begun = begin_analysis(history, agent, aware)
            return self._reply(analyse(history, agent, self.query.seed, self.progress, begun=self._begun))
        except (SearchStopped, Refused):
            raise
        except AgentFailure as error:
            raise Refused("failed", str(error)) from error
        except (InvalidAgent, UnusableFile) as error:
            raise Refused("unknown_agent", str(error)) from error
        except (ImpossibleEvent, InvalidBelief) as error:
            raise Refused("illegal_record", str(error)) from error
        except IllegalAction as error:
            raise Refused("failed", f"{agent} failed: {error}") from error
        except UnoError as error:
            raise Refused("bad_request", str(error)) from error
        except BaseException as error:  # ours: it is told, and the engine goes on
            raise Refused("failed", f"{agent} failed: {type(error).__name__}: {error}") from error

    def _report(self, *found: Any) -> None:
        assert self._begun is not None
        self._tell(self._reply(self._begun.so_far(*found)))

    def _reply(self, analysis: Analysis) -> dict[str, Any]:
        """Return an analysis as a reply, with what is to be included."""
        told, seen, include = analysis.to_json(), analysis.history.now, self.query.include
        reply: dict[str, Any] = {
            "id": self.query.name,
            "done": told["done"],
            "agent": told["coach"],
            "rules": analysis.history.rules.name,
            "seat": seen.seat + 1,
            "moves": len(analysis.history.steps),
            "turn": seen.outcome is None and seen.turn == seen.seat,
            "simulations": analysis.simulations,
        }
        if "win_probability" in include:
            reply["win_probability"] = told["win"]
        if "candidates" in include:
            reply |= {key: told[key] for key in ("candidates", "line", "note", "lie")}
        if include & {"belief", "policy_aware"}:
            reply["belief"] = told["belief"]
        json.dumps(reply, allow_nan=False)  # a plug-in agent may have values that no JSON has
        return reply
