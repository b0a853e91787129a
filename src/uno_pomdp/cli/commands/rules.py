"""`uno-pomdp rules`: the games that have a name."""

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from uno_pomdp.cli.app import app
from uno_pomdp.cli.options import AsJson, complete_rules
from uno_pomdp.cli.ui.console import out, print_json
from uno_pomdp.quantities import count_of
from uno_pomdp.rules import MEANINGS, PRESETS, Preset, as_rules, deck_text


@app.command("rules", epilog="Example: uno-pomdp rules printed; uno-pomdp rules house,stack=same")
def list_rules(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Only these rules, in full.", autocompletion=complete_rules)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the rules that have a name, or all fields of those that are named."""
    show_all(as_json) if name is None else show_one(name, as_json)


def show_all(as_json: bool) -> None:
    """List all presets."""
    if as_json:
        print_json([known.to_json() for known in PRESETS.values()])
        return
    table = Table(box=None, pad_edge=False)
    for title in ("name", "cards", "hands", "what"):
        table.add_column(title, justify="right" if title in ("cards", "hands") else "left")
    for name, known in PRESETS.items():
        table.add_row(name, str(len(known.rules.deck)), str(known.rules.hand_size), known.about)
    out.print(table)


def show_one(name: str, as_json: bool) -> None:
    """Show every field of a preset, changed or not."""
    rules = as_rules(name)
    known = PRESETS.get(str(rules)) or Preset(rules, "a preset with changes")
    if as_json:
        print_json(known.to_json())
        return
    out.print(f"{rules}: {known.about}", style="bold", markup=False)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_row("deck", f"{count_of(len(rules.deck), 'card')}", deck_text(rules.deck))
    table.add_row("hand_size", str(rules.hand_size), "cards dealt to each player")
    for field, (about_it, words) in MEANINGS.items():
        table.add_row(field, getattr(rules, field), f"{about_it} {rules.meaning(field)}")
        for other, meaning in words.items():
            if other != getattr(rules, field):
                table.add_row("", "", Text(f"{other} would be: {meaning}", "dim"))
    out.print(table)
