"""Options that several commands share, with their help."""

import sys
from collections.abc import Callable
from glob import escape
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from uno_pomdp.cli.places import folder
from uno_pomdp.quantities import PAIRS, PROCESSES, SEED, InvalidNumber, Real, Whole
from uno_pomdp.rules import MEANINGS, PRESETS

Function = TypeVar("Function", bound=Callable[..., Any])

LEAST_MEMORY: Final = 512 * 2**20
"""Bytes of address space that libraries and kernels take on two cores; below it they fail in many ways."""
SEAT: Final = Whole(1, 2)
"""Player 1 or 2, as people count."""


def complete_rules(incomplete: str) -> list[tuple[str, str]]:
    """Return the rules whose names begin so, or how the preset that is named can be changed, for the shell."""
    said, comma, change = incomplete.rpartition(",")
    if not comma:
        return [(name, known.about) for name, known in PRESETS.items() if name.startswith(incomplete)]
    field, mark, _ = change.partition("=")
    if not mark:
        return [(f"{said},{each}=", about) for each, (about, _) in MEANINGS.items() if each.startswith(change)]
    values = MEANINGS[field][1] if field in MEANINGS else {}
    changes = [(f"{field}={value}", about) for value, about in values.items()]
    return [(f"{said},{each}", about) for each, about in changes if each.startswith(change)]


def complete_agent(incomplete: str) -> list[tuple[str, str]]:
    """Return the agents whose names begin so, or the options of the agent that is already named, for the shell."""
    from uno_pomdp.agent_kinds import AGENTS

    name, colon, rest = incomplete.partition(":")
    if not colon:
        return [(known, entry.about) for known, entry in AGENTS.items() if known.startswith(name)]
    if name not in AGENTS:
        return []
    *given, last = rest.split(",")
    start = f"{name}:" + "".join(f"{one}," for one in given)
    options = AGENTS[name].options().items()
    return [(f"{start}{key}=", option.about) for key, option in options if key.startswith(last)]


def complete_agent_or_game(incomplete: str) -> list[tuple[str, str]]:
    """Return the same, and the records of games and the folders whose names begin so."""
    found = sorted(Path().glob(f"{escape(incomplete)}*")) if not Path(incomplete).is_absolute() else []
    games = [(f"{path}", "a saved game") for path in found if path.suffix == ".txt"]
    return [*complete_agent(incomplete), *games, *((f"{path}/", "a folder") for path in found if path.is_dir())]


def complete_game(incomplete: str) -> list[tuple[str, str]]:
    """Return the saved games whose names begin so."""
    names = sorted(path.stem for path in folder().glob("*.txt"))
    return [(name, "a saved game") for name in names if name.startswith(incomplete)]


def complete_solver(incomplete: str) -> list[str]:
    """Return the solvers of mini decks whose names begin so, for the shell."""
    from uno_pomdp.equilibrium.cfr import VARIANTS

    return [name for name in VARIANTS if name.startswith(incomplete)]


def complete_config(incomplete: str) -> list[str]:
    """Return the configurations of a training whose names begin so, for the shell."""
    from uno_pomdp.learning.config import PRESETS as CONFIGURATIONS

    return [name for name in CONFIGURATIONS if name.startswith(incomplete)]


def number(kind: Whole | Real, about: str, *names: str, argument: bool = False, **more: Any) -> Any:
    """Return an option, or an argument, that takes a number in a range; another text is refused with the range."""

    def read(text: Any) -> Any:
        if not isinstance(text, str):  # a default
            return text
        try:
            return kind.read(text)
        except InvalidNumber as error:
            raise typer.BadParameter(str(error)) from error

    metavar = more.pop("metavar", "INT" if isinstance(kind, Whole) else "NUMBER")
    if argument:
        return typer.Argument(parser=read, metavar=metavar, help=about, **more)
    return typer.Option(*names, parser=read, metavar=metavar, help=about, **more)


class _PlainFlags:
    """A command whose help names no value for an option that takes none."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters of a command."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]  # of the command that it is mixed into
        for one in params:
            if getattr(one, "is_flag", False):
                one.metavar = ""
        return params


class _Group(_PlainFlags, TyperGroup):
    """All commands."""


class ExactCommand(_PlainFlags, TyperCommand):
    """A command that refuses what would count for nothing: an option given twice, and an empty text."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words of a command."""
        parsed: Any = self.make_parser(ctx).parse_args(args=list(args))
        given, _, order = parsed
        for option in order:
            if order.count(option) > 1 and not (getattr(option, "is_flag", False) or option.multiple):
                raise typer.BadParameter("it is given twice, and only one can count", ctx=ctx, param=option)
            said = given.get(option.name)
            texts = said if isinstance(said, list | tuple) else [said]
            if any(isinstance(text, str) and not text.strip() for text in texts):
                otherwise = "" if option.required else ", or leave it out"
                raise typer.BadParameter(f"it is empty: give a value{otherwise}", ctx=ctx, param=option)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command, if there is memory for it."""
        require_memory()
        return super().invoke(ctx)


def require_memory() -> None:
    """Raise an error where a limit leaves too little memory for Numba: its compiler would end the process unheard."""
    if sys.platform != "win32":
        import resource

        most, _ = resource.getrlimit(resource.RLIMIT_AS)
        if most != resource.RLIM_INFINITY and most < LEAST_MEMORY:
            raise MemoryError


class App(typer.Typer):
    """An application whose commands refuse what would count for nothing."""

    def __init__(self, **more: Any) -> None:
        super().__init__(cls=_Group, **more)

    def command(self, *names: Any, **more: Any) -> Callable[[Function], Function]:
        """Add a command."""
        return super().command(*names, cls=ExactCommand, **more)


def agent_argument(metavar: str, about: str) -> Any:
    """Return an argument that names an agent."""
    return typer.Argument(metavar=metavar, help=about, autocompletion=complete_agent)


def agent_option(about: str, default: str | None = None) -> Any:
    """Return an option that names an agent, with what to call its default."""
    return typer.Option(metavar="AGENT", help=about, show_default=default or True, autocompletion=complete_agent)


RulesName = Annotated[
    str,
    typer.Option(
        "--rules",
        metavar="RULES",
        help="The rules, as in house or house,stack=same; see `uno-pomdp rules`.",
        autocompletion=complete_rules,
    ),
]
RulesIfNew = Annotated[
    str | None,
    typer.Option(
        "--rules",
        metavar="RULES",
        help="The rules, as in house or house,stack=same; see `uno-pomdp rules`.",
        show_default="house",
        autocompletion=complete_rules,
    ),
]
"""Not for a saved game, which has its own."""
BeliefText = Annotated[
    str | None,
    typer.Option(
        "--belief",
        metavar="BELIEF",
        help="Shown beside the exact belief, with how it is doing, as in particles,model=greedy,particles=500.",
        show_default="particles with a policy like the opponent's",
    ),
]
Seed = Annotated[int, number(SEED, "Same seed, same result.")]
Pairs = Annotated[int, number(PAIRS, "Deals of each match, each played twice with seats swapped.")]
Processes = Annotated[
    int | None,
    number(PROCESSES, "Processes on this machine.", show_default="one for each core; one for what is short"),
]
ClusterAddress = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help="Play on a Dask cluster: its scheduler's address."),
]
Records = Annotated[Path | None, typer.Option(metavar="DIR", help="Write the text of every game into this folder.")]
LengthsPlot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Draw how long games are: .svg, .png or .pdf; needs `plots`."),
]
Force = Annotated[bool, typer.Option("--force", help="Write over files that are there already.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
