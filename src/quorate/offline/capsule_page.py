"""A capsule as a page that opens from disk: the file itself, and a script that checks it. Nothing else may run."""

from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Final

__all__ = ["capsule_page"]


def capsule_page(file: bytes, title: str) -> str:
    """The page around a capsule, which stands in it byte for byte."""
    script = files("quorate.offline").joinpath("capsule_files", "capsule.js").read_text(encoding="utf-8")
    return _TEMPLATE.format(
        policy=_POLICY.format(script=_hash(script), style=_hash(_STYLE)),
        title=escape(title),
        style=_STYLE,
        capsule=file.decode("ascii"),
        script=script,
    )


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


_POLICY: Final = "default-src 'none'; script-src {script}; style-src {style}; base-uri 'none'; form-action 'none'"
_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
input { width: 100%; font: inherit; box-sizing: border-box; }
button { font: inherit; margin-top: 0.5rem; }
"""
_TEMPLATE: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>Capsule</h1>
<label for="key">Key of the signer, as the signer published it: ed25519:…</label>
<input id="key" autocomplete="off" spellcheck="false">
<button id="check" type="button">Check</button>
<div id="said" role="status">Not checked yet.</div>
<h2>Entries</h2>
<ol id="entries"></ol>
</main>
<script type="application/json" id="capsule">{capsule}</script>
<script>{script}</script>
</body>
</html>
"""
