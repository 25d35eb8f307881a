"""The folder that a request may open to the seats: one within the folder that the owner has opened."""

from dataclasses import replace
from pathlib import Path

from quorate.model import LookupTerms
from quorate.settings.table import LOOK_IN

__all__ = ["narrow_lookups"]


def narrow_lookups(allowed: LookupTerms | None, folder: str) -> tuple[LookupTerms | None, str]:
    """The request's folder where it lies in the opened one, and a sentence; a link that leads out of it does not.

    Which folder is opened at all the owner says, outside of any request: its arguments may come from a model.
    """
    if allowed is None:
        return None, f"working_directory has no effect: seats read no files. To open a folder, set {LOOK_IN.variable}"
    root, wanted = Path(allowed.root).resolve(), Path(folder.replace("\0", "\ufffd")).resolve()
    if wanted.is_relative_to(root) and wanted.is_dir():
        return replace(allowed, root=str(wanted)), "seats may list, read and search files in working_directory"
    return None, f"working_directory lies outside the folder that is opened to panels, which {LOOK_IN.variable} names"
