"""Check a quorate capsule with Python's standard library alone: python verify_capsule.py CAPSULE [ed25519:KEY]

Chain, words, root and signature first; then the votes are counted and the rules applied again, in exact fractions:
outcome, decided, rule, agreement and confidence must be the recorded ones.
Exit 0: all holds, and all but what is named as taken was checked. 1: it does not hold. 2: wrong use or no such file.
3: what was checked holds, but not all could be; it says what.
"""

import json, re, sys
from base64 import b64decode, b64encode
from collections import Counter
from datetime import datetime
from decimal import Context, Decimal
from fractions import Fraction as F
from hashlib import sha256, sha512
from itertools import combinations, permutations, product
from math import ceil, isqrt, prod
from statistics import median
from types import SimpleNamespace as Record

VERSION, UNKNOWN, BOLD = 1, "UNDETERMINED", {"ACT": "WARN", "SUPPORT": "UNCERTAIN", "YES": "UNDETERMINED"}
CAPS = set("demo demo_finds veto_seat_silent sealed_vote act_error one_voice unseen_files objections".split())
OUTCOMES = {"tribunal": "ACT WARN REFUSE", "debate": "SUPPORT UNCERTAIN OPPOSE", "oracle": "YES UNDETERMINED NO"}
OUTCOMES |= dict.fromkeys(("conference", "ranked", "approval", "delphi"), "")  # there the seats name the options
STATED = {"debate": "the marks of arguments", "oracle": "what sources weigh and which findings have too few"}
STATED |= {"": "which seats share a model"}  # in any protocol where a seat was given another model
FIELDS = ["quorate_capsule", "sha256", "statement", "withheld", "tally", "entries", "key", "signature", "timestamp"]
FACTS, ANSWERS = ["domains", "head", "id", "kinds", "root", "tally", "verdict"], ("Spoken", "Silent", "Withdrawn")
KINDS = {"Convened", "Admitted", "Asked", *ANSWERS, "Found", "Routed", "Decided"}
KINDS |= {"Failed", "Reviewed", "TurnedOut", "TurnedAway"}
WRONG = (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, ArithmeticError)
OPEN = "the verdict could not be recomputed: something is withheld on which the outcome may rest"
TRUE = ("true", "yes", "on")
HASH, KEY, SIGNATURE = (re.compile(f"{who}[0-9a-f]{{{n}}}") for who, n in (("", 64), ("ed25519:", 64), ("", 128)))
NUMBER = re.compile(r"[+-]?([0-9]{1,30}(\.[0-9]{0,30})?|\.[0-9]{1,30})([eE][+-]?[0-9]{1,2})?")
P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D, ROOT = -121665 * pow(121666, -1, P) % P, pow(2, (P - 1) // 4, P)


def need(holds, why):
    if not holds:
        raise ValueError(why)


def read_json(text, indent=None):  # each value in the one spelling that quorate writes, so that no two readers differ
    def once(pairs):
        need(len(found := dict(pairs)) == len(pairs), "a key is repeated")
        return found

    value, form = json.loads(text, object_pairs_hook=once), {"separators": (",", ":"), "sort_keys": True}
    check_values(value)
    need(indent or json.dumps(value, ensure_ascii=False, allow_nan=False, **form) == text, "it is spelt in an odd way")
    return value


def check_values(value, depth=50):  # what every reader reads alike: whole numbers of up to 53 bits, not nested deeply
    exact = not isinstance(value, float) and (not isinstance(value, int) or abs(value) < 2**53)
    need(exact and depth, "it holds a number or a depth that quorate does not write")
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        check_values(part, depth - 1)


def read_capsule(raw):  # the file, byte for byte as quorate writes it
    first, _, rest = raw.partition(b"\n")
    need(first == b'{"quorate_capsule":1,"sha256":"%s",' % sha256(rest).hexdigest().encode(), "the file was changed")
    capsule = read_json(raw.decode("ascii"), indent=1)
    parts = {name: part for name, part in capsule.items() if name not in ("quorate_capsule", "sha256")}
    written = json.dumps(parts, indent=1)[2:].replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    need(rest == written.encode() + b"\n", "it is spelt in an odd way")
    signed, named = "signature" in capsule, all(isinstance(capsule[part], list) for part in FIELDS[3:6])
    whole = list(capsule) == [part for part in FIELDS if part in capsule] and signed == ("key" in capsule)
    need(named and whole, "these are no parts of a capsule")
    fits = not signed or (KEY.fullmatch(capsule["key"]) and SIGNATURE.fullmatch(capsule["signature"]))
    need(fits, "the key or the signature is too long or too short")
    return capsule


def read_statement(text):  # its parts, and a list of entries that a record can have
    facts = read_json(text)
    verdict, kinds = facts["verdict"], Counter(facts["kinds"])
    whole = list(facts) == FACTS and list(verdict) == ["decided", "outcome", "rule"]
    need(whole and isinstance(verdict["decided"], bool), "these are no parts of a statement")
    once = kinds["Convened"] == kinds["Admitted"] + kinds["TurnedAway"] == kinds["Decided"] + kinds["TurnedAway"] == 1
    need(once and facts["kinds"][0] == "Convened" and kinds.keys() <= KINDS, "no record has such a list of entries")
    return facts


def check_tally(capsule, facts):  # the stated figures: one row an entry, and a hash only where an entry is withheld
    rows = [read_json(row) for row in capsule["tally"] if isinstance(row, str)]
    gone = [row["sha256"] for row in capsule["tally"] if not isinstance(row, str) and list(row) == ["sha256"]]
    hidden = [part for _, part in capsule["withheld"]].count("event")
    fits = len(rows) + len(gone) == len(capsule["tally"]) and len(gone) <= hidden
    need(fits and len({row["entry"] for row in rows}) == len(rows), "the figures are not those of entries")
    said = [sha(row) if isinstance(row, str) else row["sha256"] for row in capsule["tally"]]
    need(said == facts["tally"], "the figures are not those that are stated")


def check_time(text):  # the one form that entries bear, and a day and an hour that exist
    need(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", text, re.ASCII), "an entry has no such time")
    datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ")


def read_timestamp(text, root):  # the answer of an authority as RFC 3161 has it; its signature is not checked here
    answer = b64decode(text, validate=True)
    need(b64encode(answer).decode() == text, "the timestamp is spelt in an odd way")
    long = answer[1] & 127 if len(answer) > 1 and answer[1] > 127 else 0
    size = int.from_bytes(answer[2 : 2 + long], "big") if long else answer[1] if len(answer) > 1 else 0
    signed, token = bytes.fromhex("06092a864886f70d010702"), bytes.fromhex("060b2a864886f70d0109100104")
    whole = answer[:1] == b"\x30" and answer[1] != 128 and len(answer) == 2 + long + size
    need(whole and signed in answer and token in answer, "the timestamp is no answer of an authority")
    need(bytes.fromhex("3031300d060960864801650304020105000420" + root) in answer, "the timestamp is over another root")


def sha(text):
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


def number(text):  # as people write a share; 66 and 67 percent mean two thirds
    value = F(text[:-1].strip()) / 100 if text.endswith("%") else F(text.replace(" ", ""))
    return F(2, 3) if value in (F(66, 100), F(67, 100)) and "/" not in text else value


def digits(value, places, function):
    exact = Context(prec=places, rounding="ROUND_HALF_EVEN")
    return getattr(exact, function)(exact.divide(Decimal(value.numerator), Decimal(value.denominator)))


def shown(value):
    return str(value) if value.denominator == 1 else f"{digits(value, 40, 'normalize'):f}"


def plain(option):
    words = " ".join(option.split())
    words = words.lower() if words.isascii() else words
    while found := re.fullmatch(r"([\"']|\*{1,3})((?:(?!\1).)+)\1|(.*[^.])\.", words):
        words = (found[2] or found[3]).strip()
    return words


def check_signature(key, signature, text):  # Ed25519 as in RFC 8032, on affine points
    def add(a, b):
        k, x, y = D * a[0] * b[0] * a[1] * b[1], a[0] * b[1] + b[0] * a[1], a[1] * b[1] + a[0] * b[0]
        return x * pow(1 + k, -1, P) % P, y * pow(1 - k, -1, P) % P

    def times(factor, point):
        half = times(factor >> 1, add(point, point)) if factor else (0, 1)
        return add(half, point) if factor & 1 else half

    def point(raw):
        sign, y = divmod(int.from_bytes(raw, "little"), 2**255)
        square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
        x = pow(square, (P + 3) // 8, P)
        x = x if x * x % P == square else x * ROOT % P
        need(y < P and x * x % P == square and (x or not sign), "the key or the signature is no point of the curve")
        return x if x & 1 == sign else P - x, y

    need(len(key) == 32 and len(signature) == 64, "the key or the signature is too long or too short")
    s, h = (int.from_bytes(raw, "little") for raw in (signature[32:], sha512(signature[:32] + key + text).digest()))
    base, right = point((4 * pow(5, -1, P) % P).to_bytes(32, "little")), times(h % ORDER, point(key))
    holds = s < ORDER and times(s, base) == add(point(signature[:32]), right)
    need(holds, "the signature is not of this key over this statement")


def check_entries(capsule, facts):  # chain, words, what is withheld, root; gives the events, None where one is withheld
    hashes, events, withheld = [sha("quorate " + facts["id"])], [], []
    for at, (entry, kind) in enumerate(zip(capsule["entries"], facts["kinds"], strict=True), 1):
        text, words = entry.get("event", ""), entry.get("words", {})
        events.append(read_json(text) if text else None)
        if text:
            check_time(entry["time"])
        need(not text or events[-1]["event"] == kind, f"entry {at} is not of the kind that is stated")
        head = '{"before":"%s","number":%d,"time":"%s"}' % (hashes[-1], at, entry.get("time"))
        need(text or HASH.fullmatch(entry["hash"]), f"entry {at} has no such hash")
        hashes.append(sha(f"{head}\n{text}") if text else entry["hash"])
        names = set(re.findall(r'\{"sha256":"([0-9a-f]{64})"\}', text))
        told = all(sha(entry["salt"] + said) == name for name, said in words.items())
        need(told, f"words of entry {at} were changed")
        need(set(words) <= names, f"entry {at} has words that are not its own")
        withheld += [] if text and set(words) == names else [[at, "words" if text else "event"]]
        parts = ["time", "event", *(("salt", "words") if words else ())] if text else ["hash"]
        need(list(entry) == parts, f"entry {at} has other parts than it should")
    need(json.dumps(capsule["withheld"]) == json.dumps(withheld), "what the entries lack is not what is listed")
    told = [(facts["kinds"][:at].count("Failed"), one) for at, one in enumerate(events)]  # after it asks begin anew
    told = [(tried, one) for tried, one in told if one and one["event"] in ANSWERS]
    asks = [json.dumps([n, one["round"], one["seat"], one.get("about", ""), one.get("attempt", 1)]) for n, one in told]
    need(len(set(asks)) == len(asks), "a seat answers the same ask twice")
    level = [sha256(b"\0" + bytes.fromhex(one)).digest() for one in hashes[1:]]
    while len(level) > 1:  # a tree as RFC 6962 builds it; a node without a neighbour goes up as it is
        pairs = [level[at : at + 2] for at in range(0, len(level), 2)]
        level = [sha256(b"\1" + b"".join(pair)).digest() if len(pair) == 2 else pair[0] for pair in pairs]
    need(facts["head"] == hashes[-1], "the last entry is not the one that is stated")
    need(facts["root"] == level[0].hex(), "the root is not that of the entries")
    return events


def group(options, scores, least, same):  # the name each option counts under: complete linkage, the most alike first
    home, alike = {one: [one] for one in options}, {one for one in same if scores.get(one, 0) >= least}
    for pair in sorted(alike, key=lambda pair: (-scores[pair], sorted(pair))):
        here, there = (home[one] for one in pair)
        if here is not there and all(frozenset((a, b)) in alike for a in here for b in there):
            home |= dict.fromkeys(here + there, sorted(here + there, key=options.index))
    return {one: members[0] for one, members in home.items()}


def groupings(options, found, least, held):  # how options are grouped; then how, if what could be one is one
    pair = lambda i, j: frozenset((options[i], options[j]))
    same, scores = {pair(*one) for one in found.get("same", [])}, {}
    scores |= {pair(i, j): F(one) for i, j, one in found.get("scores", [])}
    maybe = [one for one in scores.keys() | same if (scores.get(one, 0) >= min(least, F(7, 10))) != (one in same)]
    maybe = sorted((one for one in maybe if one <= held), key=lambda one: (-scores.get(one, 0), place(options, one)))
    n = len(maybe)
    sizes = range(n + 1) if n <= 4 else (0, 1, n) if n <= 24 else (0, n)
    tried = [frozenset(some) for size in sizes for some in combinations(maybe, size)]
    raised = [{one: max(scores.get(one, least), least) for one in some} for some in tried]
    return [group(options, scores | more, least, same | some) for some, more in zip(tried, raised)]


def place(options, pair):
    return sorted(map(options.index, pair))


def ways_to_name(t, settings, compared, ballots):  # under which name each option counts, in every way that there is
    if t.protocol in ("approval", "ranked"):  # what differs in nothing but case and signs is one
        written = [one for vote in t.votes for place in vote.order or [vote.options] for one in place]
        first = {plain(one): one for one in reversed(written)}
        return [{one: first[plain(one)] for one in written}]
    values, half = {vote.options[0]: vote.value for vote in t.votes if vote.value is not None}, F(1, 2)
    if t.protocol == "oracle" and settings.get("answers") == "probability":
        return [{one: "YES" if x > half else "NO" if x < half else UNKNOWN for one, x in values.items()}]
    if t.protocol == "oracle" and values:  # a number near the median counts as the median
        middle = median(vote.value for vote in t.votes if vote.value is not None)
        near = number(settings.get("tolerance", "5 %")) * abs(middle)
        return [{one: shown(middle if abs(x - middle) <= near else x) for one, x in values.items()}]
    found, least = {one["round"]: one for one in compared}, number(settings.get("alike", "7/10"))
    for upto in range(t.last if t.protocol == "conference" else 0, 0, -1):  # a list that is closed is compared no more
        named = [
            one for mine in ballots for one in mine if int(one["round"]) <= upto and not one["ballot"].get("abstain")
        ]
        named.sort(key=lambda one: int(one["round"]))  # by round, then in the order of the seats
        options = list(dict.fromkeys(one["ballot"]["choice"] for one in named))
        if len(options) < 2:
            break
        if str(upto) in found:
            held = {vote.raw["choice"] for vote in t.votes} if upto == t.last else set()
            return groupings(options, found[str(upto)], least, held)
    return [{}]


def count(capsule, facts, events):  # the votes as the entries have them, and all else that rules look at
    began, stated = events[0], {row["entry"]: row for row in map(read_json, capsule["tally"])}
    protocol, settings, seats = began["protocol"], dict(began.get("settings", [])), began["panel"]["seats"]
    told = [one | {"entry": at} for at, one in enumerate(events[: facts["kinds"].index("Decided")], 1) if one]
    failed = max((at for at, kind in enumerate(facts["kinds"], 1) if kind == "Failed"), default=0)
    said = [one for one in told if one["event"] in ANSWERS and not one.get("about") and one["entry"] > failed]
    routed = [one["seated"] for one in told if one["event"] == "Routed"]
    models = {sat["seat"]: sat["model"] for sat in began.get("seated", []) + routed}.values()
    t = Record(protocol=protocol, domains=facts["domains"] if routed else [], votes=[], silent={})
    t.demo = began["panel"].get("demo", False) or any(model.startswith(("demo:", "embedded:")) for model in models)
    t.guardians = {seat["name"] for seat in seats if "veto" in seat["powers"]}
    t.listed, t.options = began["question"].get("options", []), OUTCOMES[protocol].split()
    if protocol == "oracle" and settings.get("answers", "yes_no") in ("options", "number"):
        words = capsule["entries"][0].get("words", {})
        t.options = [words.get(one["sha256"]) for one in t.listed] + [UNKNOWN] * bool(t.listed)
    t.listed = len(t.listed) if protocol == "conference" and settings.get("options") == "given" else 0
    t.seats, rounds = [seat["name"] for seat in seats if "vote" in seat["powers"]], {one["round"] for one in said}
    vetoes = [one for one in said if (one.get("ballot") or {}).get("veto") and one["seat"] in t.guardians]
    ended = vetoes or settings.get("stop_when_settled", "").casefold() in (*TRUE, "1")
    at_once = settings.get("debate") == "when_split" and rounds <= {"analysis"} and not vetoes
    at_once = at_once or settings.get("debate") == "never"
    final = "vote" if "vote" in rounds else "analysis" if at_once else "revision"
    ballots = [[one for one in said if one["seat"] == seat and one.get("ballot")] for seat in t.seats]
    cast = [mine[-1:] for mine in ballots]  # who is silent later keeps a vote, but not in a tribunal
    if protocol == "tribunal":
        last = [[one for one in said if one["seat"] == seat and one["round"] == final] for seat in t.seats]
        cast = [(mine or [one for one in vetoes if one["seat"] == seat])[-1:] for seat, mine in zip(t.seats, last)]
    if protocol == "debate":
        named = {seat["name"]: seat["name"].strip().casefold().removesuffix(" agent") for seat in seats}
        acts = {seat["name"]: seat.get("part") or named[seat["name"]] for seat in seats}
        main, allies = {"proponent", "opponent"}, settings.get("allies", "no").casefold() in TRUE
        t.seats = [seat for seat in acts if acts[seat] in main or (allies and acts[seat] in ("advocate", "critic"))]
        cast = [[one for one in said if one["seat"] == seat and one.get("argument")] for seat in t.seats]
        spoke = {(acts[one["seat"]], one["round"]) for mine in cast for one in mine}
    figures = {"debate": {"quality", "consistency"}, "oracle": {"weight", "silent"}}.get(protocol, set())
    known = all(row.keys() - {"salt", "entry"} <= figures for row in stated.values())
    need(known, "it states what is to be worked out")
    for seat, one in ((seat, one) for seat, mine in zip(t.seats, cast) for one in mine or [{}]):
        vote, row = one.get("ballot") or one.get("argument"), stated.get(one.get("entry"), {})
        if not vote or "silent" in row or vote.get("abstain"):
            last = [event["event"] for event in said if event["seat"] == seat][-1:]
            not_needed = last == ["Withdrawn"] or (ended and last != ["Silent"])  # nothing is assumed for such a seat
            gone = not not_needed if not vote else "silent" in row or protocol == "delphi"
            t.silent |= {seat: row.get("silent", "")} if gone else {}
            continue
        v = Record(seat=seat, raw=vote, round=one["round"], order=vote.get("ranking", []), veto=one in vetoes)
        numeric = protocol == "oracle" and settings.get("answers") in ("number", "probability")
        written = vote["value"] if "value" in vote else vote["choice"].strip() if numeric else ""
        v.value = F(written) if "value" in vote or NUMBER.fullmatch(written) else None
        v.options = {"pro": t.options[:1], "con": t.options[-1:]}.get(vote.get("side"), vote.get("approved", []))
        v.options = [vote["choice"]] if "choice" in vote else [shown(v.value)] if "value" in vote else v.options
        v.options = v.order[0] if v.order and len(v.order[0]) == 1 else v.options
        v.sure, v.risk = F(vote.get("confidence", -1)), F(vote.get("risk", 2))  # what is left out counts against it
        v.marks = [F(row[key]) for key in ("quality", "consistency") if key in row]
        v.weight = F(row["weight"] if protocol == "oracle" else next(x["weight"] for x in seats if x["name"] == seat))
        if protocol == "debate":  # only rounds in which both sides made a case count
            both = all((part, v.round) in spoke for part in main)
            need(bool(v.marks) == both, f"the argument in entry {one['entry']} has marks that it should not, or none")
            v.weight = prod(v.marks, start=v.sure) * both
        t.votes.append(v)
    t.votes.sort(key=lambda vote: (len(vote.round), vote.round))  # first seen first
    compared = [one for one in told if one["event"] == "Found" and one.get("about") == "options"]
    t.n, t.last = max(1, len(t.seats)), max((int(one) for one in rounds if one.isdigit()), default=0)
    t.ways = ways_to_name(t, settings, compared, ballots)
    first = [one for one in sum(ballots, []) if one["round"] in ("1", "analysis") and "choice" in one["ballot"]]
    t.sealed = {one["seat"]: one["ballot"]["choice"] for one in first if not one["ballot"].get("abstain")}
    return t


def ahead(t, x, weights, margin=None):  # of two sides the one that is ahead by the margin, with its share; else neither
    if t.protocol != "debate":
        return (None, False)
    ends, margin = (t.options[0], t.options[-1]), margin or x("margin", "6/5")
    pro, con = (sum((weight for choices, weight in weights if choices == [end]), F(0)) for end in ends)
    won = [(end, one) for end, one, other in zip(ends, (pro, con), (con, pro)) if one > margin * other]
    return (won[0][0], True, min(won[0][1] / (pro + con), x("cap_at", "19/20"))) if won else (t.options[1], False)


def rounds_won(t, s, x):  # a point a round
    rounds = {v.round: [(w.choices, w.weight) for w in t.votes if w.round == v.round] for v in t.votes if v.marks}
    won = [ahead(t, x, weights) for weights in rounds.values()]
    return ahead(t, x, [([outcome], F(1)) for outcome, decided, *_ in won if decided], F(1))


def ranked(t, rule):  # Schulze's beatpaths by winning votes, Borda points, or instant runoff; only a sole winner wins
    options = sorted({one for v in t.votes for place in v.order for one in place})
    orders = [v.order + [[one for one in options if one not in sum(v.order, [])]] for v in t.votes if v.order]
    places = [{one: at for at, equals in enumerate(order) for one in equals} for order in orders]
    wins = {(a, b): sum(place[a] < place[b] for place in places) for a, b in permutations(options, 2)}
    points = {a: sum(wins[a, b] - wins[b, a] for b in options if b != a) for a in options}
    path = {(a, b): votes if votes > wins[b, a] else 0 for (a, b), votes in wins.items()}
    for by, a, b in permutations(options, 3):
        path[a, b] = max(path[a, b], min(path[a, by], path[by, b]))
    best = [a for a in options if all(path[a, b] >= path[b, a] for b in options if b != a)]
    if rule == "borda":
        best = [a for a in options if points[a] == max(points.values())]
    while rule == "instant_runoff" and options:
        tops = [next(left for place in order if (left := [a for a in place if a in options])) for order in orders]
        held = {a: sum((F(1, len(top)) for top in tops if a in top), F(0)) for a in options}
        last = [a for a in options if held[a] == min(held.values())]
        above = [held[a] for a in options if a not in last]
        best = [a for a in options if 2 * held[a] > len(orders) or len(options) == 1]
        if best or not above or (len(last) > 1 and len(last) * held[last[0]] >= min(above)):
            break  # somebody has won, or it is a tie who is eliminated
        options = above and [a for a in options if a not in last]
    return (best[0], True) if len(best) == 1 else (None, False)


def close_median(t, within):  # if the quartiles lie within a share of it, wherever silent seats would have stood
    values = sorted(v.value for v in t.votes if v.value is not None)

    def quartile(quarter, below):  # of these and of silent seats, so many of them far below and the others far above
        at, rest = divmod((t.n - 1) * quarter, 4)
        low, high = at - below, at - below + bool(rest)
        return values[low] + (values[high] - values[low]) * F(rest, 4) if 0 <= low <= high < len(values) else None

    worst = [[quartile(quarter, below) for quarter in (1, 2, 3)] for below in range(t.n - len(values) + 1)]
    if len(values) < 2 or None in sum(worst, []):
        return None
    middle, middles = median(values), [one[1] for one in worst]
    nearest = 0 if min(middles) <= 0 <= max(middles) else min(map(abs, middles))
    near = {v.seat for v in t.votes if v.value is not None and abs(v.value - middle) <= within * abs(middle)}
    close = max(one[2] - one[0] for one in worst) <= within * nearest
    return close and (shown(middle), True, F(len(near), t.n), near)


def consensus(t, s, x):  # by heads, by weight or by both; a seat without a finding weighs as much as any can
    ratio, least = min(max(x("weight_ratio", "3/2"), F(1)), F(3, 2)), x("at_least", "2/3")
    weight = {v.seat: min(max(v.weight, 1 / ratio), F(1)) for v in t.votes}
    total = sum(weight.values(), F(0)) + t.n - len(weight)
    share = {one: sum((weight[v.seat] for v in t.votes if v.choices == [one]), F(0)) / total for one in t.heads}
    heads = {one for one in t.heads if t.heads[one] >= max(ceil(least * t.n), t.n // 2 + 1)}
    heavy = {one for one in share if share[one] >= least and 2 * share[one] > 1}
    passed = {"heads": heads, "weighted": heavy, "both": heads & heavy}[s("decide_by", "heads")]
    return len(passed) == 1 and (*passed, True)


def track_record(t, s, x):  # how probable each option is by what seats were worth before, at thirteen difficulties
    skills, bonus = (json.loads(s(key, "{}"), parse_float=F, parse_int=F) for key in ("skills", "bonus"))
    exp, hold = lambda value: F(digits(value, 30, "exp")), lambda value: min(max(value, F(-10)), F(10))
    votes, chosen, few = t.first, list(t.first.values()), len(t.first) <= 3
    kept = (few or s("keep_majority", "no").casefold() in TRUE) and any(
        2 * chosen.count(a) > len(chosen) for a in chosen
    )
    if not skills or int(s("questions", "0")) < 8 or not votes or kept:
        return None
    options, usual = sorted(set(chosen)), sum(skills.values()) / len(skills)
    size = max(t.listed, len(options)) if t.listed else len(options) + 1
    root, guess = F(isqrt((size - 1) * 10**30), 10**15), F(1, size) if t.listed else F(1, 100)
    mass = dict.fromkeys([*options, ""], F(0))  # under no name, that it is none of these
    for b in (F(step, 2) for step in range(-6, 7)):
        right = {seat: guess + (1 - guess) / (1 + exp(b - hold(skills.get(seat, usual)))) for seat in votes}
        for one in mass:
            each = (max(1 - p, p * root) if votes[seat] == one else 1 - p for seat, p in right.items())
            mass[one] += exp(-b * b / 8) * prod(each)
    mass[""] *= F(size - len(options)) / (root if t.listed and size > 1 else 1)
    chance, sharp = {one: mass[one] / (sum(mass.values()) or 1) for one in mass}, x("sharpness", "1")
    if sharp != 1 or bonus:
        gain = {one: sum(hold(bonus.get(seat, F(0))) for seat in votes if votes[seat] == one) for one in mass}
        mass = {a: exp(hold(sharp) * F(digits(chance[a], 30, "ln")) + gain[a]) for a in chance if chance[a]}
        chance = {one: mass[one] / sum(mass.values()) for one in mass}
    top = max(chance[one] for one in chance if one)
    near, level = ([one for one in chance if one and chance[one] >= top * least] for least in (F(740818, 10**6), 1))
    settled = [one for one in near if t.last < 2 or t.heads[one] == max(t.heads[other] for other in near)]
    best = settled if len(settled) == 1 or few else level
    if len(best) != 1 or not top:
        return None
    return (None, False) if chance[best[0]] < x("at_least", "1/2") else (best[0], True, chance[best[0]])


RULES = {  # each gives the outcome, whether it is decided and perhaps how sure, or something empty where it is silent
    "veto": lambda t, s, x: any(v.veto for v in t.votes) and (s("means", "REFUSE"), True),
    "all_silent": lambda t, s, x: not t.votes and (s("means", "REFUSE"), False),
    "any_silent": lambda t, s, x: t.silent and (s("means", "REFUSE"), False),
    "unsure": lambda t, s, x: any(v.sure < x("below", "2/5") for v in t.votes) and (s("means", "REFUSE"), False),
    "unanimous": lambda t, s, x: len(t.heads) == t.top == 1 and len(t.votes) == t.n and (*t.leaders, True),
    "supermajority": lambda t, s, x: len(t.leaders) == 1 and t.top >= x("at_least", "2/3") and (*t.leaders, True),
    "plurality": lambda t, s, x: len(t.leaders) == 1 and (*t.leaders, True),
    "most_approved": lambda t, s, x: (
        not t.assumed
        and all("approved" in v.raw for v in t.votes)
        and len(t.leaders) == 1
        and t.top >= x("at_least", "0")
        and (*t.leaders, True)
    ),
    "tie": lambda t, s, x: (
        t.options[1:] and {*t.leaders} == {t.options[0], t.options[-1]} and (s("means", "REFUSE"), False)
    ),
    "safe_act": lambda t, s, x: (
        t.options
        and t.heads[t.options[0]] > x("above", "4/5") * t.n
        and all(v.risk < x("risk_below", "3/10") for v in t.votes)
        and (t.options[0], True)
    ),
    "short_of_refusal": lambda t, s, x: (
        sum(t.heads[one] for one in t.options[:-1]) >= x("at_least", "3/5") * t.n and (s("means", "WARN"), True)
    ),
    "quorum": lambda t, s, x: t.voted <= x("more_than", "1/2") * t.n and (s("means", ""), False),
    "hold": lambda t, s, x: (s("means", "WARN"), False),
    "too_few": lambda t, s, x: (
        len(t.votes) < max(1, int(s("min_seats", "3")))
        and (t.votes or "unsupported" in t.silent.values())
        and (s("means", "INVALID"), False)
    ),
    "all_undetermined": lambda t, s, x: t.heads == {s("means", UNKNOWN): t.n} and (s("means", UNKNOWN), True),
    "consensus": consensus,
    "no_consensus": lambda t, s, x: (s("means", UNKNOWN), False),
    "one_sided": lambda t, s, x: (
        t.voted
        and not (t.protocol == "oracle" and t.votes)
        and not any(v.marks for v in t.votes)
        and (s("means", "UNCERTAIN"), False)
    ),
    "confidence_weighted": lambda t, s, x: ahead(t, x, [(v.choices, v.weight) for v in t.votes]),
    "evidence_based": lambda t, s, x: ahead(t, x, [(v.choices, v.marks[0]) for v in t.votes if v.marks]),
    "majority_vote": rounds_won,
    "condorcet": lambda t, s, x: ranked(t, "condorcet"),
    "borda": lambda t, s, x: ranked(t, "borda"),
    "instant_runoff": lambda t, s, x: ranked(t, "instant_runoff"),
    "close_median": lambda t, s, x: close_median(t, x("within", "1/10")),
    "track_record": track_record,
    **dict.fromkeys(("no_winner", "none_most_approved", "no_agreement"), lambda t, s, x: (None, False)),
}


def cap(t, name, s, v):  # what a cap makes of a verdict that may not stand, or something empty where it lets it pass
    bold, mild = s("instead_of", "ACT"), (s("means", "WARN"), False)
    if name == "demo" and t.demo and t.options and v.outcome in (*BOLD, s("instead_of", "")):
        named = s("means", "") if v.outcome == s("instead_of", "") else ""
        return (named not in (*BOLD, v.outcome) and named) or BOLD.get(v.outcome) or t.options[1], False
    if name == "demo_finds" and t.demo and v.outcome not in (None, s("means", UNKNOWN), s("keeps", "INVALID")):
        return s("means", UNKNOWN), False
    if name == "veto_seat_silent" and v.outcome == bold:
        return t.guardians - {one.seat for one in t.votes} and mild
    if name == "sealed_vote" and v.outcome == bold and s("mode", "guard") != "report":
        return sum(one != bold for one in t.sealed.values()) >= number(s("at_least", "2/3")) * t.n and mild
    if name == "objections" and v.outcome == bold:  # a seat without a ballot did not approve either
        return t.n - sum(bold in one.choices for one in t.votes) >= int(s("at_least", "1")) and mild
    if name == "unseen_files" and v.outcome == bold:
        return s("files", "") and mild
    if name == "act_error" and v.decided:
        sure = s("certified", "no").casefold() in TRUE and v.score is not None and v.score >= number(s("at_least", "1"))
        return not sure and (BOLD.get(v.outcome, v.outcome), v.outcome not in BOLD)
    if name == "one_voice" and v.decided and not any(one.veto for one in t.votes):  # on one model seats are one voice
        pairs = {(domain, meant) for seat, domain, meant in t.domains if seat in v.behind}
        voices = len(v.behind) - len(pairs) + len({domain for domain, _ in pairs})
        bold, means = (s(key, "") or one for key, one in zip(("instead_of", "means"), (*t.options[:2], "", "")))
        lost = voices < len(v.behind) and 3 * voices < 2 * t.n
        return lost and (means if means and v.outcome == bold else v.outcome, False)


def decide(t, book, names):  # the first rule that speaks decides; then a cap may make it more careful
    for v in t.votes:
        v.choices = list(dict.fromkeys(names.get(one, one) for one in v.options))
        v.order = [[names.get(one, one) for one in place] for place in v.raw.get("ranking", [])]
    assumed = t.silent if book["silence"] not in ("none", "carry") else ()
    t.assumed = {(book["silence"], seat) for seat in assumed}
    chosen = {(one, v.seat) for v in t.votes for one in v.choices} | t.assumed
    t.heads, t.voted = Counter(one for one, _ in chosen), len(t.votes) + len(assumed)
    most = max(t.heads.values(), default=0)
    t.leaders, t.top = [one for one in t.heads if t.heads[one] == most], F(most, t.n)
    now = {v.seat: v.choices[0] for v in t.votes if v.choices}
    t.first = {seat: names.get(one, one) for seat, one in t.sealed.items()} if t.protocol == "conference" else now
    for part in [*book["rules"], book["otherwise"]]:
        s = dict(part.get("settings", [])).get
        rule = RULES.get(part["name"], lambda t, s, x: t.stated.get(part["name"]))
        if found := rule(t, s, lambda key, usual: number(s(key, usual))):
            break
    v, rule = Record(outcome=found[0] or None, decided=found[1]), part["name"]
    backing = {one.seat for one in t.votes if v.outcome in (one.order[0] if one.order else one.choices)}
    v.behind = {one.seat for one in t.votes if one.order} or (found[3] if found[3:] else backing)
    v.agreement, v.confidence = figures(t, v.outcome)
    if rule == "close_median":
        v.agreement, v.confidence = found[2], average([one.sure for one in t.votes if one.seat in found[3]])
    if rule in ("confidence_weighted", "evidence_based", "majority_vote"):
        v.confidence = found[2] if found[2:] else F(1, 2)
    if rule in ("all_silent", "one_sided"):
        usual = F(1, 2) if rule == "one_sided" else None
        v.confidence = number(s("confidence")) if s("confidence") else usual
    v.agreement = None if rule == "no_agreement" else v.agreement
    v.confidence = F(0) if rule == "no_consensus" else v.confidence
    share = found[2] if found[2:] else v.confidence if t.protocol == "debate" else v.agreement
    v.score = None if share is None else F(round(share * 10**8), 10**8)
    named = [(part["name"], dict(part.get("settings", [])).get) for part in book.get("unless", [])]
    always = [(name, {}.get) for name in ("demo", "one_voice") if name not in dict(named)]
    for name, s in always + named:
        if lowered := (name not in CAPS and t.stated.get(name)) or cap(t, name, s, v):
            v.outcome, v.decided, rule = lowered[0] or None, lowered[1], name
            if not v.decided:
                v.agreement, v.confidence = figures(t, v.outcome)
            break
    return hold_unapproved(t, v, rule)


def average(numbers):  # of those that were given
    numbers = [one for one in numbers if one >= 0]
    return sum(numbers) / len(numbers) if numbers else None


def figures(t, outcome):  # the share of the seats behind an outcome, and how sure they are on average
    own = [one for one in t.votes if outcome in (one.order[0] if one.order else one.choices)]
    behind = {one.seat for one in own} | {seat for one, seat in t.assumed if one == outcome}
    share = F(len(behind), t.n) if outcome else None
    share = t.top if all("choice" in one.raw for one in t.votes) else share
    without = t.protocol == "debate" or not t.votes or any(one.veto for one in t.votes)
    return None if without else share, average([one.sure for one in own]) if outcome else None


def hold_unapproved(t, v, rule):  # whatever the rulebook says: to approve takes a seat that did, and every veto heard
    found = not t.options or UNKNOWN in t.options  # there any option that is named approves, else all but the careful
    bold = v.outcome in BOLD or v.outcome not in (None, UNKNOWN, "INVALID", *(() if found else t.options[1:]))
    missing = t.protocol == "tribunal" and t.guardians - {one.seat for one in t.votes}
    if not bold or not (missing or any(one.veto for one in t.votes) or not any(supports(t, one, v) for one in t.votes)):
        return v.outcome, v.decided, rule, v.agreement, v.confidence
    careful = UNKNOWN if UNKNOWN in t.options else None if found else t.options[1]
    return careful, False, "not_approved", *figures(t, careful)


def supports(t, vote, v):  # whether a seat's own ballot is one for the outcome
    if t.protocol == "delphi":  # the median lies between what seats named
        ends = [F(shown(end([one.value for one in t.votes]))) for end in (min, max)]
        return NUMBER.fullmatch(v.outcome) and ends[0] <= F(v.outcome) <= ends[1]
    if vote.order:  # first, or above an option that somebody ranked
        upto = next((at for at, place in enumerate(vote.order) if v.outcome in place), -1)
        every = {one for other in t.votes for place in other.order for one in place}
        return upto == 0 or (upto > 0 and every - set(sum(vote.order[: upto + 1], [])))
    return v.outcome in vote.choices and (t.protocol != "debate" or vote.marks)


def guesses(events, hidden):  # the entries with every vote that there could be in the place of those that are withheld
    began, spoken = events[0], [one for one in events if one and one["event"] == "Spoken" and not one.get("about")]
    rounds = {one["round"] for one in spoken} | ({"analysis", "revision"} if began["protocol"] == "tribunal" else {"1"})
    named = {one["ballot"]["choice"] for one in spoken if one.get("ballot")}
    options = OUTCOMES[began["protocol"]].split() or [*named, "another", "one more"]
    ballots = [{"choice": one, "confidence": x, "risk": y} for one in options for x, y in ("10", "11", "01")]
    ballots += [None, ballots[-1] | {"abstain": True}, ballots[-1] | {"confidence": "1", "veto": True}]
    places = [(seat["name"], round_) for seat in began["panel"]["seats"] for round_ in rounds]
    votes = [{"event": "Spoken", "seat": a, "round": b, "ballot": one} for a, b in places for one in ballots]
    for cast in product(votes, repeat=len(hidden)):
        filled = dict(zip(hidden, cast))
        yield [filled.get(at, event) for at, event in enumerate(events)]


def recount(capsule, facts, events):  # gives what is to be said of it, in sentences
    recorded, began = tuple(facts["verdict"][key] for key in ("outcome", "decided", "rule")), events[0]
    ended = next((one for one in events if one and one["event"] in ("Decided", "TurnedAway")), None)
    if not ended or not began:
        return ["the verdict was not recomputed: the question, the rules or the verdict itself is withheld"]
    written = tuple(ended["verdict"].get(key) for key in ("outcome", "decided", "rule"))
    need(json.dumps(written) == json.dumps(recorded), "the verdict is not the recorded one")
    if ended["event"] == "TurnedAway":
        return ["the question was turned away before any vote; the checks that did so are not run again"]
    if (version := ended.get("version", 0)) != VERSION:
        return [f"the verdict was not recomputed: version {version} of the rules decided it, not version {VERSION}"]
    book, protocol = began["rulebook"], began["protocol"]
    parts = {part["name"] for part in [*book["rules"], book["otherwise"], *book.get("unless", [])]}
    unknown, trace = parts - RULES.keys() - CAPS, ended["verdict"].get("trace", [])
    spoke = unknown if recorded[2] == "rule_failed" else {one["rule"] for one in trace if "said" in one}
    if strange := {protocol} - OUTCOMES.keys() or unknown & spoke - {recorded[2]}:  # what it said is in no field
        return [f"the verdict was not recomputed: this verifier does not know {', '.join(sorted(strange))}"]
    gone = {at: kind for at, kind in enumerate(facts["kinds"][: facts["kinds"].index("Decided")]) if not events[at]}
    hidden = [at for at in gone if gone[at] in ("Spoken", "Silent", "Withdrawn")]
    scored = any(one.get("scores") for one in events if one) or book["name"] != "plurality"
    scored = unknown or (scored and protocol != "tribunal")
    if {"Routed", "Found"} & {*gone.values()} or len(hidden) > 2 or (hidden and scored):
        return [OPEN]
    ends = set()
    for tried in guesses(events, hidden) if hidden else [events]:
        t = count(capsule, facts, tried)
        t.stated = {recorded[2]: recorded[:2]} if recorded[2] in unknown else {}
        found = [decide(t, book, names) for names in t.ways]  # of several ways the one that decides least
        ends.add(next((end for end in found if not end[1]), found[0]) if found[0][1] else found[0])
    notes = [f"taken as stated: {why}" for name, why in STATED.items() if name == protocol or (t.domains and not name)]
    if hidden:
        same = {end[:2] for end in ends} == {recorded[:2]}
        return ["note: whatever the withheld votes were, the outcome is the same"] if same else [OPEN]
    need({end[:3] for end in ends} == {recorded}, f"the votes come to {ends}, and the record says {recorded}")
    if names := ", ".join(sorted(unknown)):
        notes.append(f"this verifier does not know {names}: what it decides is taken from the record")
    if recorded[2] in unknown:
        return notes
    stated = tuple(map(ended["verdict"].get, ("agreement", "confidence")))
    shares = tuple(share if share is None else str(share) for share in next(iter(ends))[3:])
    need(shares == stated, f"agreement and confidence come to {shares}, and the record says {stated}")
    return notes


def main(path, key=""):
    with open(path, "rb") as file:
        capsule = read_capsule(file.read())
    facts, signer = read_statement(capsule["statement"]), capsule.get("key")
    events = check_entries(capsule, facts)
    check_tally(capsule, facts)
    need(signer or not key, "nobody has signed this capsule")
    notes = [] if key else ["nobody vouches for it: " + ("give the signer's key" if signer else "it is not signed")]
    if key:
        need(signer == key, f"it is signed by {signer}, and not by the key that you gave")
        text, signature = "quorate capsule 1\n" + capsule["statement"], bytes.fromhex(capsule["signature"])
        check_signature(bytes.fromhex(key.removeprefix("ed25519:")), signature, text.encode(errors="surrogatepass"))
    if "timestamp" in capsule:
        read_timestamp(capsule["timestamp"], facts["root"])
        notes.append("taken as stated: when it was stamped; check that with: openssl ts -verify")
    said = [events[at] for at, kind in enumerate(facts["kinds"]) if kind == "Reviewed"][-1:]  # theirs is the last word
    told = ["note: a person reviewed it: {outcome}, says {by}", "what a person said of the verdict is withheld"]
    said = [told[0].format_map({key: json.dumps(one[key]) for key in one}) if one else told[1] for one in said]
    waits = any(one and one.get("verdict", {}).get("requires_human_review") for one in events)
    notes += recount(capsule, facts, events) + (said or ["note: it is for a person to review"] * waits)
    print(f"holds: {facts['id']}, {len(events)} entries, root {facts['root']}", *notes, sep="\n")
    print("verdict:", json.dumps(facts["verdict"]), "withheld:", capsule["withheld"] or "nothing")
    return 3 if any(not note.startswith(("taken as stated", "note")) for note in notes) else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(print(__doc__) or 2)
    try:
        sys.exit(main(*sys.argv[1:]))
    except OSError as wrong:
        sys.exit(print(f"cannot be read: {wrong}") or 2)
    except WRONG as wrong:
        sys.exit(print(f"DOES NOT HOLD: {wrong}") or 1)
