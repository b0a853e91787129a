"""Exact values of trained nets on a mini deck: a net's policy over the whole tree."""

from dataclasses import dataclass

from uno_pomdp.arrays import Floats
from uno_pomdp.equilibrium.sequence_form import Exploitability, exploitability, value_of
from uno_pomdp.equilibrium.tree.game_tree import GameTree, build_tree
from uno_pomdp.equilibrium.tree_policies import policy_of, scripted_policy
from uno_pomdp.game.layout import SEATS
from uno_pomdp.nets.net_file import NetFile, load_net
from uno_pomdp.nets.policy_agent import PolicyNetAgent
from uno_pomdp.policies.kernels import is_policy, policy_named


@dataclass(frozen=True, slots=True)
class ExactResponse:
    """A learned best response beside the exact one; payoffs from −1 to 1, the mean of both seats."""

    learned: float
    """What the learned one gains over the policy itself, from the whole tree."""
    exact: Exploitability
    """What the policy loses to exact best responses."""

    @property
    def share(self) -> float:
        """Which share of the exact gain was learnt."""
        return self.learned / self.exact.exploitability


def net_policy(tree: GameTree, champion: NetFile) -> Floats:
    """Return what a net plays at every information set of a tree."""
    return policy_of(tree, lambda: PolicyNetAgent(champion))


def exact_response(tree: GameTree, policy: Floats, response: Floats) -> ExactResponse:
    """Return what a response gains against a policy, as the mean of both seats."""
    gains = []
    for seat in SEATS:
        mixed = policy.copy()
        rows = slice(tree.sequence_start[seat], tree.sequence_start[seat + 1])
        mixed[rows] = response[rows]
        sign = 1.0 if seat == 0 else -1.0
        gains.append(sign * (value_of(tree, mixed) - value_of(tree, policy)))
    return ExactResponse(sum(gains) / 2, exploitability(tree, policy))


def report_exact(path: str, against: str = "") -> str:
    """Return in words how exploitable the net of a file is, or how much it gains against a policy or another net."""
    champion = load_net(path)
    tree = build_tree(champion.rules)
    policy = net_policy(tree, champion)
    if not against:
        return f"{path} on {champion.rules.name}: {exploitability(tree, policy)}"
    scripted = is_policy(against)
    frozen = scripted_policy(tree, policy_named(against)) if scripted else net_policy(tree, load_net(against))
    found = exact_response(tree, frozen, policy)
    return (
        f"{path} on {champion.rules.name} gains {found.learned:+.6f} against {against}, the exact best response "
        f"{found.exact.exploitability:+.6f}: {100 * found.share:.1f} % of it was learnt"
    )
