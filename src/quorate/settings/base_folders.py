"""Where this user's own files are: the XDG base directories, the user file, and the ledger."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from quorate.ledger.address import with_spool
from quorate.settings import table

__all__ = ["default_ledger", "expand_home", "ledger_place", "state_folder", "user_file"]

_CONFIG: Final = "XDG_CONFIG_HOME"
_FILE: Final = "config.yaml"


def user_file(env: Mapping[str, str], home: Path) -> tuple[Path, str]:
    """Where the user's own file is, whether or not there is one, and how it is shown."""
    return _user_file(env.get("QUORATE_CONFIG", ""), env.get(_CONFIG, ""), str(home))


@lru_cache(4)
def _user_file(named: str, folder: str, home_: str) -> tuple[Path, str]:
    """Where these variables say that it is; every call of a program asks."""
    home = Path(home_)
    path = Path(expand_home(named, home)) if named else _folder({_CONFIG: folder}, home, _CONFIG, ".config") / _FILE
    return path, f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


def state_folder(env: Mapping[str, str], home: Path) -> Path:
    """Where what can be made again is kept."""
    return _folder(env, home, "XDG_STATE_HOME", ".local/state")


def default_ledger(env: Mapping[str, str], home: Path) -> str:
    """The ledger of whoever names none."""
    return str(_folder(env, home, "XDG_DATA_HOME", ".local/share") / "ledger.db")


def ledger_place(flag: str | None, env: Mapping[str, str], home: Path) -> str:
    """The ledger as `resolve` finds it, for a command that wants to know nothing else: no panel is loaded for it.

    Where anything else is said that `resolve` would read, it is asked.

    Raises:
        QuorateError: as for `resolve`.
    """
    if _is_more_told(env, home):
        from quorate.settings.resolve import DEFAULT_PANEL, resolve  # noqa: PLC0415  it takes 30 ms, and is seldom asked

        return resolve({table.LEDGER.name: flag, table.PANEL.name: DEFAULT_PANEL}, env, home)[table.LEDGER]
    named = (env.get(table.LEDGER.variable) or default_ledger(env, home)) if flag is None else flag
    return with_spool(expand_home(named, home), state_folder(env, home))


def _is_more_told(env: Mapping[str, str], home: Path) -> bool:
    variables = (option.variable for option in table.options_at("variable") if option is not table.LEDGER)
    if env.get("QUORATE_CONFIG") or any(map(env.get, variables)):
        return True
    try:
        user_file(env, home)[0].lstat()
    except FileNotFoundError:
        return False
    except OSError:  # whoever reads it says what is wrong with it
        return True
    return True


def expand_home(text: str, home: Path) -> str:
    """A path with the user's home in place of ~/."""
    return str(home / text[2:]) if text.startswith("~/") else text


def _folder(env: Mapping[str, str], home: Path, variable: str, otherwise: str) -> Path:
    """The XDG base directories say that a relative one is to be ignored."""
    written = env.get(variable, "")
    return (Path(written) if written.startswith("/") else home / otherwise) / "quorate"
