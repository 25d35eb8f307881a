"""Pairs of options that a hostile wording would have merged: a negation, an exchange of places, another particle."""

import unicodedata
from collections.abc import Callable, Iterator
from random import Random
from typing import Final, NamedTuple

__all__ = ["CASINGS", "KINDS", "Rivals", "rivals"]


class Rivals(NamedTuple):
    """Two options that say different things, and how they differ."""

    kind: str
    a: str
    b: str

    def cased(self, casing: str, chance: Random) -> "Rivals":
        """The same two as somebody else may have typed them."""
        return Rivals(self.kind, CASINGS[casing](self.a, chance), CASINGS[casing](self.b, chance))


def rivals(kind: str, seed: int, count: int) -> Iterator[Rivals]:
    """As many pairs of a kind as are wanted, each in every casing; the same seed gives the same again."""
    chance = Random(f"{kind} {seed}")
    for _ in range(count):
        pair = _pair(kind, chance)
        yield from (pair.cased(casing, chance) for casing in CASINGS)


def _pair(kind: str, chance: Random) -> Rivals:
    """One pair of a kind; sometimes one of the two says a little more, or begins otherwise."""
    a, b = _MAKERS[kind](chance)
    tail = chance.choice(_TAILS)
    opening, other = chance.choice(_OPENINGS), chance.choice(_OPENINGS)
    a, b = f"{opening}{a}{tail}", f"{opening if chance.random() < 3 / 4 else other}{b}{tail}"
    a, b = (a, b) if chance.random() < 1 / 2 else (b, a)
    return Rivals(kind, a[0].upper() + a[1:], b[0].upper() + b[1:])


def _negation(chance: Random) -> tuple[str, str]:
    plain, denied = chance.choice(_NEGATIONS)
    verb = chance.choice(_VERBS)
    words = {"v": verb, "ving": _doing(verb), "n": _thing(chance), "x": chance.choice(_NAMES)}
    return plain.format(**words), denied.format(**words)


def _doing(verb: str) -> str:
    return f"{verb.removesuffix('e')}ing"


def _exchange(chance: Random) -> tuple[str, str]:
    form = chance.choice(_EXCHANGES)
    x, y = chance.sample(chance.choice((_NAMES, _NAMES, _SYSTEMS, _QUALITIES, _LETTERS)), 2)
    n, m = chance.sample(_NOUNS, 2)
    if "{m}" in form and ("{x}" not in form or chance.random() < 1 / 4):
        return form.format(x=x, y=y, n=n, m=m), form.format(x=x, y=y, n=m, m=n)
    return form.format(x=x, y=y, n=n, m=m), form.format(x=y, y=x, n=n, m=m)


def _particle(chance: Random) -> tuple[str, str]:
    if chance.random() < 1 / 3:
        form, words = chance.choice(_PREPOSITIONS)
    else:
        verb, words = chance.choice(_PHRASAL)
        form = chance.choice(("{v} {p} the {n}", "{v} the {n} {p}", "{v} {p} {x}", "{v} {p}", "let {x} {v} {p}"))
        form = form.replace("{v}", verb)
    p, q = chance.sample(words.split(), 2)
    said = {"n": _thing(chance), "x": chance.choice((*_NAMES, *_SYSTEMS))}
    return form.format(p=p, **said), form.format(p=q, **said)


def _thing(chance: Random) -> str:
    return f"{chance.choice(_ADJECTIVES)}{chance.choice(_NOUNS)}"


def _emphasised(text: str, chance: Random) -> str:
    return " ".join(word.upper() if chance.random() < 1 / 3 else word for word in text.split(" "))


CASINGS: Final[dict[str, Callable[[str, Random], str]]] = {
    "as written": lambda text, _: text,
    "upper": lambda text, _: text.upper(),
    "title": lambda text, _: text.title(),
    "lower": lambda text, _: text.lower(),
    "emphasised": _emphasised,
}
_MAKERS: Final = {"negation": _negation, "exchange": _exchange, "particle": _particle}
KINDS: Final = tuple(_MAKERS)

