"""The rules of quorate's shipped rulebooks, written a second time: verify_capsule.py counts with them.

Standard library alone. A tally `t` has seats, options (the boldest first), voices and what `decide` adds; `s` reads a
setting of a rule as text, `x` as an exact number. A rule gives (outcome, decided), or something empty if it is silent.
"""

import json
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction as F
from itertools import permutations
from math import ceil, isqrt, prod

CAREFUL = {"ACT": "WARN", "SUPPORT": "UNCERTAIN", "YES": "UNDETERMINED"}


def number_of(text):  # a share as people write it; 66 and 67 percent mean two thirds
    value = F(text[:-1].strip()) / 100 if text.endswith("%") else F(text.replace(" ", ""))
    return F(2, 3) if value in (F(66, 100), F(67, 100)) and "/" not in text else value


def digits(value, places, function="plus"):
    exact = Context(prec=places, rounding=ROUND_HALF_EVEN)
    return getattr(exact, function)(exact.divide(Decimal(value.numerator), Decimal(value.denominator)))


def shown(value):
    return f"{digits(value, 40).normalize(Context(prec=40)):f}"


def ahead(t, x, pairs):  # of two sides the one that is ahead by the margin, else the outcome between them
    pro, con = (
        sum((value for choices, value in pairs if choices == [end]), F(0)) for end in (t.options[0], t.options[-1])
    )
    margin = x("margin", "6/5")
    return (
        (t.options[0], True)
        if pro > margin * con
        else (t.options[-1], True)
        if con > margin * pro
        else (t.options[1], False)
    )


def rounds_won(t, x):
    rounds = dict.fromkeys(v.round for v in t.voices if v.quality is not None)
    won = [ahead(t, x, [(v.choices, v.weight) for v in t.voices if v.round == one]) for one in rounds]
    return ahead(t, lambda *_: F(1), [([outcome], F(1)) for outcome, decided in won if decided])


def ranked(t, rule):  # Borda points, Schulze's beatpaths by winning votes, or instant runoff; only a sole winner wins
    options = sorted({one for v in t.voices for place in v.order for one in place})
    orders = [
        v.order + [[one for one in options if not any(one in place for place in v.order)]] for v in t.voices if v.order
    ]
    place = [{one: at for at, places in enumerate(order) for one in places} for order in orders]
    wins = {(a, b): sum(at[a] < at[b] for at in place) for a, b in permutations(options, 2)}
    score = {
        a: sum((wins[a, b] + F(len(orders) - wins[a, b] - wins[b, a], 2) for b in options if b != a), F(0))
        for a in options
    }
    path = {(a, b): wins[a, b] if wins[a, b] > wins[b, a] else 0 for a, b in wins}
    for by, a, b in permutations(options, 3):
        path[a, b] = max(path[a, b], min(path[a, by], path[by, b]))
    best = [a for a in options if all(path[a, b] >= path[b, a] for b in options if b != a)]
    if rule == "borda":
        best = [a for a in options if score[a] == max(score.values())]
    while rule == "instant_runoff" and options:
        firsts = [
            next(left for places in order if (left := [one for one in places if one in options])) for order in orders
        ]
        held = {one: sum((F(1, len(first)) for first in firsts if one in first), F(0)) for one in options}
        least, best = min(held.values()), [one for one in options if 2 * held[one] > len(orders) or len(options) == 1]
        last, above = (
            [one for one in options if held[one] == least],
            [held[one] for one in options if held[one] > least],
        )
        if best or not above or (len(last) > 1 and len(last) * least >= min(above)):
            break
        options = [one for one in options if one not in last]
    return (best[0], True) if len(best) == 1 else (None, False)


