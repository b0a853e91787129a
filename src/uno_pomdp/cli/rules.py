"""`uno-pomdp rules`: the games that have a name."""

from typing import Any

from rich.table import Table

from uno_pomdp.cards import STANDARD_DECK
from uno_pomdp.cli.console import out, print_json
from uno_pomdp.rules import CHOICES, FIELDS, PRESETS, Rules, preset


def show_all(as_json: bool) -> None:
    """List all presets."""
    if as_json:
        print_json([{"name": name, "about": known.about} | fields(known.rules) for name, known in PRESETS.items()])
        return
    table = Table(box=None, pad_edge=False)
    for title in ("name", "cards", "hands", "what"):
        table.add_column(title, justify="right" if title in ("cards", "hands") else "left")
    for name, known in PRESETS.items():
        table.add_row(name, str(len(known.rules.deck)), str(known.rules.hand_size), known.about)
    out.print(table)


def show_one(name: str, as_json: bool) -> None:
    """Show every field of one preset."""
    rules, about = preset(name), PRESETS[name].about
    if as_json:
        print_json({"name": name, "about": about} | fields(rules))
        return
    out.print(f"{name}: {about}", style="bold", markup=False)
    table = Table(box=None, pad_edge=False, show_header=False)
    for field, value in fields(rules).items():
        others = [choice for choice in CHOICES.get(field, ()) if choice != value]
        table.add_row(field, str(value), f"not {', '.join(others)}" if others else "", style=None)
    out.print(table)


def fields(rules: Rules) -> dict[str, Any]:
    """Return the fields of rules with plain values."""
    deck = "standard" if rules.deck == STANDARD_DECK else str(rules.deck)
    return {name: deck if name == "deck" else getattr(rules, name) for name in FIELDS}
