"""The guard's tables: what must never be merged and why, and what may be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.bench.contradictions import contradictions
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
    ),
    "particle": (
        ("Migrate to the cloud", "Migrate from the cloud"),
        ("Use Redis and Kafka", "Use Redis or Kafka"),
        ("Opt in", "Opt out"),
    ),
    "name": (("Migrate to AWS", "Migrate to Azure"), ("Sell it in the US", "Sell it in the UK")),
    "addition": (("Use Redis", "Use Redis and Kafka"), ("The Beatles or the Kinks", "The Beatles")),
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


@given(st.text(), st.text())
def test_the_guard_never_raises_and_knows_no_left_and_right(a: str, b: str) -> None:
    assert bool(refusal(a, b)) == bool(refusal(b, a))


@given(st.text())
def test_a_text_never_contradicts_itself(text: str) -> None:
    assert refusal(text, text) == ""


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["not ", "million ", "9", "Option A ", "in", "hundred ", "a.", "x9 ", "10 GB "])
def test_a_hostile_text_is_read_in_linear_time(piece: str) -> None:
    assert isinstance(refusal(piece * 20_000, piece * 20_001), str)


def test_generated_contradictions_are_refused(seed: int) -> None:
    assert [made for made in contradictions(seed, 800) if not refusal(made.a, made.b)] == []


@pytest.mark.promise
def test_ten_thousand_generated_contradictions_are_refused(seed: int) -> None:
    assert [made for made in contradictions(seed, 10_000) if not refusal(made.a, made.b)] == []
