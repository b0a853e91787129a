"""What needs a kit is collected where it is installed; `make test-kits` wants all of them, and leaves nothing out."""

import os
from importlib.util import find_spec

import pytest

NEEDS = {
    "test_gymnasium.py": ("gymnasium",),
    "test_gymnasium_vector.py": ("gymnasium",),
    "test_pettingzoo.py": ("gymnasium", "pettingzoo"),
    "test_open_spiel.py": ("open_spiel", "pyspiel"),
    "test_onnx.py": ("onnx", "onnxruntime"),
    "test_maskable_ppo.py": ("gymnasium", "sb3_contrib", "torch"),
    "test_other_packages.py": ("rlcard", "pyspiel", "pettingzoo"),
}
"""By file: the modules that its tests need."""
PARTLY = ("test_other_packages.py",)
"""Files that skip what needs a package which is not there."""

missing = sorted({module for modules in NEEDS.values() for module in modules if find_spec(module) is None})
collect_ignore = [
    file for file, modules in NEEDS.items() if file not in PARTLY and not set(modules).isdisjoint(missing)
]
if "UNO_POMDP_KITS" not in os.environ:
    collect_ignore.append("test_open_spiel.py")  # it takes minutes, so `make test` leaves it to `make test-kits`
elif missing:
    pytest.exit(
        f"the tests of the kits need {', '.join(missing)} too: run `make test-kits`", pytest.ExitCode.USAGE_ERROR
    )
