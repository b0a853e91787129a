"""Templates and what they load: a page that links its styles and scripts, or one file that holds them.

A page is a template below `templates/` that extends `base.html`; it names its styles and scripts, which lie below
`static/`. With `inline=True` all of them are written into the page: it then needs nothing else, and its
Content-Security-Policy keeps it from asking for anything.

Values are text until a template says otherwise: every one is escaped, and one that is missing is an error.
"""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from uno_pomdp.errors import UnusableFile, quoted
from uno_pomdp.pages.modules import bundled

PLACE: Final = "/static"
"""Where a server has the assets."""
MEDIA_TYPES: Final = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
"""By ending, what an asset is."""


def render(name: str, /, *, inline: bool = False, **values: object) -> str:
    """Return the page of a template; `inline` writes its styles and scripts into it."""
    return _environment().get_template(name).render(inline=inline, **values)


def asset(name: str) -> bytes:
    """Return a style or script as it lies in the package."""
    if name not in asset_names():
        raise UnusableFile(f"there is no {quoted(name)} among the assets: they are {', '.join(asset_names())}")
    return files(__package__).joinpath("static", name).read_bytes()


@cache
def asset_names() -> tuple[str, ...]:
    """Return the names of all assets: a server hands out these and nothing else."""
    return tuple(sorted(each.name for each in files(__package__).joinpath("static").iterdir() if each.is_file()))


def media_type(name: str) -> str:
    """Return the media type of an asset."""
    return MEDIA_TYPES[name.rpartition(".")[2]]


# --- inside templates ------------------------------------------------------------------------------------


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("uno_pomdp.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals |= {"linked": _linked, "inlined": _inlined}
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    return environment


def _linked(styles: list[str], scripts: list[str]) -> Markup:
    """Return the elements that load styles and scripts from the server."""
    parts = [Markup('<link rel="stylesheet" href="{}/{}">').format(PLACE, _known(name)) for name in styles]
    parts += [Markup('<script type="module" src="{}/{}"></script>').format(PLACE, _known(name)) for name in scripts]
    return Markup("\n").join(parts)


def _inlined(styles: list[str], scripts: list[str]) -> Markup:
    """Return styles and scripts as elements of the page, behind a policy that allows them and nothing else."""
    style = "\n" + "\n".join(_text(name) for name in styles)
    script = "\n" + bundled(scripts, _text)
    for content, end in ((style, "</style"), (script, "</script"), (script, "<!--")):
        assert end not in content.lower(), f"an asset with {end!r} can't be written into a page"
    policy = f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'"
    return Markup(
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<style>{style}</style>\n<script type="module">{script}</script>'
    )


def _known(name: str) -> str:
    assert name in asset_names(), f"there is no asset {name}"
    return name


def _text(name: str) -> str:
    return asset(name).decode("utf-8")


def _hash(content: str) -> str:
    """Return what a policy knows an inline element by."""
    return f"sha256-{b64encode(sha256(content.encode('utf-8')).digest()).decode('ascii')}"
