"""Nets in ONNX: what is exported plays as it does here, what plays is checked, a wrong file gets one sentence."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import uno_pomdp as uno
from tests.nets.following import untrained
from tests.test_docs import blocks, output_of, page
from uno_pomdp.errors import UnoError, UnusableFile
from uno_pomdp.game.layout import ACTIONS
from uno_pomdp.nets import count_features
from uno_pomdp.nets.net_file import NetFile, random_net
from uno_pomdp.nets.onnx.export import ENCODING_KEY, RULES_KEY, VERSION_KEY, onnx_bytes
from uno_pomdp.nets.onnx.model import INPUT, LOGITS, OPERATORS, VALUE, check_model
from uno_pomdp.nets.onnx.onnx_agent import OnnxAgent
from uno_pomdp.nets.onnx.onnx_net import counted
from uno_pomdp.nets.policy_features import ACTIONS as BY_PLACE
from uno_pomdp.nets.policy_features import FEATURES
from uno_pomdp.nets.position_features import POSITIONS
from uno_pomdp.rules import preset
from uno_pomdp.testing import check_agent


def choices(rules: str, games: int, at_most: int = 60) -> Iterator[uno.Game]:
    """Return games at random positions in which there is a choice."""
    for seed in range(games):
        chance, game = Random(seed), uno.Game.new(rules, seed=seed)
        while not game.over and len(game.moves) < at_most:
            if len(game.legal_actions()) > 1:
                yield game
            game.apply(chance.choice(game.legal_actions()))


# --- export ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["house", "mini-9"])
def test_an_exported_champion_says_what_the_champion_says(rules: str, tmp_path: Path) -> None:
    """Within 1e-6 of the largest logit, which is what single precision has; probabilities within 1e-5."""
    champion = uno.make_agent("champion")
    uno.export_onnx(champion.champion_for(preset(rules)), tmp_path / "net.onnx")  # type: ignore[attr-defined]
    session = onnxruntime.InferenceSession(tmp_path / "net.onnx", providers=["CPUExecutionProvider"])
    exported = uno.make_agent(f"onnx:file={tmp_path / 'net.onnx'}")
    asked = 0
    for game in choices(rules, 20 if rules == "mini-9" else 6):
        history = game.history(game.turn)
        history.lead(champion, 0)
        history.lead(exported, 0)
        assert exported.policy() == pytest.approx(champion.policy(), abs=1e-5)
        ours = champion.net.outputs  # type: ignore[attr-defined]
        logits, value = session.run(None, {INPUT: champion.net.features[None, :]})  # type: ignore[attr-defined]
        assert logits[0] == pytest.approx(ours[:BY_PLACE], abs=1e-6 * max(1.0, float(np.abs(ours).max())))
        assert value[0, 0] == pytest.approx(np.tanh(ours[BY_PLACE]), abs=1e-6)
        asked += 1
    assert asked > 10


def test_the_kits_checker_finds_nothing_wrong_and_the_file_says_what_it_is(tmp_path: Path) -> None:
    net = untrained(preset("mini-9"))
    net.save(tmp_path / "net.npz")
    uno.export_onnx(tmp_path / "net.npz", tmp_path / "net.onnx")
    model = onnx.load(tmp_path / "net.onnx")
    onnx.checker.check_model(model, full_check=True)
    told = {entry.key: entry.value for entry in model.metadata_props}
    assert (told[ENCODING_KEY], told[VERSION_KEY]) == ("champion", "1")
    assert uno.Rules.from_json(json.loads(told[RULES_KEY])) == preset("mini-9")
    assert [slot.name for slot in model.graph.input] == [INPUT]
    assert [slot.name for slot in model.graph.output] == [LOGITS, VALUE]


def test_a_net_that_plays_no_game_is_not_exported(tmp_path: Path) -> None:
    values = NetFile(preset("mini-9"), {}, random_net((8,), 1, POSITIONS), POSITIONS)
    with pytest.raises(UnusableFile, match="plays no game: export a champion's"):
        uno.export_onnx(values, tmp_path / "net.onnx")
    assert not list(tmp_path.iterdir())


# --- a net from elsewhere --------------------------------------------------------------------------------


def linear(
    inputs: int = count_features.WIDTH,
    outputs: int = ACTIONS,
    encoding: str | None = "counts",
    weights: Any = None,
    metadata: dict[str, str] | None = None,
) -> onnx.ModelProto:
    """Return a net of one layer, as another library would make it."""
    matrix = np.zeros((inputs, outputs), np.float32) if weights is None else weights
    graph = helper.make_graph(
        [helper.make_node("MatMul", [INPUT, "weights"], [LOGITS])],
        "elsewhere",
        [helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, ["batch", inputs])],
        [helper.make_tensor_value_info(LOGITS, TensorProto.FLOAT, ["batch", outputs])],
        [numpy_helper.from_array(matrix, "weights")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    told = {} if encoding is None else {ENCODING_KEY: encoding, VERSION_KEY: "1"}
    helper.set_model_props(model, told | (metadata or {}))
    return model


def saved(model: onnx.ModelProto, folder: Path) -> str:
    """Return the name of an agent that plays this net."""
    onnx.save(model, folder / "net.onnx")
    return f"onnx:file={folder / 'net.onnx'}"


@pytest.mark.parametrize("rules", ["house", "printed", "party", "stacking", "mini-7"])
def test_a_net_of_plain_counts_plays_every_rule_and_keeps_the_laws_of_agents(rules: str, tmp_path: Path) -> None:
    weights = np.random.default_rng(1).normal(0.0, 0.3, (count_features.WIDTH, ACTIONS)).astype(np.float32)
    text = saved(linear(weights=weights), tmp_path)
    check_agent(lambda: uno.make_agent(text), preset(rules), games=2, seed=5, at_most=60)


def test_a_net_of_the_champions_features_keeps_the_laws_of_agents(tmp_path: Path) -> None:
    weights = np.random.default_rng(1).normal(0.0, 0.3, (FEATURES, BY_PLACE)).astype(np.float32)
    text = saved(linear(FEATURES, BY_PLACE, "champion", weights), tmp_path)
    check_agent(lambda: uno.make_agent(text), preset("mini-9"), games=2, seed=5)


def test_the_mask_is_applied_here_and_the_temperature_too(tmp_path: Path) -> None:
    weights = np.zeros((count_features.WIDTH, ACTIONS), np.float32)
    weights[:, 61] = 100.0  # keep, which is not legal
    weights[count_features.TO_MOVE, :52] = np.arange(52)
    text = saved(linear(weights=weights), tmp_path)
    game = uno.Game.new("house", seed=5)
    decision = uno.make_agent(f"{text},temperature=2").consider(game)
    legal = [action.id for action in game.legal_actions()]
    odds = np.exp(np.array(legal) / 2)
    by_action = {one.action.id: one.prior for one in decision.candidates}
    assert [by_action[action] for action in legal] == pytest.approx(odds / odds.sum())


def test_plain_counts_are_those_of_the_environments(tmp_path: Path) -> None:
    del tmp_path
    game = uno.Game.new("printed", seed=3)
    row = counted(game.observation(0))
    assert row[: count_features.PLAYED].tolist() == list(game.hand(0).data)
    assert row.shape == (count_features.WIDTH,)
    assert row[count_features.SIZES : count_features.SIZES + 2].tolist() == [7.0, 7.0]


def test_whoever_names_the_file_may_say_what_its_features_are(tmp_path: Path) -> None:
    text = saved(linear(encoding=None), tmp_path)
    agent = uno.make_agent(f"{text},encoding=counts")
    assert isinstance(agent, OnnxAgent)
    assert (agent.net.encoding, agent.net.rules, agent.name) == ("counts", None, f"{text},encoding=counts")
    assert uno.AgentSpec.parse(text).can == agent.can


# --- what is refused -------------------------------------------------------------------------------------


def with_operator(operator: str, domain: str = "", **attributes: Any) -> onnx.ModelProto:
    """Return a net with one operator more."""
    model = linear()
    model.graph.node[0].output[0] = "before"
    model.graph.node.append(helper.make_node(operator, ["before"], [LOGITS], domain=domain, **attributes))
    return model


def external() -> onnx.ModelProto:
    """Return a net whose numbers lie in another file."""
    model = linear()
    array = model.graph.initializer[0]
    array.data_location = TensorProto.EXTERNAL
    entry = array.external_data.add()
    entry.key, entry.value = "location", "../../etc/passwd"
    array.ClearField("raw_data")
    return model


def branching() -> onnx.ModelProto:
    """Return a net with a graph inside an operator that is allowed."""
    return with_operator("Identity", inside=linear().graph)


def renamed(old: str, new: str) -> onnx.ModelProto:
    """Return a net with another name for its input or output."""
    return onnx.load_from_string(linear().SerializeToString().replace(old.encode(), new.encode()))


def of_type(kind: int) -> onnx.ModelProto:
    """Return a net that wants other numbers."""
    model = linear()
    model.graph.input[0].type.tensor_type.elem_type = kind
    return model


def shaped(*sizes: int) -> onnx.ModelProto:
    """Return a net that declares another shape of its logits."""
    model = linear()
    del model.graph.output[0].type.tensor_type.shape.dim[:]
    for size in sizes:
        model.graph.output[0].type.tensor_type.shape.dim.add().dim_value = size
    return model


def functional() -> onnx.ModelProto:
    """Return a net with a function of its own."""
    model = linear()
    model.functions.add().name = "mine"
    return model


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: with_operator("Loop"), "it uses the operator Loop, which is not among those that are run"),
        (lambda: with_operator("Relu", "mine"), r"it uses the operator mine\.Relu"),
        (lambda: with_operator("RandomNormalLike"), "it uses the operator RandomNormalLike"),
        (external, "some of its numbers lie in another file: save it as one file"),
        (branching, "an operator of it has a graph or sparse numbers inside"),
        (functional, "it has functions or a training of its own"),
        (lambda: renamed("features", "picturex"), "its only input has to be called 'features', but it has picturex"),
        (lambda: renamed("logits", "scores"), "its outputs have to be 'logits' and, if it has one, 'value'"),
        (lambda: of_type(TensorProto.DOUBLE), "the numbers of 'features' have to be of type float32"),
        (lambda: shaped(1, ACTIONS, 1), "'logits' has to be rows"),
        (lambda: shaped(2, ACTIONS), "'logits' has to be rows"),
        (lambda: linear(encoding=None), r"it does not say what its features are: write encoding=…"),
        (lambda: linear(encoding="planes"), "its features are called 'planes': champion, counts are known"),
        (lambda: linear(12), "it has 12 features and 63 logits, but counts has"),
        (lambda: linear(outputs=5), "features and 5 logits, but counts has"),
        (
            lambda: linear(metadata={VERSION_KEY: "7"}),
            "its features are of version 7, but only version 1 of counts is known",
        ),
        (lambda: linear(metadata={RULES_KEY: "{"}), "its rules can't be read: they are no JSON text"),
        (lambda: linear(metadata={RULES_KEY: "[]"}), "its rules can't be read: "),
    ],
)
def test_a_net_that_can_not_play_gets_one_sentence(
    make: Callable[[], onnx.ModelProto], sentence: str, tmp_path: Path
) -> None:
    text = saved(make(), tmp_path)
    with pytest.raises(UnusableFile, match=rf"^\S*net\.onnx holds no net that can play: .*{sentence}") as caught:
        uno.make_agent(text)
    assert "\n" not in str(caught.value)


def test_what_the_runtime_refuses_gets_one_sentence(tmp_path: Path) -> None:
    model = linear()
    model.graph.node[0].input[1] = "nothing"
    with pytest.raises(UnusableFile, match=r"holds no net that can play: onnxruntime can't read it: .*nothing"):
        uno.make_agent(saved(model, tmp_path))


def greedy_for_memory(constant: bool) -> onnx.ModelProto:
    """Return a small file of a net that makes 3.6 GB of two rows of 30,000 numbers, at once or when it is asked."""
    model = linear()
    model.graph.node[0].output[0] = "before"
    for name, shape in (("column", (30_000, 1)), ("row", (1, 30_000))):
        model.graph.initializer.append(numpy_helper.from_array(np.zeros(shape, np.float32), name))
    nodes = [helper.make_node("ReduceSum", ["before"], ["sum"]), helper.make_node("Mul", ["column", "sum"], ["asked"])]
    nodes += [helper.make_node("MatMul", ["column" if constant else "asked", "row"], ["square"])]
    nodes += [helper.make_node("ReduceMax", ["square"], ["most"], keepdims=0)]
    nodes += [helper.make_node("Add", ["before", "most"], [LOGITS])]
    model.graph.node.extend(nodes)
    return model


def doubling() -> onnx.ModelProto:
    """Return a net that makes one row twice as long 40 times."""
    model = linear()
    model.graph.node[0].output[0] = "row_0"
    for number in range(40):
        rows = [f"row_{number}"] * 2
        model.graph.node.append(helper.make_node("Concat", rows, [f"row_{number + 1}"], axis=0))
    model.graph.node.append(helper.make_node("ReduceMax", ["row_40"], ["most"], keepdims=0))
    model.graph.node.append(helper.make_node("Add", ["row_0", "most"], [LOGITS]))
    return model


@pytest.mark.parametrize("make", [lambda: greedy_for_memory(True), lambda: greedy_for_memory(False), doubling])
def test_a_net_that_would_take_all_memory_is_refused_and_the_next_one_plays(
    make: Callable[[], onnx.ModelProto], tmp_path: Path
) -> None:
    with pytest.raises(UnusableFile, match=r"holds no net that can play: .*it needs more than 1 GB of memory$"):
        uno.make_agent(saved(make(), tmp_path))
    assert uno.make_agent(saved(linear(), tmp_path)).consider(uno.Game.new("house", seed=5)).action


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda model: model.graph.initializer[0].dims.__setitem__(1, 1 << 40), "onnxruntime can't read it"),
        (lambda model: model.graph.initializer[0].dims.__setitem__(1, -63), "onnxruntime can't read it"),
        (lambda model: model.graph.initializer[0].dims.__setitem__(0, 1 << 62), "onnxruntime can't read it"),
        (lambda model: setattr(model.graph.initializer[0], "raw_data", b"1234"), "onnxruntime can't read it"),
        (lambda model: setattr(model.graph.initializer[0], "data_type", 99), "onnxruntime can't read it"),
        (lambda model: model.graph.node[0].input.__setitem__(1, LOGITS), "onnxruntime can't read it"),
        (lambda model: setattr(model, "ir_version", 9999), "onnxruntime can't read it"),
        (lambda model: setattr(model.opset_import[0], "version", 9999), "onnxruntime can't read it"),
        (lambda model: model.graph.node.append(model.graph.node[0]), "onnxruntime can't read it"),
    ],
    ids=["huge", "negative", "beyond", "too few", "no type", "a cycle", "future", "future operators", "twice"],
)
def test_absurd_files_get_one_sentence(change: Callable[[onnx.ModelProto], None], words: str, tmp_path: Path) -> None:
    model = linear()
    change(model)
    with pytest.raises(UnusableFile, match=words) as refused:
        uno.make_agent(saved(model, tmp_path))
    assert len(str(refused.value)) < 400
    assert "ONNXRuntimeError" not in str(refused.value)


def test_a_net_that_says_nan_plays_nothing(tmp_path: Path) -> None:
    text = saved(linear(weights=np.full((count_features.WIDTH, ACTIONS), np.nan, np.float32)), tmp_path)
    with pytest.raises(UnusableFile, match="says nan, which is no number"):
        uno.make_agent(text).consider(uno.Game.new("house", seed=5))


def test_a_net_with_no_finite_logit_for_what_is_legal_plays_nothing(tmp_path: Path) -> None:
    weights = np.zeros((count_features.WIDTH, ACTIONS), np.float32)
    weights[count_features.TO_MOVE] = -np.inf
    model = linear(weights=weights)
    with pytest.raises(UnoError, match="gives no legal action a finite logit"):
        uno.make_agent(saved(model, tmp_path)).consider(uno.Game.new("house", seed=5))


def test_a_net_plays_the_rules_that_it_names_alone(tmp_path: Path) -> None:
    uno.export_onnx(untrained(preset("mini-9")), tmp_path / "net.onnx")
    with pytest.raises(UnoError, match="was trained with the rules mini-9 and can't play house"):
        uno.make_agent(f"onnx:file={tmp_path / 'net.onnx'}").consider(uno.Game.new("house", seed=5))
    free = saved(linear(FEATURES, BY_PLACE, "champion"), tmp_path)
    with pytest.raises(UnoError, match="the encoding of nets"):
        uno.make_agent(free).consider(uno.Game.new("printed", seed=5))


def test_damaged_bytes_are_refused_and_never_crash() -> None:
    """Every cut and many changed bytes: a checked file, or one sentence."""
    content = onnx_bytes(NetFile(preset("mini-9"), {}, random_net((4,), 1)))
    chance = Random(3)
    refused = 0
    for place in [*range(400), *(chance.randrange(len(content)) for _ in range(300))]:
        changed = bytearray(content)
        changed[place] ^= 1 << chance.randrange(8)
        for broken in (bytes(changed), content[:place]):
            try:
                check_model(broken)
            except UnusableFile:
                refused += 1
    assert refused > 500


def test_the_operators_that_are_run_exist() -> None:
    assert all(onnx.defs.has(operator) for operator in OPERATORS)
    assert not OPERATORS & {"If", "Loop", "Scan", "RandomNormal", "RandomUniform", "Multinomial", "Optional"}


def test_the_example_of_the_page_runs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    action, result = output_of(blocks(page("docs/onnx.md"), "python")[0], capsys)
    assert action in [str(each) for each in uno.Game.new("mini-9", seed=5).legal_actions()]
    assert result.startswith("onnx:file=mini-9.onnx v random: ")


def test_the_page_says_how_many_features_there_are() -> None:
    assert f"the {FEATURES} numbers" in page("docs/onnx.md")
