"""Types of arrays that are used everywhere, each with one name."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
"""Probabilities, values, weights."""
Singles = npt.NDArray[np.float32]
"""Inputs and outputs of nets, in single precision."""
Ints = npt.NDArray[np.int64]
"""Counts and indices."""
Int32s = npt.NDArray[np.int32]
"""The same in 32 bits, for very long arrays."""
Counts = npt.NDArray[np.uint8]
"""Cards: a count for each of the 54 types, or a list of types."""
