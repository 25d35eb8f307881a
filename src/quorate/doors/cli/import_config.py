"""`quorate import-config`: AI Counsel's file becomes a panel file and a user file; what has no counterpart is named."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import click

from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.screen import bytes_from, note, one_line, put_file, say

if TYPE_CHECKING:
    from quorate.settings.file_fields import Node

__all__ = ["import_config"]

PANEL: Final = "panel.yaml"
USER: Final = "config.yaml"
SETTINGS: Final = {
    "defaults.mode": "mode",
    "defaults.rounds": "min_rounds",
    "defaults.max_rounds": "max_rounds",
    "deliberation.convergence_detection.semantic_similarity_threshold": "still",
    "deliberation.convergence_detection.divergence_threshold": "apart",
    "deliberation.early_stopping.enabled": "early_stopping",
    "deliberation.early_stopping.threshold": "stop_share",
    "deliberation.early_stopping.respect_min_rounds": "respect_min_rounds",
}
"""Settings that map one to one."""
REASONS: Final = {
    "decision_graph": "earlier decisions are in the ledger; see quorate memory",
    "defaults.timeout_per_round": "patience limits one answer, deadline the whole deliberation",
    "deliberation": "quorate has its own way to tell when a discussion has settled",
    "deliberation.file_tree": "seats read no files",
    "deliberation.tool_context_max_rounds": "seats call no tools",
    "deliberation.tool_output_max_chars": "seats call no tools",
    "deliberation.tool_security": "seats call no tools",
    "deliberation.vote_retry": "a vote that cannot be read is always asked for once more",
    "mcp": "see quorate mcp --answer-within; results are cut to a size of their own",
    "storage": "minutes are Markdown, and written for every deliberation",
    "version": "nothing depends on it",
}
_VARIABLE: Final = re.compile(r"\$\{(\w+)\}")
_INHERENT: Final = frozenset({"type", "label", "tier", "note", "default", "enabled", "id"})
"""What a registry says of a model for its own list, and what is told by where it ends up."""


@click.command("import-config", epilog="\b\nExample:\n  quorate import-config config.yaml --to .")
@click.argument("file", metavar="FILE|-")
@click.option("--to", "folder", metavar="FOLDER", help=f"Write {PANEL} and {USER} there; without it they are shown.")
def import_config(file: str, folder: str | None) -> int:
    """Turn AI Counsel's config.yaml into quorate's files.

    Adapters with a model become seats, settings of the discussion those of a conference. Keys are not copied. Each
    setting that has no counterpart is named on stderr, with the reason.
    """
    from quorate.settings.file_fields import read_document

    with bytes_from(file) as opened:
        document = read_document(opened.read(), file)
    found = ImportedConfig(_plain(document.node))
    panel, user = found.panel_file(), found.user_file()
    if folder is None:
        say(f"# {PANEL}\n{panel}\n# {USER}\n{user}", end="")
    else:
        _write(Path(folder), panel, user)
    for path, why in found.without_counterpart():
        note(f"no counterpart: {one_line(path)}: {one_line(why)}")
    return DONE


def _write(folder: Path, panel: str, user: str) -> None:
    """Write both, if neither would be written over, and see that the panel can be read.

    Raises:
        BadSetting: there is one already.
    """
    from quorate.errors import BadSetting
    from quorate.settings.panel_file import load_charter

    for name in (PANEL, USER):
        if (folder / name).exists():
            raise BadSetting(f"{str(folder / name)!r} is there already; name another folder with --to")
    put_file(panel.encode(), str(folder / PANEL))
    put_file(user.encode(), str(folder / USER))
    load_charter(str(folder / PANEL))


def _plain(node: "Node") -> Any:  # noqa: ANN401  what YAML holds: texts, lists and mappings
    from quorate.settings.file_fields import Fields, Items

    if isinstance(node, Fields):
        return {key.text or "": _plain(inner) for key, inner in node.pairs}
    if isinstance(node, Items):
        return [_plain(inner) for inner in node.items]
    return node.text


@dataclass(slots=True)
class ImportedConfig:
    """The file, what has been made of it, and which of its settings were used for that."""

    whole: Any
    used: set[str] = field(default_factory=set[str])
    reasons: dict[str, str] = field(default_factory=lambda: dict(REASONS))
    commands: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def _get(self, path: str) -> Any:  # noqa: ANN401  the same
        """What stands under a path, which is used with that."""
        value = self.whole
        for name in path.split("."):
            value = value.get(name) if isinstance(value, dict) else None
        if value is not None:
            self.used.add(path)
        return value

    def panel_file(self) -> str:
        """The panel: a conference of every adapter that has a model."""
        from quorate.model import Panel, Seat
        from quorate.model.charter import Charter
        from quorate.settings.panel_file_writer import dump

        models = dict(self._seats())
        seats = tuple(Seat(name=name) for name in models) or (Seat(name="Alpha"), Seat(name="Beta"))
        settings = tuple(
            (name, str(value)) for path, name in SETTINGS.items() if (value := self._get(path)) is not None
        )
        charter = Charter(
            panel=Panel(seats=seats), protocol="conference", models=tuple(models.items()), settings=settings
        )
        return dump(charter) + "".join(self._extra_lines())

    def _extra_lines(self) -> Iterator[str]:
        import json

        if self.commands:
            yield "# The prompt comes on stdin, so no prompt can be a flag.\ncommands:\n"
        for name, argv in self.commands.items():
            yield f"  {name}: {json.dumps(argv)}\n"

    def user_file(self) -> str:
        """Where minutes go, whether earlier decisions are shown, and which models may be used."""
        import json

        lines: list[str] = []
        if transcripts := self._get("storage.transcripts_dir"):
            lines.append(f"transcripts: {json.dumps(transcripts)}\n")
        if self._get("decision_graph.enabled") == "true":
            lines.append(f"memory: {self._memory()}\n")
        disabled = [model for adapter, model, entry in self._registry() if entry.get("enabled") == "false"]
        if disabled:
            lines.append(f"disabled: {json.dumps(disabled)}\n")
        return "".join(lines) or "# Nothing of it belongs into the user file.\n"

    def _memory(self) -> str:
        """The tokens for earlier decisions, where the file has a number that may be set here; else as many as usual."""
        from quorate.errors import BadSetting
        from quorate.settings.table import MEMORY

        budget = self._get("decision_graph.context_token_budget")
        try:
            return str(MEMORY.read(str(budget)) or "on")
        except BadSetting:
            self.used.discard("decision_graph.context_token_budget")
            return "on"

    def _adapters(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        for section in ("adapters", "cli_tools"):
            listed = self.whole.get(section) if isinstance(self.whole, dict) else None
            for name, entry in listed.items() if isinstance(listed, dict) else ():
                if isinstance(entry, dict):
                    yield name, f"{section}.{name}", entry

    def _registry(self) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
        """Every model of the registry: its adapter, how quorate calls it, and what is said of it."""
        listed = self.whole.get("model_registry") if isinstance(self.whole, dict) else None
        for adapter, entries in listed.items() if isinstance(listed, dict) else ():
            for place, entry in enumerate(_items(entries)):
                if isinstance(entry, dict) and entry.get("id"):
                    path = f"model_registry.{adapter}[{place}]"
                    self.used.update(f"{path}.{name}" for name in entry if name in _INHERENT)
                    yield adapter, _model(adapter, entry["id"]), entry

    def _seats(self) -> Iterator[tuple[str, str]]:
        from quorate.panelists.registry import PROVIDERS

        defaults: dict[str, str] = {}
        for adapter, _, entry in self._registry():
            if entry.get("enabled") != "false" and (entry.get("default") == "true" or adapter not in defaults):
                defaults[adapter] = entry["id"]
        for name, path, entry in self._adapters():
            self.used.add(f"{path}.type")
            if name not in defaults:
                self.reasons[path] = "the registry has no model for it, so it has no seat; add one to the panel file"
                continue
            if "command" not in entry and name not in PROVIDERS:
                self.reasons[path] = "quorate has no provider of that name; name it as openai:MODEL@ADDRESS"
                continue
            options = "&".join(self._options(path, entry))
            yield (
                name,
                f"{self._named(name, path, entry, defaults[name])}{options and f'?{options}'}"
                + self._address(name, path, entry),
            )

    def _named(self, name: str, path: str, entry: Mapping[str, Any], model: str) -> str:
        """How quorate calls a model of an adapter; a tool that it does not know is declared as a command."""
        from quorate.panelists.cli.tools import TOOLS

        if "command" not in entry:
            return _model(name, model)
        if name in TOOLS:
            self.used.add(f"{path}.command")
            self.reasons[f"{path}.args"] = "quorate starts this tool with arguments of its own, its tools switched off"
            return f"cli:{name}/{model}"
        words = [word for word in map(str, _items(entry.get("args"))) if "{prompt}" not in word]
        self.commands[name] = [str(entry["command"]), *words]
        self.used |= {f"{path}.command", f"{path}.args"}
        return f"cli:{name}/{model}" if any("{model}" in word for word in words) else f"cli:{name}"

    def _options(self, path: str, entry: Mapping[str, Any]) -> Iterator[str]:
        if effort := entry.get("default_reasoning_effort"):
            self.used.add(f"{path}.default_reasoning_effort")
            yield f"effort={'xhigh' if effort == 'extra-high' else effort}"
        if entry.get("timeout") and "command" in entry:
            self.used.add(f"{path}.timeout")
            yield f"total={entry['timeout']}"
        elif entry.get("timeout"):
            self.reasons[f"{path}.timeout"] = "patience in the panel file limits one answer, for all seats"

    def _address(self, name: str, path: str, entry: Mapping[str, Any]) -> str:
        """An address of its own, and a word on its key, which is never copied."""
        from quorate.panelists.registry import PROVIDERS

        if name not in PROVIDERS or "command" in entry:
            return ""
        self.used |= {f"{path}.base_url", f"{path}.api_key"}
        provider, key, url = PROVIDERS[name], str(entry.get("api_key") or ""), str(entry.get("base_url") or "")
        named = _VARIABLE.fullmatch(key)
        if key and (named is None or named[1] != provider.variable):
            self.used.discard(f"{path}.api_key")
            self.reasons[f"{path}.api_key"] = f"keys are not copied; set {provider.variable}"
        if _VARIABLE.search(url):
            self.used.discard(f"{path}.base_url")
            self.reasons[f"{path}.base_url"] = f"set {provider.address_variable(name)} to the address"
            return ""
        return "" if not url or _origin(url) == _origin(provider.base_url) else f"@{url.rstrip('/')}"

    def without_counterpart(self) -> Iterator[tuple[str, str]]:
        """Every setting that was used for nothing, with the reason."""
        for path in _paths(self.whole):
            if path not in self.used and not any(path.startswith(f"{one}[") for one in self.used):
                yield path, self._reason(path)

    def _reason(self, path: str) -> str:
        while path:
            if path in self.reasons:
                return self.reasons[path]
            path = path.rpartition(".")[0]
        return "quorate has no such setting"


def _model(adapter: str, model: str) -> str:
    from quorate.panelists.cli.tools import TOOLS

    return f"cli:{adapter}/{model}" if adapter in TOOLS else f"{adapter}:{model}"


def _items(value: Any) -> Sequence[Any]:  # noqa: ANN401  what YAML holds
    return value if isinstance(value, list) else ()


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.replace("localhost", "127.0.0.1")


def _paths(value: object, path: str = "") -> Iterator[str]:
    """Every path to a text or a list of texts."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _paths(inner, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
        for place, inner in enumerate(value):
            yield from _paths(inner, f"{path}[{place}]")
    elif value is not None:
        yield path
