"""`python -m uno_pomdp.learning`: training with nothing but torch, NumPy and Numba installed, in plain lines.

train FOLDER      self-play; goes on from the checkpoint if the folder holds one
respond FOLDER    a best response to a scripted policy, the net of a file, or any agent, which is imitated first
imitate F         a net that plays as an agent does
positions F       what positions are worth when a champion plays: for the search that it guides
export FOLDER F   the averaged player of a checkpoint (or the last one) as a file for the package
evaluate F        a net's points against scripted policies or other nets
exact F           the exact exploitability of a net for a mini deck, or what it gains against another
"""

import argparse
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NoReturn

import torch

from uno_pomdp.errors import UnoError, sentence_of
from uno_pomdp.files import claim
from uno_pomdp.learning.checkpoint import CHECKPOINT
from uno_pomdp.learning.config import PRESETS
from uno_pomdp.learning.exact_check import report_exact
from uno_pomdp.learning.imitation.imitation import ImitationConfig, Watching, imitate
from uno_pomdp.learning.nets import imported, usable_device
from uno_pomdp.learning.position_values import PositionConfig, PositionTrainer
from uno_pomdp.learning.progress import TrainingProgress
from uno_pomdp.learning.settings import RANGES, changed, parsed_settings, set_once
from uno_pomdp.learning.strength import Measure
from uno_pomdp.learning.trainer import Trainer
from uno_pomdp.learning.training_folder import begun_or_resumed, finished, write_net
from uno_pomdp.learning.vector_games import InvalidTraining
from uno_pomdp.nets.net_file import load_net
from uno_pomdp.nets.pretrained import pretrained_policy
from uno_pomdp.policies.kernels import is_policy
from uno_pomdp.quantities import PROCESSES, SECONDS, SEED, THREADS, InvalidNumber, Real, Whole
from uno_pomdp.registry import AgentSpec
from uno_pomdp.rules import Rules

PROGRAM: Final = "python -m uno_pomdp.learning"
GAMES: Final = Whole(2, 1_000_000_000)
"""Of a measurement."""
EACH_CORE: Final = Whole(-1, PROCESSES.most)
"""Processes; −1 is one on each core."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code."""
    torch.set_num_threads(1)  # games have the other cores, and waiting threads of torch would take their time
    try:
        options = _parser().parse_args(arguments)
        options.run(options)
    except (UnoError, OSError) as error:
        sentence = sentence_of(error)
        if sentence is None:
            raise
        print(sentence, file=sys.stderr)
        return 2
    return 0


class _Parser(argparse.ArgumentParser):
    """Refuses a wrong word in a sentence, as all else is refused."""

    def error(self, message: str) -> NoReturn:
        raise InvalidTraining(f"{message}: `{self.prog} --help` shows what it takes")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog=PROGRAM, description="Train by self-play.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    train = commands.add_parser("train", help="self-play")
    train.set_defaults(run=_train, against="", games=0, processes=1)
    respond = commands.add_parser("respond", help="a best response to a frozen player")
    respond.add_argument("--against", required=True, help="a scripted policy, a net's file, or any agent to imitate")
    respond.add_argument("--games", type=_number(GAMES), default=200_000, help="games of the measurement at the end")
    respond.add_argument(
        "--processes", type=_number(EACH_CORE), default=1, help="processes in which an agent is watched"
    )
    respond.set_defaults(run=_train)
    for command in (train, respond):
        command.add_argument("folder", type=Path, help="for checkpoint, curve and net; goes on if it has a checkpoint")
        command.add_argument("--config", default="champion", choices=sorted(PRESETS), help="where to start from")
        command.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="one setting")
        command.add_argument(
            "--seconds",
            type=_number(SECONDS),
            help="end with the iteration in which this time is over; starting and the last measurement come on top",
        )
        command.add_argument("--decisions", type=_number(RANGES["decisions"]), help="end after so many choices")
        command.add_argument("--force", action="store_true", help="write over results that lie in the folder")
        _where(command)

    positions = commands.add_parser("positions", help="what positions are worth, from the games of a champion")
    positions.add_argument("file", type=Path, help="where to write the net")
    positions.add_argument("--rules", default="house", help="the rules, by name: the package's champion for them plays")
    positions.add_argument("--champion", type=Path, help="the file of the champion that plays instead")
    positions.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="one setting")
    positions.add_argument("--seconds", type=_number(SECONDS), help="end after this time")
    _where(positions)
    positions.set_defaults(run=_positions)

    imitation = commands.add_parser("imitate", help="a net that plays as an agent does")
    imitation.add_argument("file", type=Path, help="where to write the net")
    imitation.add_argument("--agent", required=True, help="whom to watch, as the arena names it")
    imitation.add_argument("--rules", default="house", help="the rules, by name")
    imitation.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="one setting")
    imitation.add_argument("--seconds", type=_number(SECONDS), help="watch for so long")
    imitation.add_argument("--processes", type=_number(EACH_CORE), default=1, help="processes that play")
    _device(imitation)
    imitation.set_defaults(run=_imitate)

    export = commands.add_parser("export", help="from a checkpoint to the file of a net")
    export.add_argument("folder", type=Path)
    export.add_argument("file", type=Path)
    export.add_argument("--last", action="store_true", help="the last player, not the averaged one")
    export.add_argument("--command", default="", help="the command that trained it, to be kept in the file")
    export.set_defaults(run=_export)

    evaluate = commands.add_parser("evaluate", help="points of a net")
    evaluate.add_argument("file", type=Path)
    evaluate.add_argument("--against", nargs="*", default=["random", "baseline", "heuristic"])
    evaluate.add_argument("--games", type=_number(GAMES), default=100_000)
    evaluate.add_argument("--seed", type=_number(SEED), default=0)
    _where(evaluate)
    evaluate.set_defaults(run=_evaluate)

    for command in (positions, imitation, export):
        command.add_argument("--force", action="store_true", help="write over a file that is there")

    exact = commands.add_parser("exact", help="over the whole tree of a mini deck")
    exact.add_argument("file")
    exact.add_argument(
        "--against", default="", help="a scripted policy or the file of a net that it was trained against"
    )
    exact.set_defaults(run=lambda options: print(report_exact(options.file, options.against)))
    return parser


