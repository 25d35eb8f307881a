"""Counts in the text form that Prometheus reads."""

from collections.abc import Iterator, Mapping

__all__ = ["metric_lines"]


def metric_lines(name: str, about: str, value: int | Mapping[str, int]) -> Iterator[str]:
    """One count with what it is; several of one name are told apart by their labels, such as `{state="decided"}`."""
    yield f"# HELP quorate_{name} {about}"
    yield f"# TYPE quorate_{name} {'counter' if name.endswith('_total') else 'gauge'}"
    for labels, many in value.items() if isinstance(value, Mapping) else (("", value),):
        yield f"quorate_{name}{labels} {many}"
