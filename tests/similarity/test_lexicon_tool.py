"""The lexicon that ships can be written again, from a folder laid out as WordNet's."""

import gzip
from pathlib import Path

from quorate.similarity.lexicon import lexicon
from tools.lexicon import TARGET, read, write

FILES = {
    "data.noun": "00000010 03 n 01 heat 0 001 ! 00000020 n 0101 | warm  \n"
    "00000020 03 n 01 cold 0 001 ! 00000010 n 0101 | \n",
    "index.noun": "cold n 1 1 ! 1 0 00000020  \nheat n 1 1 ! 1 1 00000010  \nheat_wave n 1 0 1 0 00000030  \n",
    "data.verb": "00000040 29 v 01 heat 0 001 + 00000010 n 0101 01 + 08 00 | make warm  \n",
    "index.verb": "heat v 1 1 + 1 1 00000040  \n",
    "verb.exc": "het heat\n",
    "cntlist.rev": "heat%2:29:00:: 1 7\nheat%1:03:00:: 1 2\n",
}
EMPTY = ("data.adj", "index.adj", "data.adv", "index.adv", "noun.exc", "adj.exc", "adv.exc")


def test_words_senses_and_forms_are_kept_and_phrases_are_not(tmp_path: Path) -> None:
    for name in EMPTY:
        (tmp_path / name).touch()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    words, senses, forms = write(read(tmp_path)).split("\n\n")

    assert words.split("\n") == ["cold\tn\t\t0\t", "heat\tnv\t9\t2 1\t1"]
    assert senses.split("\n") == ["\t\t1", "\t\t0", "\t\t"]
    assert forms == "het\theat\n"


def test_what_ships_is_small_whole_and_bears_its_licence() -> None:
    text = gzip.decompress(TARGET.read_bytes()).decode()

    assert TARGET.stat().st_size < 1_500_000
    assert len(text.split("\n\n")) == 3
    assert len(lexicon().words) > 70_000
    assert "Princeton University" in (TARGET.parent / "LICENSE-WORDNET.txt").read_text(encoding="utf-8")
