"""P13: what anybody writes cannot run on the page, draw on it, fetch for it or leave the machine from it."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest

from quorate import presets
from quorate.errors import BadPanel
from quorate.model import Ask, Found, Panel, Question, Reply, Seat, SeatModel
from quorate.model.ask import Errand
from quorate.model.evidence import Passage
from quorate.testing import argument, assessment, ballot, finding, vote
from quorate.views import Record
from tests.browser.conftest import Opener, Watched
from tests.browser.payloads import payloads
from tests.browser.records import ID, record
from tests.browser.stage import staged
from tests.play import convened, nothing, play, words

pytestmark = [pytest.mark.browser, pytest.mark.promise]

PAYLOADS = 2_000
PROTOCOLS = ("tribunal", "conference", "debate", "oracle")
ALLOWED = {
    *("html", "head", "meta", "title", "link", "style", "body", "script", "div", "main", "header", "footer", "nav"),
    *("section", "article", "aside", "h1", "h2", "h3", "h4", "p", "ul", "ol", "li", "dl", "dt", "dd", "figure"),
    *("figcaption", "blockquote", "details", "summary", "span", "bdi", "i", "strong", "em", "code", "pre", "br", "hr"),
    *("a", "button", "input", "textarea", "label", "select", "option", "form", "fieldset", "legend", "dialog", "table"),
    *("thead", "tbody", "tr", "th", "td", "svg", "g", "path", "line", "text", "polyline", "rect", "circle", "polygon"),
    *("caption", "datalist", "mark", "output", "time"),
}
"""Every element that the page itself makes."""
LOOK = """() => {
  const every = [...document.querySelectorAll('*')];
  return {
    ran: typeof window.ran,
    tags: [...new Set(every.map((one) => one.localName))],
    handlers: every.flatMap((one) => one.getAttributeNames()).filter((name) => name.startsWith('on')),
    links: [...document.querySelectorAll('a[href]')].map((one) => [one.protocol, one.rel, one.target]),
    sources: every.filter((one) => ['src', 'srcset', 'poster', 'data', 'action'].some((name) => one.hasAttribute(name)))
      .map((one) => one.outerHTML),
  };
}"""
OPEN = "for (const one of document.querySelectorAll('details')) one.open = true"


class Hostile:
    """Says payloads wherever there is room for words; keeps count of them."""

    def __init__(self, texts: Iterator[str]) -> None:
        self._texts = texts
        self.used = 0

    def some(self, count: int = 1) -> str:
        self.used += count
        return "\n\n".join(islice(self._texts, count))

    def name(self) -> str:
        self.used += 1
        return next(self._texts)

    def answer(self, ask: Ask) -> Reply:
        source = {"url": "http://192.0.2.1/x", "title": self.name(), "quote": self.name()}
        match ask.wants:
            case "decision":
                cast = ballot(ask, "WARN", 70, 30, self.name())
            case "vote":
                cast = vote(ask, self.name()[:200], 0.7, self.name(), more=False)
            case "finding":
                cast = finding(ask, "YES", 0.8, [source], self.name())
            case "argument":
                cast = argument(ask, [self.name()], [self.name()])
            case "assessment":
                cast = assessment(ask, 0.5)
            case _:
                return words(ask)
        return Reply(text=f"{self.some(4)}\n\n{cast}", model=self.name())

    def find(self, errand: Errand) -> Found:
        title = Passage(url="http://192.0.2.1/x", title=self.name(), text=self.some(2))
        return replace(nothing(errand), passages=(title,) if errand.kind == "find" else (), why="", by=self.name())


def deliberation(protocol: str, says: Hostile, put: str = "Should we?") -> Record:
    """A deliberation in which everything that anybody can write is a payload."""
    parts = presets.panel(protocol).panel.seats[:3]
    seats = tuple(replace(seat, name=says.name() + "\u200b" * at, role=says.name()) for at, seat in enumerate(parts))
    if protocol == "debate":  # there a seat is known by its name
        seats = tuple(replace(seat, role=says.name()) for seat in parts)
    begin = convened(panel_of(seats), protocol)
    more = (says.some(3), says.name(), (says.name(), "Keep it")) if put != "Should we?" else ("", "", ("A", "B"))
    question = Question(text=put, context=more[0], criteria=more[1], options=more[2])
    seated = tuple(SeatModel(seat=seat.name, model=says.name(), domain=says.name()) for seat in begin.panel)
    asked = question if protocol != "debate" else replace(question, options=())
    return record(play(replace(begin, question=asked, seated=seated), says.answer, find=says.find))


def panel_of(seats: tuple[Seat, ...]) -> Panel:
    try:
        return Panel(seats=seats)
    except BadPanel:  # two payloads may be alike
        return Panel(seats=tuple(replace(seat, name=f"{seat.name} {at}") for at, seat in enumerate(seats)))


def nothing_happened(seen: Watched, own: str) -> None:
    look = seen.page.evaluate(LOOK)

    assert look["ran"] == "undefined"
    assert set(look["tags"]) <= ALLOWED
    assert look["handlers"] == []
    assert all(
        protocol in {"http:", "https:"} and "noopener" in rel for protocol, rel, target in look["links"] if target
    )
    assert look["sources"] == [] or own.startswith("http")
    assert [url for url in seen.requests if not url.startswith((own, "blob:"))] == []
    seen.is_clean()


def test_two_thousand_payloads_stay_text_in_a_report(opener: Opener, seed: int) -> None:
    says = Hostile(payloads(random.Random(seed)))
    seen = opener.page()
    at = turns = 0
    while says.used < PAYLOADS:
        put = (
            says.name() if at // len(PROTOCOLS) % 2 else "Should we?"
        )  # many a payload is turned away, and then nobody speaks
        opened = opener.report(deliberation(PROTOCOLS[at % len(PROTOCOLS)], says, put), seen=seen)
        opened.page.evaluate(OPEN)
        nothing_happened(opened, "file:")
        turns += opened.page.locator(".turn").count()
        at += 1
    print(f"{says.used} payloads in {at} deliberations with {turns} speeches")  # noqa: T201  a figure to keep
    assert turns > at


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_payloads_stay_text_on_the_page_that_is_served(protocol: str, opener: Opener, seed: int) -> None:
    says = Hostile(payloads(random.Random(seed)))
    with staged(deliberation(protocol, says)) as stage:
        stage.words.append({"seat": says.name(), "round": "1", "about": "", "text": says.some(5)})
        stage.show()
        seen = opener.page()
        seen.page.goto(f"{stage.address}#/d/{ID}")
        seen.page.locator(".headline").wait_for()
        nothing_happened(seen, stage.address)


def test_the_net_catches_what_does_run(opener: Opener) -> None:
    seen = opener.page()
    seen.page.set_content(
        "<img src='http://127.0.0.1:9/x' onerror='window.ran=1'><a href='javascript:1' target=a>x</a>"
    )
    seen.page.wait_for_function("window.ran === 1")

    with pytest.raises(AssertionError):
        nothing_happened(seen, "file:")
    assert seen.requests == ["http://127.0.0.1:9/x"]
