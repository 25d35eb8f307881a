"""Cases drawn by chance: every rulebook, with ties, silence and edges of thresholds far more often than in life."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from random import Random

from tests.differential.case import Case, Chair, Word, options_seen

NAMES = ("Ann", "Ben", "Cat", "Dan", "Eve", "Fay", "Gus")
OPTIONS = ("Kafka", "Redis", "Postgres", "Files")
CATEGORIES = ("official", "news", "social", "domain_specific", "fact_check")
CLAIMS = tuple(
    f"{denied}{claim}"
    for claim in ("harbour lantern meadow", "copper willow thunder", "velvet anchor saddle", "marble orchard ribbon")
    for denied in ("", "not ")
)
PIECES = (
    "assertion quiet plain",
    "assertion narrow",
    "figure of 42 tons",
    "figure of 7 casks",
    "example such as a bakery",
)


def share(chance: Random) -> Fraction:
    """A share on the edges that rules look at, or anywhere."""
    edges = ("0", "0.29", "0.3", "0.31", "0.39", "0.4", "0.41", "0.5", "0.49", "0.75", "0.95", "1")
    return Fraction(chance.choice(edges)) if chance.random() < 0.6 else Fraction(chance.randrange(101), 100)


def chairs(chance: Random, *, vetoes: bool = False) -> tuple[Chair, ...]:
    """One to seven seats, some of which may veto, now and then one without a vote."""
    seats = chance.choice((1, 2, 3, 3, 3, 4, 5, 5, 6, 7))
    drawn = [Chair(name, vetoes=vetoes and chance.random() < 0.25) for name in NAMES[:seats]]
    if seats > 1 and chance.random() < 0.1:
        drawn[chance.randrange(seats)] = Chair(drawn[0].name + " the clerk", votes=False)
    return tuple(drawn)


def spoken(chance: Random, seats: tuple[Chair, ...], word: Callable[[Chair], Word]) -> dict[str, Word]:
    """A round: some seats are silent, all of them now and then, none of them often."""
    quiet = chance.choice((0, 0, 0, 0.15, 0.4, 1))
    return {chair.name: word(chair) for chair in seats if chance.random() >= quiet}


def tribunal_case(chance: Random) -> Case:
    seats, lean = chairs(chance, vetoes=True), chance.choice(("ACT", "WARN", "REFUSE", ""))
    vetoes, leaning = chance.choice((0.02, 0.02, 0.3)), chance.choice((0.6, 0.95))

    def word(_: Chair) -> Word:
        drawn = lean if lean and chance.random() < leaning else chance.choice(("ACT", "WARN", "REFUSE"))
        veto = chance.random() < vetoes
        sure = None if chance.random() < 0.03 else share(chance)
        risk = None if chance.random() < 0.03 else share(chance)
        return Word(choice="REFUSE" if veto else drawn, veto=veto, confidence=sure, risk=risk)

    final = spoken(chance, seats, word)
    sealed = {chair.name: word(chair) for chair in seats if chair.name in final or chance.random() < 0.5}
    rounds = (sealed, final) if chance.random() < 0.5 else (final,)
    book = chance.choice(("tribunal", "strict", "gate", "gate-five"))
    return Case("tribunal", book, seats, rounds, demo=chance.random() < 0.05)


def conference_case(chance: Random) -> Case:
    seats, some = chairs(chance), chance.randrange(1, 5)

    def word(_: Chair) -> Word:
        if chance.random() < 0.08:
            return Word(abstain=True)
        return Word(choice=chance.choice(OPTIONS[:some]), confidence=share(chance))

    rounds = tuple(spoken(chance, seats, word) for _ in range(chance.choice((1, 1, 2, 3))))
    case = Case("conference", "plurality", seats, rounds)
    seen = options_seen(case)
    scores = (Fraction(1, 10), Fraction(7, 10), Fraction(8, 10), Fraction(9, 10), None)
    alike = {pair: chance.choice(scores) for pair in combinations(seen, 2)}
    if alike and chance.random() < 0.3:
        alike[chance.choice(list(alike))] = chance.choice((Fraction(2, 5), Fraction(69, 100)))
    limits = {"max_rounds": str(len(rounds)), "min_rounds": str(len(rounds)), "early_stopping": "false"}
    book = chance.choice(("plurality", "plurality", "track_record"))
    return Case("conference", book, seats, rounds, settings=limits, alike=alike)


def ranked_case(chance: Random) -> Case:
    seats, options = chairs(chance), OPTIONS[: chance.choice((2, 3, 3, 4))]

    def word(_: Chair) -> Word:
        if chance.random() < 0.06:
            return Word(abstain=True)
        order = chance.sample(options, chance.randrange(1, len(options) + 1))
        places: list[list[str]] = []
        for option in order:
            if places and chance.random() < 0.25:
                places[-1].append(option)
            else:
                places.append([option])
        return Word(ranking=tuple(tuple(place) for place in places), confidence=share(chance))

    book = chance.choice(("condorcet", "borda", "instant_runoff"))
    rounds = tuple(spoken(chance, seats, word) for _ in range(chance.choice((1, 2))))
    return Case("ranked", book, seats, rounds, options, {"rounds": str(len(rounds))})


def approval_case(chance: Random) -> Case:
    seats, options = chairs(chance), OPTIONS[: chance.choice((2, 3, 4))]

    def word(_: Chair) -> Word:
        if chance.random() < 0.06:
            return Word(abstain=True)
        approved = tuple(option for option in options if chance.random() < 0.5)
        return Word(approved=approved, confidence=share(chance))

    settings = {} if chance.random() < 0.6 else {"at_least": chance.choice(("1/2", "2/3", "1"))}
    return Case("approval", "approval", seats, (spoken(chance, seats, word),), options, settings)


def number(chance: Random) -> Fraction:
    """A number near a hundred, so that ranges of 5 and 10 % are met and missed by one."""
    return Fraction(chance.choice((0, -100, 90, 94, 95, 96, 100, 100, 101, 104, 105, 106, 110, 120, 300)))


def delphi_case(chance: Random) -> Case:
    seats = chairs(chance)
    rounds = tuple(
        spoken(chance, seats, lambda _: Word(value=number(chance), confidence=share(chance)))
        for _ in range(chance.choice((1, 2)))
    )
    settings = {"max_rounds": str(max(2, len(rounds)))} | ({} if chance.random() < 0.7 else {"within": "1/5"})
    return Case("delphi", "delphi", seats, rounds, settings=settings)


def oracle_case(chance: Random) -> Case:
    seats, kind = chairs(chance), chance.choice(("yes_no", "yes_no", "options", "number", "probability"))
    lean = chance.choice(("YES", "NO"))

    def word(chair: Chair) -> Word:
        names = OPTIONS[:3] if kind == "options" else (lean, "YES", "NO")
        choice = chance.choice((*names, *names, "UNDETERMINED"))
        value = number(chance) if kind == "number" else Fraction(chance.choice((0, 1, 49, 50, 51, 70, 99, 100)), 100)
        named = choice == "UNDETERMINED" or kind in {"yes_no", "options"}
        cited = chance.choice((0, 1, 2, 5, 50))
        sources = tuple(
            (f"https://{chair.name.split()[0].lower()}{page}.example/{page}", chance.choice(CATEGORIES), share(chance))
            for page in range(cited)
        )
        return Word(choice=choice if named else "", value=value, confidence=share(chance), sources=sources)

    settings = {"answers": kind, "decide_by": chance.choice(("heads", "heads", "weighted", "both"))}
    if chance.random() < 0.3:
        settings["min_agents"] = chance.choice(("1", "2", "4"))
    options = OPTIONS[:3] if kind == "options" else ()
    return Case(
        "oracle", "oracle", seats, (spoken(chance, seats, word),), options, settings, demo=chance.random() < 0.05
    )


def debate_case(chance: Random) -> Case:
    seats = (Chair("Proponent"), Chair("Opponent"), Chair("Moderator", votes=False))

    def word(_: Chair) -> Word:
        claims = tuple(chance.sample(CLAIMS, chance.choice((1, 2, 3))))
        pieces = tuple(chance.choice(PIECES) for _ in range(chance.choice((0, 1, 2, 3))))
        return Word(claims=claims, evidence=pieces, confidence=share(chance))

    rounds = tuple(spoken(chance, seats[:2], word) for _ in range(chance.choice((1, 2, 3))))
    book = chance.choice(("debate", "debate_evidence", "debate_rounds"))
    return Case("debate", book, seats, rounds, demo=chance.random() < 0.05)


KINDS = (tribunal_case, conference_case, ranked_case, approval_case, delphi_case, oracle_case, debate_case)
