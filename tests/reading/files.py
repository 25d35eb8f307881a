"""An answer as it is handed over in a file."""

from collections.abc import Mapping

from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Read
from quorate.model.specs import FormSpec


def handed(form: FormSpec, fields: Mapping[str, object], terms: AnswerTerms) -> Read:
    """What a form reads in the fields of one object of a file."""
    assert form.from_file is not None
    return form.from_file(fields, terms)
