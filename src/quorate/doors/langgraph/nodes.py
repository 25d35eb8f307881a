"""What the nodes do: ask the chair what is to be done here, have it done, and tell the state what is new."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from quorate.doors.langgraph.graph_host import GraphHost
from quorate.doors.langgraph.state import DeliberationState, Json, current, due_of, id_of, question_of, state_update
from quorate.engine.due_steps import ASK, DueStep, due_steps, first_due, unfinished_steps
from quorate.engine.stepper import Stepper
from quorate.errors import BadSetting
from quorate.frozen import dataclass
from quorate.model import Origin, Question
from quorate.model.charter import Charter
from quorate.service.prepare import OpenPanel
from quorate.views import Record

if TYPE_CHECKING:
    from langchain_core.runnables import Runnable, RunnableConfig

__all__ = ["Nodes"]

Act = Callable[[DeliberationState, "RunnableConfig", Stepper], Awaitable["Json | _Waits"]]
Look = Callable[[DeliberationState, Stepper], "Json | None"]
REVIEW: Final = ("outcome", "by", "because")


def _see_nothing(_: DeliberationState, _stepper: Stepper) -> Json | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Nodes:
    """The nodes of one graph, over one panel."""

    host: GraphHost
    panel: OpenPanel

    @property
    def charter(self) -> Charter:
        """Who sits, though perhaps some seats have no model yet."""
        return self.panel.settings.draft

    def convene(self) -> "Runnable[DeliberationState, Json]":
        """Opens the record, or finds it, and has the guard look at the question."""

        async def act(state: DeliberationState, config: "RunnableConfig", stepper: Stepper) -> Json:
            question = question_of(state)
            prepared = await self.panel.prepare(question, ledger=stepper.ledger)
            id_ = await stepper.begin(prepared.convened, self._called(question, state, config))
            told = await stepper.look(id_)
            begun = {
                "question": question.text,
                "notes": [note.document() for note in prepared.notes],
                "protocol": self.charter.protocol,
                "opening": [list(place) for place in first_due(told.state)],
            }
            return {
                "deliberation": id_,
                "verdict": None,
                "review": None,
                "deliberations": {id_: {**begun, **state_update(told, {**state, "deliberation": id_})}},
            }

        return self._node(act)

    def _called(self, question: Question, state: DeliberationState, config: "RunnableConfig") -> str:
        """By what a question is known when this node is run again: all of it is the same after a crash."""
        where = config.get("configurable", {})
        if "thread_id" not in where:
            return ""
        path = [step.partition(":")[0] for step in str(where.get("checkpoint_ns", "")).split("|")]
        before = sum(1 for held in state.get("deliberations", {}).values() if held.get("verdict"))
        known = (str(where["thread_id"]), path, question, self.charter, state.get("asking", ""), before)
        return sha256(repr(known).encode(errors="surrogatepass")).hexdigest()

    def speak(self, seats: Sequence[str], *, last: bool = False) -> "Runnable[DeliberationState, Json]":
        """Puts what is due to these seats; the `last` of a round says too what is to be done next."""
        mine = frozenset(seats)

        async def act(state: DeliberationState, _: "RunnableConfig", stepper: Stepper) -> Json | _Waits:
            wanted = await _wanted(state, stepper, mine)
            record = await stepper.take(id_of(state), wanted)
            return _Waits.for_people(record, wanted) or _update(
                record, state_update(record, state, seats=None if last else mine)
            )

        return self._node(act)

    def open_round(self) -> "Runnable[DeliberationState, Json]":
        """Lets all sides begin at once: the edges from here lead to every one of them."""
        from langchain_core.runnables import RunnableLambda

        return RunnableLambda(lambda state: {"deliberations": {id_of(state): {}}})

    def look_up(self) -> "Runnable[DeliberationState, Json]":
        """Sends the clerk."""

        async def act(state: DeliberationState, _: "RunnableConfig", stepper: Stepper) -> Json:
            errands = [place for place in due_of(state) if place.kind != ASK]
            return _update(await stepper.take(id_of(state), errands), {})

        return self._node(act)

    def ask_the_chair(self) -> "Runnable[DeliberationState, Json]":
        """Says what is to be done next; the edges go by it."""

        async def act(state: DeliberationState, _: "RunnableConfig", stepper: Stepper) -> Json:
            record = await stepper.look(id_of(state))
            return _update(record, state_update(record, state))

        def look(state: DeliberationState, stepper: Stepper) -> Json | None:
            with stepper.at_rest(id_of(state)) as record:
                return None if record is None else _update(record, state_update(record, state))

        return self._node(act, look)

    def conclude(self) -> "Runnable[DeliberationState, Json]":
        """Has the rules decide, and whatever is asked for once they have."""

        async def act(state: DeliberationState, _: "RunnableConfig", stepper: Stepper) -> Json | _Waits:
            record = await stepper.take(id_of(state))
            if waits := _Waits.for_people(record, None):
                return waits
            told = state_update(record, state)
            return {"verdict": told["verdict"], "review": told["review"], **_update(record, told)}

        return self._node(act)

    def ask_a_person(self) -> "Runnable[DeliberationState, Json]":
        """Stops until somebody says what holds of the verdict, and writes it down."""
        from langchain_core.runnables import Runnable, RunnableConfig
        from langgraph.types import interrupt

        host = self.host

        class Person(Runnable[DeliberationState, Json]):
            """No `RunnableLambda`: LangChain would look at what a function refers to, and keep our host for good."""

            def invoke(self, input: DeliberationState, config: RunnableConfig | None = None, **_: object) -> Json:  # noqa: A002 - the same
                del config
                wrong = ""
                while True:
                    said = interrupt(_shown(input, wrong))
                    try:
                        return host.now(partial(_reviewed, input, said))
                    except BadSetting as problem:
                        wrong = str(problem)

            async def ainvoke(
                self,
                input: DeliberationState,  # noqa: A002 - langchain's own signature
                config: RunnableConfig | None = None,
                **_: object,
            ) -> Json:
                del config
                wrong = ""
                while True:
                    said = interrupt(_shown(input, wrong))
                    try:
                        return await host.later(partial(_reviewed, input, said))
                    except BadSetting as problem:
                        wrong = str(problem)

        return Person()

    def _node(self, act: Act, look: Look = _see_nothing) -> "Runnable[DeliberationState, Json]":
        """The same node for a graph that is called plainly and for one that is awaited.

        What it can tell by a `look` alone it tells where it is called: to go to our own loop and back costs more.
        Where people have not answered yet the graph stops; resumed with anything, it looks again.
        """
        from langchain_core.runnables import Runnable, RunnableConfig
        from langgraph.types import interrupt

        host = self.host

        class Node(Runnable[DeliberationState, Json]):
            """Called as it is: what would look at our arguments and trace us is the graph's own wrapper."""

            def invoke(self, input: DeliberationState, config: RunnableConfig | None = None, **_: object) -> Json:  # noqa: A002 - the same
                if (seen := host.at_once(partial(look, input))) is not None:
                    return seen
                while isinstance(told := host.now(lambda stepper: act(input, config or {}, stepper)), _Waits):
                    interrupt(told.shown)
                return told

            async def ainvoke(
                self,
                input: DeliberationState,  # noqa: A002 - langchain's own signature
                config: RunnableConfig | None = None,
                **_: object,
            ) -> Json:
                if (seen := host.at_once(partial(look, input))) is not None:
                    return seen
                while isinstance(told := await host.later(lambda stepper: act(input, config or {}, stepper)), _Waits):
                    interrupt(told.shown)
                return told

        return Node()


