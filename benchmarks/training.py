"""Training on two cores without a GPU: the configuration `small` learns to beat `random` within two minutes.

The time is that of training alone, with kernels compiled before; strength is measured afterwards on deals of its own.
Throughput counts choices of at least two actions, and all moves beside it, updates included.
"""

import sys
import time
from collections.abc import Iterator

from benchmarks.harness import Benchmark, Claim, Part, Run, at_least, at_most, run, shown

SECONDS = 100.0
"""How long it trains."""
ALLOWED = 120.0
BAR = 60.0
"""What the low end of the interval against `random` has to reach, in percent."""


def small(run: Run) -> Iterator[Claim]:
    """Train with the small configuration and measure the result."""
    import torch

    from uno_pomdp.learning.config import config_of
    from uno_pomdp.learning.strength import Measure
    from uno_pomdp.learning.trainer import Trainer
    from uno_pomdp.rules import preset

    torch.set_num_threads(1)
    settings = {"measure": "1000000", "checkpoint": "1000000", "decisions": "1000000000", "opponents": ""}
    if run.quick:
        settings |= {"games": "64", "hidden": "16", "critic_hidden": "16", "minibatch": "256"}
    warm = Trainer(config_of("small", settings | {"games": "8", "steps": "2"}), threads=2)
    warm.run(iterations=1)
    warm.close()
    trainer = Trainer(config_of("small", settings), threads=2)
    started = time.perf_counter()
    progress = trainer.run(run.pick(SECONDS, 0.5))
    took = time.perf_counter() - started
    measure = Measure(preset("house"), "random", run.pick(20_000, 64), trainer.device, "exact", 2)
    strength = measure(trainer.average, 1)
    measure.close()
    trainer.close()
    low = 100 * (strength.points - strength.half_width)
    yield at_least("small v random, low end of the 95 % interval", low, BAR, "%")
    yield shown("small v random", 100 * strength.points, "%")
    yield at_most("training", took, ALLOWED, "s")
    yield shown("choices", progress.decisions / 1e6, "million")
    yield shown("throughput", progress.decisions / took / 1e3, "thousand choices/s")
    yield shown("throughput, moves", progress.moves / took / 1e3, "thousand moves/s")


BENCHMARK = Benchmark("training", (Part("small", small, peer="torch"),), one_core=False)

if __name__ == "__main__":
    sys.exit(run(BENCHMARK))
