"""The second implementation of the oracle and the debate."""

from fractions import Fraction

from tests.differential.case import Answer, Case, Word, mean
from tests.differential.kinds import quantile, shown

UNKNOWN = "UNDETERMINED"


def oracle(case: Case) -> Answer:
    """Heads over the configured panel, two thirds of it; weights where they are let decide."""
    kind, total = case.settings.get("answers", "yes_no"), len(case.voters)
    words = {seat: case.last[seat] for seat in case.voters if seat in case.last and _stands(case.last[seat])}
    votes = {seat: _side(kind, word, words) for seat, word in words.items()}
    most = max((sum(vote == one for vote in votes.values()) for one in votes.values()), default=0)
    lead = Fraction(most, total) if words else None
    if not any(seat in case.last for seat in case.voters):
        return Answer("INVALID", decided=False, rule="all_silent")
    if len(words) < int(case.settings.get("min_agents", "3")):
        return Answer("INVALID", decided=False, rule="too_few", agreement=lead)
    if len(votes) == total and set(votes.values()) == {UNKNOWN}:
        sure = mean([word.confidence or Fraction(0) for word in words.values()])
        return Answer(UNKNOWN, True, "all_undetermined", lead, sure, review=True)
    winner = _winner(case, votes, words)
    if winner is None:
        return Answer(UNKNOWN, decided=False, rule="no_consensus", agreement=lead, confidence=Fraction(0), review=True)
    sure = mean([words[seat].confidence or Fraction(0) for seat, vote in votes.items() if vote == winner])
    if case.demo and winner != UNKNOWN:
        unknown = mean([words[seat].confidence or Fraction(0) for seat, vote in votes.items() if vote == UNKNOWN])
        rule = "demo" if winner == "YES" else "demo_finds"
        return Answer(UNKNOWN, False, rule, lead, unknown, review=True)
    doubt = sure is not None and sure < Fraction(1, 2)
    return Answer(winner, True, "consensus", lead, sure, review=doubt)


def _stands(word: Word) -> bool:
    return word.choice == UNKNOWN or bool(word.sources)


def _side(kind: str, word: Word, words: dict[str, Word]) -> str:
    """What a finding is a head for."""
    if word.choice == UNKNOWN or kind in {"yes_no", "options"}:
        return word.choice
    if kind == "probability":
        half = Fraction(1, 2)
        return "YES" if word.value > half else "NO" if word.value < half else UNKNOWN
    numbers = [other.value for other in words.values() if other.choice != UNKNOWN]
    median = quantile(numbers, Fraction(1, 2))
    near = abs(word.value - median) <= Fraction(1, 20) * abs(median)
    return shown(median) if near else f"away: {shown(word.value)}"


def _winner(case: Case, votes: dict[str, str], words: dict[str, Word]) -> str | None:
    total, by = len(case.voters), case.settings.get("decide_by", "heads")
    weights = {seat: max(_weight(words[seat]), Fraction(2, 3)) for seat in votes}
    whole = sum(weights.values(), Fraction(0)) + (total - len(votes))
    for option in sorted(set(votes.values())):
        heads = sum(vote == option for vote in votes.values())
        weight = sum((weights[seat] for seat, vote in votes.items() if vote == option), Fraction(0))
        enough = {
            "heads": 3 * heads >= 2 * total,
            "weighted": 3 * weight >= 2 * whole,
            "both": 3 * heads >= 2 * total and 3 * weight >= 2 * whole,
        }[by]
        if enough:
            return option
    return None


def _weight(word: Word) -> Fraction:
    if not word.sources:
        return Fraction(0)
    credibility = mean([source[2] for source in word.sources]) or Fraction(0)
    categories = len({source[1] for source in word.sources})
    quality = min(credibility + min(Fraction(categories, 25), Fraction(1, 5)), Fraction(1))
    return (word.confidence or Fraction(0)) * quality * min(Fraction(len(word.sources), 50), Fraction(1))


