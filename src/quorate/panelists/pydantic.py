"""Whatever pydantic-ai can reach, asked through its direct interface: one request, no agent, no retries of its own."""

from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from quorate import catalogue
from quorate.errors import BadSetting, NoModel, PanelistError
from quorate.model import Ask, Finish, Reply
from quorate.panelists import WordListener, ignore_words
from quorate.panelists.http.client import Route
from quorate.panelists.http.failures import from_status, in_one_line
from quorate.panelists.http.finishes import broke_down, finish_of, known_finish, most_careful
from quorate.panelists.http.reply_fields import message_of, storable, usage_from
from quorate.panelists.http.tokens import longest
from quorate.panelists.http.wire_format import SamplingOptions
from quorate.panelists.price import Price

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters

__all__ = ["Pydantic"]

INSTALL: Final = "pip install 'quorate[providers]'"
_SECRETS: Final = ("api key", "api_key", "credential", "environment variable")


class Pydantic:
    """Answers for a seat from a model of pydantic-ai's, by its name there or as it stands."""

    def __init__(self, model: "str | Model", tuning: SamplingOptions | None = None, price: Price | None = None) -> None:
        """Find the model.

        Raises:
            NoModel: pydantic-ai, what it needs for this provider, or the provider's key is missing.
            BadSetting: there is no such provider.
        """
        self._tuning = tuning or SamplingOptions()
        self._price = price
        self._name = model if isinstance(model, str) else model.model_name
        self._model = _inferred(model) if isinstance(model, str) else model
        self._route = Route(url="", headers={}, who=f"{self._name!r} by pydantic-ai", advice="check its key")

    def __repr__(self) -> str:
        return f"Pydantic({self._name!r})"

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """Ask once.

        Raises:
            PanelistError: no reply can be had; `failures` says for which reasons.
        """
        from pydantic_ai.exceptions import AgentRunError, UserError  # noqa: PLC0415  loaded by now

        began = perf_counter()
        # Who is held to a form cannot ask to see anything.
        schema = {} if ask.lookups else catalogue.form(ask.wants).schema(ask.terms(ask.mark))
        try:
            said = await self._asked(ask, schema, overheard)
        except (AgentRunError, UserError, OSError) as wrong:
            # Raised below, outside: what it holds of requests and keys must not hang on as the context.
            failure = self._failure(wrong)
        else:
            return self._reply(said, perf_counter() - began)
        raise failure

    async def _asked(self, ask: Ask, schema: "Mapping[str, object]", overheard: WordListener) -> "ModelResponse":
        from pydantic_ai import direct  # noqa: PLC0415  loaded by now
        from pydantic_ai.messages import ModelRequest  # noqa: PLC0415

        given = (self._model, [ModelRequest.user_text_prompt(ask.prompt.template)])
        how: Any = {"model_settings": self._settings(), "model_request_parameters": _form(ask.wants, schema)}
        if overheard is ignore_words:
            return await direct.model_request(*given, **how)
        left = longest(self._tuning.most)
        async with direct.model_request_stream(*given, **how) as stream:
            async for event in stream:
                words = _words(event)
                overheard(storable(words))  # without words it is a thought: the model is at work
                left -= len(words)
                if left < 0:  # nobody allowed so much; what is left of it is not read, and the reply is cut off
                    break
            return stream.get()

    def _settings(self) -> dict[str, Any]:
        tuning = self._tuning
        effort = {"thinking": False if tuning.effort == "none" else tuning.effort} if tuning.effort else {}
        heat = {} if tuning.temperature is None else {"temperature": tuning.temperature}
        return {"max_tokens": tuning.most, "max_retries": 0, **heat, **effort}

    def _reply(self, said: "ModelResponse", took: float) -> Reply:
        details = said.provider_details or {}
        last = most_careful(said.finish_reason or "stop", known_finish(details.get("finish_reason")))
        if ended := broke_down(last):
            told = f"{self._route.who} ended its reply with {str(ended)!r}"
            raise PanelistError("server_error", told, again=True, billed=True)
        text, most = storable(said.text or ""), longest(self._tuning.most)
        finish: Finish = "refusal" if details.get("refusal") else finish_of(last)
        return Reply(
            text=text[:most],
            model=in_one_line(said.model_name or "") or self._name,
            # No tool is offered, so a call of one means that nobody knows what the model was about to do.
            finish="length" if finish == "stop" and (len(text) > most or said.tool_calls) else finish,
            usage=usage_from(said.usage.input_tokens, said.usage.output_tokens, self._price),
            took=round(took * 1000),
        )

    def _failure(self, wrong: Exception) -> PanelistError:
        from pydantic_ai import exceptions as known  # noqa: PLC0415  loaded by now

        who = self._route.who
        match wrong:
            case known.ModelHTTPError():
                said = wrong.body.get("error", wrong.body) if isinstance(wrong.body, dict) else wrong.body
                failure = from_status(wrong.status_code, in_one_line(message_of(said)), self._route, wrong.retry_after)
                failure.billed = failure.billed or wrong.in_stream
                return failure
            case known.ModelTimeoutError() | TimeoutError():
                return PanelistError("timeout", f"{who} took too long", billed=True)
            case known.ContentFilterError():
                return PanelistError("filter", f"{who} withheld its reply", billed=True)
            case known.UnexpectedModelBehavior():
                return PanelistError("bad_reply", f"{who} answered with something that cannot be read", billed=True)
            case known.UserError():
                return PanelistError("bad_request", f"{who} does not take the request")
            case _:
                return PanelistError("unreachable", f"{who} cannot be reached", again=True, billed=True)


def _words(event: object) -> str:
    """What an event of a stream adds to the words."""
    from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta  # noqa: PLC0415  loaded

    match event:
        case PartStartEvent(part=TextPart(content=words)) | PartDeltaEvent(delta=TextPartDelta(content_delta=words)):
            return words
        case _:
            return ""


def _inferred(name: str) -> "Model":
    try:
        from pydantic_ai.exceptions import UserError  # noqa: PLC0415  takes seconds to load
        from pydantic_ai.models import infer_model  # noqa: PLC0415  as above
    except ImportError:
        raise NoModel(f"'pydantic:{name}' needs pydantic-ai; {INSTALL}") from None
    try:
        return infer_model(name)
    except ImportError as missing:
        raise NoModel(f"'pydantic:{name}' cannot be opened: {in_one_line(str(missing))}") from None
    except (UserError, ValueError) as wrong:
        said = in_one_line(str(wrong))
        kind = NoModel if any(word in said.casefold() for word in _SECRETS) else BadSetting
        raise kind(f"'pydantic:{name}' cannot be opened: {said}") from None


def _form(wants: str, schema: "Mapping[str, object]") -> "ModelRequestParameters | None":
    from pydantic_ai.models import ModelRequestParameters  # noqa: PLC0415  loaded by now
    from pydantic_ai.output import OutputObjectDefinition  # noqa: PLC0415  as above

    if not schema:
        return None
    form = OutputObjectDefinition(json_schema=dict(schema), name=wants, strict=True)
    return ModelRequestParameters(output_mode="native", output_object=form, allow_text_output=True)
