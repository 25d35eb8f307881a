"""Fetching evidence cannot reach the inner network: three hundred ways to name it, directly, by redirect, by DNS."""

import ipaddress
import socket
from collections.abc import Iterator

import pytest

from quorate.evidence.fetch import Fetcher, is_public
from tests.evidence.web import Listener, contacts, page

pytestmark = [pytest.mark.promise, pytest.mark.allow_hosts(["127.0.0.1", "::1", "127.0.0.9"])]

WEB = "127.0.0.9"
"""Plays a host on the public internet: everything else is judged as it is outside tests."""
INNER = (
    *("127.0.0.1", "127.0.0.2", "127.255.255.254", "0.0.0.0", "10.0.0.1", "10.255.255.255", "172.16.0.1"),  # noqa: S104
    *("172.31.255.255", "192.168.0.1", "192.168.255.255", "169.254.169.254", "169.254.170.2", "100.64.0.1"),
    *("100.100.100.200", "192.0.0.192", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "168.63.129.16"),
)
INNER_6 = (
    *("::1", "::", "fe80::1", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "100::1", "2001:db8::1", "2001::1"),
    *("64:ff9b:1::7f00:1", "2001:10::1", "3fff::1", "5f00::1", "::7f00:1"),
)
NAMES = (
    *("localhost", "LOCALHOST", "localhost.", "a.localhost", "localhost.localdomain", "metadata.google.internal"),
    *("metadata", "router.lan", "printer.local", "db.corp", "intranet", "kubernetes.default.svc.cluster.local"),
    *("inner.public.org", "xn--lcalhost-54a", "ip6-localhost", "home.arpa", "host.docker.internal", "test.test"),
)
SCHEMES = ("file", "gopher", "ftp", "dict", "ldap", "ws", "jar", "data", "javascript", "unix", "tftp", "sftp", "HTTPX")


def spellings(text: str) -> Iterator[str]:
    """An IPv4 address as resolvers, browsers and attackers write it."""
    number = int(ipaddress.IPv4Address(text))
    a, b, c, d = number.to_bytes(4)
    yield from (text, f"{text}.", str(number), hex(number), f"0{number:o}", f"0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}")
    yield from (f"0{a:o}.0{b:o}.0{c:o}.0{d:o}", f"{a}.{number & 0xFFFFFF}", f"{a}.{b}.{number & 0xFFFF}")
    yield from (f"[::ffff:{text}]", f"[::{text}]", f"[64:ff9b::{text}]", f"[2002:{a:02x}{b:02x}:{c:02x}{d:02x}::1]")


def hosts() -> Iterator[str]:
    for text in INNER:
        yield from spellings(text)
    yield from (f"[{text}]" for text in INNER_6)
    yield from NAMES
    yield from (
        "\uff11\uff12\uff17.\uff10.\uff10.\uff11",
        "127\u30020\u30020\u30021",
        "\u2460\u2461\u2466.0.0.1",
        "\u24db\u24deca\u24db\u24d7ost",
    )
    yield from ("[fe80::1%25lo]", "[::1%lo]", "[0:0:0:0:0:0:0:1]", "[::ffff:7f00:1]", "127.0.0.1%00", "127.0.0.1%2e")


def urls(port: int) -> list[str]:
    """Every form, with the port that the listeners have."""
    plain = [f"http://{host}:{port}/" for host in hosts()]
    tricks = (
        *(
            f"http://user@127.0.0.1:{port}/",
            f"http://public.org@127.0.0.1:{port}/",
            f"http://127.0.0.1:{port}#@public.org/",
        ),
        *(
            f"http://public.org:{port}@127.0.0.1:{port}/",
            f"http://127.0.0.1:{port}\\@public.org/",
            f"http:\\\\127.0.0.1:{port}",
        ),
        *(f"http:127.0.0.1:{port}", f"http:/127.0.0.1:{port}/", f"http:///127.0.0.1:{port}/", f"//127.0.0.1:{port}/"),
        *(
            f" http://127.0.0.1:{port}/",
            f"http://127.0.0.1:{port}/\r\nHost: a",
            f"ht\ntp://127.0.0.1:{port}/",
            "http://",
        ),
        *(
            "http://127.0.0.1:22/",
            "http://127.0.0.1:6379/",
            "http://public.org:22/",
            f"http://127.0.0.1:{port}0/",
            "http://[::1",
        ),
    )
    return [*plain, *tricks, *(f"{scheme}://127.0.0.1:{port}/etc/passwd" for scheme in SCHEMES)]


