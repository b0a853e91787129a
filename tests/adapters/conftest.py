"""What needs a kit is collected only where it is installed: `make test-kits`."""

import os
from importlib.util import find_spec

NEEDS = {
    "test_views.py": ("gymnasium",),
    "test_gymnasium.py": ("gymnasium",),
    "test_gymnasium_vector.py": ("gymnasium",),
    "test_pettingzoo.py": ("gymnasium", "pettingzoo"),
    "test_open_spiel.py": ("open_spiel", "pyspiel"),
    "test_onnx.py": ("onnx", "onnxruntime"),
    "test_maskable_ppo.py": ("gymnasium", "sb3_contrib", "torch"),
}
"""By file: the modules without which it can't be read."""

collect_ignore = [file for file, modules in NEEDS.items() if not all(map(find_spec, modules))]
if "UNO_POMDP_KITS" not in os.environ:
    collect_ignore.append("test_open_spiel.py")  # it takes minutes, so `make test` leaves it to `make test-kits`
