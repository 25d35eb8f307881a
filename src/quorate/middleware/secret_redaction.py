"""Takes secrets out of a text before it is put to anybody, and puts them back into what the user is shown.

Known kinds of secrets are found by their form, and the keys in our own environment however they are written. In a
secret's place stands a sign such as `[secret-1]`, the same for the same secret, so that a panel can still speak of it.
A form that nobody listed is not found: this keeps slips from leaving, it is no vault.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Final

from quorate.frozen import dataclass
from quorate.middleware.key_redaction import Redaction, secrets_of

__all__ = ["SECRET_FORMS", "RedactedText", "redact_secrets"]

SECRET_FORMS: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        "private key": re.compile(
            r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){0,10000}"
            r"(?:-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----)?"
        ),
        "AWS key": re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
        "GitHub token": re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{40,255})"),
        "GitLab token": re.compile(r"\bglpat-[A-Za-z0-9_-]{20,255}"),
        "Slack token": re.compile(r"\bxox[abeoprs]-[A-Za-z0-9-]{10,255}"),
        "Stripe key": re.compile(r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}"),
        "Google key": re.compile(r"\bAIza[0-9A-Za-z_-]{35}"),
        "npm token": re.compile(r"\bnpm_[A-Za-z0-9]{36}"),
        "model key": re.compile(r"\bsk-[A-Za-z0-9_-]{20,255}"),
        "JSON web token": re.compile(r"\beyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,4000}"),
        "authorization": re.compile(
            r"(?i:authorization)[\"'\\]{0,3}\s{0,3}[:=]\s{0,3}[\"'\\]{0,3}(?i:bearer|basic|token)\s{1,3}"
            r"(?P<secret>[A-Za-z0-9._~+/=-]{8,4000})"
        ),
        "password in an address": re.compile(
            r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,100}:(?P<secret>[^\s:/@]{3,200})@"
        ),
        "assignment": re.compile(
            r"(?i:pass(?:word|wd|phrase)|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)"
            r"[\"'\\]{0,3}\s{0,3}[:=]\s{0,3}"
            r"(?:\\?[\"'](?P<quoted>[^\s\"'\\]{8,1000})\\?[\"']"
            r"|(?P<secret>(?=[A-Za-z_+/=-]{0,60}[0-9])(?=[0-9_+/=-]{0,60}[A-Za-z])[A-Za-z0-9_+/=-]{12,1000}))"
        ),
    }
)
"""Every kind of secret that is known by its form; a group, where there is one, is the secret alone."""


_WORD: Final = re.compile(r"[A-Za-z0-9_+=-]+")
"""What does nothing by itself. Code can be put into the form of a secret: `password="$(reboot)"`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactedText:
    """A text without its secrets, and what stood where."""

    text: str
    secrets: Mapping[str, str] = field(repr=False, default_factory=dict)

    @property
    def unjudged(self) -> str:
        """What was taken out and may be more than a word, such as code: no panel judged it. Empty if nothing is."""
        count = sum(not _WORD.fullmatch(secret) for secret in self.secrets.values())
        return f"what was taken out as {'a secret' if count == 1 else f'{count} secrets'}" if count else ""

    def restore(self, text: str) -> str:
        """What somebody wrote about it, with the secrets in it again."""
        for sign, secret in self.secrets.items():
            text = text.replace(sign, secret)
        return text


def redact_secrets(text: str, environ: Mapping[str, str]) -> RedactedText:
    """The text without secrets: by their form, and the keys of this environment."""
    label = "secret"
    while f"[{label}-" in text:  # a text that has such signs already keeps them
        label = f"{label}-x"
    signs: dict[str, str] = {}
    kept, at = list[str](), 0
    for begin, end in _without_overlaps(sorted(_places(text, environ))):
        secret = text[begin:end]
        kept += (text[at:begin], signs.setdefault(secret, f"[{label}-{len(signs) + 1}]"))
        at = end
    return RedactedText(text="".join((*kept, text[at:])), secrets={sign: secret for secret, sign in signs.items()})


def _places(text: str, environ: Mapping[str, str]) -> Iterator[tuple[int, int]]:
    own = Redaction.of(secrets_of(environ))
    if own is not None:
        yield from own.places(text)
    for form in SECRET_FORMS.values():
        for found in form.finditer(text):
            named = next((name for name, part in found.groupdict().items() if part is not None), 0)
            yield found.span(named)


def _without_overlaps(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for begin, end in places:
        if joined and begin < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((begin, end))
    return joined
