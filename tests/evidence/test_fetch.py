"""What is fetched, how much of it, and when not."""

import gzip

import pytest

from quorate.evidence.errand_find import FORBIDDEN, EvidenceFinder
from quorate.evidence.fetch import AddressRefused, Fetcher, is_public, target_of
from quorate.evidence.search_settings import SearchSettings
from quorate.model import Errand
from tests.evidence.web import Listener, page

HERE = "127.0.0.1"


def fetcher(port: int, most: int = 4 * 2**20) -> Fetcher:
    async def resolve(_: str, __: int) -> tuple[str, ...]:
        return (HERE,)

    return Fetcher(public=lambda text: text == HERE, resolve=resolve, ports=frozenset({port}), most=most, patience=2.0)


def packed(content: bytes) -> bytes:
    return (
        b"HTTP/1.1 200 X\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n" + content
    )


PAGES = {
    "/": page(
        "<title>Piers</title><link rel=canonical href='https://reuters.com/x'><p>The walrus sleeps on the pier.</p>"
    ),
    "/moved": page("", "Location: /", status=301),
    "/round": page("", "Location: /round", status=302),
    "/gone": page("no", status=404),
    "/picture": page("x", kind="image/png"),
    "/large": page("x" * 2_000, kind="text/plain"),
    "/bomb": packed(gzip.compress(bytes(50_000_000))),
    "/torn": packed(b"\x1f\x8b nonsense"),
    "/packed": packed(gzip.compress(b"A walrus, packed.")),
}


async def test_a_page_is_read_under_the_address_it_was_asked_for() -> None:
    async with Listener(HERE, PAGES) as web:
        office = EvidenceFinder(SearchSettings(fetch=True), fetcher(web.port))
        base = f"http://pier.public.org:{web.port}"
        found = await office.fetch(
            Errand(kind="fetch", round="research", seat="a", texts=(f"{base}/moved", f"{base}/gone"))
        )

    [passage] = found.passages
    assert (passage.url, passage.title, passage.text) == (f"{base}/moved", "Piers", "The walrus sleeps on the pier.")
    assert (passage.category, found.by) == ("domain_specific", "fetch 1")
    assert found.why == "address 2: it answered 404"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/round", "redirects too often"),
        ("/gone", "it answered 404"),
        ("/picture", "it is image/png, which is not read"),
        ("/large", "it is larger than"),
        ("/bomb", "it is larger than"),
        ("/torn", "it cannot be unpacked"),
    ],
)
async def test_what_cannot_be_read_says_why(path: str, said: str) -> None:
    async with Listener(HERE, PAGES) as web:
        with pytest.raises((OSError, ValueError), match=said):
            await fetcher(web.port, most=1_000).fetch(f"http://pier.public.org:{web.port}{path}")


async def test_a_packed_page_is_unpacked() -> None:
    async with Listener(HERE, PAGES) as web:
        document = await fetcher(web.port).fetch(f"http://pier.public.org:{web.port}/packed")

    assert document.text == "A walrus, packed."


async def test_fetching_is_off_unless_it_was_allowed() -> None:
    found = await EvidenceFinder(SearchSettings()).fetch(
        Errand(kind="fetch", round="research", texts=("https://public.org/",))
    )

    assert (found.passages, found.why) == ((), FORBIDDEN)


@pytest.mark.parametrize(
    "text", ["93.184.215.14", "8.8.8.8", "2606:2800:21f:cb07::1", "2a00:1450:4001::1", "64:ff9b::808:808"]
)
def test_public_addresses_are_public(text: str) -> None:
    assert is_public(text)


def test_an_address_is_taken_apart_as_it_will_be_used() -> None:
    assert target_of("https://Public.ORG./a?b=c#d").url == "https://public.org/a?b=c"
    assert target_of("http://b\u00fccher.example.com:80/").host == "xn--bcher-kva.example.com"
    assert target_of("http://8.8.8.8/").host == "8.8.8.8"
    for url in ("http://public.org:8080/", "http://public.org:/", "http://public/", "http://-a.org/", "http://a..org/"):
        with pytest.raises(AddressRefused):
            target_of(url)
