"""`uno-pomdp schema`: what programs may rely on in the engine's lines and in every `--json`."""

from typing import Annotated

import typer

from uno_pomdp.cli.app import app
from uno_pomdp.cli.options import AsJson


def complete_schema(incomplete: str) -> list[str]:
    """Return the schemas whose names begin so, for the shell."""
    from uno_pomdp.schemas import names

    return [name for name in names() if name.startswith(incomplete)]


@app.command(epilog="Examples: uno-pomdp schema · uno-pomdp schema engine-reply")
def schema(
    name: Annotated[
        str | None,
        typer.Argument(metavar="SCHEMA", help="Which; without it, their names.", autocompletion=complete_schema),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the JSON Schema of the engine's requests or replies, or of what a command prints with --json."""
    from uno_pomdp.cli.ui.console import out, print_json
    from uno_pomdp.schemas import names
    from uno_pomdp.schemas import schema as schema_called

    if name is not None:
        print_json(schema_called(name))
    elif as_json:
        print_json(names())
    else:
        out.print("\n".join(names()))
