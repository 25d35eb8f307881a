"""What every page of a run shares: the model it may ask."""

from collections.abc import Iterator

import pytest

from tests.docs.models import Models, serving


@pytest.fixture(scope="session")
def models() -> Iterator[Models]:
    with serving() as found:
        yield found
