"""A review as a page: one self-contained file, or a page of a server with the same template.

The file asks for nothing from elsewhere. Its list of moves can be read without scripts; with them it has a board.
"""

from typing import Final

from markupsafe import Markup

from uno_pomdp.pages.rendering import render
from uno_pomdp.review.graph import graph
from uno_pomdp.review.judgement import Review
from uno_pomdp.review.page_data import Values, page_data, page_values

VERSION: Final = 2
"""Of what the template is given: it does not know values that an older version kept."""


def page(review: Review, inline: bool = True) -> str:
    """Return the whole page; with `inline` it holds its styles and scripts, without it loads them from its server."""
    values = shown_values(review)
    values["graph"] = Markup(values["graph"])  # made of figures and names of actions alone
    return render("review.html", inline=inline, **values)


def shown_values(review: Review) -> Values:
    """Return all that the template is given, as plain values that can be kept."""
    return {"data": page_data(review), "graph": graph(review), **page_values(review)}