_OPENINGS: Final = ("", "", "", "", "we should ", "please ", "let us ", "I think we should ", "my vote: ", "yes, ")
_TAILS: Final = (
    *(
        "",
        "",
        "",
        "",
        " today",
        " now",
        " this quarter",
        " for all customers",
        " in every region",
        " by the end of June",
    ),
    *(" before the launch", " with the partners", ", as agreed", " in production", " at 9:30", " with care"),
)
_ADJECTIVES: Final = ("", "", "", "new ", "old ", "internal ", "shared ", "annual ", "European ", "experimental ")
_NOUNS: Final = (
    *("release", "database", "policy", "cluster", "contract", "dataset", "schema", "forecast", "feature", "alarm"),
    *("warehouse", "report", "pipeline", "archive", "budget", "reactor", "backup", "account", "server", "account book"),
)
_NAMES: Final = (
    *("Acme", "Globex", "Initech", "Umbrella", "Alice", "Bob", "Carol", "Dan", "Norway", "Chile", "Kenya", "Japan"),
    *("the board", "the council", "the auditors", "the vendor", "the CFO", "legal", "Marketing", "New York"),
)
_SYSTEMS: Final = (
    *("Postgres", "Redis", "Kafka", "AWS", "Azure", "Java", "Kotlin", "Rust", "staging", "production", "the monolith"),
    *("the old cluster", "the billing service", "S3", "Kubernetes", "the cache", "the queue", "main", "the data lake"),
)
_QUALITIES: Final = (
    *("speed", "safety", "cost", "quality", "privacy", "growth", "stability", "security", "usability", "revenue"),
    *("short releases", "long tests", "hiring", "training", "logging", "tracing"),
)
_LETTERS: Final = ("plan A", "plan B", "option C", "option D", "v1", "v2", "team 7", "team 9", "phase 1", "phase 2")
_VERBS: Final = (
    *("delete", "approve", "deploy", "release", "merge", "fund", "publish", "rewrite", "migrate", "encrypt", "archive"),
    *("expand", "review", "sign", "audit", "license", "index", "compress", "upgrade", "document", "replace", "test"),
)
_NEGATIONS: Final = (
    ("{v} the {n}", "do NOT {v} the {n}"),
    ("{v} the {n}", "do not {v} the {n}"),
    ("{v} the {n}", "don't {v} the {n}"),
    ("{v} the {n}", "don\u2019t {v} the {n}"),
    ("{v} the {n}", "DONT {v} the {n}"),
    ("{v} the {n}", "never {v} the {n}"),
    ("{v} the {n}", "NEVER {v} the {n}"),
    ("{v} the {n}", "refuse to {v} the {n}"),
    ("{v} the {n}", "avoid any attempt to {v} the {n}"),
    *(
        ("{v} the {n}", f"{ceasing} {{ving}} the {{n}}")
        for ceasing in ("stop", "cease", "quit", "halt", "avoid", "refrain from", "discontinue", "please stop")
    ),
    ("{x} will {v} the {n}", "{x} will stop {ving} the {n}"),
    ("we keep {ving} the {n}", "we stop {ving} the {n}"),
    ("{x} can {v} the {n}", "{x} cannot {v} the {n}"),
    ("{x} can {v} the {n}", "{x} can't {v} the {n}"),
    ("{x} will {v} the {n}", "{x} won't {v} the {n}"),
    ("{x} should {v} the {n}", "{x} should not {v} the {n}"),
    ("{x} must {v} the {n}", "{x} mustn't {v} the {n}"),
    ("{x} did {v} the {n}", "{x} did n't {v} the {n}"),
    ("the {n} is ready for {x}", "the {n} is not ready for {x}"),
    ("the {n} is ready for {x}", "the {n} isn't ready for {x}"),
    ("{v} the {n} with {x}", "{v} the {n} without {x}"),
    ("{v} the {n} and tell {x}", "{v} the {n} and do not tell {x}"),
    ("{v} the {n}, not the backup of {x}", "{v} not the {n}, the backup of {x}"),
    ("let {x} {v} a {n}", "let {x} {v} no {n}"),
    ("let {x} {v} the {n}", "let nobody {v} the {n}"),
    ("all of {x} may {v} the {n}", "none of {x} may {v} the {n}"),
    ("either {v} the {n} or tell {x}", "neither {v} the {n} nor tell {x}"),
    ("don't, {v} the {n}", "don't {v} the {n}"),
    ("{v} every {n} except for {x}", "{v} every {n} for {x}"),
)
_EXCHANGES: Final = (
    *("{x} over {y}", "prefer {x} over {y}", "prefer {x} to {y}", "migrate from {x} to {y}", "replace {x} with {y}"),
    *("buy {x} and sell {y}", "{x} reviews {y}", "{x} reports to {y}", "deploy to {x} then {y}", "run {x} before {y}"),
    *("run {x} after {y}", "{x} pays {y} for the {n}", "give {x} the {n} and {y} the {m}", "put {x} behind {y}"),
    *("move the {n} from {x} into {y}", "use {x} rather than {y}", "choose {x}, not {y}", "{x} depends on {y}"),
    *("instead of {x}, use {y}", "let {x} lead and {y} follow", "promote {x} and demote {y}", "rank {x} above {y}"),
    *("{x} is better than {y}", "sync {x} to {y}", "{x} sues {y}", "route {x} through {y}", "{x} first, {y} second"),
    *("{x} for reads and {y} for writes", "keep {x} and drop {y}", "merge {x} into {y}", "when {x} fails, use {y}"),
    *("let {x} approve what {y} wrote", "{x} is reviewed by {y}", "give 5 to {x} and 10 to {y}", "{x} trusts {y}"),
    *("spend 10% on {x} and 90% on {y}", "{x} lends the {n} to {y}", "the {n} of {x} beats the {m} of {y}"),
    *("start {x}; stop {y}", "{x} watches {y} while {y} sleeps", "test the {n} and ship the {m}", "ask {x} about {y}"),
    *("build {x} on top of {y}", "switch off {x} and turn on {y}", "{x} > {y}", "cut {x} to fund {y}", "{x}, then {y}"),
    *("compare {x} against {y}", "we owe {x} what {y} owes the {n}", "send {x} after {y}", "{x} instead of {y}"),
    *("back up {x} to {y}", "convert {x} to {y}", "{x} beats {y}", "sell {x} for {y}", "tell {x} that {y} lies"),
)
_PHRASAL: Final = (
    ("roll", "back out forward over up"), ("turn", "on off up down over in"), ("opt", "in out"),
    ("scale", "up down out in back"), ("log", "in out on off"), ("set", "up off back aside down"),
    ("shut", "down off up out in"), ("phase", "in out"), ("switch", "on off over back"), ("sign", "in out up off on"),
    ("back", "up off out down away"), ("take", "over off on up down back out away apart"),
    ("put", "off on up down forward back out away"), ("hold", "on off up back out"), ("check", "in out off over"),
    ("bring", "in up down back forward out about together"), ("break", "up down in out off"),
    ("cut", "back off down out"), ("give", "up in away back out"), ("hand", "over in back out down"),
    ("pull", "out back in up down off through apart"), ("push", "back out forward through off ahead"),
    ("write", "off up down out"), ("call", "off in out back up"), ("move", "in out on up down forward back ahead away"),
    ("spin", "up down off out"), ("ramp", "up down"), ("wind", "up down"), ("step", "up down in back aside out"),
    ("dial", "up down in back"), ("carry", "on off out over through"), ("look", "after into over up down"),
    ("run", "down over up out through"), ("come", "up down in out back forward"), ("lay", "off out down on"),
)  # fmt: skip
_PREPOSITIONS: Final = (
    ("sell the {n} {p} {x}", "to from for with without via"), ("migrate {p} {x}", "to from off onto within"),
    ("ship the {n} {p} the audit", "before after during"), ("vote {p} {x}", "for against with"),
    ("work {p} {x}", "for with against under over"), ("deploy the {n} {p} {x}", "to from on behind before after"),
    ("keep the {n} {p} {x}", "in out on off under above below from with without"),
    ("move {p} {x}", "to from into past"),
    ("the {n} is {p} {x}", "for from against under over above below"), ("argue {p} the {n}", "for against about over"),
    ("buy {p} {x}", "from for with"), ("wait {p} the {n}", "for until after in"),
    ("use {x} {p} the {n}", "for from in"),
    ("run the {n} {p} {x}", "through around past against"), ("speak {p} {x}", "to for of against about with"),
    ("choose {x} {p} the {n}", "and or"), ("{x} {p} deploy the {n}", "must may"),
)  # fmt: skip


