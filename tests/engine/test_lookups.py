"""Looking before answering, held for real: files on a disk, a ledger, a crash at any entry, steps, limits, consent."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from quorate.engine.due_steps import ASK, DueStep, due_steps
from quorate.engine.runner import Runner
from quorate.engine.stepper import Stepper
from quorate.engine.verify import verify_record
from quorate.errors import BadSetting, NotTrusted
from quorate.ledger import Ledger, open_ledger
from quorate.model import Ask, AskKey, Convened, Event, Found, Limits, LookupTerms, Reply, Silent, Spoken
from quorate.offline.forecast import forecast
from quorate.panelists import WordListener, ignore_words
from quorate.settings.consent import admit_settings
from quorate.settings.convene import convene
from quorate.settings.panel_file import load_charter
from quorate.settings.panel_file_writer import dump
from quorate.settings.resolve import resolve
from quorate.testing import lookup
from quorate.views import Record
from quorate.views.card import rows
from quorate.views.document import document
from quorate.views.floor import floor
from quorate.views.minutes import minutes
from quorate.views.result import Result
from tests.play import convened, words
from tests.tribunal import PANEL

KEY = "sk-proj-canary0123456789abcdef"
ID = "c" * 26


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "backup.md").write_text("The last backup was restored on Monday.\n")
    (folder / "config.py").write_text(f"LEVEL = 3\nAPI_KEY = '{KEY}'\n")
    (folder / ".env").write_text(f"OPENAI_API_KEY={KEY}\n")
    return folder


class Looks:
    """Lists, reads and searches once before each answer, and counts what it is asked."""

    def __init__(self, times: int = 1) -> None:
        self.times, self.asked = times, list[AskKey]()
        self.prompts: dict[AskKey, str] = {}

    async def answer(self, ask: Ask, _: WordListener = ignore_words) -> Reply:
        self.asked.append(ask.key)
        self.prompts[ask.key] = ask.prompt.template
        if ask.looked >= self.times:
            return words(ask)
        wanted = ({"list": "."}, {"read": "backup.md"}, {"read": "config.py"}, {"read": ".env"})
        return Reply(text="\n".join(lookup(ask, **one) for one in wanted))


def looking(root: Path, protocol: str = "tribunal", **limits: int) -> Convened:
    begin = replace(convened(PANEL, protocol), lookups=LookupTerms(root=str(root), replies=2))
    return replace(begin, limits=Limits(**limits)) if limits else begin  # type: ignore[arg-type]


async def held(begin: Convened, panelist: Looks, ledger: Ledger | None = None) -> Record:
    async with Runner(ledger or open_ledger(":memory:")) as runner:
        return await runner.hold(begin, panelists=dict.fromkeys((seat.name for seat in PANEL), panelist))


async def test_a_seat_reads_what_it_asked_for_and_the_record_holds_it_once(root: Path) -> None:
    panelist = Looks()
    record = await held(looking(root), panelist)

    finds = [event for event in record.events if isinstance(event, Found)]
    looked = [event for event in record.events if isinstance(event, Spoken) and event.lookups]
    assert len(finds) == len(looked) == len({find.key for find in finds}) > 3
    assert len(panelist.asked) == len(set(panelist.asked))
    prompt = panelist.prompts[AskKey("analysis", "Safety", "", 2)]
    assert "The last backup was restored on Monday." in prompt
    assert "backup.md (40 bytes)" in prompt
    assert verify_record(record).state == "holds"


async def test_no_secret_of_a_file_goes_into_a_prompt_or_the_record(root: Path) -> None:
    panelist = Looks()
    record = await held(looking(root), panelist)

    assert all(KEY not in prompt for prompt in panelist.prompts.values())
    assert KEY not in repr(record.events)
    prompt = panelist.prompts[AskKey("analysis", "Safety", "", 2)]
    assert "API_KEY = '[secret-1]'" in prompt
    assert "it bears a name that secrets usually have" in prompt


async def test_what_was_looked_up_stands_in_the_minutes_the_card_the_document_and_the_page(root: Path) -> None:
    record = await held(looking(root), Looks())

    assert "- file backup.md, lines 1 to 1 of 1" in minutes(record)
    assert "- file .env (nothing: it bears a name that secrets" in minutes(record)
    assert dict(rows(Result.of(record)))["looked up"][0].startswith("Utility: ")
    listed = document(record)["lookups"]
    assert isinstance(listed, list)
    assert listed[1] | {"attempt": 1} == listed[1]
    assert (listed[1]["path"], listed[1]["found"], listed[3]["found"]) == ("backup.md", True, False)
    assert "restored on Monday" not in repr(listed), "the document says what was seen, not its content"
    spoken = next(event for event in record.events if isinstance(event, Spoken) and event.lookups)
    assert floor(spoken, record.state)["lookups"][1] == "file backup.md"  # type: ignore[index]


async def test_without_lookups_the_document_says_nothing_of_them() -> None:
    record = await held(convened(PANEL), Looks(times=0))

    assert "lookups" not in document(record)
    assert "looked up" not in dict(rows(Result.of(record)))


async def resumed(events: Sequence[Event], panelist: Looks) -> Record:
    ledger = open_ledger(":memory:")
    async with ledger.own(ID, fresh=True) as book:
        for event in events:
            book.write(event)
    async with Runner(ledger) as runner:
        return await runner.resume(ID, panelists=dict.fromkeys((seat.name for seat in PANEL), panelist))


@pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.promise)])
async def test_cut_at_any_entry_it_goes_on_and_buys_nothing_twice(root: Path, step: int) -> None:
    whole = await held(looking(root), Looks())
    verdict = document(whole)["verdict"]

    for cut in range(1, len(whole.events), step):
        panelist = Looks()
        record = await resumed(whole.events[:cut], panelist)
        bought = {event.key for event in whole.events[:cut] if isinstance(event, Spoken | Silent)}
        assert not bought & set(panelist.asked), cut
        assert len(panelist.asked) == len(set(panelist.asked))
        assert document(record)["verdict"] == verdict
        finds = [event.key for event in record.events if isinstance(event, Found)]
        assert len(finds) == len(set(finds)), "looked up twice"


async def test_what_was_found_is_not_looked_up_again_though_the_files_have_changed(root: Path) -> None:
    whole = await held(looking(root), Looks())
    at = max(number for number, event in enumerate(whole.events, 1) if isinstance(event, Found))
    (root / "backup.md").write_text("Nothing was ever restored.\n")
    panelist = Looks()

    record = await resumed(whole.events[:at], panelist)

    assert "Nothing was ever" not in repr(record.events)
    assert verify_record(record).state == "holds"


async def test_where_the_folder_is_gone_the_seat_is_told_so_and_still_votes(root: Path) -> None:
    whole = await held(looking(root), Looks())
    at = next(number for number, event in enumerate(whole.events, 1) if isinstance(event, Spoken) and event.lookups)
    shutil.rmtree(root)
    panelist = Looks()

    record = await resumed(whole.events[:at], panelist)

    finds = [event for event in record.events if isinstance(event, Found)]
    assert all("the folder to look in is not there" in find.why for find in finds)
    assert document(record)["verdict"]["decided"] == document(whole)["verdict"]["decided"]  # type: ignore[index]


async def test_a_folder_that_is_not_there_is_refused_before_anybody_is_asked(tmp_path: Path) -> None:
    panelist = Looks()
    with pytest.raises(BadSetting, match="no folder"):
        await held(looking(tmp_path / "nowhere"), panelist)
    assert not panelist.asked


async def test_a_budget_ends_looking_as_it_ends_asking(root: Path) -> None:
    panelist = Looks(times=2)
    record = await held(looking(root, calls=4), panelist)

    assert len(panelist.asked) == 4
    assert {event.why for event in record.events if isinstance(event, Silent)} == {"budget"}
    assert document(record)["verdict"]["outcome"] == "REFUSE"  # type: ignore[index]


async def test_a_turn_that_puts_an_ask_sees_it_through_all_its_lookups(root: Path) -> None:
    """For frameworks with steps of their own: what a seat asks to see belongs to its ask."""
    panelist = Looks()
    async with Stepper(
        open_ledger(":memory:"), panelists=dict.fromkeys((seat.name for seat in PANEL), panelist)
    ) as stepper:
        id_ = await stepper.begin(looking(root))
        record = await stepper.take(id_, [DueStep(ASK, "analysis", "Safety", "")])
        spoken = [event for event in record.events if isinstance(event, Spoken)]
        assert [(event.seat, bool(event.lookups)) for event in spoken] == [("Safety", True), ("Safety", False)]
        assert {place.kind for place in due_steps(record.state)} == {ASK}
        whole = await stepper.take(id_)
    assert verify_record(whole).state == "holds"


def test_a_forecast_counts_every_lookup_there_may_be_in_the_most_and_none_in_what_is_likely(root: Path) -> None:
    with_, without = forecast(looking(root), {}), forecast(convened(PANEL), {})

    assert with_.likely.calls == without.likely.calls
    assert with_.most.calls == without.most.calls + 2 * len(with_.asks)
    assert with_.most.tokens > without.most.tokens


PANEL_FILE = "extends: tribunal\nmodel: openai:my-model\nlook_in: {}\nlook_limit: 2\n"


def settings(file: Path, home: Path, **said: str):  # type: ignore[no-untyped-def]  # noqa: ANN201 - Settings
    return resolve({"panel": str(file), **said}, {"OPENAI_API_KEY": "k"}, home)


def test_a_panel_file_that_opens_a_folder_needs_consent_even_for_its_own(root: Path, tmp_path: Path) -> None:
    file = root / "panel.yaml"
    file.write_text(PANEL_FILE.format("."))
    found = settings(file, tmp_path)

    with pytest.raises(NotTrusted, match="let the models list, read and search the files in"):
        admit_settings(found, {})
    allowed = admit_settings(found, {}, trust=True)
    assert allowed.draft.lookups == LookupTerms(root=str(root), replies=2)


def test_a_folder_that_the_user_typed_needs_none_and_goes_before_the_files(root: Path, tmp_path: Path) -> None:
    found = resolve({"look_in": str(root), "model": "openai:m"}, {}, tmp_path)

    assert admit_settings(found, {}).draft.lookups == LookupTerms(root=str(root), replies=3)
    assert resolve({"model": "openai:m"}, {}, tmp_path).draft.lookups is None
    with pytest.raises(BadSetting, match="from 1 to 10"):
        resolve({"look_limit": "11"}, {}, tmp_path)


async def test_a_record_from_elsewhere_opens_no_folder_without_consent(root: Path, tmp_path: Path) -> None:
    whole = await held(looking(root), Looks())
    consent = admit_settings(resolve({"model": "openai:m"}, {}, tmp_path), {}).consent
    ledger = open_ledger(":memory:")
    async with ledger.own(ID, fresh=True) as book:
        for event in whole.events[:5]:
            book.write(event)

    async with Runner(ledger, consent=consent) as runner:
        with pytest.raises(NotTrusted, match="let the models list, read and search"):
            await runner.resume(ID, panelists=dict.fromkeys((seat.name for seat in PANEL), Looks()))


def test_a_panel_with_a_folder_reads_back_as_it_was_written(root: Path, tmp_path: Path) -> None:
    charter = replace(load_charter("tribunal"), lookups=LookupTerms(root=str(root), replies=4))
    file = tmp_path / "panel.yaml"
    file.write_text(dump(charter))

    assert load_charter(str(file)).lookups == charter.lookups


def test_lookups_are_on_record_and_a_record_without_them_is_written_as_before(root: Path) -> None:
    charter = replace(load_charter("demo"), lookups=LookupTerms(root=str(root), replies=4))
    begin = looking(root)

    assert convene(begin.question, charter).lookups == charter.lookups
    assert convene(begin.question, replace(charter, lookups=None)).lookups is None
