"""Takes the power from what a chat template, or a reader of ours, could mistake for structure in somebody's words.

Signs that nobody sees are dropped first; then every token of every family is looked for in what is left, as a
tokenizer would see it after any further cleaning: across signs without width, tabs and line ends, and in look-alike
brackets. Only the brackets and bars of a token are changed, so that a reader still sees what was written.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final
from unicodedata import normalize

from quorate.model.once import lazy_pattern, pattern

__all__ = ["THINKING", "TOKENS", "harmless"]

THINKING: Final = (
    *("think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad"),
    *("seed:think", "mm:think", "antthinking"),
)
"""Tags between which models think for themselves, as <think> and </think>; in any case of letters."""

TOKENS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "ChatML, Qwen, SmolLM": (
            *("<|im_start|>", "<|im_end|>", "<|im_sep|>", "<|endoftext|>", "<|fim_prefix|>", "<|box_start|>"),
            *("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<tools>", "</tools>"),
        ),
        "OpenAI harmony": (
            *("<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|return|>", "<|call|>", "<|constrain|>"),
            *("<|startoftext|>", "<|endofprompt|>"),
        ),
        "Anthropic": (
            *("\n\nHuman:", "\n\nAssistant:", "<function_calls>", "</function_calls>", "<invoke>", "</invoke>"),
            *("<function_results>", "</function_results>"),
        ),
        "Llama": (
            *("<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
            *("<|eom_id|>", "<|python_tag|>", "<|header_start|>", "<|eot|>", "[INST]", "[/INST]", "<<SYS>>"),
            *("<</SYS>>", "<s>", "</s>", "<unk>", "<pad>"),
        ),
        "Mistral": (
            *("[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_CALLS]"),
            *("[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CONTENT]", "[/TOOL_CONTENT]", "[CALL_ID]", "[ARGS]"),
            *("[THINK]", "[/THINK]", "[MODEL_SETTINGS]", "[/MODEL_SETTINGS]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]"),
            *("[IMG]", "[IMG_BREAK]", "[IMG_END]", "[AUDIO]", "[BEGIN_AUDIO]", "[TRANSCRIBE]"),
        ),
        "DeepSeek": (
            *(
                "<\uff5cbegin▁of▁sentence\uff5c>",
                "<\uff5cend▁of▁sentence\uff5c>",
                "<\uff5cUser\uff5c>",
                "<\uff5cAssistant\uff5c>",
                "<\uff5c▁pad▁\uff5c>",
            ),
            *(
                "<\uff5ctool▁calls▁begin\uff5c>",
                "<\uff5ctool▁calls▁end\uff5c>",
                "<\uff5ctool▁call▁begin\uff5c>",
                "<\uff5ctool▁sep\uff5c>",
            ),
            *("<\uff5ctool▁outputs▁begin\uff5c>", "<\uff5cfim▁hole\uff5c>", "<|EOT|>"),
        ),
        "Gemma": (
            *("<start_of_turn>", "<end_of_turn>", "<bos>", "<eos>", "<mask>", "<start_of_image>", "<end_of_image>"),
            *("<image_soft_token>", "<|turn>", "<turn|>", "<|channel>", "<channel|>"),
        ),
        "Phi": ("<|user|>", "<|assistant|>", "<|system|>", "<|tool|>", "<|tool_call|>"),
        "Command": (
            *("<|START_OF_TURN_TOKEN|>", "<|END_OF_TURN_TOKEN|>", "<|USER_TOKEN|>", "<|SYSTEM_TOKEN|>"),
            *("<|CHATBOT_TOKEN|>", "<|START_THINKING|>", "<|END_THINKING|>", "<|START_RESPONSE|>"),
            *("<BOS_TOKEN>", "<EOS_TOKEN>", "<PAD>", "<UNK>", "<CLS>", "<SEP>", "<MASK_TOKEN>"),
        ),
        "GLM": (
            *("[gMASK]", "[sMASK]", "[MASK]", "<sop>", "<eop>", "<|observation|>", "<|code|>", "<arg_key>"),
            *("</arg_key>", "<arg_value>", "</arg_value>"),
        ),
        "Kimi": ("<|im_middle|>", "<|im_user|>", "<|im_system|>", "<|tool_calls_section_begin|>", "[BOS]", "[EOS]"),
        "Granite": ("<|start_of_role|>", "<|end_of_role|>", "<|start_of_cite|>"),
        "Seed": ("<seed:bos>", "<seed:eos>", "<seed:pad>", "<seed:tool_call>", "</seed:tool_call>"),
        "MiniMax": (
            *("<beginning_of_sentence>", "<end_of_sentence>", "]~b]", "]~!b[", "[e~[", "]~!d~["),
            *("<minimax:tool_call>", "</minimax:tool_call>"),
        ),
        "Others": (
            *("<|begin_of_thought|>", "<|end_of_thought|>", "<|begin_of_solution|>", "<|end_of_solution|>"),
            *("<extra_id_0>", "<unused0>", "<reserved_106>", "<SPECIAL_10>", "[CLS]", "[SEP]", "[PAD]", "[UNK]"),
            *("<eoh>", "<eoa>", "<eod>", "<|beginofutterance|>", "<|endofutterance|>", "<|separator|>"),
            *("<end_of_utterance>", "<fim_prefix>", "<fim_middle>", "<fim_suffix>", "<fim_pad>", "<_user>", "<_bot>"),
            *("<_system>", "<_end>", "<longcat_user>", "<longcat_assistant>", "<longcat_system>", "<ctrl3>"),
        ),
        "Thinking": tuple(f"<{slash}{tag}>" for tag in THINKING for slash in ("", "/")),
    }
)
"""What chat templates are made of, by family. Whatever has a bar beside an angle bracket is one, listed or not."""


def harmless(text: str) -> str:
    """The same words with nothing in them that is structure to a model; doing it again changes nothing."""
    text = _cleaned(text)
    spelt, seen = (text, text) if text.isascii() else _as_seen(text)
    edits = dict(_edits(seen)) if _HINT.search(seen) else {}
    if not edits:
        return text
    at, pieces = 0, list[str]()
    for place in sorted(edits):
        pieces += (spelt[at:place], edits[place])
        at = place + 1
    return "".join((*pieces, spelt[at:]))


def _cleaned(text: str) -> str:
    """Without control characters and signs that nobody sees; whatever ends a line is a line feed."""
    odd = _ODD_ASCII if text.isascii() else pattern(_ODD)
    return pattern(_UNSEEN).sub("", _LINE_END.sub("\n", text)) if odd.search(text) else text


def _as_seen(text: str) -> tuple[str, str]:
    """The text, and character for character what it is taken for: a full-width bracket is a bracket."""
    alike = _look_alikes(text)
    joined = {sign: plain for sign, plain in alike.items() if len(plain) > 1}
    if joined and any(True for _ in _edits(_replaced(text, alike))):
        text = _cleaned(_replaced(text, joined))  # a token in ligatures is spelt out, so that places agree
    return text, _replaced(text, {sign: plain for sign, plain in alike.items() if sign not in joined})


def _look_alikes(text: str) -> dict[str, str]:
    """The signs of a text that are taken for those a token is written in, and what each is taken for."""
    folded = ((sign, normalize("NFKC", sign)) for sign in set(text) if not sign.isascii())
    return {sign: plain for sign, plain in folded if plain.isascii() and not _ALPHABET.isdisjoint(plain)}


def _replaced(text: str, instead: Mapping[str, str]) -> str:
    if len(instead) > _FEW:
        return text.translate({ord(sign): plain for sign, plain in instead.items()})
    for sign, plain in instead.items():  # a few are found far sooner than every character is looked up
        text = text.replace(sign, plain)
    return text


def _edits(seen: str) -> Iterator[tuple[int, str]]:
    """Where a character is changed, and to what. No pattern looks at a text without the signs that it needs."""
    if "|" in seen or "~" in seen:
        for found in pattern(_PAIR).finditer(seen):
            yield from _swapped(found, "|[]")
    if "<" in seen or "[" in seen:
        yield from _bracket_edits(seen)
    if ":" in seen and _may_hold(seen, _ANNOUNCED):
        for found in pattern(_TURN, re.MULTILINE).finditer(seen):
            yield found.end() - 1, " :"


def _bracket_edits(seen: str) -> Iterator[tuple[int, str]]:
    for found in _BRACKETED.finditer(seen):
        if _is_token(_without_skipped(found[0])):
            yield from _swapped(found, "<>[]")
    if "<" in seen and _may_hold(seen, _CALLS):
        for found in pattern(_CALL).finditer(seen):
            yield found.start(), _INSTEAD["<"]


def _without_skipped(text: str) -> str:
    """Of the signs that are skipped a plain text has only tabs and line ends."""
    return text.replace("\n", "").replace("\t", "") if text.isascii() else pattern(_SKIP).sub("", text)


def _is_token(token: str) -> bool:
    """Whether something in brackets is a token, as it stands without signs that are skipped."""
    named = token in _NAMES or token.lower() in _THINKING or token.startswith(_FAMILIES)
    return named or _CONTROL.fullmatch(token) is not None


def _may_hold(seen: str, words: tuple[str, ...]) -> bool:
    """Whether one of these may be there; of the signs between its letters a plain text has only tabs and line ends."""
    plain = seen.replace("\n", "").replace("\t", "") if seen.isascii() else ""
    return not plain or any(word in plain for word in words)


def _swapped(found: re.Match[str], signs: str) -> Iterable[tuple[int, str]]:
    return ((at, _INSTEAD[sign]) for at, sign in enumerate(found[0], found.start()) if sign in signs)


_INSTEAD: Final[Mapping[str, str]] = MappingProxyType({"|": "¦", "<": "(", ">": ")", "[": "(", "]": ")"})

_FORMAT: Final = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ud800-\udfff"
)
"""Soft hyphen, fillers, directions, zero widths, selectors, tags: nothing that a reader would see."""
_JOINING: Final = "\u200c\u200d\ufe0e\ufe0f"
"""What joins emoji and the letters of many scripts: kept behind those, dropped elsewhere."""
_JOINABLE: Final = (
    "\u0620-\u06dc\u06de-\u070e\u0710-\u088f\u0892-\u08e1\u08e3-\u115e\u1161-\u17b3\u17b6-\u180a\u1810-\u1fff"
    "\u2190-\u2bff\u3005-\u3163\u3165-\ud7ff\uf900-\ufdff\U0001f000-\U0001faff"
)
_SHOWN_FORMAT: Final = "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd\U00013430-\U0001345f"
"""Format characters that do show something: kept, and looked through."""

_LINE_END: Final = lazy_pattern("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_ODD_ASCII: Final = lazy_pattern("[\x00-\x08\x0b-\x1f\x7f]")
_ODD: Final = f"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029{_FORMAT}{_JOINING}]"
_UNSEEN: Final = (
    f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_FORMAT}]+|(?<![{_JOINABLE}])(?<![{_JOINABLE}]\ufe0f(?=\u200d))[{_JOINING}]"
)
_SKIP: Final = f"[\t\n{_JOINING}{_SHOWN_FORMAT}]"

_HINT: Final = lazy_pattern(r"[<>|~\[\]]|:")
_PAIR: Final = rf"<{_SKIP}*+\||\|{_SKIP}*+>|\]{_SKIP}*+~(?:{_SKIP}*+\[)?|~{_SKIP}*+\["
_BRACKETED: Final = lazy_pattern(r"[<\[][^<>\[\]|]*+[>\]]")
"""The innermost brackets; none can begin within another, so each sign is looked at once."""
_NAMED: Final = ("Human", "Assistant")
_ANNOUNCED: Final = tuple(f"{name}:" for name in _NAMED)
_SPEAKERS: Final = "|".join(f"{_SKIP}*+".join(name) for name in _NAMED)
_TURN: Final = rf"^[ \t{_JOINING}{_SHOWN_FORMAT}]*+(?:{_SPEAKERS}){_SKIP}*+:"

_PREFIX: Final = "antml:"
_TAGS: Final = ("function_calls", "function_results", "invoke")
_CALLS: Final = (_PREFIX, *_TAGS)
_CALL: Final = (
    rf"<{_SKIP}*+(?:/{_SKIP}*+)?(?:{f'{_SKIP}*+'.join(_PREFIX)}|"
    rf"(?:{'|'.join(f'{_SKIP}*+'.join(name) for name in _TAGS)})(?!\w))"
)
"""How a call of a tool begins; what else stands in the tag, brackets too, does not matter."""
_CONTROL: Final = lazy_pattern(r"<ctrl\d+>")

_NAMES: Final = frozenset(token.replace("<<", "<").replace(">>", ">") for family in TOKENS.values() for token in family)
_ALPHABET: Final = frozenset("".join(token for family in TOKENS.values() for token in family))
_FEW: Final = 16
_THINKING: Final = frozenset(TOKENS["Thinking"]) | {"[think]", "[/think]"}
_FAMILIES: Final = ("<seed:", "</seed:", "<minimax:", "</minimax:", "<unused", "<reserved_", "<extra_id_", "<SPECIAL_")
