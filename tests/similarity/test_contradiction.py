"""The guard's tables: what must never be merged and why, and what may be."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.contradictions import contradictions
from quorate.similarity.contradiction import refusal

REFUSED = {
    "yes/no": (("Yes", "No"), ("Yes, proceed", "No, proceed later"), ("True", "False"), ("Agree.", "Disagree.")),
    "negation": (
        ("Approve the merger", "Do not approve the merger"),
        ("We should deploy on Friday", "We shouldn’t deploy on Friday"),
        ("The council will sign", "The council will fail to sign"),
        ("Ship with feature flags", "Ship without feature flags"),
        ("Use Redis, not Memcached", "Use Memcached, not Redis"),
        ("Nobody may deploy", "Everybody may deploy"),
        ("A country other than Norway", "A country like Norway"),
        ("Do NOT delete the logs", "Delete the logs"),
        ("They did n't sign", "They did sign"),
        ("Do n\u00adot delete the logs", "Delete the logs"),
        ("Do n\u043et delete the logs", "Delete the logs"),
        ("Don\u00b4t delete the logs", "Delete the logs"),
        ("Don't, stop the deployment", "Don't stop the deployment"),
        ("It is false that it is safe", "It is safe"),
        ("Anything but Redis", "Redis"),
        ("Stop deleting the database", "Delete the database"),
        ("Cease deleting the database", "Delete the database"),
        ("Quit deleting the database", "Delete the database"),
        ("Refrain from deleting the database", "Delete the database"),
        ("Avoid deleting the database", "Delete the database"),
        ("Stop ever deleting the database", "Delete the database"),
        ("Do not stop deleting the database", "Do not delete the database"),
    ),
    "enumerator": (
        ("Option A", "Option D"),
        ("v1", "v2"),
        ("Use C", "Use C++"),
        ("A: use Redis", "B: use Redis"),
        ("Vitamin C", "Vitamin D"),
    ),
    "number": (
        ("Allocate 10 GB", "Allocate 100 GB"),
        ("Allocate 10 GB", "Allocate 10 MB"),
        ("Wait 3 days", "Wait 3 weeks"),
        ("At least 50 seats", "Fewer than 50 seats"),
        ("More than 15% growth", "15% or less growth"),
        ("Option 1", "Option 10"),
        ("Phase II", "Phase III"),
        ("Plan one", "Plan two"),
        ("The first candidate", "The second candidate"),
        ("Signed by 2027", "Signed by 2028"),
        ("Keep \u0661\u0660 copies", "Keep \u0661\u0660\u0660 copies"),
    ),
    "opposite": (
        ("Increase the budget", "Decrease the budget"),
        ("Raise prices", "Cut prices"),
        ("Safe to release", "Unsafe to release"),
        ("Launch before the holidays", "Launch after the holidays"),
        ("Vote for the proposal", "Vote against the proposal"),
        ("Enable caching", "Disable caching"),
        ("More logging", "Less logging"),
        ("Harmful", "Harmless"),
        ("The speedy route", "The sluggish route"),
        ("Centralized ledger", "Decentralized ledger"),
        ("All users must migrate", "Some users must migrate"),
    ),
    "quantity": (
        ("The entire fleet must migrate", "Part of the fleet, partially, must migrate"),
        ("Only admins may deploy", "Admins may deploy"),
        ("Release weekly", "Release monthly"),
        ("Approve the merger", "Approve the merger on condition of a review"),
        ("Deploy on Friday", "Deploy on Monday"),
    ),
    "reversal": (("Launch the product", "Postpone the product launch"), ("Plastic bags", "Ban plastic bags")),
    "order": (
        ("Prefer speed over safety", "Prefer safety over speed"),
        ("Raise taxes and cut spending", "Cut taxes and raise spending"),
        ("Replace Java with Kotlin", "Replace Kotlin with Java"),
        ("Buy Acme and sell Globex", "Buy Globex and sell Acme"),
        ("Alice reviews Bob", "Bob reviews Alice"),
        ("Alice is reviewed by Bob", "Bob is reviewed by Alice"),
        ("Choose A over B", "Choose B over A"),
        ("Deploy to staging then production", "Deploy to production then staging"),
        ("Give 5 to Alice and 10 to Bob", "Give 10 to Alice and 5 to Bob"),
        ("Cut taxes by 10% and raise wages", "Cut taxes and raise wages by 10%"),
        ("Test and deploy", "Deploy and test"),
        ("After Redis, Kafka and Postgres", "After Kafka, Redis and Postgres"),
        ("Approve taxes and spending cuts", "Approve spending and tax cuts"),
        ("The log of the backup of the key", "The backup of the log of the key"),
        ("The lead is Alice, the deputy Bob", "The lead is Bob, the deputy Alice"),
        ("Only Alice reviews Bob", "Alice only reviews Bob"),
        ("We pay you", "You pay us"),
    ),
    "particle": (
        ("Migrate to the cloud", "Migrate from the cloud"),
        ("Use Redis and Kafka", "Use Redis or Kafka"),
        ("Opt in", "Opt out"),
        ("Roll back the release", "Roll out the release"),
        ("Set up the alarm", "Set off the alarm"),
        ("Turn the alarm on", "Turn the alarm off"),
        ("Look into it", "Look after it"),
        ("Sell to Acme", "Sell Acme"),
        ("Bob reviews Alice", "Bob is reviewed by Alice"),
        ("Alice reviews", "Alice is reviewed"),
        ("Raise the price by 10%", "Raise the price to 10%"),
        ("Postgres must stay this year", "Postgres may stay"),
        ("Write-through cache", "Write-back cache"),
    ),
    "name": (
        ("Migrate to AWS", "Migrate to Azure"),
        ("Sell it in the US", "Sell it in the UK"),
        ("Delete our data", "Delete your data"),
        ("Pay us the bonus", "Pay Acme the bonus"),
    ),
    "addition": (
        ("Use Redis", "Use Redis and Kafka"),
        ("The Beatles or the Kinks", "The Beatles"),
        ("Alice trusts Bob", "Alice trusts Bob and Bob trusts Alice"),
    ),
    "substitution": (
        ("Use tabs", "Use spaces"),
        ("Buy the building", "Lease the building"),
        ("Strong consistency", "Eventual consistency"),
        ("Use blue-green deployment", "Use canary deployment"),
        ("Meet in the library", "Meet in the canteen"),
    ),
}

LET_PASS = (
    ("Self-documenting code", "Prioritize self-documenting code"),
    ("Use PostgreSQL for storage", "Implement storage using PostgreSQL"),
    ("Buy the building", "Purchase the building"),
    ("Approve the merger", "Approval of the merger"),
    ("Do not approve the merger", "Don't approve the merger"),
    ("10 GB of memory", "10GB of memory"),
    ("A 50% discount", "A 50 percent discount"),
    ("Wait 60 minutes", "Wait 1 hour"),
    ("At least 50 seats", "A minimum of 50 seats"),
    ("Growth of more than 15%", "Growth of over 15%"),
    ("Before January 1, 2028", "Prior to 2028-01-01"),
    ("Sign in the United States", "Sign in the U.S."),
    ("Delay the launch", "Postpone the launch"),
    ("Option A", "option a"),
    ("Option A: use Redis", "Use Redis"),
    ("Not only Redis", "Redis"),
    ("Feature flags", "A feature flag"),
    ("Postgres and Redis", "Redis and Postgres"),
    ("Use Postgres, Kafka or Redis for caching", "Use Kafka, Redis or Postgres for caching"),
    ("Before the launch, test the API", "Test the API before the launch"),
    ("Instead of Redis, use Kafka", "Use Kafka instead of Redis"),
    ("Use Kafka to stream events", "Stream events using Kafka"),
    ("Improve the security of the API", "Improve API security"),
    ("Alice reviews Bob", "Bob is reviewed by Alice"),
    ("Focus on self-documenting code", "Self-documenting code"),
    ("I think we should adopt Rust", "Adopt Rust"),
    ("Do NOT delete the logs", "do not delete the logs"),
    ("USE A CACHE", "Use a cache"),
)


@pytest.mark.parametrize(
    ("kind", "a", "b"), [(kind, *pair) for kind, pairs in REFUSED.items() for pair in pairs], ids=str
)
def test_a_contradiction_is_refused_and_named(kind: str, a: str, b: str) -> None:
    assert refusal(a, b).partition(":")[0] == kind
    assert refusal(b, a).partition(":")[0] == kind


@pytest.mark.parametrize(("a", "b"), LET_PASS)
def test_another_way_to_say_it_is_let_pass(a: str, b: str) -> None:
    assert (refusal(a, b), refusal(b, a)) == ("", "")


def test_a_refusal_says_what_differs() -> None:
    assert refusal("Allocate 10 GB", "Allocate 100 GB") == "number: 10 GB/100 GB"
    assert refusal("Increase the budget", "Decrease the budget") == "opposite: increase/decrease"
    assert refusal("Option A", "Option D") == "enumerator: A/D"
    assert refusal("Cache in Redis", "Cache in Memcached") == "name: redis/memcached"


@pytest.mark.parametrize("cased", [str.upper, str.lower, str.title])
@pytest.mark.parametrize("pairs", [REFUSED["negation"], REFUSED["order"], REFUSED["particle"]])
def test_capitals_hide_nothing(pairs: tuple[tuple[str, str], ...], cased: Callable[[str], str]) -> None:
    assert [pair for pair in pairs if not refusal(cased(pair[0]), cased(pair[1]))] == []


@given(st.text(), st.text())
def test_the_guard_never_raises_and_knows_no_left_and_right(a: str, b: str) -> None:
    assert bool(refusal(a, b)) == bool(refusal(b, a))


@given(st.text())
def test_a_text_never_contradicts_itself(text: str) -> None:
    assert refusal(text, text) == ""


HOSTILE = ("not ", "million ", "9", "Option A ", "in", "hundred ", "a.", "x9 ", "10 GB ", "by us ", "a and ")


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_text_is_read_in_linear_time(piece: str) -> None:
    assert isinstance(refusal(piece * 4_000, piece * 4_001), str)


@pytest.mark.promise
@pytest.mark.parametrize("piece", HOSTILE)
def test_and_one_five_times_as_long(piece: str) -> None:
    assert isinstance(refusal(piece * 20_000, piece * 20_001), str)


def test_generated_contradictions_are_refused(seed: int) -> None:
    assert [made for made in contradictions(seed, 800) if not refusal(made.a, made.b)] == []


@pytest.mark.promise
def test_ten_thousand_generated_contradictions_are_refused(seed: int) -> None:
    assert [made for made in contradictions(seed, 10_000) if not refusal(made.a, made.b)] == []
