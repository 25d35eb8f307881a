"""Routes that say what there is to choose from: protocols, panels, rulebooks, settings and models."""

import asyncio
import time
from typing import Any, Final, TypedDict

from starlette.responses import Response

from quorate import presets
from quorate.doors.web.encoding import JsonResponse
from quorate.doors.web.operation import ApiCall, Operation
from quorate.engine.discovery import discover, withstood
from quorate.model.charter import DEFAULT_PROTOCOL
from quorate.settings.inventory import option_documents, panel_document, protocol_documents, rulebook_document
from quorate.settings.table import ROUTES

__all__ = ["OPERATIONS"]

FRESH: Final = 10.0
"""Seconds for which what was found is not looked for again."""


class NamedItem(TypedDict):
    """Something with a name."""

    name: str


class PanelItem(TypedDict):
    """A panel that a request may name."""

    panel: str
    protocol: str
    demo: bool
    seats: list[dict[str, Any]]


class ModelItem(TypedDict):
    """Something that could answer; `usable` is whether a request may name it."""

    kind: str
    name: str
    model: str | None
    models: list[str]
    usable: bool


class ModelList(TypedDict):
    """What was found, and what a tribunal of it would withstand."""

    models: list[ModelItem]
    withstands: str | None


async def list_protocols(call: ApiCall) -> Response:
    del call
    return JsonResponse(await asyncio.to_thread(lambda: [*protocol_documents()]))


async def list_panels(call: ApiCall) -> Response:
    operator = call.workspace.operator

    def panels() -> list[dict[str, Any]]:
        shipped = [panel_document(name, charter) for name, charter in presets.panels().items()]
        return [*shipped, *(panel_document(name, operator.settings(name).draft) for name in operator.offered)]

    return JsonResponse(await asyncio.to_thread(panels))


async def list_rulebooks(call: ApiCall) -> Response:
    del call
    return JsonResponse([rulebook_document(book) for book in presets.rulebooks().values()])


async def list_settings(call: ApiCall) -> Response:
    del call
    return JsonResponse([{**one, "request": "http" in one["where"]} for one in option_documents()])


async def list_models(call: ApiCall) -> Response:
    operator, kept = call.workspace.operator, call.service.models
    if kept is None or time.monotonic() - kept[0] > FRESH:
        found = await discover(operator.env, operator.settings()[ROUTES])
        call.service.models = kept = time.monotonic(), found
    usable = [one for one in kept[1] if operator.is_usable(one.model)]
    sentence = withstood(presets.panel(DEFAULT_PROTOCOL).panel, usable)
    listed = [{**one.document(), "usable": one in usable} for one in kept[1]]
    return JsonResponse({"models": listed, "withstands": sentence or None})


OPERATIONS: Final = (
    Operation(
        method="GET",
        path="/api/protocols",
        about="How a panel can deliberate: rounds, outcomes, seats and settings of each protocol.",
        answer=list_protocols,
        returns=list[NamedItem],
    ),
    Operation(
        method="GET",
        path="/api/panels",
        about="Panels that a request may name: those that ship, and those the operator offers.",
        answer=list_panels,
        returns=list[PanelItem],
    ),
    Operation(
        method="GET",
        path="/api/rulebooks",
        about="Rulebooks, each with its rules in order.",
        answer=list_rulebooks,
        returns=list[NamedItem],
    ),
    Operation(
        method="GET",
        path="/api/settings",
        about="Every option of the one table; `request` is whether a request may set it by name.",
        answer=list_settings,
        returns=list[NamedItem],
    ),
    Operation(
        method="GET",
        path="/api/models",
        about="What could answer here: keys that are set, servers that run, commands, the model in process.",
        answer=list_models,
        returns=ModelList,
    ),
)