def median(t, within):  # if the quartiles lie within a share of the median, whatever silent seats would have said
    values, missing, found = sorted(v.value for v in t.voices if v.value is not None), 0, []
    missing = len(t.seats) - len(values)
    for below, total in [(below, len(t.seats)) for below in range(missing + 1)] + [(0, len(values))]:
        ends = []
        for at, rest in (divmod((total - 1) * quarter, 4) for quarter in (1, 2, 3)):
            if not (0 <= at - below and at - below + bool(rest) < len(values)):
                return None
            ends.append(values[at - below] + (values[at - below + bool(rest)] - values[at - below]) * F(rest, 4))
        found.append(ends)
    middles = [ends[1] for ends in found[:-1]]
    nearest = F(0) if min(middles) <= 0 <= max(middles) else min(map(abs, middles))
    if len(values) < 2 or max(ends[2] - ends[0] for ends in found[:-1]) > within * nearest:
        return None
    middle = found[-1][1]
    t.near = {v.seat for v in t.voices if v.value is not None and abs(v.value - middle) <= within * abs(middle)}
    return shown(middle), True


def consensus(t, s, x):
    ratio, n = min(max(x("weight_ratio", "3/2"), F(1)), F(3, 2)), len(t.seats)
    weight = {v.seat: min(max(v.weight, 1 / ratio), F(1)) for v in t.voices}
    total = sum(weight.values(), F(0)) + n - len(weight)
    share = {one: sum((weight[v.seat] for v in t.voices if v.choices == [one]), F(0)) / total for one in t.heads}
    heads = {one for one in t.heads if t.heads[one] >= max(ceil(x("at_least", "2/3") * n), n // 2 + 1)}
    heavy = {one for one in share if share[one] >= x("at_least", "2/3") and 2 * share[one] > 1}
    passed = {"heads": heads, "weighted": heavy, "both": heads & heavy}[s("decide_by", "heads")]
    return len(passed) == 1 and (*passed, True)


def track_record(t, s, x):  # how probable each option is by what seats were worth before, at thirteen difficulties
    numbers = lambda key: {
        name: F(number) for name, number in json.loads(s(key, "{}"), parse_float=str, parse_int=str).items()
    }
    hold, root = lambda value: min(max(value, F(-10)), F(10)), lambda value: F(isqrt(value * 10**30), 10**15)
    skills, bonus, votes = numbers("skills"), numbers("bonus"), t.first
    few = len(votes) <= 3 or s("keep_majority", "false").casefold() in ("true", "yes", "on")
    if (
        not skills
        or int(s("questions", "0")) < 8
        or not votes
        or (few and any(2 * list(votes.values()).count(one) > len(votes) for one in votes.values()))
    ):
        return None
    options, usual = sorted(set(votes.values())), sum(skills.values()) / len(skills)
    size = max(len(t.listed), len(options)) if t.listed else len(options) + 1
    guess, mass = F(1, size) if t.listed else F(1, 100), dict.fromkeys([*options, ""], F(0))
    unheard = (size - len(options)) * (1 / root(size - 1) if t.listed and size > 1 else F(1))
    for b in (F(step, 2) for step in range(-6, 7)):
        right = {
            seat: guess + (1 - guess) / (1 + F(digits(b - hold(skills.get(seat, usual)), 30, "exp"))) for seat in votes
        }
        rest = F(digits(-b * b / 8, 30, "exp")) * prod((1 - one for one in right.values()), start=F(1))
        for one in options:
            odds = (right[seat] / (1 - right[seat]) * root(size - 1) for seat in votes if votes[seat] == one)
            mass[one] += rest * prod((max(F(1), odd) for odd in odds), start=F(1))
        mass[""] += rest * unheard
    chance = {one: mass[one] / sum(mass.values()) for one in mass}
    if x("sharpness", "1") != 1 or bonus:
        add = {one: sum((hold(bonus.get(seat, F(0))) for seat in votes if votes[seat] == one), F(0)) for one in chance}
        taught = {
            one: F(digits(hold(x("sharpness", "1")) * F(digits(chance[one], 30, "ln")) + add[one], 30, "exp"))
            for one in chance
            if chance[one]
        }
        chance = {one: taught[one] / sum(taught.values()) for one in taught}
    chance.pop("", None)
    near, level = (
        [one for one in chance if chance[one] >= max(chance.values()) * share] for share in (F(740818, 10**6), 1)
    )
    settled = [
        one for one in near if not t.talked or t.heads.get(one, 0) == max(t.heads.get(other, 0) for other in near)
    ]
    best = settled if len(settled) == 1 or len(votes) <= 3 else level
    if len(best) != 1:
        return None
    return (None, False) if chance[best[0]] < x("at_least", "1/2") else (best[0], True)


RULES = {  # each gives (outcome, decided), or something empty where it stays silent
    "veto": lambda t, s, x: any(v.veto for v in t.voices) and (s("means", "REFUSE"), True),
    "all_silent": lambda t, s, x: not t.stated and (s("means", "REFUSE"), False),
    "any_silent": lambda t, s, x: t.silent and (s("means", "REFUSE"), False),
    "unsure": lambda t, s, x: (
        any(v.sure is None or v.sure < x("below", "2/5") for v in t.stated) and (s("means", "REFUSE"), False)
    ),
    "unanimous": lambda t, s, x: (
        len(t.heads) == 1
        and len(t.stated) == len(t.seats)
        and all(v.choices == t.leaders for v in t.stated)
        and (*t.leaders, True)
    ),
    "supermajority": lambda t, s, x: len(t.leaders) == 1 and t.top >= x("at_least", "2/3") and (*t.leaders, True),
    "plurality": lambda t, s, x: len(t.leaders) == 1 and (*t.leaders, True),
    "most_approved": lambda t, s, x: (
        all(v.approves for v in t.voices) and len(t.leaders) == 1 and t.top >= x("at_least", "0") and (*t.leaders, True)
    ),
    "tie": lambda t, s, x: (
        len(t.leaders) != 1 and t.leaders == t.options[:1] + t.options[1:][-1:] and (s("means", "REFUSE"), False)
    ),
    "safe_act": lambda t, s, x: (
        t.heads.get(t.options[0], 0) > x("above", "4/5") * len(t.seats)
        and all(v.risk is not None and v.risk < x("risk_below", "3/10") for v in t.stated)
        and (t.options[0], True)
    ),
    "short_of_refusal": lambda t, s, x: (
        sum(t.heads.get(one, 0) for one in t.options[:-1]) >= x("at_least", "3/5") * len(t.seats)
        and (s("means", "WARN"), True)
    ),
    "quorum": lambda t, s, x: t.voted <= x("more_than", "1/2") * max(1, len(t.seats)) and (s("means", ""), False),
    "hold": lambda t, s, x: (s("means", "WARN"), False),
    "too_few": lambda t, s, x: (
        len(t.stated) < max(1, int(s("min_seats", "3")))
        and (t.stated or "unsupported" in t.silent.values())
        and (s("means", "INVALID"), False)
    ),
    "all_undetermined": lambda t, s, x: (
        t.heads == {s("means", "UNDETERMINED"): len(t.seats)} and (s("means", "UNDETERMINED"), True)
    ),
    "consensus": consensus,
    "no_consensus": lambda t, s, x: (s("means", "UNDETERMINED"), False),
    "one_sided": lambda t, s, x: (
        t.voices and all(v.quality is None for v in t.voices) and (s("means", "UNCERTAIN"), False)
    ),
    "confidence_weighted": lambda t, s, x: ahead(t, x, [(v.choices, v.weight) for v in t.voices]),
    "evidence_based": lambda t, s, x: ahead(t, x, [(v.choices, v.quality or F(0)) for v in t.voices]),
    "majority_vote": lambda t, s, x: rounds_won(t, x),
    "condorcet": lambda t, s, x: ranked(t, "condorcet"),
    "borda": lambda t, s, x: ranked(t, "borda"),
    "instant_runoff": lambda t, s, x: ranked(t, "instant_runoff"),
    "close_median": lambda t, s, x: median(t, x("within", "1/10")),
    "track_record": track_record,
    **dict.fromkeys(("no_winner", "none_most_approved", "no_agreement"), lambda t, s, x: (None, False)),
}


def demo(t, s, outcome, decided):
    bold = (
        outcome
        if outcome in CAREFUL
        else s("instead_of", "") or ("" if "UNDETERMINED" in t.options else "".join(t.options[:1]))
    )
    careful = (s("means", "") if bold == s("instead_of", "") else "") or CAREFUL.get(bold) or t.options[1]
    return t.demo and t.options and outcome == bold and (careful, False)


def one_voice(t, s, outcome, decided):  # seats meant to be apart that ended up on one model are one voice
    if any(v.veto for v in t.voices) or not decided:
        return None
    behind = {v.seat for v in t.stated if v.order or outcome in v.choices or v.seat in t.near}
    groups = {}
    for seat, domain, meant in t.domains:
        if seat in behind:
            groups.setdefault(domain, set()).add(meant)
    voices = len(behind) - sum(len(apart) - 1 for apart in groups.values())
    bold, careful = (s(key, "") or one for key, one in zip(("instead_of", "means"), [*t.options[:2], "", ""]))
    lowered = (careful if careful and outcome == bold else outcome), False
    return voices < len(behind) and 3 * voices < 2 * len(t.seats) and lowered


def sealed_vote(t, s, outcome, decided):
    against = sum(choice != s("instead_of", "ACT") for choice in t.sealed.values())
    heavy = against >= number_of(s("at_least", "2/3")) * len(t.seats)
    return (
        s("mode", "guard") != "report" and outcome == s("instead_of", "ACT") and heavy and (s("means", "WARN"), False)
    )


CAPS = {
    "demo": demo,
    "one_voice": one_voice,
    "sealed_vote": sealed_vote,
    "demo_finds": lambda t, s, outcome, decided: (
        t.demo
        and outcome not in (None, s("means", "UNDETERMINED"), s("keeps", "INVALID"))
        and (s("means", "UNDETERMINED"), False)
    ),
    "veto_seat_silent": lambda t, s, outcome, decided: (
        set(t.guardians) - {v.seat for v in t.stated}
        and outcome == s("instead_of", "ACT")
        and (s("means", "WARN"), False)
    ),
}


def decide(t, book):  # the first rule that speaks decides; then a cap may make it more careful
    heads = {one: set() for one in t.options}
    silence = [book["silence"]] if book["silence"] not in ("none", "carry") else []
    t.stated, t.near = t.voices, set()
    for v in t.stated:
        for one in v.choices:
            heads.setdefault(one, set()).add(v.seat)
    for seat in t.silent if silence else []:
        heads.setdefault(silence[0], set()).add(seat)
    t.voted = len(t.voices) + (len(t.silent) if silence else 0)
    t.heads = {one: len(seats) for one, seats in heads.items() if seats}
    most = max(t.heads.values(), default=0)
    t.leaders, t.top = [one for one in t.heads if t.heads[one] == most], F(most, max(1, len(t.seats)))
    for part in [*book["rules"], book["otherwise"]]:
        s = dict(part.get("settings", [])).get
        found = RULES[part["name"]](t, s, lambda key, usual, s=s: number_of(s(key, usual)))
        if found:
            break
    rule, (outcome, decided) = part["name"], found
    caps, named = book.get("unless", []), {part["name"] for part in book.get("unless", [])}
    apart = any(domain != meant for _, domain, meant in t.domains)
    always = [("demo", t.demo), ("one_voice", (t.demo or apart) and t.domains)]
    for part in [{"name": name} for name, holds in always if holds and name not in named] + caps:
        lowered = CAPS[part["name"]](t, dict(part.get("settings", [])).get, outcome or None, decided)
        if lowered:
            return lowered[0] or None, lowered[1], part["name"]
    return outcome or None, decided, rule