def deny(text: str, chance: Random) -> tuple[str, str]:
    """An option and one that a sign, markup, an emoji or a few words have turned round."""
    return text, chance.choice(DENIALS).format(text, lower=text[0].lower() + text[1:], camel=text.replace(" ", ""))


DENIALS: Final = (
    *(
        "DoNot {lower}",
        "!{lower}",
        "~~{}~~",
        "{} ❌",
        "{} = false",
        "{} over my dead body",
        "¬{}",
        "{} 👎",
        "No{camel}",
    ),
    *("{}?", "{} (not)", "{} /s", "-{}", "NOT({})", "<del>{}</del>", "{} ≠", "{} → never", "un{lower}", "{}\u200b not"),
    *("dont{camel}", "{} — no", "not-{lower}", "{} != true", "{}: 0", "🚫 {}", "{} …not", "{} % 0", "{}\u0336"),
)

_OTHER_LANGUAGES: Final = (
    ("Vender a {x}", "Vender {x}"),
    ("Salvar no disco de {x}", "Salvar disco de {x}"),
    ("Não apagar {x}", "Apagar {x}"),
    ("No borrar {x}", "Borrar {x}"),
    ("Pagar a {x}", "Pagar {x}"),
    ("Ne pas supprimer {x}", "Supprimer {x}"),
    ("Il a vendu {x}", "Il vendu {x}"),
    ("{x} nicht löschen", "{x} löschen"),
    ("An {x} verkaufen", "{x} verkaufen"),
    ("{x} an lassen", "{x} aus lassen"),
    ("{x} an lassen", "{x} lassen"),
    ("Kein {x}", "{x}"),
    ("Koffie of {x}", "Koffie {x}"),
    ("Pagar a team {x}", "Pagar team {x}"),
    ("Vender a customer data", "Vender customer data"),
    ("An Team {x} senden", "Team {x} senden"),
    ("Feature of team schrappen", "Feature team schrappen"),
)
_SWAPPED: Final = (
    *("Move {x} from {n} to {m}", "Do the {n} before the {m}", "Do the {n} after the {m}", "Put {n} over {m}"),
    *("Put {n} under {m}", "{n}, then {m}", "First {n}, then {m}", "{n} -> {m}", "{n} > {m}", "No {n} and {m}"),
    *("Replace {n} with {m}", "Trade {n} for {m}", "{n} / {m}", "{n} - {m}", "Without {n} and {m}"),
)
_VALUES: Final = (
    *(("GMT-{i}", "GMT {i}"), ("GMT-{i}", "GMT+{i}"), ("{i}.000", "{i},000"), ("-{i} %", "+{i} %"), ("{i}%", "{i}")),
    *(("${i}", "€{i}"), ("v{i}", "v{j}"), ("{i} GB", "{j} GB"), ("Option {i}", "Option {j}"), ("{i}/{j}", "{j}/{i}")),
    *(
        ("at least {i}", "fewer than {i}"),
        ("0,{i}", "0{i}"),
        ("{i}′", "{i}″"),
        ("{i}'", '{i}"'),
        ("{i}:{j}", "{i}.{j}"),
        *(
            ("{i} {n}", "{i}{n}"),
            ("{i}\u00b2", "{i}2"),
            ("\u00bd", "1/2"),
            ("{i}\u00bd", "{i}1/2"),
            ("\u2212{i}", "{i}"),
        ),
        *(("{i}k", "{i}"), ("\u00a3{i}", "{i}"), ("{i}\u2030", "{i}%"), ("{i}\u00b0", "{i}"), ("({i})", "-{i}")),
        *(
            ("{i} 000", "{i}000"),
            ("{i}'000", "{i}000"),
            ("1,0{i}", "1.0{i}"),
            ("{i},0000", "{i}0000"),
            ("<{i}", ">{i}"),
        ),
        *(("C++", "C"), ("C#", "C"), (".NET", "NET"), ("A*", "A"), ("{i}!", "{i}"), ("#{i}", "{i}"), ("~{i}", "{i}")),
    ),
)
_FEW: Final = (
    *(("Adopt {n}", "Implement {n}"), ("Use {n}", "Implement {n}"), ("Prioritize {n}", "Implement {n}")),
    *(("Plan A", "Plan"), ("Option A {n}", "Option {n}"), ("Give {x} A {n}", "Give {x} {n}"), ("For", "Of")),
    *(("Use HTTPS", "Use HTTP"), ("Use-case {n}", "Case {n}"), ("Vitamin a or {n}", "Vitamin or {n}")),
    *(("A-{n}", "{n}"), ("Use", "Adopt"), ("{n} A", "{n}"), ("**{n}**", "{n}"), ("`{n}`", "{n}"), ("# {n}", "{n}")),
    *(("Drop /data/{i}/backups", "Drop /data/{i}/backup"), ("Read users{i}.words", "Read users{i}.word")),
    *(("Set --flags {n}", "Set --flag {n}"), ("Ask @teams {n}", "Ask @team {n}"), ("Use $vars", "Use $var")),
    *(("Wait {i}-day", "Wait {i} day"), ("Ship a{i},000", "Ship a{i}000"), ("0.{i},000", "0.{i}000")),
    *(("Merge, wait", "Wait, merge"), ("Choose plan a or the {n}", "Choose plan or the {n}")),
    *(("{n}...", "{n}"), ("{n}!", "{n}"), ("re-{n}", "re{n}"), ("on {n}", "off {n}"), ("{n} up", "{n} down")),
)


