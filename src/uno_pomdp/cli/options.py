"""Options that several commands share, with their help."""

from pathlib import Path
from typing import Annotated

import typer

RulesName = Annotated[str, typer.Option("--rules", help="The rules by name; see `uno-pomdp rules`.")]
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
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
