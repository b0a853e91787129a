"""A page that is open in a browser, with all that it asked for and complained about."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

PHONE: Final = (390, 844)
DESKTOP: Final = (1280, 900)


@dataclass
class Visit:
    """One page in a context of its own."""

    context: "BrowserContext"
    """The window that it is open in."""
    page: "Page"
    """The page."""
    errors: list[str] = field(default_factory=list)
    """Errors and warnings of its console, and what a script threw."""
    requests: list[str] = field(default_factory=list)
    """The addresses that it asked for, its own first."""

    @classmethod
    def of(
        cls, browser: "Browser", address: str, size: tuple[int, int] = DESKTOP, dark: bool = False, script: bool = True
    ) -> "Visit":
        """Open a page in a window of this size, in light or dark, with or without scripts."""
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            java_script_enabled=script,
            reduced_motion="reduce",
        )
        page = context.new_page()
        page.set_default_timeout(5000)
        visit = cls(context, page)
        page.on("request", lambda request: visit.requests.append(request.url))
        page.on("pageerror", lambda error: visit.errors.append(str(error)))
        page.on("console", lambda line: visit.errors.append(line.text) if line.type in ("error", "warning") else None)
        page.goto(address)
        return visit

    def serious(self) -> list[str]:
        """Return what axe finds serious or critical in the page as it stands, with the first place of each."""
        from axe_playwright_python.sync_playwright import Axe

        found: list[dict[str, Any]] = Axe().run(self.page).response["violations"]
        return [
            f"{each['id']}: {each['help']}, as in {each['nodes'][0]['html'][:200]}"
            for each in found
            if each["impact"] in ("serious", "critical")
        ]

    def overflow(self) -> int:
        """Return by how many pixels the page is wider than its window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))

    def close(self) -> None:
        """Close the window."""
        self.context.close()
