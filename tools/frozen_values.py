"""The values that a redesign must not change, by kind, for one game; `tools.freeze` keeps their digests.

Each kind goes through functions that a caller would use, and yields values: sentences, times and versions are left out.
Numbers are rounded, so that the order in which a sum is added up does not matter. A refusal is a value too: its class.
"""

import asyncio
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import numpy as np

import uno_pomdp as uno
from tests.web_server.site import Site
from uno_pomdp.advise.session import Session as AdviseSession
from uno_pomdp.agents.agent import Agent
from uno_pomdp.cards import NO_CARDS, Cards
from uno_pomdp.engine.engine import Engine
from uno_pomdp.equilibrium.cfr import solve
from uno_pomdp.equilibrium.compact.compact_solution import solve_compact
from uno_pomdp.equilibrium.sequence_form import exploitability, uniform_policy
from uno_pomdp.errors import UnoError
from uno_pomdp.evaluation.luck import luck_of
from uno_pomdp.evaluation.win_probability import open_chances, win_probability_for
from uno_pomdp.game.actions import Action
from uno_pomdp.game.information import opening, tokens_of, tokens_told
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.nets.champion_encoding import ChampionEncoding
from uno_pomdp.nets.policy_net import PolicyNet
from uno_pomdp.rules import CHOICES, FIELDS
from uno_pomdp.session.analysis import analyse, aware_of
from uno_pomdp.session.coach import Coach

SEATS: Final = (0, 1)
COACH: Final = "flat:sims=20"
GRAIN: Final = 1.0271e-6
"""What numbers are rounded to: no number that comes up lies half-way between two multiples of it."""
COARSE: Final = 1.0271e-4
"""The same for what is computed in single precision."""
WORDS: Final = frozenset(("words", "note", "sentence", "debt_words", "waiting", "trouble", "about", "assumes")) | {
    *("help", "choices", "message", "version", "token", "url")
}
"""Fields of JSON values that hold sentences, or that differ from run to run."""
LAYOUT: Final = frozenset(("variant", "colours"))
"""Fields of values that say how the rules are packed into bits."""
TINY: Final = {"optional": "R0 R7 R+2 Y7 W4"}
"""By the rule of draws: a deck whose whole tree is small; where one may always draw there are many more games."""
TINY_ELSE: Final = "R0 R7 R+2 Y0 YS W W4"
MOST_WHOLE: Final = 7
"""Decks of at most this size have a tree of their own."""


@dataclass(frozen=True)
class Played:
    """One game that was played."""

    game: uno.Game
    """The game as it stands at the end."""
    record: uno.GameRecord
    """All of it, with what was taken back."""
    seed: int
    """What its chance is grown from."""

    @cached_property
    def histories(self) -> tuple[uno.SeatHistory, uno.SeatHistory]:
        """The game as each seat has seen it."""
        return self.game.history(0), self.game.history(1)

    @property
    def rules(self) -> uno.Rules:
        """The rules."""
        return self.game.rules

    def choices(self, most: int) -> list[uno.SeatHistory]:
        """Return some moments, spread over the game, as the mover saw them: there was a choice."""
        found = [
            history.earlier(len(history.steps) - number)
            for history in self.histories
            for number in range(len(history.steps) + 1)
            if len(history.before(number).legal_actions()) > 1
        ]
        step = max(len(found) // most, 1)
        return found[self.seed % step :: step][:most]


# --- digests ---------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """Return a value as JSON values, rounded, without sentences."""
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return round(value / GRAIN) if np.isfinite(value) else str(value)
    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist())
    if isinstance(value, Action | Cards):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items() if key not in WORDS}
    if is_dataclass(value):
        named = {field.name: plain(getattr(value, field.name)) for field in fields(value) if field.name not in LAYOUT}
        return [type(value).__name__, named]
    return [plain(each) for each in value]


def coarsely(numbers: Iterable[float]) -> list[int]:
    """Return numbers in single precision as whole numbers."""
    return [round(float(number) / COARSE) for number in numbers]


def digest(kind: str, played: Played) -> str:
    """Return the digest of one kind of values of a game."""
    hashed = blake2b(digest_size=6)
    values = KINDS[kind].values(played)
    while True:
        try:
            value = next(values)
        except StopIteration:
            return hashed.hexdigest()
        except UnoError as refusal:
            value = ["refused", type(refusal).__name__]
            values = iter(())
        hashed.update(json.dumps(plain(value), sort_keys=True, ensure_ascii=False).encode())


