"""What needs torch is collected only where it is installed: `make test-train`."""

from importlib.util import find_spec

collect_ignore = (
    []
    if find_spec("torch")
    else [
        "test_nets.py",
        "test_objective.py",
        "test_trainer.py",
        "test_training_folder.py",
        "test_best_response.py",
        "test_bare.py",
        "test_position_values.py",
        "test_imitation.py",
    ]
)
