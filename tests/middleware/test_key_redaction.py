import random
import string
import time

import pytest

from quorate.errors import PanelistError
from quorate.middleware.key_redaction import PIECE, REMOVED, RedactedPanelist, Redaction, secrets_of
from quorate.model import Ask, Prompt, Reply, Seat
from quorate.panelists import WordListener, ignore_words
from tests.promises.test_p15_keys import canaries, compact, said_aloud, traces

ASK = Ask(Seat(name="Safety"), "analysis", Prompt("?"))


class Says:
    """Writes a text in pieces, or fails with it."""

    def __init__(self, text: str, piece: int = 1, *, fails: bool = False) -> None:
        self._text, self._piece, self._fails = text, piece, fails

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        del ask
        for at in range(0, len(self._text), self._piece):
            overheard(self._text[at : at + self._piece])
        if self._fails:
            raise PanelistError("bad_reply", self._text)
        return Reply(text=self._text, model=self._text)


def removing(*keys: str) -> Redaction:
    found = Redaction.of(keys)
    assert found is not None
    return found


def left(text: str, key: str) -> bool:
    return any(trace in compact(text.encode()) for trace in traces(key))


def test_a_key_is_removed_in_whatever_way_it_is_written(seed: int) -> None:
    for key in canaries(random.Random(seed)).values():
        cleaned = removing(key).clean(said_aloud(key))

        assert not left(cleaned, key)
        assert cleaned.count(REMOVED) == 13
        assert cleaned.count("so much for that.") == 12


@pytest.mark.parametrize("piece", [1, 3, 40, 10_000])
async def test_nothing_of_it_is_heard_while_it_is_written(seed: int, piece: int) -> None:
    for key in canaries(random.Random(seed)).values():
        heard: list[str] = []
        said = said_aloud(key)
        panelist = RedactedPanelist(Says(f"{said} {'word ' * 20}", piece), removing(key))
        reply = await panelist.answer(ASK, heard.append)

        assert not left("".join(heard), key)
        assert not left(reply.text + reply.model, key)
        assert reply.text.startswith("".join(heard)[:40])
        assert "so much for that" in "".join(heard)


async def test_a_language_with_other_letters_is_heard_while_it_is_written() -> None:
    heard: list[str] = []
    text = "Стоит ли удалять базу в 2024 году? " * 200
    await RedactedPanelist(Says(text, 7), removing("sk-" + "a1b2c3d4" * 5)).answer(ASK, heard.append)

    assert text.startswith("".join(heard))
    assert len("".join(heard)) > len(text) - 500


async def test_a_failure_says_no_key_either() -> None:
    key = "sk-" + "a1b2c3d4" * 5
    with pytest.raises(PanelistError) as raised:
        await RedactedPanelist(Says(f"you sent {key}", fails=True), removing(key)).answer(ASK)

    assert raised.value.detail == f"you sent {REMOVED}"
    assert key not in str(raised.value)


def test_any_piece_of_sixteen_signs_is_found_wherever_it_stands(seed: int) -> None:
    chance = random.Random(seed)
    letters = string.ascii_letters + string.digits
    for _ in range(300):
        key = "".join(chance.choices(letters, k=chance.randint(PIECE, 90)))
        begin = chance.randint(0, len(key) - PIECE)
        piece = key[begin : chance.randint(begin + PIECE, len(key))]
        before, after = (
            " ".join("".join(chance.choices(".,é ", k=3)) for _ in range(chance.randrange(9))) for _ in "12"
        )

        assert removing(key).clean(f"{before}{piece}{after}") == f"{before}{REMOVED}{after}"


def test_words_that_merely_resemble_a_key_stay() -> None:
    text = "The sk-proj- prefix, base64 and ollama are words; so is 0123456789."
    assert removing("sk-proj-" + "Q7w8" * 10, "lm-studio-local-1").clean(text) == text


def test_what_by_its_name_is_a_secret_is_one() -> None:
    environ = {
        "OPENAI_API_KEY": "sk-proj-0123456789abcdef",
        "TAVILY_API_KEY": "tvly-0123456789abcdef",
        "HF_TOKEN": "hf_0123456789abcdef",
        "PGPASSWORD": "correct horse battery staple",
        "https_proxy": "http://user:hunter2%2Fhunter2%2Fhunter2@127.0.0.1:9",
        "OLLAMA_API_KEY": "ollama",
        "EDITOR": "an-editor-of-somebodys",
    }

    assert set(secrets_of(environ)) == {
        *("sk-proj-0123456789abcdef", "tvly-0123456789abcdef", "hf_0123456789abcdef"),
        *("correct horse battery staple", "hunter2/hunter2/hunter2"),
    }
    assert Redaction.of(secrets_of({"OLLAMA_API_KEY": "ollama"})) is None


@pytest.mark.parametrize("text", ["a" * 8, "ab", "a1b2c3d4", "a ", "é", "sk-"])
def test_it_takes_time_in_proportion(text: str) -> None:
    redaction = removing("sk-" + "a" * 40, "a1b2c3d4" * 10)
    before = time.process_time()
    redaction.clean(text * (400_000 // len(text)))

    assert time.process_time() - before < 4
