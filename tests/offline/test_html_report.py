"""One file with everything in it: what is put in cannot get out, and nothing is left to fetch."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import pytest

from quorate.model import Ask, Panel, Question, Reply, Seat
from quorate.offline.html_report import bundle, html_report, page_files, safe_json, variable
from quorate.testing import ballot
from quorate.views import Record
from quorate.views.html_card import html_card
from tests.doors.hostile import EVIL
from tests.play import convened, play, words
from tests.written import QUESTIONS, golden

MARKUP = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(1)> & \" ' {x} \ud800"


class Seen(HTMLParser):
    """The elements of a page, and the text of its scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._open = tag if tag in ("script", "style") else ""

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts.setdefault(self._open, []).append(data)

    def tags(self) -> list[str]:
        return [tag for tag, _ in self.elements]


def data_of(page: str) -> Any:  # noqa: ANN401  a JSON document
    return json.loads(Seen(page).texts["script"][0])


def hostile() -> Record:
    def answer(ask: Ask) -> Reply:
        return Reply(text=f"{MARKUP}{EVIL}\n\n{ballot(ask, 'WARN', 70, 30, MARKUP)}") if ask.mark else words(ask)

    seats = tuple(Seat(name=f"{MARKUP}{at}", role=MARKUP) for at in range(3))
    begin = convened(Panel(seats=seats))
    question = Question(text=f"{MARKUP}{EVIL}", context=MARKUP)
    object.__setattr__(begin, "question", question)
    return Record(id="h" * 26, events=play(begin, answer))


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_report_holds_every_entry_and_fetches_nothing(name: str) -> None:
    record = golden(name)[0]
    page = html_report(record)

    assert [entry["number"] for entry in data_of(page)["entries"]] == list(range(1, len(record.events) + 1))
    for tag, attributes in Seen(page).elements:
        assert tag != "link" or (attributes["href"] or "").startswith("data:")
        assert "src" not in attributes
        assert not any(name.startswith("on") for name in attributes)


def test_what_runs_is_what_its_policy_names() -> None:
    page = Seen(html_report(golden("tribunal")[0]))
    (policy,) = (attributes["content"] for tag, attributes in page.elements if "http-equiv" in attributes)
    hashed = ["sha256-" + b64encode(sha256(text.encode()).digest()).decode() for text in page.texts["script"][1:]]

    assert re.findall(r"script-src '([^']*)'", policy or "") == hashed
    assert "default-src 'none'" in (policy or "")
    assert "unsafe" not in (policy or "")


def test_nobodys_text_becomes_an_element() -> None:
    plain, hostile_page = html_report(golden("tribunal")[0]), html_report(hostile())

    assert Seen(hostile_page).tags().count("script") == Seen(plain).tags().count("script") == 2
    assert "img" not in Seen(hostile_page).tags()
    assert data_of(hostile_page)["entries"][0]["floor"]["context"] == MARKUP
    hostile_page.replace("\ud800", "").encode()


def test_nothing_in_the_data_can_end_the_element_it_stands_in() -> None:
    text = safe_json({"text": f"{MARKUP}{EVIL}\u2028"})

    assert not set(text) & set("<>&\u2028\x00\u202e\ud800")
    assert json.loads(text) == {"text": f"{MARKUP}{EVIL}\u2028"}


def test_the_card_is_markup_of_ours_and_text_of_theirs() -> None:
    card = html_card(hostile(), styled=True)

    assert set(Seen(card).tags()) <= {"section", "p", "dl", "dt", "dd"}
    assert all(set(attributes) <= {"style"} for _, attributes in Seen(card).elements)
    assert "style" not in html_card(hostile(), styled=False).split(">")[0]


def test_a_debate_and_an_oracle_bring_what_is_drawn_of_them() -> None:
    assert set(data_of(html_report(golden("debate")[0]))["views"]) == {"debate"}
    assert set(data_of(html_report(golden("oracle")[0]))["views"]) == {"oracle"}


def test_modules_become_one_script_in_the_order_they_are_needed() -> None:
    script = bundle(
        {
            "main.js": 'import { two as both, one } from "./lib/a.js";\nimport tag from "./lib/b.js";\nrun(both);\n',
            "lib/a.js": 'export const one = 1;\nexport function two() {}\nexport { three } from "./b.js";\n',
            "lib/b.js": "const x=3;export{x as three};export default function(s){return s}",
        },
        "main.js",
    )

    assert script.index("m_lib_b =") < script.index("m_lib_a =") < script.index("m_main =")
    assert "const { two: both, one: one } = m_lib_a;" in script
    assert "three: m_lib_b.three" in script
    assert "const tag = m_lib_b.default;" in script
    assert not re.search(r"^\s*(import|export)\b", script, re.MULTILINE)


@pytest.mark.parametrize(
    ("sources", "complaint"),
    [
        ({"main.js": 'import { a } from "./gone.js";'}, "'gone.js' is missing"),
        ({"main.js": 'import { a } from "./main.js";'}, "'main.js' needs itself"),
        ({"main.js": 'import * as a from "./a.js";'}, "'import'"),
        ({"main.js": "export default class {}"}, "'export'"),
        ({"main.js": 'const a = "</script>";'}, "'</script'"),
    ],
)
def test_what_cannot_be_put_into_one_file_is_refused(sources: dict[str, str], complaint: str) -> None:
    with pytest.raises(ValueError, match=re.escape(complaint)):
        bundle(sources, "main.js")


def test_every_module_of_the_page_is_in_the_bundle() -> None:
    page = page_files()
    script = bundle(page, "main.js")

    for name in page:
        assert not name.endswith(".js") or f"const {variable(name)} =" in script
