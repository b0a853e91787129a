"""A net in an ONNX file as a policy beside one seat: it is told features, and says how good each action is.

The file says by its metadata, or whoever names it by the option `encoding`, what its features are:

    champion    the 337 numbers of `nets.policy_features`; 62 logits, or 63, with colours by place
    counts      the plain counts of `nets.count_features`; 63 logits

Which actions are legal is for the rules to say: logits of others count for nothing.
"""

import json
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import numpy as np

from uno_pomdp.agents.scripted import own_record
from uno_pomdp.arrays import Counts, Floats, Singles
from uno_pomdp.errors import InvalidAgent, UnoError, UnusableFile, quoted
from uno_pomdp.extras import NotInstalled, missing
from uno_pomdp.game.events import Event
from uno_pomdp.game.layout import ACTIONS, Observations
from uno_pomdp.game.observation import Observation
from uno_pomdp.jit import kernel
from uno_pomdp.nets import count_features, policy_features
from uno_pomdp.nets.champion_encoding import ChampionEncoding
from uno_pomdp.nets.count_features import write_counts
from uno_pomdp.nets.onnx.export import CHAMPION, COUNTS, ENCODING_KEY, RULES_KEY, VERSION_KEY
from uno_pomdp.nets.onnx.model import INPUT, LOGITS, MOST_MEMORY, OnnxModel, read_model
from uno_pomdp.nets.policy_features import check_encoded
from uno_pomdp.rules import Rules

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

ENCODINGS: Final = {
    CHAMPION: (policy_features.VERSION, policy_features.FEATURES, (policy_features.ACTIONS, ACTIONS)),
    COUNTS: (count_features.VERSION, count_features.WIDTH, (ACTIONS,)),
}
"""By name: version, numbers of a row, and how many logits there may be."""
RUNTIMES_OWN: Final = re.compile(r"\[ONNXRuntimeError\] : \d+ : \w+ : |/onnxruntime_src/.*?\) (?=[A-Z])")
"""What is of no use to readers in a message of the runtime."""
SHOWN: Final = 200
"""Characters of such a message that are repeated."""


class OnnxNet:
    """A checked file, ready to be asked."""

    def __init__(self, path: str | os.PathLike[str], encoding: str | None = None) -> None:
        self.name: Final = os.fspath(path)
        """Where it was read from."""
        model = read_model(path)
        try:
            self.encoding: Final = _encoding_of(model, encoding)
            """What its features are."""
            self.rules: Final = _rules_of(model)
            """The rules that it was trained with; None if it does not say."""
            self._session = _session(model.content)
            self._try(model)
        except UnusableFile as error:
            raise UnusableFile(f"{self.name} holds no net that can play: {error}") from error

    def check_rules(self, rules: Rules) -> None:
        """Refuse rules that it was not trained with, or that its features do not know."""
        if self.rules is not None and self.rules != rules:
            raise InvalidAgent(
                f"the net of {self.name} was trained with the rules {self.rules.name} and can't play {rules.name}"
            )
        if self.encoding == CHAMPION:
            check_encoded(rules)

    def logits(self, row: Singles) -> Singles:
        """Return what it says about each action, given one row of features."""
        errors = _runtime_errors()
        try:
            (found,) = self._session.run([LOGITS], {INPUT: row[None, :]})
        except errors as error:
            raise UnusableFile(f"the net of {self.name} can't be run: {_said(error)}") from error
        logits: Singles = np.asarray(found, np.float32)[0]
        if np.isnan(logits).any():
            raise UnusableFile(f"the net of {self.name} says nan, which is no number, about some actions")
        return logits

    def _try(self, model: OnnxModel) -> None:
        """Refuse a net that gives something else than it declares."""
        errors = _runtime_errors()
        try:
            (found,) = self._session.run([LOGITS], {INPUT: np.zeros((1, model.inputs), np.float32)})
        except errors as error:
            raise UnusableFile(f"it can't be run: {_said(error)}") from error
        if found.shape != (1, model.logits) or found.dtype != np.float32:
            raise UnusableFile(f"for one row it gives logits of the shape {found.shape}, not (1, {model.logits})")


