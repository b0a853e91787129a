"""Write the tables of docs/agents.md: every agent, and every option of agents and beliefs, from `agent_kinds`."""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from uno_pomdp.agent_kinds import AGENTS, BELIEFS
from uno_pomdp.agent_options import Option, options_of

PAGE: Final = Path(__file__).parents[1] / "docs" / "agents.md"
TABLE: Final = re.compile(r"(<!-- (\w+): python tools/agents_page\.py -->\n)[^<]*(<!-- end -->)")
"""A table between two comments, the first of which names it."""


def tables() -> dict[str, str]:
    """Return all tables by name."""
    agents = {name: options_of(kind) for name, kind in AGENTS.items() if kind.options()}
    return {
        "agents": table(("agent", "what it does"), ((f"`{name}`", kind.about) for name, kind in AGENTS.items())),
        "options": table(("option", "agents", "value", "default", "meaning"), rows(agents)),
        "beliefs": table(("belief", "what it is"), ((f"`{name}`", kind.about) for name, kind in BELIEFS.items())),
        "belief_options": table(
            ("option", "beliefs", "value", "default", "meaning"),
            rows({name: options_of(kind) for name, kind in BELIEFS.items()}),
        ),
    }


def rows(kinds: Mapping[str, Mapping[str, Option]]) -> Iterable[tuple[str, ...]]:
    """Return a row for each option, with all kinds that have it in the same sense."""
    found: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for kind, options in kinds.items():
        for name, option in options.items():
            defaults = found.setdefault((name, option.takes, option.about), {})
            defaults.setdefault(f"`{option.default}`" if option.default else "", []).append(f"`{kind}`")
    for (name, takes, about), defaults in found.items():
        whose = ", ".join(kind for named in defaults.values() for kind in named)
        several = {f"{default} ({', '.join(named)})" for default, named in defaults.items() if default}
        yield (
            f"`{name}`",
            whose,
            takes,
            ", ".join(sorted(several)) if len(defaults) > 1 else next(iter(defaults)),
            about,
        )


def table(titles: Sequence[str], lines: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown."""
    head, *rest = (f"| {' | '.join(line)} |\n" for line in (titles, *lines))
    return head + "|---" * len(titles) + "|\n" + "".join(rest)


def page(text: str) -> str:
    """Return the page with its tables written anew."""
    written = tables()
    return TABLE.sub(lambda found: f"{found[1]}\n{written[found[2]]}\n{found[3]}", text)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.exit(0)
