"""One grammar of numbers, one sentence for what is not one; every option that takes a number keeps to it."""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

import pytest
import typer

from tests.cli.inside import call
from uno_pomdp.agent_kinds import AGENTS
from uno_pomdp.agents.agent import Budget
from uno_pomdp.cli.main import app
from uno_pomdp.errors import InvalidAgent, InvalidSeed, UnoError
from uno_pomdp.game.rng import later_seed, sequence
from uno_pomdp.learning.config import TrainConfig, config_of
from uno_pomdp.learning.settings import RANGES, parsed_settings
from uno_pomdp.learning.vector_games import InvalidTraining
from uno_pomdp.quantities import SEED, InvalidNumber, Real, Whole, count_of, naming, range_of
from uno_pomdp.registry import make_agent

NEVER: Final = (
    "", " ", "nan", "-nan", "inf", "-inf", "infinity", "1_000", "٣", "２", "²", "Ⅷ", " 5", "5 ", "0x10", "0b1", "1e400",
    "99999999999999999999", "9" * 5000, "-1", "--1", "1,5", "1 000", "one", "1e", ".", "e5", "5\n", "5;", "None", "1j",
    "½", "-0.5", "1e99", "+", "0.5.5",
)  # fmt: skip
"""What no option of any command or agent takes for a number."""
NOT_WHOLE: Final = ("1.5", "1e3", "1.0", ".5", "5.")
"""What is a number, but not written as a whole one."""


def command_numbers() -> Iterator[tuple[str, str, Any]]:
    """Yield each command with each of its options that takes a number, and what was declared about it."""
    for command in app.registered_commands:
        assert command.callback is not None
        assert command.callback.__name__.isidentifier()
        name = command.name or command.callback.__name__
        for key, hint in get_type_hints(command.callback, include_extras=True).items():
            if get_origin(hint) is Annotated and {int, float} & {hint.__origin__, *get_args(hint.__origin__)}:
                yield name, f"--{key.replace('_', '-')}", hint.__metadata__[0]


COMMAND_NUMBERS: Final = list(command_numbers())
NEEDS: Final = {
    "arena": ["random", "greedy"], "watch": ["random", "greedy"], "tournament": ["random", "greedy"],
    "analyze": ["none.txt"], "nash": ["greedy"], "train": ["none"],
}  # fmt: skip
"""What a command has to be given before its options count."""


@pytest.mark.parametrize(
    ("name", "option", "declared"), COMMAND_NUMBERS, ids=[f"{n} {o}" for n, o, _ in COMMAND_NUMBERS]
)
def test_every_number_of_every_command_is_refused_unless_it_is_one(name: str, option: str, declared: Any) -> None:
    for text in (*NEVER, *(NOT_WHOLE if declared.metavar == "INT" else ())):
        with pytest.raises(typer.BadParameter, match=" is not a "):
            declared.parser(text)
    done = call(name, *NEEDS.get(name, ()), f"{option}=nan")
    assert done.err.startswith(f"uno-pomdp: invalid value for '{option}': 'nan' is not a ")
    assert done.err.count("\n") == 1
    assert (done.code, done.out) == (2, "")


def test_all_commands_with_numbers_are_looked_at() -> None:
    found = {(name, option) for name, option, _ in COMMAND_NUMBERS}
    assert {("solve", "--until"), ("nash", "--ms"), ("nash", "--learn"), ("train", "--seconds")} <= found
    assert {name for name, option in found if option == "--seed"} == {
        "demo", "play", "arena", "tournament", "watch", "analyze", "nash", "solve", "advise", "train"
    }  # fmt: skip


