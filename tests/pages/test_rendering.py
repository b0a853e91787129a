"""Templates: every value is escaped, none may be missing; a page links what it loads, or holds it."""

import json
import re
from base64 import b64encode
from hashlib import sha256

import pytest
from jinja2 import DictLoader, Environment, UndefinedError

from uno_pomdp.errors import UnusableFile
from uno_pomdp.pages import rendering
from uno_pomdp.pages.rendering import asset, asset_names, media_type, render

TEMPLATE = """{% extends "base.html" %}
{% set styles = ["base.css"] %}
{% set scripts = ["cards.js"] %}
{% block title %}{{ name }}{% endblock %}
{% block body %}<p title="{{ name }}">{{ name }}</p>
<script type="application/json" id="data">{{ data | tojson }}</script>{% endblock %}
"""
BAD = "</script><script>alert(1)</script><!-- ' \" & \u2028"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let there be a small template."""
    environment: Environment = rendering._environment()
    assert environment.loader is not None
    base = environment.loader.get_source(environment, "base.html")[0]
    monkeypatch.setattr(environment, "loader", DictLoader({"base.html": base, "small.html": TEMPLATE}))


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("inline", [False, True])
def test_values_are_text_and_data_comes_back_as_it_was(inline: bool) -> None:
    text = render("small.html", inline=inline, name=BAD, data={"name": BAD})
    assert "alert(1)</script>" not in text
    assert text.count("&lt;/script&gt;&lt;script&gt;alert(1)") == 3
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    assert not set("<>&\u2028") & set(found[1])
    assert json.loads(found[1]) == {"name": BAD}


@pytest.mark.usefixtures("small")
def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="'name' is undefined"):
        render("small.html", data=0)


@pytest.mark.usefixtures("small")
def test_a_page_of_the_server_has_nothing_inline() -> None:
    text = render("small.html", name="", data=0)
    assert '<link rel="stylesheet" href="/static/base.css">' in text
    assert '<script type="module" src="/static/cards.js"></script>' in text
    assert "<style" not in text
    assert re.findall(r"<script(?! type=\"application/json\")[^>]*>(.+?)</script>", text) == []


@pytest.mark.usefixtures("small")
def test_a_single_file_holds_all_and_its_policy_allows_that_alone() -> None:
    text = render("small.html", inline=True, name="", data=0)
    assert not re.search(r"\b(src|href)=", text)
    style, script = (re.search(rf"<{tag}>(.*?)</", text, re.DOTALL) for tag in ("style", 'script type="module"'))
    assert style is not None
    assert script is not None
    assert asset("base.css").decode("utf-8") in style[1]
    assert "function cardSvg(" in script[1]
    hashes = [b64encode(sha256(each[1].encode("utf-8")).digest()).decode("ascii") for each in (style, script)]
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    assert policy[1].split("; ") == [
        "default-src 'none'",
        f"style-src 'sha256-{hashes[0]}'",
        f"script-src 'sha256-{hashes[1]}'",
        "base-uri 'none'",
    ]
    assert text.index("Content-Security-Policy") < text.index("<style>")


@pytest.mark.parametrize("name", ["", "nothing.js", "../rendering.py", "/etc/passwd", ".", "base.css/"])
def test_only_assets_are_handed_out(name: str) -> None:
    with pytest.raises(UnusableFile, match=r"among the assets: they are .*base\.css, "):
        asset(name)


def test_every_asset_has_a_media_type_and_is_text() -> None:
    assert {"base.css", "cards.js", "elements.js"} <= set(asset_names())
    for name in asset_names():
        assert media_type(name).startswith(("text/", "image/svg+xml"))
        assert asset(name).decode("utf-8").endswith("\n")
