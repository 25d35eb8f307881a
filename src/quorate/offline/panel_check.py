"""What a panel withstands, from its file alone: nobody is asked."""

from collections.abc import Mapping

from quorate.analysis.fault_domains import merge_domains
from quorate.model import SeatModel, Tally
from quorate.model.charter import Charter
from quorate.panelists.registry import domain
from quorate.settings.rulebook_file import default_rulebook
from quorate.views.document import withstands_document

__all__ = ["fault_statement"]


def fault_statement(charter: Charter, env: Mapping[str, str]) -> dict[str, object]:
    """The statement that every verdict of this panel will carry; without a model for every seat, per seat alone."""
    models = dict(charter.models)
    voters = charter.panel.voters
    seated = merge_domains(
        tuple(
            SeatModel(seat=seat.name, model=models[seat.name], domain=domain(models[seat.name], env))
            for seat in voters
            if seat.name in models
        )
    )
    known = tuple((sat.seat, sat.domain) for sat in seated) if len(seated) == len(voters) else ()
    tally = Tally(eligible=tuple(seat.name for seat in voters), options=(), domains=known)
    book = charter.rulebook or default_rulebook(charter.protocol)
    return {
        "schema": 1,
        "protocol": charter.protocol,
        "rulebook": book.name,
        "withstands": withstands_document(tally, book),
        "seats": [{"seat": sat.seat, "model": sat.model, "domain": sat.domain} for sat in seated],
    }
