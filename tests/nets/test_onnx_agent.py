"""The agent `onnx` without the runtime: what it refuses before its net is asked."""

import pytest

from uno_pomdp.advise.session import Session
from uno_pomdp.errors import InvalidAgent
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.nets.onnx.export import CHAMPION, COUNTS
from uno_pomdp.nets.onnx.onnx_agent import OnnxAgent
from uno_pomdp.nets.onnx.onnx_net import OnnxNet
from uno_pomdp.rules import preset


def net_for(encoding: str) -> OnnxNet:
    """Return a net that is never asked."""
    net = object.__new__(OnnxNet)
    object.__setattr__(net, "name", "net.onnx")
    object.__setattr__(net, "encoding", encoding)
    object.__setattr__(net, "rules", None)
    return net


@pytest.mark.parametrize(
    ("encoding", "hidden", "refused"), [(CHAMPION, 3, True), (COUNTS, 3, False), (CHAMPION, 0, False)]
)
def test_features_of_the_champion_need_all_played_cards(encoding: str, hidden: int, refused: bool) -> None:
    table = in_the_middle(hidden)
    agent = OnnxAgent(net_for(encoding))
    if refused:
        with pytest.raises(
            InvalidAgent, match=r"^3 played cards are not known, and the champion's features need them all"
        ):
            agent.start(table.rules, table.observation, 1)
    else:
        agent.start(table.rules, table.observation, 1)


def in_the_middle(hidden: int) -> ObservedGame:
    """Return a game that is begun in its middle, where so many played cards are not known."""
    session = Session(preset("house"), "heuristic", seed=1, middle=True)
    for text in ("me", "r5 r7 y1", "r1", "4", str(100 - hidden), "none"):
        if session.advisor is None:
            session.enter(text)
    assert session.advisor is not None
    assert session.advisor.table.observation.hidden_played == hidden
    return session.advisor.table
