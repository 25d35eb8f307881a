"""How far a place is believed: by its registrable domain, from a table people can edit."""

from fractions import Fraction
from pathlib import Path

import pytest

from quorate.errors import BadSetting
from quorate.evidence.credibility import registrable, table_of

BOMB = "domains: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)
"""Nine to the twelfth values in some 500 bytes."""

HIGH, PLAIN = Fraction(95, 100), Fraction(1, 2)


@pytest.mark.parametrize(
    ("url", "category", "credibility"),
    [
        ("https://www.reuters.com/world", "news", HIGH),
        ("https://REUTERS.com./x", "news", HIGH),
        ("https://notreuters.com/x", "domain_specific", PLAIN),
        ("https://reuters.com.evil.example/x", "domain_specific", PLAIN),
        ("https://evil.example/reuters.com", "domain_specific", PLAIN),
        ("https://reuters.com@evil.example/", "domain_specific", PLAIN),
        ("https://evil.example#reuters.com", "domain_specific", PLAIN),
        ("https://r\u0435uters.com/x", "domain_specific", PLAIN),
        ("https://bbc.co.uk/news", "news", Fraction(9, 10)),
        ("https://news.bbc.co.uk/1", "news", Fraction(9, 10)),
        ("https://co.uk/", "domain_specific", PLAIN),
        ("https://www.nasa.gov/x", "official", HIGH),
        ("https://nasa.gov.example.com/x", "domain_specific", PLAIN),
        ("https://ec.europa.eu/x", "official", HIGH),
        ("https://noteuropa.eu/x", "domain_specific", PLAIN),
        ("https://www.gov.uk/x", "official", HIGH),
        ("https://x.com/somebody", "social", Fraction(3, 10)),
        ("https://notx.com/", "domain_specific", PLAIN),
        ("https://reuters.github.io/", "domain_specific", PLAIN),
        ("https://127.0.0.1/", "domain_specific", PLAIN),
        ("ftp://reuters.com/", "domain_specific", PLAIN),
        ("http://[", "domain_specific", PLAIN),
        ("notes.txt", "domain_specific", PLAIN),
        ("", "domain_specific", PLAIN),
    ],
)
def test_a_place_is_believed_by_its_registrable_domain(url: str, category: str, credibility: Fraction) -> None:
    standing = table_of().standing(url)

    assert (standing.category, standing.credibility) == (category, credibility)
    assert standing.why


def test_a_registrable_domain_knows_public_suffixes() -> None:
    assert [registrable(host) for host in ("a.b.bbc.co.uk", "x.github.io", "co.uk", "a.b.example.com")] == [
        "bbc.co.uk",
        "x.github.io",
        "",
        "example.com",
    ]


def test_the_users_own_table_goes_before_the_one_that_ships(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(
        "otherwise: social 0.1\ndomains:\n  Reuters.com: news 1/2 we quarrelled\n  wiki.acme.example: official 1\n"
    )
    table = table_of(own)

    assert table.standing("https://reuters.com/").why == "we quarrelled"
    assert table.standing("https://wiki.acme.example/").credibility == 1
    assert table.standing("https://unheard.example/").credibility == Fraction(1, 10)
    assert table.standing("https://apnews.com/").credibility == HIGH


def test_a_stated_category_holds_only_where_nothing_is_listed() -> None:
    table = table_of()

    assert table.standing("https://unheard.example/", "official").category == "official"
    assert table.standing("https://unheard.example/", "official").credibility == PLAIN
    assert table.standing("https://x.com/", "official").category == "social"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("domains: {", "no YAML"),
        ("domains: [", "a list; it holds"),
        ("domaens: {}", "holds otherwise, unplaced, suffixes, domains"),
        ("domains: 3", "lines such as"),
        ("domains: {a.example: rumour 0.5}", "domains.a.example: CATEGORY SHARE"),
        ("domains: {a.example: news 1.5}", "for instance 'news 0.95'"),
        ("domains: {a.example: news 1/0}", "for instance 'news 0.95'"),
        ("otherwise: news", "CATEGORY SHARE"),
        ("#" * 300_000, "more than 256 KB"),
        (BOMB, "own.yaml:1: a list; it holds"),
        ("domains: &all {a.example: news 0.5}\nsuffixes: *all", "own.yaml:2: an alias; write the value out"),
        ("[" * 100_000, "a list; it holds"),
        ("{" * 100_000, "no YAML|nested deeper"),
        ("a: " * 60_000, "no YAML|nested deeper"),
        ("domains: {a.example: {b: {c: news 0.5}}}", "nested deeper"),
        ("domains:\n  a.example: news 0.5\n  a.example: news 0.9", "own.yaml:3: 'a.example' is given twice"),
        ("otherwise: !!python/object:os.system news 0.5", "is not read here"),
        ("otherwise: news 0.5\n---\notherwise: news 0.9", "a second document begins"),
        ("news", "no table"),
        ("\udcff", "no YAML"),
    ],
)
def test_a_table_that_cannot_be_read_says_where(tmp_path: Path, text: str, said: str) -> None:
    own = tmp_path / "own.yaml"
    own.write_bytes(text.encode(errors="surrogateescape"))

    with pytest.raises(BadSetting, match=said):
        table_of(own)


def test_a_table_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="no table can be read from"):
        table_of(tmp_path / "none.yaml")
