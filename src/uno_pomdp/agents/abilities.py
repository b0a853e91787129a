"""What an agent can do beyond deciding, as its class or the registry declares it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uno_pomdp.policies.opponent_models import PolicyModel


@dataclass(frozen=True, slots=True)
class Abilities:
    """What an agent can do beyond deciding: by default nothing."""

    kernel_policy: "PolicyModel | None" = None
    """The policy by which kernels play in its place, a million games in seconds; None if they can't."""
    has_policy: bool = False
    """Whether it states the probability of each action, in closed form."""
    looked_up: bool = False
    """Whether kernels can look its policy up over a whole tree: a scripted policy, or a table."""
    values_moves: bool = False
    """Whether it values every legal action in the same worlds, as a coach does."""

    @property
    def in_kernels(self) -> bool:
        """Whether it plays wholly inside kernels."""
        return self.kernel_policy is not None
