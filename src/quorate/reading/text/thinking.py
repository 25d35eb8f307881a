"""What of a reply is private thinking: behind which tag the words meant for others begin, and before which they end.

A reply may hold a hundred thousand tags, so what lies between two that matter is passed over within one pattern. Every
repeat in it is possessive or bounded, and it is put together from the kinds of tags that occur in the reply at all.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from quorate.model.once import pattern
from quorate.model.template_tokens import THINKING

__all__ = ["leaves_open", "public_span"]

_FLAGS: Final = re.IGNORECASE | re.ASCII
_QUOTE: Final = "[\"'`\u201c\u201d\u2018\u2019]"
_NOT_BEFORE_A_QUOTE: Final = r"[^ \t\r\n(\[{:,;]"


class _Kind(NamedTuple):
    """Tags of which one begins thinking and another ends it; none stands in a text without any of `signs`."""

    signs: tuple[str, ...]
    begins: str
    ends: str

    @property
    def tags(self) -> str:
        return f"{self.begins}|{self.ends}"


def _named(*names: str) -> _Kind:
    """Tags as in HTML."""
    rest = rf"(?:{'|'.join(map(re.escape, names))})(?:\s{{1,4}}+[\w-]{{1,20}}+\s{{0,2}}+=[^<>]{{0,64}}+|\s{{0,2}}+)>"
    return _Kind(names, rf"<\s{{0,4}}+{rest}", rf"<\s{{0,2}}+/\s{{0,2}}+{rest}")


_THOUGHT: Final = _named("thought")
_CHANNEL: Final = r"<\|channel\|>"
_FINAL: Final = r"\s{0,4}+final\b[^<]{0,64}+(?:<\|constrain\|>[^<]{0,64}+)?<\|message\|>"
_KINDS: Final[Mapping[str, _Kind]] = MappingProxyType(
    {name: _named(name) for name in THINKING}
    | {
        "think": _named("thinking", "think"),
        "thought": _Kind(
            _THOUGHT.signs,
            rf"{_THOUGHT.begins}|<\|begin_of_thought\|>",
            rf"{_THOUGHT.ends}|<\|end_of_thought\|>",
        ),
        "thinking": _Kind(("_thinking|>",), r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
        "bracket": _Kind(("think]",), r"\[THINK\]", r"\[/THINK\]"),
        "arrow": _Kind(("think\u25b7",), "\u25c1think\u25b7", "\u25c1/think\u25b7"),
        "turn": _Kind(("<|channel>", "<channel|>"), r"<\|channel>\s{0,4}+thought", r"<channel\|>"),
        "channel": _Kind(
            ("<|channel|>",),
            rf"{_CHANNEL}(?!{_FINAL})|<\|(?:start|end|return|call)\|>",
            rf"{_CHANNEL}{_FINAL}",
        ),
        "mentioned channel": _Kind((), rf"{_CHANNEL}(?!{_FINAL})", rf"{_CHANNEL}{_FINAL}"),
    }
)
_HIDING: Final = (
    rf"<\s{{0,2}}+/?\s{{0,2}}+(?:{'|'.join(map(re.escape, THINKING))})\s{{1,4}}+[\w-]{{1,20}}+=[^<>]{{0,64}}+>"
    rf"|{_CHANNEL}{_FINAL}"
)
"""Tags within which one with other brackets may stand, and means nothing there."""
_ALL: Final = tuple(name for name, kind in _KINDS.items() if kind.signs)
_FEW: Final = 2
"""Kinds that have patterns of their own; there are too many ways to choose more of them."""
_WIDE: Final = (("\uff1c", "<"), ("\ufe64", "<"), ("\uff1e", ">"), ("\ufe65", ">"), ("\uff0f", "/"))
"""Brackets and a slash that a reader takes for plain ones, sign for sign."""
_OPENED: Final = re.compile(
    r"^[ \t*_]{0,8}+<([\u200b-\u200d]?[^\W\d_][\w:.\u200b-\u200d-]{0,40})(?=[\s>]|\Z)", re.MULTILINE
)
_CLOSED: Final = re.compile(r"<\s{0,4}+/\s{0,4}+([^\s<>/]{1,44})")
_ANSWER_TAGS: Final = frozenset(
    {"answer", "ballot", "final", "final_answer", "json", "output", "response", "result", "vote"}
)
"""Tags that are put around what is meant for others, and may be left open; nobody can list those that are not."""
_SPELT_OUT: Final = re.compile(r"\Aanalysis(?=[A-Z])")
"""How harmony begins where a server has dropped its tokens; `assistantfinal` is where the answer does."""
_ANSWERS: Final = "assistantfinal"


class _Patterns(NamedTuple):
    """What passes over a stretch of text that has tags of some kinds alone, as sources.

    `ends` is any tag that ends something. `ended` passes over all thinking that ends there, up to its last tag; `plain`
    over what holds no tag; `last` over all up to the last tag that ends anything; and `within` over all up to the first
    end of each kind. None has a group: Python gives up on one that fails half-way within a possessive repeat.
    """

    ends: str
    ended: str
    plain: str
    last: str
    within: Mapping[str, str]


class _Thinking(NamedTuple):
    """Behind which tag the words for others begin, and where thinking of which kind began that has not ended."""

    start: int = 0
    kind: str = ""
    begun: int = 0


def public_span(text: str) -> tuple[int, int]:
    """Where the words meant for others begin and end: behind the last thinking that ended.

    Where some thinking never ends there are none: what follows the tag may take back all that came before it.
    A tag in quotation marks is a mention and neither begins nor ends anything. A tag ends only what its like began, and
    whatever stands before one that ends is private: some templates begin the thinking themselves.
    """
    text = _narrow(text)
    if _SPELT_OUT.match(text):
        at = text.rfind(_ANSWERS)
        return (at + len(_ANSWERS), len(text)) if at >= 0 else (len(text), len(text))
    if "<" not in text and "[" not in text and "\u25c1" not in text:
        return 0, len(text)
    kinds = _kinds_in(text)
    found = _thinking(text, kinds) if kinds else _Thinking()
    return (len(text), len(text)) if found.kind else (found.start, len(text))


def leaves_open(text: str) -> bool:
    """Whether a line begins with a tag that never ends: what follows may be a draft, whatever the tag is called."""
    text = _narrow(text.replace("&lt;", "<").replace("&gt;", ">")).lower()
    if "<" not in text:
        return False
    ends = {found[1]: found.start() for found in _CLOSED.finditer(text)}
    opened = (found for found in _OPENED.finditer(text) if found[1] not in _ANSWER_TAGS)
    return any(ends.get(found[1], -1) < found.start() for found in opened)


def _narrow(text: str) -> str:
    """The text with plain brackets and slashes; `str.translate` takes 40 ms for 1 MiB with one sign outside ASCII."""
    if not text.isascii():
        for wide, plain in _WIDE:
            text = text.replace(wide, plain)
    return text


def _kinds_in(text: str) -> tuple[str, ...]:
    """The kinds of tags that may stand in a text; of most texts, none."""
    lowered = text.lower()
    possible = ((name, kind) for name, kind in _KINDS.items() if kind.begins.removeprefix("\\")[0] in text)
    found = tuple(name for name, kind in possible if any(sign in lowered for sign in kind.signs))
    return found if len(found) <= _FEW else _ALL


def _thinking(text: str, kinds: tuple[str, ...]) -> _Thinking:
    """What has begun and ended at the end of a text. A harmony message means nothing before there is a channel."""
    if "channel" not in kinds:
        return _passed(text, (0, len(text)), _Thinking(), kinds)
    channel = _end(f"{_passing(_KINDS['mentioned channel'].tags, '[<]')}*+", text, 0, len(text))
    mentioned = tuple("mentioned channel" if name == "channel" else name for name in kinds)
    before = _passed(text, (0, channel), _Thinking(), mentioned)
    return _passed(text, (channel, len(text)), before, kinds)


def _passed(text: str, place: tuple[int, int], before: _Thinking, kinds: tuple[str, ...]) -> _Thinking:
    """The same at the end of a stretch of it, which is passed over in a few steps, however many tags it has."""
    patterns = _patterns(kinds)
    (at, stop), start = place, before.start
    if before.kind:
        end = _end(patterns.within[before.kind], text, at, stop)
        if end == at:
            return before._replace(start=_end(patterns.last, text, at, stop, start))
        at = start = end
    ends = _compiled(patterns.ends).search(text, at, stop) is not None
    start = _end(patterns.ended, text, at, stop, start) if ends else start
    at = _end(patterns.plain, text, max(at, start), stop)
    if at == stop:
        return _Thinking(start)
    kind = next(name for name in kinds if _compiled(_KINDS[name].begins).match(text, at, stop))
    return _Thinking(_end(patterns.last, text, at, stop, start) if ends else start, kind, at)


def _end(source: str, text: str, at: int, stop: int, otherwise: int | None = None) -> int:
    """Where a pattern ends that passes over something; else as it is said, or where it began."""
    found = _compiled(source).match(text, at, stop)
    end = found.end() if found else at
    return end if end > at or otherwise is None else otherwise


def _compiled(source: str) -> re.Pattern[str]:
    return pattern(source, _FLAGS)


@lru_cache(maxsize=128)
def _patterns(kinds: tuple[str, ...]) -> _Patterns:
    begins, ends = "|".join(_KINDS[name].begins for name in kinds), "|".join(_KINDS[name].ends for name in kinds)
    sign = "[<" + r"\[" * ("bracket" in kinds) + "\u25c1" * ("arrow" in kinds) + "]"
    # What ended begins with the usual case, for speed alone.
    words, plain = sign.replace("[", "[^", 1), f"{_passing(f'{begins}|{ends}', sign)}*+"
    within = {name: _up_to(_KINDS[name].ends, sign) for name in kinds}
    pairs = "|".join(f"(?:{_KINDS[name].begins}){within[name]}" for name in kinds)
    return _Patterns(
        ends=ends,
        ended=f"(?:{words}*+(?<!{_QUOTE})(?:{ends})|{plain}(?:{ends}|{pairs})|(?!))*+",
        plain=plain,
        last=f"(?:{_up_to(ends, sign)}|(?!))*+",
        within=MappingProxyType(within),
    )


def _up_to(tags: str, sign: str) -> str:
    """Everything up to the first of these tags, and that."""
    return f"{_passing(tags, sign)}*+(?:{tags})"


def _passing(tags: str, sign: str) -> str:
    """Words, signs that begin none of these tags, and mentions of one.

    Of a row of signs only the last is looked at, since no tag has another one behind its first. A tag that may hide
    others is passed over whole.
    """
    mention = f"(?<={_QUOTE})(?<!{_NOT_BEFORE_A_QUOTE}{_QUOTE})(?:{tags})(?={_QUOTE})"
    hiding = "" if sign == "[<]" else f"{_HIDING}|"
    return f"(?:{sign.replace('[', '[^', 1)}++|{sign}+(?={sign})|{mention}|(?!{tags})(?:{hiding}{sign})|(?!))"