def _number(kind: Whole | Real) -> Callable[[str], float]:
    """Return what reads an option of this range."""

    def read(text: str) -> float:
        try:
            return kind.read(text)
        except InvalidNumber as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return read


def _where(command: argparse.ArgumentParser) -> None:
    _device(command)
    command.add_argument(
        "--threads", type=_number(Whole(0, THREADS.most)), default=0, help="threads for games; one a core if not given"
    )


def _device(command: argparse.ArgumentParser) -> None:
    command.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")


def _train(options: argparse.Namespace) -> None:
    folder: Path = options.folder
    settings = parsed_settings(options.set)
    if options.decisions is not None:
        set_once(settings, "decisions", str(options.decisions))
    trainer, seconds = begun_or_resumed(
        folder, options.config, settings, options.against, options.device, options.threads, options.seconds,
        options.processes, _watching(), options.force,
    )  # fmt: skip
    if trainer.progress.iteration:
        print(f"goes on from {folder / CHECKPOINT}: {line(trainer.progress)}", flush=True)
    print(f"{trainer.config} on {options.device}, torch {torch.__version__}", flush=True)
    try:
        trainer.run(seconds, folder, lambda progress: print(line(progress), flush=True))
        files, response = finished(trainer, folder, shlex.join([*PROGRAM.split(), *sys.argv[1:]]), options.games)
        print(f"wrote {', '.join(map(str, files))}")
        if response is not None:
            print(response)
    finally:
        trainer.close()


def _watching() -> Watching:
    """Return what says how far the watching of an agent is: at each tenth of it."""
    told = 0

    def tell(choices: int, done: float) -> None:
        nonlocal told
        if int(10 * done) > told:
            told = int(10 * done)
            print(f"watched {10 * told} %, {choices:,} choices", flush=True)

    return tell


def _positions(options: argparse.Namespace) -> None:
    claim(options.file, options.force, [] if options.champion is None else [options.champion])
    champion = pretrained_policy(Rules.parse(options.rules)) if options.champion is None else load_net(options.champion)
    config = changed(PositionConfig(), parsed_settings(options.set))
    trainer = PositionTrainer(champion, config, options.device, options.threads)
    print(f"{config} on {options.device}, torch {torch.__version__}", flush=True)
    try:
        net = trainer.run(options.seconds, lambda progress: print(progress, flush=True))
    finally:
        trainer.close()
    about = {**net.about, "command": shlex.join([*PROGRAM.split(), *sys.argv[1:]]), "torch": torch.__version__}
    replace(net, about=about).save(options.file, options.force)
    print(f"wrote {options.file}")


def _imitate(options: argparse.Namespace) -> None:
    claim(options.file, options.force, AgentSpec.parse(options.agent).reads)
    config = changed(ImitationConfig(), parsed_settings(options.set))
    rules, watching = Rules.parse(options.rules), _watching()
    found = imitate(options.agent, rules, config, options.device, options.processes, options.seconds, watching)
    about = {**found.champion.about, "command": shlex.join([*PROGRAM.split(), *sys.argv[1:]])}
    replace(found.champion, about=about).save(options.file, options.force)
    print(f"wrote {options.file}, which {found}")


def line(progress: TrainingProgress) -> str:
    """Return how training stands, in one line."""
    strength = " ".join(
        f"v {name} {100 * points:.1f} ± {100 * half:.1f} %" for name, (points, half) in progress.strength.items()
    )
    return (
        f"{100 * progress.done:5.1f} % {progress.iteration:5d} {progress.decisions / 1e6:8.1f} M choices "
        f"{progress.moves / 1e6:8.1f} M moves {progress.seconds:6.0f} s  {progress.rate / 1e3:6.0f} k choices/s "
        f"{progress.move_rate / 1e3:6.0f} k moves/s  entropy {progress.entropy:.3f} KL {progress.moved:.4f} "
        f"value {progress.value_loss:.3f} critic {progress.critic_loss:.3f} forgotten {progress.forgotten} {strength}"
    )


def _export(options: argparse.Namespace) -> None:
    claim(options.file, options.force, [options.folder / CHECKPOINT])
    trainer = Trainer.resume(options.folder)
    try:
        write_net(trainer, options.file, options.last, options.command, options.force)
    finally:
        trainer.close()
    print(f"wrote {options.file}")


def _evaluate(options: argparse.Namespace) -> None:
    device = usable_device(options.device)
    champion = load_net(options.file)
    player = imported(champion.net, device)
    belief = champion.about.get("config", {}).get("belief", "exact")  # what it was trained with
    for name in options.against:
        other = None if is_policy(name) else load_net(name)
        if other is not None and other.about.get("config", {}).get("belief", "exact") != belief:
            raise InvalidTraining(
                f"{options.file} and {name} were trained with other beliefs: neither can play the other"
            )
        opponent = name if other is None else imported(other.net, device)
        measure = Measure(champion.rules, opponent, options.games, device, belief, options.threads)
        try:
            print(f"{options.file} v {name}: {measure(player, options.seed)}", flush=True)
        finally:
            measure.close()


if __name__ == "__main__":
    sys.exit(main())
