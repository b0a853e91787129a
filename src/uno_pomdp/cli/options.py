"""Options that several commands share, with their help."""

from pathlib import Path
from typing import Annotated, Any

import typer

from uno_pomdp.rules import PRESETS


def complete_rules(incomplete: str) -> list[tuple[str, str]]:
    """Return the rules whose names begin so, for the shell."""
    return [(name, known.about) for name, known in PRESETS.items() if name.startswith(incomplete)]


def complete_agent(incomplete: str) -> list[tuple[str, str]]:
    """Return the agents whose names begin so, or the options of the agent that is already named, for the shell."""
    from uno_pomdp.registry import AGENTS, options_of

    name, colon, rest = incomplete.partition(":")
    if not colon:
        return [(known, entry.about) for known, entry in AGENTS.items() if known.startswith(name)]
    if name not in AGENTS:
        return []
    *given, last = rest.split(",")
    start = f"{name}:" + "".join(f"{one}," for one in given)
    return [(f"{start}{key}=", f"an option of {name}") for key in options_of(AGENTS[name]) if key.startswith(last)]


def agent_argument(metavar: str, about: str) -> Any:
    """Return an argument that names an agent."""
    return typer.Argument(metavar=metavar, help=about, autocompletion=complete_agent)


def agent_option(about: str, default: str | None = None) -> Any:
    """Return an option that names an agent, with what to call its default."""
    return typer.Option(metavar="AGENT", help=about, show_default=default or True, autocompletion=complete_agent)


RulesName = Annotated[
    str, typer.Option("--rules", help="The rules by name; see `uno-pomdp rules`.", autocompletion=complete_rules)
]
RulesIfNew = Annotated[
    str | None,
    typer.Option(
        "--rules",
        help="The rules by name; see `uno-pomdp rules`.",
        show_default="house",
        autocompletion=complete_rules,
    ),
]
"""Not for a saved game, which has its own."""
Seed = Annotated[int, typer.Option(min=0, help="Same seed, same result.")]
Pairs = Annotated[int, typer.Option(min=1, help="Deals of each match, each played twice with seats swapped.")]
Processes = Annotated[
    int | None,
    typer.Option(min=1, help="Processes on this machine.", show_default="one for each core; one for what is short"),
]
ClusterAddress = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help="Play on a Dask cluster: its scheduler's address."),
]
Records = Annotated[Path | None, typer.Option(metavar="DIR", help="Write the text of every game into this folder.")]
Force = Annotated[bool, typer.Option("--force", help="Write over files that are there already.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
