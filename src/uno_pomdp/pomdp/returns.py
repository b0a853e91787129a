"""Discounted returns over own moves of a seat.

The return of k own moves is Σ_{i<k} γⁱ rᵢ: each move costs λ, and one that ends the game earns the result. Where the
game goes on, γᵏ V of what follows is added.
"""

from uno_pomdp.jit import inner_kernel


@inner_kernel
def return_at_end(reward: float, moves: int, discount: float, step_cost: float) -> float:
    """Return Σ γᵏ rₖ for a game that ends with the last of so many own moves."""
    if discount == 1.0:
        return reward - step_cost * moves
    last = discount ** (moves - 1)
    return reward * last - step_cost * (1.0 - last * discount) / (1.0 - discount)


@inner_kernel
def return_with_value(value: float, moves: int, discount: float, step_cost: float) -> float:
    """Return Σ γᵏ rₖ over so many own moves, and γ to their number times the value of what follows."""
    if discount == 1.0:
        return value - step_cost * moves
    last = discount**moves
    return value * last - step_cost * (1.0 - last) / (1.0 - discount)
