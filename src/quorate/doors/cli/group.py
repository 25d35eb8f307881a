"""`quorate group`: which options say the same, and why; no model is asked."""

import os

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.screen import one_line, say, say_json, text_from

__all__ = ["group"]


@click.command(
    epilog="""\b\nExample:\n  echo '["Use PostgreSQL", "Adopt PostgreSQL", "Use SQLite"]' | quorate group -"""
)
@click.argument("file", metavar="FILE|-")
@click.option(
    "--backend",
    default="auto",
    show_default=True,
    metavar="NAME",
    help="How texts are compared: auto, embeddings, tfidf, overlap, or embeddings of PROVIDER:MODEL.",
)
@options.allow_key
@options.as_json
def group(file: str, backend: str, allow_keys: tuple[str, ...], *, as_json: bool) -> int:
    """Group options that are the same words.

    FILE (- is stdin) is a JSON list of options. Options are merged only if they are the same words, apart from case,
    plurals, articles and the like. --json shows the score of every pair, and why it was merged or not.
    """
    from quorate.doors.cli.records import place
    from quorate.service.option_grouping import group_options, options_of
    from quorate.service.text_comparison import backend_of

    env = place(None, allow_keys=allow_keys).environment(os.environ)
    found = group_options(options_of(text_from(file)), backend_of(backend, env))
    if as_json:
        say_json(found.document)
        return DONE
    for one in found.groups:
        say(one_line(one.name))
        for other in one.members[1:]:
            say(f"  = {one_line(other)}")
    return DONE