FILTERS: Final = (
    "belief=particles,particles",
    "belief=particles,resample",
    "belief=particles,doubt",
    "belief=enumerated,limit",
)
"""The numbers of beliefs."""
AGENT_NUMBERS: Final = [
    "heuristic:noise", "flat:ms", "flat:sims", "flat:threads", "ismcts:ms", "ismcts:sims", "ismcts:explore",
    "ismcts:threads", "pomcp:ms", "pomcp:sims", "pomcp:explore", "pomcp:gamma", "pomcp:penalty", "value:ms",
    "value:sims", "value:steps", "value:threads", "champion:ms", "champion:sims", "champion:temperature",
    "champion:sims=5,trust", "champion:sims=5,threads", "onnx:temperature",
    *(f"{name}:{option}" for name in ("flat", "ismcts", "pomcp", "value") for option in FILTERS),
    *(f"champion:sims=5,{option}" for option in FILTERS),
]  # fmt: skip
"""Every option of every agent that is a number."""
WORDS: Final = {
    "belief",
    "encoding",
    "rollout",
    "halving",
    "endgame",
    "model",
    "leaf",
    "file",
    "positions",
    "opponent",
    "cache",
}
"""Every option of every agent that is none."""


@pytest.mark.parametrize("option", AGENT_NUMBERS)
def test_every_number_of_every_agent_is_refused_unless_it_is_one(option: str) -> None:
    whole = option.split(":")[1].split(",")[-1] in ("sims", "threads", "steps", "particles", "limit")
    for text in (*NEVER, *(NOT_WHOLE if whole else ())):
        if "," in text or text != text.strip():
            continue  # commas divide options, and spaces around them do not count
        with pytest.raises(InvalidAgent) as caught:
            make_agent(f"{option}={text}")
        assert " is not a " in str(caught.value) or "write name=value" in str(caught.value), text
        assert len(str(caught.value)) < 200


def test_no_number_of_an_agent_is_left_out() -> None:
    every = {f"{name}:{key}" for name, entry in AGENTS.items() for key in entry.options if key not in WORDS}
    assert {re.sub(r"(sims=5|belief=\w+),", "", text) for text in AGENT_NUMBERS} == every


@pytest.mark.parametrize("key", [key for key in RANGES if key in TrainConfig.__dataclass_fields__])
def test_every_number_of_a_training_is_refused_unless_it_is_one(key: str) -> None:
    kind = RANGES[key]
    for text in (*NEVER, *(NOT_WHOLE if isinstance(kind, Whole) else ())):
        if "," in text or text != text.strip():
            continue
        with pytest.raises(InvalidTraining) as caught:
            config_of("small", {key: text})
        assert str(caught.value).startswith(f"{key}: ")
        assert len(str(caught.value)) < 200


def test_every_number_of_a_training_has_a_range() -> None:
    config = TrainConfig()
    for name in TrainConfig.__dataclass_fields__:
        value = getattr(config, name)
        first = value[0] if isinstance(value, tuple) else value
        assert (name in RANGES) == (not isinstance(first, str)), name


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (["games=1", "games=2"], "games is set twice: set it once"),
        (["games"], "'games' is no setting: write NAME=VALUE"),
    ],
)
def test_settings_are_set_once_and_by_name(settings: list[str], sentence: str) -> None:
    with pytest.raises(InvalidTraining) as caught:
        parsed_settings(settings)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("key", "text", "sentence"),
    [
        ("rate", "0.1", "rate: give 2 numbers with a comma, for the start and the end of a run"),
        ("rate", "0.1,0.2,0.3", "rate: give 2 numbers with a comma, for the start and the end of a run"),
        ("hidden", "64,,64", "hidden: '' is not a whole number from 1 to 65,536"),
        ("opponents", "random,nobody", "opponents: no policy is called 'nobody': choose of random"),
        ("measure_games", "41", "measure_games 41: give an even number, for duplicate deals"),
    ],
)
def test_settings_of_several_values_are_as_many_as_they_should_be(key: str, text: str, sentence: str) -> None:
    with pytest.raises(InvalidTraining) as caught:
        config_of("small", {key: text})
    assert str(caught.value).startswith(sentence)


def test_settings_that_are_right_are_taken() -> None:
    config = config_of("small", {"rate": "1e-3, 0", "hidden": "64,32", "seed": str(2**64 - 1), "opponents": "random"})
    assert (config.rate, config.hidden, config.seed) == ((1e-3, 0.0), (64, 32), 2**64 - 1)


# --- the ranges themselves -------------------------------------------------------------------------------