def _encoding_of(model: OnnxModel, named: str | None) -> str:
    """Return the encoding that a file was made for; refuse one that it can't be."""
    told = model.metadata.get(ENCODING_KEY)
    encoding = told or named
    if encoding is None:
        raise UnusableFile(f"it does not say what its features are: write encoding=…, one of {', '.join(ENCODINGS)}")
    if encoding not in ENCODINGS:
        raise UnusableFile(f"its features are called {quoted(encoding)}: {', '.join(ENCODINGS)} are known")
    if named not in (None, encoding):
        raise UnusableFile(f"it was made for the features {quoted(encoding)}, not {quoted(named)}")
    version, inputs, logits = ENCODINGS[encoding]
    read = model.metadata.get(VERSION_KEY, str(version) if told is None else None)
    if read != str(version):
        raise UnusableFile(f"its features are of version {read}, but only version {version} of {encoding} is known")
    if model.inputs != inputs or model.logits not in logits:
        wanted = " or ".join(map(str, logits))
        raise UnusableFile(
            f"it has {model.inputs} features and {model.logits} logits, but {encoding} has {inputs} and {wanted}"
        )
    return encoding


def _rules_of(model: OnnxModel) -> Rules | None:
    """Return the rules that a file names; None if it names none."""
    text = model.metadata.get(RULES_KEY)
    if text is None:
        return None
    try:
        return Rules.from_json(json.loads(text))
    except (ValueError, RecursionError) as error:  # an UnoError is a ValueError
        told = str(error) if isinstance(error, UnoError) else "they are no JSON text"
        raise UnusableFile(f"its rules can't be read: {told}") from error


# --- the runtime -----------------------------------------------------------------------------------------


def require_onnxruntime() -> None:
    """Refuse to play a net of this kind where its runtime is not installed."""
    if find_spec("onnxruntime") is None:
        raise NotInstalled(missing("a net in ONNX needs", "onnxruntime", "onnx"))


def _session(content: bytes) -> "InferenceSession":
    """Return a session of one thread on the processor."""
    require_onnxruntime()
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what is wrong is said once, in a sentence
    options.add_session_config_entry("session.use_env_allocators", "1")
    _limit_memory()
    errors = _runtime_errors()
    try:
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except errors as error:
        raise UnusableFile(f"onnxruntime can't read it: {_said(error)}") from error


@cache
def _limit_memory() -> None:
    """Give all nets of this process one arena of limited size; one that the program itself has made stays."""
    import onnxruntime

    where = onnxruntime.OrtMemoryInfo(
        "Cpu", onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, onnxruntime.OrtMemType.DEFAULT
    )
    arena = onnxruntime.OrtArenaCfg({"max_mem": MOST_MEMORY, "arena_extend_strategy": 1})  # no more than asked for
    with suppress(*_runtime_errors()):
        onnxruntime.create_and_register_allocator(where, arena)


@cache
def _runtime_errors() -> tuple[type[Exception], ...]:
    """Return what the runtime raises about a net."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    return tuple(each for each in vars(state).values() if isinstance(each, type) and issubclass(each, Exception))


def _said(error: Exception) -> str:
    """Return what the runtime says about a net in one short line, without its own numbers, files and functions."""
    text = str(error)
    if "bfc_arena" in text:
        return f"it needs more than {MOST_MEMORY >> 30} GB of memory"
    line = RUNTIMES_OWN.sub("", text.splitlines()[0] if text else type(error).__name__)
    return line if len(line) <= SHOWN else f"{line[:SHOWN]}…"


# --- features --------------------------------------------------------------------------------------------


class NetSeat:
    """A net beside one seat of one game, followed from its beginning."""

    def __init__(self, net: OnnxNet, rules: Rules, seen: Observation, temperature: float) -> None:
        net.check_rules(rules)
        self._net, self._temperature = net, temperature
        self._champion = ChampionEncoding(rules, seen) if net.encoding == CHAMPION else None

    def follow(self, events: Sequence[Event], seen: Observation) -> None:
        """Take in one action of either player."""
        if self._champion is not None:
            self._champion.follow(events, seen)

    def policy(self, seen: Observation) -> Floats:
        """Return the probability of each of the 63 actions: the softmax of the legal logits over the temperature."""
        legal = [action.id for action in seen.legal_actions()]
        places = legal if self._champion is None else [self._champion.given(action) for action in legal]
        row = counted(seen) if self._champion is None else self._champion.row()
        logits = self._net.logits(row)[places].astype(np.float64) / self._temperature
        highest = logits.max()
        if not np.isfinite(highest):
            raise UnusableFile(f"the net of {self._net.name} gives no legal action a finite logit")
        weights = np.exp(logits - highest)
        result = np.zeros(ACTIONS)
        result[legal] = weights / weights.sum()
        return result


def counted(seen: Observation) -> Singles:
    """Return what a seat sees as plain counts."""
    row = np.empty(count_features.WIDTH, np.uint8)
    write_seen(own_record(seen)[0], row)
    return row.astype(np.float32)


@kernel
def write_seen(seen: Observations, row: Counts) -> None:
    """Write the plain counts of the first record."""
    write_counts(seen[0], row)
