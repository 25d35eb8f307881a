"""Seats that a caller names, on a server that has a usual model."""

from tests.servers import Endpoint
from tests.web.client import QUESTION, Caller


async def test_a_caller_brings_seats_of_its_own(api: Caller, endpoint: Endpoint) -> None:
    mock = f"openai:mock@{endpoint.url}"
    body = {**QUESTION, "protocol": "conference", "seats": {"Ann": mock, "Ben": "person"}}

    told = (await api.post("/api/forecast", body)).json

    assert {one["seat"]: one["model"] for one in told["seats"]} == {"Ann": mock, "Ben": "person"}


async def test_a_seat_the_caller_leaves_out_has_the_usual_model(api: Caller, endpoint: Endpoint) -> None:
    told = (await api.post("/api/forecast", {**QUESTION, "seats": {"Safety": "person"}})).json

    assert {one["seat"]: one["model"] for one in told["seats"]} == {
        "Utility": f"openai:mock@{endpoint.url}",
        "Accuracy": f"openai:mock@{endpoint.url}",
        "Safety": "person",
    }
