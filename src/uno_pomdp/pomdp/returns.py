"""What own moves of a seat earn together.

return of k own moves = Σ γⁱ rᵢ; r = ±1 with the last one if it ends the game, −λ each; else γᵏ V of what follows
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