# --- a game and what each seat learns of it --------------------------------------------------------------


def tokens(played: Played) -> Iterator[Any]:
    """Yield what each seat learns, as tokens."""
    for history in played.histories:
        yield opening(history.first)
        for step in history.steps:
            yield tokens_told(step.events, history.seat)


def events(played: Played) -> Iterator[Any]:
    """Yield the events of each move, whole and as each seat sees them."""
    yield from played.game.events_by_move()
    for history in played.histories:
        for step in history.steps:
            yield step.events


def observations(played: Played) -> Iterator[Any]:
    """Yield what each seat sees at every moment, and may do."""
    for history in played.histories:
        for seen in (history.first, *(step.observation for step in history.steps)):
            yield seen
            yield seen.legal_actions()


def records(played: Played) -> Iterator[Any]:
    """Yield the text of the record, whole and as each seat saw it, and its rules as they are read again.

    The version is left out, and so are the lines of rules: they may leave out defaults.
    """
    for record in (played.record, *(uno.observed(played.record, seat) for seat in SEATS)):
        text = uno.format_record(record)
        again = uno.parse_record(text)
        yield again.rules.to_json()
        yield [again == record, uno.format_record(again) == text]
        yield [re.sub(r"version \d+", "", line) for line in text.splitlines() if line.partition(":")[0] not in FIELDS]
    yield uno.replay(played.record) == played.game


def observed(played: Played) -> Iterator[Any]:
    """Yield the game as each seat enters it at a real table, with and without the cards played before it began."""
    for seat in SEATS:
        record = uno.observed(played.record, seat)
        whole = ObservedGame.of_record(record)
        tables = [whole]
        if record.midgame is not None and record.midgame.played:
            below = record.midgame
            unknown = replace(below, played=NO_CARDS, hidden=below.hidden + len(below.played))
            tables.append(ObservedGame.of_record(replace(record, midgame=unknown)))
        for table in tables:
            for number, move in enumerate(record.moves, 1):
                table.repeat(move, record.outcome if number == len(record.moves) else None)
                yield [table.events[-1], table.observation]
            yield uno.format_record(table.record(("a", "b"))).splitlines()[-len(record.moves) - 1 :]
        yield whole.history == played.histories[seat]


# --- beliefs and nets ------------------------------------------------------------------------------------


def readings(belief: uno.Belief) -> list[Any]:
    """Return what a belief says."""
    return [belief.expected_counts(), belief.nothing_playable(), belief.lie(), belief.entropy()]


def beliefs(played: Played) -> Iterator[Any]:
    """Yield what the exact belief says after each move, and some hands drawn from it."""
    for history in played.histories:
        belief = uno.ClosedFormBelief(history.rules, history.first)
        yield readings(belief)
        for step in history.steps:
            belief.update(*step)
            yield readings(belief)
        yield belief.probabilities()
        yield belief.sample_hands(5, played.seed)


def filters(played: Played) -> Iterator[Any]:
    """Yield what the particle filter says now and then."""
    models = ("heuristic", "greedy", None)
    for history in played.histories:
        model = models[(played.seed + history.seat) % len(models)]
        belief = uno.ParticleBelief(history.rules, history.first, model, size=100, seed=played.seed)
        for number, step in enumerate(history.steps[:60]):
            belief.update(*step)
            if number % 5 == 0:
                yield readings(belief)
        found = belief.diagnostics()
        yield [found.support, found.ess, found.size, found.rejuvenations, found.resamplings]


def encodings(played: Played) -> Iterator[Any]:
    """Yield the inputs of a policy net at each choice."""
    for history in played.histories:
        encoding = ChampionEncoding(history.rules, history.first)
        for number in range(len(history.steps) + 1):
            legal = history.before(number).legal_actions()
            if len(legal) > 1:
                yield [coarsely(encoding.row()), [encoding.given(action.id) for action in legal]]
            if number < len(history.steps):
                encoding.follow(*history.steps[number])