MARGIN, CAP, HALF = Fraction(12, 10), Fraction(95, 100), Fraction(1, 2)
WORTH = {"figure": Fraction(5, 10), "assertion": Fraction(1, 10), "example": Fraction(3, 10)}
"""What a piece of evidence is worth when there is no context to find it in; the drawn pieces begin with their kind."""


def debate(case: Case) -> Answer:
    """The side that is stronger by the margin over the rounds in which both spoke."""
    spoke = [seat for spoken in case.rounds for seat in ("Proponent", "Opponent") if seat in spoken]
    both = [number for number, spoken in enumerate(case.rounds) if "Proponent" in spoken and "Opponent" in spoken]
    if not spoke:
        return Answer("UNCERTAIN", False, "all_silent", confidence=HALF)
    if not both:
        return Answer("UNCERTAIN", False, "one_sided", confidence=HALF, review=True)
    rule = {"debate": "confidence_weighted", "debate_evidence": "evidence_based", "debate_rounds": "majority_vote"}
    pros = [_strength(case, number, "Proponent") for number in both]
    cons = [_strength(case, number, "Opponent") for number in both]
    if case.rulebook == "debate_rounds":
        pros, cons = (
            [Fraction(a > MARGIN * b) for a, b in zip(pros, cons, strict=True)],
            [Fraction(b > MARGIN * a) for a, b in zip(pros, cons, strict=True)],
        )
    margin = Fraction(1) if case.rulebook == "debate_rounds" else MARGIN
    name = rule[case.rulebook]
    return _held_debate(case, _stronger(sum(pros, Fraction(0)), sum(cons, Fraction(0)), margin, name))


def _stronger(pro: Fraction, con: Fraction, margin: Fraction, rule: str) -> Answer:
    if pro > margin * con or con > margin * pro:
        outcome = "SUPPORT" if pro > con else "OPPOSE"
        return Answer(outcome, True, rule, confidence=min(max(pro, con) / (pro + con), CAP))
    return Answer("UNCERTAIN", False, rule, confidence=HALF)


def _held_debate(case: Case, found: Answer) -> Answer:
    if case.demo and found.outcome == "SUPPORT":
        return Answer("UNCERTAIN", decided=False, rule="demo", review=True)
    return found


def _strength(case: Case, number: int, seat: str) -> Fraction:
    word = case.rounds[number][seat]
    worth = mean([WORTH[piece.split()[0]] for piece in dict.fromkeys(word.evidence)]) or Fraction(0)
    if case.rulebook == "debate_evidence":
        return worth
    return (word.confidence or Fraction(0)) * worth * _consistency(case, number, seat)


def _consistency(case: Case, number: int, seat: str) -> Fraction:
    """Two parts coherence, one part answering what the seat was shown last of the other side."""
    word, earlier = case.rounds[number][seat], [
        claim for spoken in case.rounds[:number] if seat in spoken for claim in spoken[seat].claims
    ]  # fmt: skip
    sound = [
        not any(_contradict(claim, other) for other in (*earlier, *word.claims[:place]))
        for place, claim in enumerate(word.claims)
    ]
    coherence = Fraction(sum(sound), len(sound))
    other = "Opponent" if seat == "Proponent" else "Proponent"
    shown_rounds = case.rounds[: number + (seat == "Opponent")]
    theirs = next((spoken[other].claims for spoken in reversed(shown_rounds) if other in spoken), ())
    if not theirs:
        return coherence
    own = [set(text.split()) for text in (*word.claims, *word.evidence)]
    answered = [any(len(words & set(claim.split())) > 1 for words in own) for claim in theirs]
    return (2 * coherence + Fraction(sum(answered), len(answered))) / 3


def _contradict(a: str, b: str) -> bool:
    """Of the drawn claims: the same words, one of them denied."""
    return ("not" in a.split()) != ("not" in b.split()) and set(a.split()) - {"not"} == set(b.split()) - {"not"}