@dataclass(frozen=True, slots=True)
class _Waits:
    """A node that cannot end yet: these have been asked and answer when they will."""

    deliberation: str
    places: tuple[DueStep, ...]

    @classmethod
    def for_people(cls, record: Record, wanted: Sequence[DueStep] | None) -> "_Waits | None":
        places = unfinished_steps(record, wanted)
        return cls(record.id, places) if places else None

    @property
    def shown(self) -> Json:
        return {"deliberation": self.deliberation, "waits_for": [[place.seat, place.round] for place in self.places]}


async def _wanted(state: DeliberationState, stepper: Stepper, seats: frozenset[str]) -> Sequence[DueStep]:
    """What these seats are to be asked: as of the step in which others are asked too, or as of now."""
    told = [place for place in due_of(state) if place.kind == ASK and place.seat in seats]
    if told:
        return told
    record = await stepper.look(id_of(state))
    return [place for place in due_steps(record.state) if place.kind == ASK and place.seat in seats]


def _update(record: Record, told: Json) -> Json:
    return {"deliberations": {record.id: told}}


def _shown(state: DeliberationState, wrong: str) -> Json:
    """What a person needs to see, and what is to be given back."""
    held = current(state)
    return {
        "deliberation": id_of(state),
        "question": held["question"],
        "verdict": held["verdict"],
        "resume_with": list(REVIEW),
        "wrong": wrong or None,
    }


async def _reviewed(state: DeliberationState, said: object, stepper: Stepper) -> Json:
    if not isinstance(said, dict) or set(said) != set(REVIEW) or not all(isinstance(said[key], str) for key in REVIEW):
        raise BadSetting(f"resume with an object that holds words under {', '.join(REVIEW)} and nothing else")
    record = await stepper.review(id_of(state), **said, origin=Origin(interface="langgraph"))
    told = state_update(record, state)
    return {"review": told["review"], **_update(record, told)}