def _signed(chance: Random) -> tuple[str, str]:
    return deny(f"{chance.choice(_VERBS)} the {_thing(chance)}".capitalize(), chance)


def _filled(forms: tuple[tuple[str, str], ...]) -> Callable[[Random], tuple[str, str]]:
    def make(chance: Random) -> tuple[str, str]:
        i, j = chance.sample(range(1, 200), 2)
        words = {"x": chance.choice(_SYSTEMS[:5]), "n": chance.choice(_NOUNS), "i": i, "j": j}
        one, other = chance.choice(forms)
        return one.format(**words), other.format(**words)

    return make


def _swapped(chance: Random) -> tuple[str, str]:
    n, m = chance.sample(_NOUNS, 2)
    form, x = chance.choice(_SWAPPED), chance.choice(_NAMES)
    return form.format(n=n, m=m, x=x), form.format(n=m, m=n, x=x)


_WORDS: Final = (
    *(
        "not",
        "no",
        "never",
        "without",
        "stop",
        "nicht",
        "kein",
        "ne",
        "pas",
        "n\u00e3o",
        "sin",
        "niet",
        "nunca",
        "B",
        "2",
    ),
    *("from", "to", "before", "after", "over", "under", "with", "against", "versus", "at", "by", "on", "off", "via"),
)
_BEGINNINGS: Final = ("non", "non-", "un", "de", "dis", "anti", "re", "re-", "no-", "pre", "mis", "in", "counter-")
_ENDS: Final = (
    "less",
    "er",
    "ing",
    "ed",
    "n't",
    "'s",
    "ss",
    "ist",
    "free",
    "++",
    "#",
    "*",
    "\u2122",
    "\u00b2",
    "\u00bd",
)
_FOLDED: Final = frozenset(
    "\"'\u201c\u201d\u2018\u2019\u00ab\u00bb\u201e\u201a\u2039\u203a-\u2010\u2011.\u300c\u300d\u300e\u300f"
)
_SIGNS: Final = (
    *(sign for sign in map(chr, range(33, 0x3000)) if unicodedata.category(sign)[0] in "SPMN" and sign not in _FOLDED),
)
"""Every sign, mark and numeral up to here, but for those that are folded: quotation marks, hyphens, the full stop."""
_UNSEEN: Final = ("\u200b", "\u200d", "\u2060", "\u00ad", "\ufe0f", "\u20e0", "\u0336", "\u202e")
_LOOKALIKES: Final[dict[str, list[str]]] = {}
"""By letter. The sign for Kelvin is no other letter to Unicode, and every white space is folded."""
for _code in range(0x80, 0x20000):
    if (
        len(_plain := unicodedata.normalize("NFKC", chr(_code))) == 1
        and _plain.isascii()
        and _plain != " "
        and _code != 0x212A
    ):
        _LOOKALIKES.setdefault(_plain, []).append(chr(_code))
