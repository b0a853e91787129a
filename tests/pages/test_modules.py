"""Modules joined into one script: what is imported first, each once, and nothing that can't be joined."""

import re

import pytest

from uno_pomdp.pages.modules import bundled
from uno_pomdp.pages.rendering import asset

MODULES = {
    "a.js": 'import { b } from "./b.js";\nimport {\n  c,\n} from "./c.js";\nb(c);\n',
    "b.js": 'import { c } from "./c.js";\nexport function b(x) {}\n',
    "c.js": "export const c = 1;\n",
    "d.js": 'import { e } from "./e.js";\nexport const d = 1;\n',
    "e.js": 'import { d } from "./d.js";\nexport const e = 1;\n',
    "twice.js": 'import { c } from "./c.js";\nconst c = 2;\n',
    "default.js": "export default 1;\n",
    "far.js": 'import { x } from "https://example.org/x.js";\n',
}


def test_what_is_imported_comes_first_and_once() -> None:
    assert bundled(["a.js", "c.js"], MODULES.__getitem__) == "const c = 1;\n\nfunction b(x) {}\n\nb(c);\n"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("d.js", "d.js imports itself by way of d.js, e.js"),
        ("twice.js", "twice.js and c.js both declare c"),
        ("default.js", "default.js can't be joined with others"),
        ("far.js", "far.js can't be joined with others"),
    ],
)
def test_what_can_not_be_joined_is_refused(name: str, sentence: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(sentence)):
        bundled([name], MODULES.__getitem__)


def test_the_script_of_a_page_that_is_a_single_file_can_be_joined_with_what_it_imports() -> None:
    whole = bundled(["review.js"], lambda name: asset(name).decode("utf-8"))
    assert whole.index("function svg(") < whole.index("function cardSvg(") < whole.index("class ReviewBoard")
    assert not re.search(r"^(import|export)\b", whole, re.MULTILINE)
