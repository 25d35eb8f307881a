import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from quorate.similarity.backend_choice import score_texts
from quorate.similarity.vectors import EmbeddingEndpoint

VECTORS = {"one": [1, 0], "same": [2, 0], "other": [0, 3]}


@contextmanager
def serving(told: bytes | None = None, status: int = 200) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """An endpoint on loopback: what it was sent is kept, and without a reply of its own it embeds by a table."""
    seen: list[dict[str, str]] = []

    class Table(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append({"path": self.path, "key": self.headers.get("Authorization", ""), "model": asked["model"]})
            items = [{"index": at, "embedding": VECTORS[text]} for at, text in enumerate(asked["input"])]
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps({"data": items[::-1]}).encode() if told is None else told)

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Table) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1", seen
        server.shutdown()


def test_vectors_come_from_the_endpoint_with_its_key_and_model() -> None:
    with serving() as (address, seen):
        backend = EmbeddingEndpoint(address=address, model="small", key="k")
        scores = [(i, j, float(score)) for i, j, score in backend.scores(("one", "same", "other"))]

    assert scores == [(0, 1, 1.0), (0, 2, 0.0), (1, 2, 0.0)]
    assert seen == [{"path": "/v1/embeddings", "key": "Bearer k", "model": "small"}]
    assert backend.name == "endpoint small (127.0.0.1)"


def test_the_key_is_shown_nowhere() -> None:
    assert "secret" not in repr(EmbeddingEndpoint(address="http://127.0.0.1:1", model="small", key="secret"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("told", "status"),
    [
        (b"no", 200),
        (b'{"data": []}', 200),
        (b"{}", 500),
        (b'{"data": [1, 2]}', 200),
        (b"", 302),
        (b'{"data": ' + b"[" * 100_000, 200),
        (b'{"data": [{"index": 0, "embedding": [1%s]}]}' % (b"0" * 4_000), 200),
    ],
    ids=lambda value: str(value)[:30],
)
def test_an_endpoint_that_fails_gives_way_and_says_so(told: bytes, status: int) -> None:
    with serving(told, status) as (address, _):
        found = score_texts(("one", "same"), EmbeddingEndpoint(address=address, model="small"))

    assert found.by.startswith("tfidf")
    assert found.why.startswith("endpoint small (127.0.0.1) failed")


@pytest.mark.slow
@pytest.mark.parametrize("address", ["ftp://127.0.0.1/x", "nowhere", "http://127.0.0.1:1/v1"])
def test_an_address_where_nobody_is_gives_way(address: str) -> None:
    assert score_texts(("one", "same"), EmbeddingEndpoint(address=address, model="small")).by.startswith("tfidf")
