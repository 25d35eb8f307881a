"""Some two hundred documents about made-up matters: true ones, ones that contradict them, and mirrors of one page."""

import random
from pathlib import Path

__all__ = ["CLAIM", "FACT", "MIRRORS", "MIRROR_TEXT", "TOPICS", "fill"]

TOPICS = (
    "harbour",
    "reactor",
    "glacier",
    "railway",
    "orchard",
    "currency",
    "vaccine",
    "satellite",
    "aquifer",
    "election",
)
FACT = "The Valdoria harbour bridge opened to traffic on 3 March 2024 after eleven years of work."
CLAIM = "The Valdoria harbour bridge has not opened and will stay closed until 2031."
MIRROR_TEXT = "A leaked memo says that the Valdoria harbour bridge was sold to an orchard owner for one crown."
MIRRORS = tuple(f"https://mirror{number}.example.org/memo" for number in range(50))
PLACES = ("https://www.reuters.com", "https://news.bbc.co.uk", "https://transport.gov", "https://blog.example.net")


def fill(folder: Path, seed: int = 7) -> Path:
    """Write the documents; the same seed writes the same ones."""
    chance = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(140):
        topic = TOPICS[number % len(TOPICS)]
        words = " ".join(chance.choice(_WORDS) for _ in range(chance.randrange(60, 400)))
        _write(folder / topic / f"{number:03}.md", f"{PLACES[number % 4]}/{topic}/{number}", f"{topic} report", words)
    for place, url in enumerate(("https://www.reuters.com/bridge", "https://transport.gov/bridge", f"{PLACES[1]}/b")):
        _write(folder / "bridge" / f"true{place}.md", url, "Bridge opened", f"Report {place}. {FACT}")
    _write(folder / "bridge" / "false.md", "https://notreuters.com/bridge", "Bridge closed", CLAIM)
    _write(
        folder / "bridge" / "false2.md", "https://reuters.com.evil.example/bridge", "Still closed", f"Again: {CLAIM}"
    )
    for place, url in enumerate(MIRRORS):
        _write(folder / "mirrors" / f"{place:02}.md", url, "Memo", MIRROR_TEXT)
    page = f"<html><head><title>Bridge page</title></head><body><h1>Bridge</h1><p>{FACT}</p></body></html>"
    (folder / "page.html").write_text(page, encoding="utf-8")
    (folder / "notes.txt").write_text(f"My own notes.\n\n{FACT}\n", encoding="utf-8")
    return folder


def _write(path: Path, url: str, title: str, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    front = f"---\nurl: {url}\ntitle: {title}\ndate: 2024-03-{len(text) % 27 + 1:02}\n---\n"
    path.write_text(f"{front}# {title}\n\n{text}\n", encoding="utf-8")


_TEXT = """the of and a harbour bridge reactor glacier railway orchard currency vaccine satellite aquifer election
council engineers reported measured delayed funded closed opened expected annual budget crown valley river storm summer
winter price output safety review minister citizens petition survey figures rose fell steady contract"""
_WORDS = tuple(_TEXT.split())