class Names:
    """A DNS that lies: some names are public at first and inner later, one is both at once."""

    def __init__(self) -> None:
        self.asked: dict[str, int] = {}

    async def __call__(self, name: str, port: int) -> tuple[str, ...]:
        """Numbers as the system's resolver reads them; names by our own table."""
        self.asked[name] = self.asked.get(name, 0) + 1
        if name.startswith("both"):
            return (WEB, "127.0.0.1")
        if name.startswith("rebind"):
            return (WEB,) if self.asked[name] == 1 else ("127.0.0.1",)
        if name == "web.public.org":
            return (WEB,)
        try:
            found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
        except (OSError, UnicodeError):
            return ("127.0.0.1",)
        return tuple(str(one[4][0]) for one in found)


def fetcher(port: int, names: Names, *, checks: bool = True) -> Fetcher:
    return Fetcher(
        public=(lambda text: text == WEB or is_public(text)) if checks else (lambda _: True),
        resolve=names,
        ports=frozenset({port}),
        patience=2.0,
    )


async def outcome(fetch: Fetcher, url: str) -> str:
    try:
        return (await fetch.fetch(url)).text
    except (OSError, ValueError, TimeoutError) as refused:
        return type(refused).__name__


async def test_no_form_reaches_the_inner_network_directly() -> None:
    async with Listener("127.0.0.1") as inside, Listener("::1", port=inside.port) as inside_6:
        forms = urls(inside.port)
        with contacts() as seen:
            told = [await outcome(fetcher(inside.port, Names()), url) for url in forms]

    assert len(forms) >= 300
    assert (inside.knocks, inside_6.knocks, seen) == (0, 0, [])
    assert set(told) <= {"AddressRefused"}, sorted(set(told))


async def test_no_form_reaches_the_inner_network_by_a_redirect() -> None:
    async with Listener("127.0.0.1") as inside, Listener("::1", port=inside.port) as inside_6:
        # A server writes any bytes it likes into Location, but a line's end ends it.
        forms = [url for url in urls(inside.port) if "\n" not in url and not url.startswith((" ", "http:1", "http:/1"))]
        pages = {f"/{place}": page("", f"Location: {url}", status=302) for place, url in enumerate(forms)}
        async with Listener(WEB, pages, port=inside.port) as outside:
            fetch = fetcher(inside.port, Names())
            with contacts() as seen:
                base = f"http://web.public.org:{inside.port}"
                for place in range(len(forms)):
                    await outcome(fetch, f"{base}/{place}")

    assert outside.knocks >= len(forms) >= 290
    assert (inside.knocks, inside_6.knocks, set(seen)) == (0, 0, {WEB})


async def test_a_name_that_changes_between_check_and_use_leads_nowhere_else() -> None:
    names = Names()
    async with Listener("127.0.0.1") as inside, Listener(WEB, port=inside.port) as outside:
        fetch = fetcher(inside.port, names)
        with contacts() as seen:
            for place in range(300):
                await outcome(fetch, f"http://rebind{place}.public.org:{inside.port}/")
                assert await outcome(fetch, f"http://both{place}.public.org:{inside.port}/") == "AddressRefused"

    assert (inside.knocks, outside.knocks, set(seen)) == (0, 300, {WEB})
    assert {count for name, count in names.asked.items() if name.startswith("rebind")} == {1}


async def test_a_redirect_to_a_name_that_has_changed_meanwhile_is_checked_again() -> None:
    async with Listener("127.0.0.1") as inside:
        back = page("", f"Location: http://rebind.public.org:{inside.port}/again", status=307)
        async with Listener(WEB, {"/": back}, port=inside.port) as outside:
            told = await outcome(fetcher(inside.port, Names()), f"http://rebind.public.org:{inside.port}/")

    assert (told, inside.knocks, outside.knocks) == ("AddressRefused", 0, 1)


async def test_the_harness_sees_a_contact_when_the_check_is_off() -> None:
    async with Listener("127.0.0.1") as inside, Listener("::1", port=inside.port) as inside_6:
        fetch = fetcher(inside.port, Names(), checks=False)
        with contacts() as seen:
            for host in ("127.0.0.1", "[::1]", "inner.public.org"):
                assert "secret" in await outcome(fetch, f"http://{host}:{inside.port}/")

    assert (inside.knocks, inside_6.knocks, seen) == (2, 1, ["127.0.0.1", "::1", "127.0.0.1"])
