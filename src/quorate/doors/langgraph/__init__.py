"""The LangGraph door: a deliberation as a compiled graph, to be added to a graph of one's own.

The chair decides here as everywhere: a node asks it what is to be done, and the ledger stays on.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Unpack, get_args

from quorate.doors.langgraph.graph_host import GraphHost, GraphResources
from quorate.doors.langgraph.nodes import Nodes
from quorate.doors.langgraph.shapes import Review, around_the_chair, by_roles
from quorate.doors.langgraph.state import DeliberationState, GraphInput, GraphOutput
from quorate.errors import BadSetting, UnknownName
from quorate.model import Panel
from quorate.model.charter import Charter
from quorate.panelists import Panelist
from quorate.service.host import Host
from quorate.service.prepare import open_panel
from quorate.service.program import given_ledger, request_of
from quorate.settings.keywords import Keywords
from quorate.settings.table import CONCURRENCY, LEDGER

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph

    from quorate.doors.langgraph.shapes import Builder

    Graph = CompiledStateGraph[DeliberationState, None, GraphInput, GraphOutput]

__all__ = ["DeliberationState", "Options", "debate_graph", "deliberation_graph"]


class Options(Keywords, total=False):
    """What may be given; what is not comes from the environment, the panel and the user's file."""

    panel: str | Path | Panel | Charter
    panelists: Mapping[str, Panelist]
    review: Review
    """`interrupt` stops the graph at a verdict that a person should look at; `report` only says so in it."""
    checkpointer: "BaseCheckpointSaver[str] | bool | None"
    """LangGraph's own, for a graph that is run by itself; one that is added to another uses that one's."""


def deliberation_graph(*, protocol: str | None = None, **options: Unpack[Options]) -> "Graph":
    """A deliberation under any protocol as a compiled graph: a node for every seat, joined around the chair.

    Raises:
        QuorateError: a name, a setting or a panel that cannot be read, a seat without a model, or no LangGraph.
    """
    nodes = _nodes(protocol, options)
    return _compiled(around_the_chair(nodes, _review(options)), options)


def debate_graph(**options: Unpack[Options]) -> "Graph":
    """A debate as a compiled graph: a node for every role, `continue` and `conclude` between the rounds.

    In the extended form the sides speak at once. Where the form is left to the question, both ways are drawn.

    Raises:
        QuorateError: a name, a setting or a panel that cannot be read, a seat without a model, or no LangGraph.
    """
    nodes = _nodes("debate", options)
    return _compiled(by_roles(nodes, _review(options)), options)


def _nodes(protocol: str | None, options: Options) -> Nodes:
    _installed()
    host = Host.here("LangGraph", ledger=given_ledger(options))
    panel = open_panel(request_of(options, Options.__annotations__, protocol=protocol), host)
    settings, panelists = panel.settings, options.get("panelists")
    resources = GraphResources(
        ledger=host.ledger or settings[LEDGER],
        env=panel.env,
        concurrency=settings[CONCURRENCY],
        panelists=panelists,
        provider_limits=settings.provider_limits,
        consent=settings.consent,
    )
    return Nodes(host=GraphHost(resources), panel=panel)


def _installed() -> None:
    """Say what to install before anything else is looked at.

    Raises:
        BadSetting: LangGraph is not installed.
    """
    try:
        import langgraph.graph  # noqa: F401
    except ModuleNotFoundError as missing:
        raise BadSetting("a graph needs LangGraph; pip install 'quorate[langgraph]'") from missing


def _review(options: Options) -> Review:
    wanted = options.get("review", "report")
    if wanted not in get_args(Review):
        raise UnknownName("way to review", wanted, get_args(Review))
    return wanted


def _compiled(builder: "Builder", options: Options) -> "Graph":
    return builder.compile(checkpointer=options.get("checkpointer"), name="deliberation")