def nets(played: Played) -> Iterator[Any]:
    """Yield what the package's policy net and win probability say."""
    yield coarsely(open_chances(uno.record_of(played.game), win_probability_for(played.rules)))
    for history in played.histories:
        net, belief = PolicyNet(), uno.ClosedFormBelief(history.rules, history.first)
        net.start(history.rules, history.first, belief)
        for number in range(len(history.steps) + 1):
            seen = history.before(number)
            if len(seen.legal_actions()) > 1:
                yield [coarsely(net.policy(seen, belief)), coarsely([net.value(seen, belief)])]
            if number < len(history.steps):
                net.follow(*history.steps[number])
                belief.update(*history.steps[number])


def luck(played: Played) -> Iterator[Any]:
    """Yield the luck of the deal and of each draw."""
    for chance in luck_of(played.record).chances:
        yield [chance.move, chance.seat, chance.cards, coarsely([*chance.lucks, chance.value])]


# --- players ---------------------------------------------------------------------------------------------


def decisions(played: Played, text: str, most: int) -> Iterator[Any]:
    """Yield what an agent decides at some choices of the game."""
    for history in played.choices(most):
        agent: Agent = uno.make_agent(text)
        agent.check_game(history.rules, history.seat)
        history.lead(agent, played.seed)
        yield agent.decide().to_json()


def searches(played: Played) -> Iterator[Any]:
    """Yield decisions of the searches."""
    for text in ("flat:sims=30", "ismcts:sims=30", "flat:sims=20,belief=particles,particles=50"):
        yield from decisions(played, text, 4)


def pomcp(played: Played) -> Iterator[Any]:
    """Yield decisions of POMCP."""
    yield from decisions(played, "pomcp:sims=60", 3)


def champion(played: Played) -> Iterator[Any]:
    """Yield decisions of the package's nets, alone and with search."""
    for text in ("champion", "champion:sims=20"):
        yield from decisions(played, text, 3)


def matches(played: Played) -> Iterator[Any]:
    """Yield the pairs of a short match, in kernels and move by move, with luck."""
    for kernels in (True, False):
        result = uno.match(
            "heuristic",
            "greedy",
            pairs=2,
            rules=played.rules,
            seed=played.seed,
            kernels=kernels,
            luck=True,
            processes=1,
        )
        pairs = result.pairs
        yield [pairs[name].tolist() for name in ("index", "points", "actions", "decisions", "game_turns")]
        yield coarsely(pairs["luck"].ravel())


# --- judgements ------------------------------------------------------------------------------------------


def reviews(played: Played) -> Iterator[Any]:
    """Yield the review of a whole record, and of what one seat saw."""
    short = replace(played.record, moves=played.record.moves[:40], undone=(), outcome=None)
    record = short if len(played.record.moves) > len(short.moves) else played.record
    for each in (record, uno.observed(record, played.seed % 2)):
        found = uno.review_game(each, COACH, played.seed).to_json()
        yield found["moves"]
        yield coarsely(found["open_hands"])


def hints(played: Played) -> Iterator[Any]:
    """Yield what a coach would do, and analyses with the belief that reads choices."""
    coach = Coach(COACH, played.seed)
    aware = uno.BeliefSpec.parse("particles,model=heuristic,particles=50")
    for history in played.choices(3):
        hint = coach.hint(history)
        yield None if hint is None else hint.to_json()
        yield analyse(history, COACH, played.seed, aware=aware_of(history, "greedy", aware)).to_json()


def engine(played: Played) -> Iterator[Any]:
    """Yield the engine's replies to a few questions about the game."""
    include = ["win_probability", "candidates", "belief"]
    asked, replies = [], list[dict[str, Any]]()
    for number, history in enumerate(played.choices(3)):
        record = uno.record_of(played.game.earlier(len(played.game.moves) - len(history.steps)))
        text = uno.format_record(record if number % 2 else uno.observed(record, history.seat))
        asked.append({"id": f"q{number}", "record": text, "seat": history.seat + 1, "agent": COACH, "include": include})
    asked.append({"id": "other", "record": text, "agent": "nobody"} if asked else {"id": "nothing"})
    Engine(lambda line: replies.append(json.loads(line))).run(json.dumps(each).encode() for each in asked)
    yield [reply | {"rules": "", "error": reply.get("error", {}).get("kind", "")} for reply in replies]


# --- real tables and the board ---------------------------------------------------------------------------


def entered(played: Played) -> AdviseSession:
    """Return the game as one seat enters it."""
    return AdviseSession.of_record(uno.observed(played.record, played.seed % 2), Path("game"), COACH, played.seed)


