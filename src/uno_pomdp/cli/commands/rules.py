"""`uno-pomdp rules`: the games that have a name."""

from typing import Any

from rich.table import Table
from rich.text import Text

from uno_pomdp.cli.ui.console import out, print_json
from uno_pomdp.rules import MEANINGS, PRESETS, Rules, deck_text, preset


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
    table.add_row("deck", f"{len(rules.deck)} cards", fields(rules)["deck"])
    table.add_row("hand_size", str(rules.hand_size), "cards dealt to each player")
    for field, (about_it, words) in MEANINGS.items():
        table.add_row(field, getattr(rules, field), f"{about_it} {rules.meaning(field)}")
        for other, meaning in words.items():
            if other != getattr(rules, field):
                table.add_row("", "", Text(f"{other} would be: {meaning}", "dim"))
    out.print(table)


def fields(rules: Rules) -> dict[str, Any]:
    """Return rules as JSON values, with the name of the standard deck in place of its 108 cards."""
    return rules.to_json() | {"deck": deck_text(rules.deck)}