for _plain, _others in zip("aceopxyi", "\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0456", strict=True):
    _LOOKALIKES.setdefault(_plain, []).append(_others)


def _edited(chance: Random) -> tuple[str, str]:
    """An option and the same with one word or sign more, two words glued, or one letter that only looks alike."""
    text = f"{chance.choice(_VERBS)} the {_thing(chance)} of {chance.choice(_SYSTEMS)}".capitalize()
    words = text.split(" ")
    at = chance.randrange(len(words))
    match chance.randrange(6):
        case 0:
            words.insert(chance.randrange(len(words) + 1), chance.choice(_WORDS))
        case 1:
            words[at] = chance.choice(_BEGINNINGS) + words[at]
        case 2:
            words[at] += chance.choice(_ENDS)
        case 3:
            glue = chance.choice(("", "_", ".", "/", "\u2013", "\u2014", "\u2212", "'", "\u2019", "\u00b7"))
            at = min(at, len(words) - 2)
            words[at : at + 2] = [glue.join(words[at : at + 2])]
        case 4:
            place = chance.randrange(len(text) + 1)
            return text, text[:place] + chance.choice(chance.choice((_SIGNS, _UNSEEN))) + text[place:]
        case _:
            place = chance.choice([at for at, sign in enumerate(text) if sign in _LOOKALIKES])
            return text, text[:place] + chance.choice(_LOOKALIKES[text[place]]) + text[place + 1 :]
    return text, " ".join(words)


BARE_MAKERS: Final[dict[str, Callable[[Random], tuple[str, str]]]] = {
    "sign": _signed,
    "language": _filled(_OTHER_LANGUAGES),
    "swap": _swapped,
    "value": _filled(_VALUES),
    "wording": _filled(_FEW),
    "edit": _edited,
}
"""Pairs that differ by so little that nothing may be added to them."""
