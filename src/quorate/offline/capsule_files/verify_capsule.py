"""Check a quorate capsule with Python's standard library alone: python verify_capsule.py CAPSULE [ed25519:KEY]

Exit 0: all was checked and holds. 1: it does not hold. 2: wrong use. 3: what was checked holds, but not all could be.
The rules are in capsule_rules.py beside this file. Neither imports anything of quorate.
"""

import json
import re
import sys
from base64 import b64decode
from fractions import Fraction as F
from hashlib import sha256, sha512
from itertools import combinations, product
from math import prod
from pathlib import Path
from types import SimpleNamespace as Record

from capsule_rules import decide, shown

VERSION, P, ORDER = 4, 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D, I = -121665 * pow(121666, -1, P) % P, pow(2, (P - 1) // 4, P)
SIGNATURE, SIGNED = {"signed", "signature", "key"}, ("id", "head", "root", "kinds", "verdict", "outcomes", "domains")
OPTIONAL = SIGNATURE | {"timestamp"}
FIELDS = {"quorate_capsule", "sha256", "question", "panel", "rulebook", "tally", "withheld", "entries", *SIGNED}
WRONG = (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, OSError, ArithmeticError)
STATED = {"named": "which options mean the same", "weight": "what sources weigh", "quality": "the marks of arguments"}


def need(holds, why):
    if not holds:
        raise ValueError(why)


def sha(text):
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


def check_signature(key, signature, text):  # Ed25519 as in RFC 8032, on affine points
    def add(a, b):
        k, x, y = D * a[0] * b[0] * a[1] * b[1], a[0] * b[1] + b[0] * a[1], a[1] * b[1] + a[0] * b[0]
        return x * pow(1 + k, -1, P) % P, y * pow(1 - k, -1, P) % P

    def times(number, point):
        total = (0, 1)
        while number:
            total, point, number = add(total, point) if number & 1 else total, add(point, point), number >> 1
        return total

    def point(raw):
        sign, y = divmod(int.from_bytes(raw, "little"), 2**255)
        square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
        x = next((x for r in (1, I) if (x := pow(square, (P + 3) // 8, P) * r % P) ** 2 % P == square), None)
        need(y < P and x is not None and (x or not sign), "the key or the signature is no point of the curve")
        return x if x & 1 == sign else P - x, y

    s, h = (int.from_bytes(raw, "little") for raw in (signature[32:], sha512(signature[:32] + key + text).digest()))
    base, right = point((4 * pow(5, -1, P) % P).to_bytes(32, "little")), times(h % ORDER, point(key))
    holds = (
        len(key) == 32 and len(signature) == 64 and s < ORDER and times(s, base) == add(point(signature[:32]), right)
    )
    need(holds, "the signature is not of this key over this text")


def check_entries(capsule):  # chain, words, what is withheld, root; gives the events, None where one is withheld
    before, events, withheld = sha("quorate " + capsule["id"]), [], dict(capsule["withheld"])
    for number, entry in enumerate(capsule["entries"], 1):
        text, words, listed = entry.get("event"), entry.get("words", {}), withheld.pop(number, None)
        events.append(event := None if text is None else json.loads(text))
        if event:
            linked = sha('{"before":"%s","number":%d,"time":"%s"}\n%s' % (before, number, entry["time"], text))
            need(entry["hash"] == linked, f"entry {number} does not follow the one before")
            need(capsule["kinds"][number - 1] == event["event"], f"entry {number} is not of the kind that is stated")
        need(all(sha(entry["salt"] + said) == name for name, said in words.items()), f"words of entry {number} changed")
        names = set(re.findall(r'\{"sha256":"([0-9a-f]{64})"\}', text or ""))
        parts = {"hash"} | ({"time", "event"} if event else set()) | ({"salt", "words"} if words else set())
        need(set(entry) == parts, f"entry {number} has other parts than it should")
        gone = "event" if text is None else "words" if set(words) < names else None
        need(gone == listed and set(words) <= names, f"entry {number} lacks {gone}, and is listed as lacking {listed}")
        before = entry["hash"]
    level = [sha256(b"\0" + bytes.fromhex(entry["hash"])).digest() for entry in capsule["entries"]]
    while len(level) > 1:  # a tree as RFC 6962 builds it; a node without a neighbour goes up as it is
        pairs = [level[at : at + 2] for at in range(0, len(level), 2)]
        level = [sha256(b"\1" + b"".join(pair)).digest() if len(pair) == 2 else pair[0] for pair in pairs]
    need(not withheld and len(capsule["kinds"]) == len(events), "the list of entries is not whole")
    need((capsule["head"], capsule["root"]) == (before, level[0].hex()), "head or root is not that of the entries")
    return events


def count(events, capsule):  # each seat's own last ballot becomes a vote; `taken` names what is taken as it is stated
    own, names, t = {}, {}, Record(voices=[], silent={}, taken=set(), options=capsule["outcomes"], sealed={}, first={})
    for number, event in enumerate(events[: capsule["kinds"].index("Decided")], 1):
        if event and (event.get("ballot") or event.get("argument")):
            own.setdefault(event["seat"], []).append((number, event["round"], event.get("ballot") or event["argument"]))
    panel, routed = events[0]["panel"], [event["seated"] for event in events if event and event["event"] == "Routed"]
    models = {sat["seat"]: sat["model"] for sat in events[0].get("seated", []) + routed}.values()
    t.demo = panel.get("demo", False) or any(model.startswith(("demo:", "embedded:")) for model in models)
    t.guardians = [seat["name"] for seat in panel["seats"] if "veto" in seat["powers"]]
    closed = dict(events[0].get("settings", [])).get("options") == "given"
    t.protocol, t.listed = events[0]["protocol"], events[0]["question"].get("options", []) if closed else []
    t.talked, t.domains = any(event and event.get("round") == "2" for event in events), capsule["domains"]
    rows, debate = [json.loads(one) for one in capsule["tally"] if isinstance(one, str)], t.protocol == "debate"
    voters = {seat["name"] for seat in panel["seats"] if "vote" in seat["powers"]}
    t.seats = {row["seat"] for row in rows} if debate else voters
    need(t.seats == {row["seat"] for row in rows} or None in events, "the votes are not those of the voting seats")
    missing = sum(not isinstance(one, str) for one in capsule["tally"])
    need(missing <= events.count(None), "more votes are withheld than entries")
    need(debate or len(rows) == len({row["seat"] for row in rows}), "a seat votes twice")
    entries = {row.get("entry") for row in rows}
    final = {round_ for mine in own.values() for number, round_, _ in mine if number in entries}
    for name, mine in own.items():
        if (
            mine[0][1] in ("1", "analysis")
            and "choice" in mine[0][2]
            and not mine[0][2].get("abstain")
            and name in voters
        ):
            t.sealed[name] = t.first[name] = mine[0][2]["choice"]
        need(not debate or name not in t.seats or entries >= {one[0] for one in mine}, f"not all of {name} is counted")
    for row in rows:
        name, named, mine = row["seat"], row.get("named", {}), own.get(row["seat"], [])
        if "silent" in row:  # a tribunal carries no earlier ballot, and a finding may have too few sources
            t.silent[name] = row["silent"]
            late = t.protocol == "tribunal" and not {round_ for _, round_, _ in mine} & final
            need(not mine or late or row["silent"] in ("unsupported", "few_sources"), f"{name} did vote")
            continue
        said = {number: said for number, _, said in (mine if debate else mine[-1:])}.get(row["entry"])
        need(said, f"entry {row['entry']} is not the last vote of {name}")
        if said.get("abstain"):
            continue
        need(all(names.setdefault(one, other) == other for one, other in named.items()), "one option counts as two")
        order = [[named.get(one, one) for one in place] for place in said.get("ranking", [])]
        value = F(said["value"]) if "value" in said else None
        chosen = {"pro": t.options[:1], "con": t.options[-1:]}.get(said.get("side"), said.get("approved", []))
        chosen = [said["choice"]] if "choice" in said else order[0] if order and len(order[0]) == 1 else chosen
        choices = list(dict.fromkeys(named.get(one, one) for one in chosen)) if value is None else [shown(value)]
        need(row["choices"] == choices, f"{name} did not vote so")
        if name in t.first and (len(mine) == 1 or t.first[name] in chosen + choices):
            t.first[name] = choices[0]  # the same choice, only worded otherwise
        sure, risk = (F(said[key]) if key in said else None for key in ("confidence", "risk"))
        marks = [F(row[key]) for key in ("quality", "consistency") if key in row]
        weight = F(row.get("weight", 1)) if not debate else prod(marks, start=sure) if marks else F(0)
        t.taken |= {why for key, why in STATED.items() if row.get(key)}
        vote = {"choices": choices, "order": order, "value": value, "approves": "approved" in said, "weight": weight}
        vote |= {"sure": sure, "risk": risk, "quality": marks[0] if marks else None, "round": row.get("round")}
        t.voices.append(Record(seat=name, veto=bool(said.get("veto")) and name in t.guardians, **vote))
    return t


def could_be(t, hidden):  # every tally there could be if withheld entries were any votes of any seats, sealed or last
    options = t.options or sorted({one for v in t.voices for one in v.choices}) + ["another option", "one more"]
    casts = [*product(options, (F(0), F(1)), (F(0), F(1)), (False,)), (options[-1], F(1), F(1), True), None, "abstains"]
    blank = {"order": [], "value": None, "approves": False, "weight": F(1), "quality": None, "round": None}
    for seats in combinations(sorted(t.seats), min(hidden, len(t.seats))):
        for ways in product(product(casts, [None, *options]), repeat=len(seats)):
            voices = [v for v in t.voices if v.seat not in seats]
            silent = {seat: why for seat, why in t.silent.items() if seat not in seats}
            for seat, (cast, _) in zip(seats, ways):
                if isinstance(cast, tuple):
                    keys = {
                        "choices": [cast[0]],
                        "sure": cast[1],
                        "risk": cast[2],
                        "veto": cast[3] and seat in t.guardians,
                    }
                    voices.append(Record(seat=seat, **keys, **blank))
                elif cast is None:
                    silent[seat] = "withheld"
            sealed = {**t.sealed, **dict(zip(seats, (opening for _, opening in ways)))}
            yield Record(
                **{
                    **vars(t),
                    "voices": voices,
                    "silent": silent,
                    "sealed": {seat: one for seat, one in sealed.items() if one},
                }
            )


def recount(events, capsule):  # gives what could not be recomputed, in sentences
    hidden = [kind for kind, event in zip(capsule["kinds"], events) if event is None]
    ended = next((event for event in events if event and event["event"] in ("Decided", "TurnedAway")), None)
    stated = (capsule["question"], capsule["panel"], capsule["rulebook"])
    need(events[0] or not any(stated), "the capsule states what it withholds")
    if ended is None or events[0] is None:
        return ["the verdict was not recomputed: the question, the rules or the verdict itself is withheld"]
    recorded = tuple(ended["verdict"].get(key) for key in ("outcome", "decided", "rule"))
    need(
        recorded == tuple(capsule["verdict"][key] for key in ("outcome", "decided", "rule")),
        "the verdict is not the recorded one",
    )
    text = events[0]["question"]["text"]
    asked = text and capsule["entries"][0].get("words", {}).get(text["sha256"])
    need(
        stated == (asked, events[0]["panel"], events[0]["rulebook"]),
        "question, panel or rulebook is not the recorded one",
    )
    if ended["event"] == "TurnedAway":
        return ["the question was turned away before any vote; the checks that did so are not run again"]
    t, book, votes = (
        count(events, capsule),
        events[0]["rulebook"],
        sum(kind in ("Spoken", "Silent", "Withdrawn") for kind in hidden),
    )
    try:
        found = {decide(one, book) for one in (could_be(t, votes) if votes else [t])} if votes < 3 else set()
    except KeyError as unknown:
        return [f"the verdict was not recomputed: {unknown} is no rule that this verifier knows"]
    notes = [f"taken as stated: {why}" for why in sorted(t.taken)]
    if (version := ended.get("version", 0)) != VERSION:
        told = f"decided by version {version} of the rules, and this verifier knows version {VERSION}"
        return [*notes, f"note: {told}; both come to the same"] if found == {recorded} else [told]
    ends, simple = {end[:2] for end in found}, t.protocol == "tribunal" or book["name"] == "plurality"
    if "Routed" in hidden or (votes and not (simple and ends == {recorded[:2]})):
        return ["the verdict could not be recomputed: a ballot is withheld, and it could have changed the outcome"]
    need(votes or found == {recorded}, f"the votes come to {found}, and the record says {recorded}")
    return [*notes, *["note: whatever the withheld votes were, the outcome is the same"] * bool(votes)]


def main(path, key=""):
    raw = Path(path).read_bytes()
    first, _, rest = raw.partition(b"\n")
    need(first == b'{"quorate_capsule":1,"sha256":"%s",' % sha256(rest).hexdigest().encode(), "the file was changed")
    capsule = json.loads(raw)
    events, open_points, signed = check_entries(capsule), [], capsule.get("signed")
    hashes = [sha(one) if isinstance(one, str) else one["sha256"] for one in capsule["tally"]]
    facts = {name: capsule[name] for name in SIGNED}
    if signed:
        need(json.loads(signed) == {**facts, "tally": hashes}, "what is signed is not what the capsule says")
    need(
        set(capsule) - OPTIONAL == FIELDS and len(capsule.keys() & SIGNATURE) in (0, 3),
        "the parts of the file are not those of a capsule",
    )
    if signed and key:
        need(capsule["key"] == key, f"it is signed by {capsule['key']}, and not by the key that you gave")
        text, signature = ("quorate capsule 1\n" + signed).encode(), bytes.fromhex(capsule["signature"])
        check_signature(bytes.fromhex(key.removeprefix("ed25519:")), signature, text)
    need(signed or not key, "nobody has signed this capsule")
    if not key:
        open_points.append("nobody vouches for it: " + ("give the signer's key" if signed else "it is not signed"))
    stamp = b64decode(capsule.get("timestamp", ""))
    imprint = bytes.fromhex("3031300d060960864801650304020105000420" + capsule["root"])
    need(not stamp or imprint in stamp, "the timestamp is over another root")
    open_points += recount(events, capsule)
    print(f"holds: {capsule['id']}, {len(events)} entries, root {capsule['root']}", *open_points, sep="\n")
    print("verdict:", json.dumps(capsule["verdict"]), "withheld:", capsule["withheld"] or "nothing")
    return 3 if [point for point in open_points if not point.startswith(("taken as stated", "note"))] else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(print(__doc__) or 2)
    try:
        sys.exit(main(*sys.argv[1:]))
    except WRONG as wrong:
        sys.exit(print(f"DOES NOT HOLD: {wrong}") or 1)