def test_the_ends_of_a_range_are_in_it_unless_it_says_otherwise() -> None:
    assert [Whole(1, 5).read(text) for text in ("1", "+5", "003")] == [1, 5, 3]
    assert [Real(0.0, 1.0).read(text) for text in ("0", "1", "1e-3", ".5", "1.", "1E0")] == [0, 1, 0.001, 0.5, 1, 1]
    for kind, text in (
        (Whole(1, 5), "0"), (Whole(1, 5), "6"), (Real(0.0, 1.0, above=True), "0"), (Real(0.0, 1.0, below=True), "1"),
        (Real(0.0, 1.0), "1.0000001"), (Real(0.0, 1.0), "-1e-9"),
    ):  # fmt: skip
        with pytest.raises(InvalidNumber, match="is not a"):
            kind.read(text)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (SEED, "a whole number from 0 to 2^64 - 1"),
        (Whole(1, 1000), "a whole number from 1 to 1,000"),
        (Real(0.0, 86_400_000.0, above=True), "a number above 0 and up to 86,400,000"),
        (Real(0.0, 0.5, above=True, below=True), "a number above 0 and below 0.5"),
        (Real(0.0, 1.0), "a number from 0 to 1"),
    ],
)
def test_a_range_says_what_it_takes(kind: Whole | Real, words: str) -> None:
    assert str(kind) == words


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), 0.0, -1.0])
def test_a_value_from_a_program_is_checked_too(value: float) -> None:
    with pytest.raises(InvalidAgent, match=r"milliseconds of a decision: .* is not a number above 0"):
        Budget(milliseconds=value)
    with pytest.raises(InvalidAgent, match="simulations of a decision: "):
        Budget(simulations=int(value) if value == value and abs(value) < 2 else 10**20)


def test_an_error_is_of_the_kind_of_what_the_number_was_for() -> None:
    with pytest.raises(InvalidTraining, match="games: 'x' is not a whole number"), naming("games", InvalidTraining):
        Whole(1, 2).read("x")


# --- seeds -----------------------------------------------------------------------------------------------


def test_seeds_go_up_to_two_to_the_64_and_the_first_follows_on_the_last() -> None:
    sequence(SEED.most)
    assert later_seed(5, 2) == 7
    assert later_seed(SEED.most, 1) == 0
    for seed in (-1, SEED.most + 1):
        with pytest.raises(InvalidSeed, match="is no seed: give a whole number from 0 to 2\\^64 - 1"):
            sequence(seed)


def test_the_last_seed_is_taken_by_commands_that_count_on_from_it() -> None:
    seed = str(SEED.most)
    for words in (
        "arena random greedy --rules mini-7 --pairs 2",
        "watch random greedy --rules mini-7",
        "nash random --rules mini-7 --pairs 1 --sims 1 --processes 1",
    ):
        done = call(*words.split(), "--seed", seed)
        assert done.code == 0, done.err


@pytest.mark.parametrize(
    ("number", "what", "said"),
    [(0, "move", "0 moves"), (1, "move", "1 move"), (1000, "pair", "1,000 pairs"), (1, "match", "1 match"),
     (2, "match", "2 matches")],
)  # fmt: skip
def test_a_count_agrees_with_its_word(number: int, what: str, said: str) -> None:
    assert count_of(number, what) == said


def test_a_range_whose_ends_are_written_alike_is_one_number() -> None:
    assert range_of(67.4071, 67.4074, 3) == "67.407"
    assert range_of(67.4071, 67.4084, 3) == "67.407 to 67.408"
    assert range_of(-1e-9, 1e-9, 2) == "0.00"


def test_an_option_given_twice_is_refused_but_a_switch_may_be_repeated() -> None:
    done = call("arena", "random", "greedy", "--pairs", "1", "--seed=2", "--pairs", "1")
    assert done.err == (
        "uno-pomdp: invalid value for '--pairs': it is given twice, and only one can count: "
        "`uno-pomdp arena --help` shows what it takes\n"
    )
    assert done.code == 2
    assert call("rules", "mini-7", "--json", "--json").code == 0
    with pytest.raises(UnoError):
        make_agent("flat:sims=1,sims=1")
