"""The settings of rules and of ways to count are those the reference states, with their defaults."""

import inspect
from collections.abc import Callable

import pytest

from quorate import catalogue
from tests.docs.tables import page, rows, section


def listed(name: str, heading: str) -> dict[str, str]:
    """The defaults that a page of the reference states under a heading, by setting."""
    return {row[0].strip("`"): row[-1].strip("`") for row in rows(section(page(f"reference/{name}"), f"## {heading}"))}


def stated(function: Callable[..., object]) -> dict[str, str]:
    defaults = {one.name: one.default for one in catalogue.settings(function)}
    return {
        name: "must be given" if default is inspect.Parameter.empty else str(default) or "nothing"
        for name, default in defaults.items()
    }


@pytest.mark.parametrize("name", catalogue.names("rule"))
def test_a_rule_takes_the_settings_of_the_reference(name: str) -> None:
    assert stated(catalogue.rule(name).function) == listed("rules.md", name)


@pytest.mark.parametrize("name", catalogue.names("count"))
def test_a_way_to_count_takes_the_settings_of_the_reference(name: str) -> None:
    assert stated(catalogue.count(name).count) == listed("counts.md", name)


@pytest.mark.parametrize("name", catalogue.names("rule"))
def test_what_a_rule_says_of_itself_starts_from_the_defaults_it_decides_by(name: str) -> None:
    spec = catalogue.rule(name)
    own = {one.name: one.default for one in catalogue.settings(spec.function)}

    for function in (spec.needs, spec.terms):
        told = inspect.signature(function).parameters.values() if function is not None else ()
        assert {
            one.name: one.default for one in told if one.default is not inspect.Parameter.empty
        }.items() <= own.items()
