"""Types of arrays that are used everywhere, each with one name."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
"""Probabilities, values, weights."""
Singles = npt.NDArray[np.float32]
"""What nets are told and say."""
Ints = npt.NDArray[np.int64]
"""Numbers of things, places in other arrays."""
Int32s = npt.NDArray[np.int32]
"""The same where there are very many of them."""
Counts = npt.NDArray[np.uint8]
"""Cards as a number for each of the 54 types, or cards by type."""