def advise(played: Played) -> Iterator[Any]:
    """Yield what is said to a game at a real table, entry by entry; some are taken back."""
    texts = [str(entry) for entry in entered(played).entries[:24]]
    session = AdviseSession.of_record(
        replace(uno.observed(played.record, played.seed % 2), moves=(), undone=(), outcome=None),
        Path("game"),
        COACH,
        played.seed,
    )
    for number, text in enumerate(texts, 1):
        yield session.enter(text)
        if number % 8 == 0:
            yield session.to_json()
            session.undo()
            session.undo()
            yield session.to_json()
            for again in texts[number - 2 : number]:
                session.enter(again)
            yield session.to_json()
    yield [str(entry) for entry in session.entries]


def board(played: Played) -> Iterator[Any]:
    """Yield the states that the board's server answers with: a game that is played, and one that is entered."""
    yield from asyncio.run(_visited(played))


async def _visited(played: Played) -> list[Any]:
    states: list[Any] = []
    chance = random.Random(played.seed)
    async with Site(seed=played.seed) as site:
        path = await site.begin(
            rules=str(played.rules), opponent="heuristic", seat=str(played.seed % 2 + 1), practice=True
        )
        for number in range(14):
            state = await site.settled(path, "yours", "over")
            states.append(state)
            if state["status"] == "over":
                break
            await site.move(path, state, chance.choice(state["legal"]))
            if number == 5:
                state = await site.settled(path, "yours", "over")
                states.append((await site.post(f"{path}/undo", {"at": state["number"]})).json)
        session = entered(played)
        wanted = {"rules": str(played.rules), "coach": COACH, "middle": session.start.middle}
        made = (await site.post("/api/advise", wanted)).json
        path = f"/api/advise/{made['token']}"
        for at, text in enumerate([*session.start.texts.values(), *map(str, session.entries[:12])]):
            states.append((await site.post(f"{path}/enter", {"at": at, "text": text})).json)
    return states


# --- whole games -----------------------------------------------------------------------------------------


def small_rules(rules: uno.Rules) -> uno.Rules:
    """Return rules like these whose whole tree is small."""
    if len(rules.deck) <= MOST_WHOLE:
        return replace(rules, reshuffle="no")
    same = {field: getattr(rules, field) for field in CHOICES} | {"reshuffle": "no"}
    return uno.Rules(deck=Cards.parse(TINY.get(rules.draw, TINY_ELSE)), hand_size=1, **same)


def tree(played: Played) -> Iterator[Any]:
    """Yield the information sets of a small game under these rules, and what solvers find there."""
    rules = small_rules(played.rules)
    grown = uno.build_tree(rules)
    yield [grown.size, grown.sets, grown.sequences]
    yield sorted([int(token) for token in tokens_of(grown.histories, int(node))] for node in grown.history)
    uniform = exploitability(grown, uniform_policy(grown))
    yield [uniform.value, uniform.best]
    solved = solve(grown, iterations=20, target=0.0)
    yield [solved.result.value, solved.result.best]
    try:
        compact = solve_compact(rules, target=0.0, iterations=20)
        yield [compact.nodes, compact.tree_sets, compact.result.value, compact.result.best]
    except UnoError as refusal:
        yield type(refusal).__name__
    for seat in SEATS:
        yield uno.value_iteration(uno.UnoPOMDP(rules, "greedy", seat=seat)).value


@dataclass(frozen=True)
class Kind:
    """One kind of values."""

    values: Callable[[Played], Iterator[Any]]
    """Yields them."""
    every: int = 1
    """One game in this many has it: slow kinds are kept for fewer games."""


KINDS: Final = {
    "tokens": Kind(tokens),
    "events": Kind(events),
    "observations": Kind(observations),
    "records": Kind(records),
    "observed": Kind(observed),
    "beliefs": Kind(beliefs),
    "encodings": Kind(encodings),
    "nets": Kind(nets),
    "luck": Kind(luck),
    "filters": Kind(filters, 3),
    "searches": Kind(searches, 3),
    "pomcp": Kind(pomcp, 6),
    "champion": Kind(champion, 3),
    "matches": Kind(matches, 7),
    "reviews": Kind(reviews, 2),
    "hints": Kind(hints, 3),
    "engine": Kind(engine, 3),
    "advise": Kind(advise, 4),
    "board": Kind(board, 4),
    "tree": Kind(tree, 13),
}
"""All kinds by name, in the order in which they are written."""
