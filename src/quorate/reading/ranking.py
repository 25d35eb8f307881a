"""A ranking: the options of a closed list in an order, the best first, equals together; and confidence from 0 to 1."""

from typing import Final

from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Ballot, Ranking
from quorate.reading.text.answer_fields import CONFIDENCE_OR_NONE, REASONING, WOULD_CHANGE, AnswerFields, FormField
from quorate.reading.text.listed_options import abstains, no_choice, option_names, told_options
from quorate.reading.text.object_form import object_form
from quorate.reading.text.order import Places, ordered_options, places_in_file, places_in_object
from quorate.reading.text.unreadable import STILL_SPEECH, ballot_reasons
from quorate.reading.vote import ABSTAIN, also_abstains, lacks_confidence

_EQUALS: Final = (
    "Name each option once. Put options that you hold to be equally good into a list of their own within the ranking. "
    "Options that you leave out come last, together."
)
_OPEN: Final = f"the options in a few clear words each, the best first. {_EQUALS}"
_BY_NUMBER: Final = f"the numbers of these options, each as a text, the best first. {_EQUALS}\n{{listed}}"
_BY_NAME: Final = f"these options, each as a text, word for word, the best first. {_EQUALS}\n{{listed}}"


def judge(fields: AnswerFields, terms: AnswerTerms) -> Ballot | str:
    """The order that these fields state, one of nothing at all for a seat that abstains."""
    if fields.part is None:
        places = places_in_file(fields.handed["ranking"], terms.options)
    else:
        places = places_in_object(fields.part, "ranking", terms.options)
    vote = places if isinstance(places, str) else _vote(places, terms.options)
    if isinstance(vote, str):
        return vote
    confidence, abstained = fields.share("confidence"), not vote.ranking
    why = lacks_confidence(fields, abstained=abstained) or also_abstains(fields, abstained=abstained)
    if why:
        return why
    return Ballot(vote=vote, confidence=confidence, rationale=fields.text("rationale"), abstain=abstained)


def _vote(places: Places, options: tuple[str, ...]) -> Ranking | str:
    words = [text for place in places for text in place]
    if any(no_choice(text) == "placeholder" for text in words):
        return "placeholder"
    return Ranking(()) if len(words) == 1 and abstains(words[0], options) else ordered_options(places, options)


def _schema(terms: AnswerTerms) -> dict[str, object]:
    listed = {"enum": option_names(terms.options)} if terms.options else {}
    place = {"type": "array", "items": {"type": "string", **listed}}
    return {"type": "array", "items": place, "description": "Places, the best first; equals share a place."}


def _sample(terms: AnswerTerms) -> list[str]:
    return option_names(terms.options) or ["something", "something else"]


SPEC: Final = object_form(
    "BALLOT",
    {
        "ranking": FormField(
            told=lambda terms: told_options(terms.options, without=_OPEN, by_number=_BY_NUMBER, by_name=_BY_NAME),
            sample=_sample,
            schema=_schema,
            pattern="[<best>, <next best>, <and so on>]",
            nested=True,
        ),
        "confidence": CONFIDENCE_OR_NONE,
        "rationale": REASONING,
        "would_change": WOULD_CHANGE,
        "abstain": ABSTAIN,
    },
    judge,
    vote=Ranking,
    states=("confidence",),
    shows=("abstain",),
    intro=(
        "First speak, in plain prose and in the language of the question. Then rank the options: one line of JSON, the "
        "last of your reply,"
    ),
    outro='To abstain write "abstain" as the ranking.',
    noun="ranking",
    still_speech=STILL_SPEECH,
    reasons=ballot_reasons("ranking"),
    example='[{"seat": "Alpha", "ranking": ["Kafka", ["NATS", "Redis"]], "confidence": 0.8, "rationale": "…"}]',
)

read, schema, instructions, repair, sample = SPEC.read, SPEC.schema, SPEC.instructions, SPEC.repair, SPEC.sample
