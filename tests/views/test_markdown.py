"""A conference as a transcript with its votes."""

from quorate.views import Record
from quorate.views.markdown import markdown
from quorate.views.minutes import minutes
from tests.play import convened, play, words
from tests.tribunal import PANEL
from tests.views.discussion import SELECTIVE, STRUCTURED, WORKED, discussed

FORGED = "Pick | this\n## Verdict\n<script>"


def headings(page: str) -> list[str]:
    return [line for line in page.splitlines() if line.startswith("#")]


def test_rounds_come_first_then_similarity_then_votes_then_the_verdict() -> None:
    page = markdown(discussed(WORKED))

    assert [line for line in headings(page) if line.startswith("## ")] == [
        "## Seats",
        "## Round 1",
        "## Round 2",
        "## Similarity",
        "## Voting",
        "## Verdict",
    ]


def test_votes_of_each_round_and_the_final_tally_are_tables() -> None:
    lines = markdown(discussed(WORKED)).splitlines()

    assert f"| Alpha | {STRUCTURED} | 80 % | yes |  | Alpha says so |" in lines
    assert f"| Alpha | {SELECTIVE} | 90 % | no | {SELECTIVE} | Alpha says so |" in lines
    assert f"| {SELECTIVE} | 3 |" in lines


def test_options_counted_as_one_stand_with_score_and_reason() -> None:
    votes = {
        ("Alpha", "1"): ("Self-documenting code", 0.8, False),
        ("Beta", "1"): ("Prioritize self-documenting code", 0.8, False),
        ("Gamma", "1"): ("Do not document code", 0.8, False),
    }

    page = markdown(discussed(votes, ("mode", "quick")))

    assert "- Self-documenting code: Self-documenting code; Prioritize self-documenting code" in page
    assert "| Self-documenting code | Prioritize self-documenting code | " in page
    assert "| yes | the same words, at least 0.70 |" in page
    assert "| Self-documenting code | 2 |" in page


def test_nothing_a_model_wrote_forges_a_heading_or_a_cell() -> None:
    votes = {(seat, "1"): (FORGED, 0.9, False) for seat in ("Alpha", "Beta", "Gamma")}

    page = markdown(discussed(votes, ("mode", "quick")))

    assert headings(page).count("## Verdict") == 1
    assert "<script>" not in page
    assert "Pick \\| this ## Verdict" in page


def test_a_summary_is_marked_as_one() -> None:
    page = markdown(discussed({**WORKED, ("Beta", "summary"): "CONSENSUS: flags."}, ("summary", "Beta")))

    assert "## Summary\n\nWritten by the model of Beta after the last vote; nothing was decided on it." in page
    assert "> CONSENSUS: flags." in page
    assert "## Round 3" not in page


def test_without_votes_it_says_so() -> None:
    page = markdown(discussed({}, ("mode", "quick")))

    assert "No valid vote was cast." in page
    assert "### Alpha: silent (timeout)" in page


def test_a_tribunal_is_shown_as_its_minutes() -> None:
    record = Record(id="a" * 26, events=play(convened(PANEL), words))

    assert markdown(record) == minutes(record)
