"""The long run of P3, led by coverage: python tests/promises/fuzz_reading.py -runs=10000000 [CORPUS]. Needs atheris."""

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.promises.garbage import MARK, holds_act, valid


def main() -> None:
    try:
        import atheris  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ModuleNotFoundError:
        sys.exit("atheris is missing; install it with: uv pip install 'atheris>=2.3'")
    with atheris.instrument_imports(include=["quorate.reading"]):
        from quorate.model.ask import AnswerTerms
        from quorate.reading import decision, speech

    def one(fuzzed: bytes) -> None:
        text = fuzzed.decode("utf-8", "surrogateescape")
        speech.read(text, AnswerTerms(mark=MARK))
        for mark, last in ((MARK, False), (MARK, True), ("", False)):
            found = decision.read(text, AnswerTerms(mark=mark, last=last))
            borne = "" if "unmarked" in found.cautions else mark
            if found.ballot is not None and found.ballot.choice == "ACT" and not holds_act(text, borne):
                raise AssertionError(text)
            at_once = found.ballot is not None and found.ballot.choice == "REFUSE"
            if "unmarked" in found.cautions and not (last or at_once):
                raise AssertionError(text)
        cut = decision.read(text, AnswerTerms(mark=MARK), finish="length").ballot
        if cut is not None and cut.choice == "ACT":
            raise AssertionError(text)

    atheris.Setup([*sys.argv, *_corpus()], one)
    atheris.Fuzz()


def _corpus() -> list[str]:
    """Valid ballots to begin with, where no folder was named."""
    if any(not word.startswith("-") for word in sys.argv[1:]):
        return []
    folder = Path.cwd() / ".fuzz" / "reading"
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(0)
    for number in range(100):
        text = valid(chance, chance.choice((MARK, "")), alone=number % 3 == 0).text
        (folder / f"valid-{number}").write_text(text, encoding="utf-8")
    return [str(folder)]


if __name__ == "__main__":
    main()
