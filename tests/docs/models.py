"""The model behind http://127.0.0.1:9000/v1 in the pages: the same words every time; its name says how it behaves.

`make pages-model` serves it at that address, for whoever types what the pages show.
"""

import asyncio
import json
import random
import re
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager, suppress

from tests.servers import Act, Endpoint, Seen, failing, said

SHOWN = "127.0.0.1:9000"
USAGE = {"prompt_tokens": 600, "completion_tokens": 150, "total_tokens": 750}

MARK = re.compile(r'"mark": "([0-9a-f]+)"')
PART = re.compile(r"Your part on this panel: (.*)")

SEATS = (("Utility", "useful and practical"), ("Accuracy", "can be verified"), ("Safety", "could go wrong"))
"""Who is asked shows in the role that the prompt gives."""

STEADY = {
    ("Utility", "analysis"): ("ACT", 85, 20, "Nobody has used it for a month, and it costs money every day."),
    ("Accuracy", "analysis"): ("ACT", 88, 15, "The backup was made an hour ago and has been restored once as a test."),
    ("Safety", "analysis"): ("WARN", 75, 40, "It cannot be undone without the backup; name who holds it first."),
    ("Utility", "revision"): ("ACT", 85, 20, "The concern about the backup is met: it was restored as a test."),
    ("Accuracy", "revision"): ("ACT", 90, 15, "Nothing was brought against the restored backup."),
    ("Safety", "revision"): ("WARN", 80, 35, "Still: somebody must be named who can restore it."),
}
SWAYED = {
    **STEADY,
    ("Utility", "analysis"): ("WARN", 70, 40, "It is useful, but I do not know who still reads it."),
    ("Accuracy", "analysis"): ("WARN", 65, 45, "I have not seen the backup."),
    ("Safety", "revision"): ("ACT", 90, 10, "The others are sure, so I am."),
}
STERN = {**STEADY, ("Safety", "revision"): ("VETO", 95, 90, "The only backup lies in the database itself.")}
SPLIT = {
    **STEADY,
    ("Accuracy", "revision"): ("REFUSE", 70, 60, "Nobody has tried the backup."),
}
AGREED = {
    **STEADY,
    ("Utility", "analysis"): ("ACT", 85, 20, "A restart takes two minutes and frees the memory."),
    ("Accuracy", "analysis"): ("ACT", 88, 15, "The plan names the server, and it is the staging one."),
    ("Safety", "analysis"): ("ACT", 85, 15, "It comes up again by itself, and nobody works on it."),
}
SCRIPTS = {"swayed": SWAYED, "stern": STERN, "split": SPLIT, "agreed": AGREED}

FOUND = "FINDING | high | app.py:2 | Nobody is asked before everything is wiped; ask first."
"""What every seat finds in a diff."""

CHALLENGES = {
    "Utility": "You do not say what waiting costs. Which fact, found tomorrow, would change your mind?",
    "Accuracy": "You state a risk without a source. What would you measure to get that number?",
    "Safety": "Suppose you are wrong. Who restores it, and how long does that take?",
}


FLAGS = "Selective logging with feature flags"
TALK = {
    ("red", "1"): ("Comprehensive logging in a structured format", "It is what finds the cause of an incident.", 0.8),
    ("green", "1"): (FLAGS, "It costs least, and it can be turned up when it is needed.", 0.75),
    ("blue", "1"): ("Comprehensive logging with personal data removed", "Whatever is logged can leak.", 0.7),
    ("reworded", "1"): (f"use {FLAGS.lower()}", "It costs least.", 0.8),
    ("reworded", "2"): (f"use {FLAGS.lower()}", "It costs least.", 0.8),
    ("red", "2"): (FLAGS, "It can be turned up when it is needed, and that is what I was after.", 0.9),
    ("green", "2"): (FLAGS, "It costs least, and it can be turned up when needed. Personal data stays out.", 0.85),
    ("blue", "2"): (FLAGS, "Whatever is logged can leak, and this logs least.", 0.88),
}
"""A conference, by model and round: option, rationale, confidence. In the second round all are content to end."""


class Models:
    """One server in a thread of its own. `stuck` is set when the model `hesitant` has begun to hesitate."""

    def __init__(self, ports: Sequence[int] = ()) -> None:
        # Four digits, as in the pages: what is shown must not change its width.
        self._ports = ports or random.sample(range(9001, 9999), 50)
        self.port = 0
        self.stuck = threading.Event()
        self._hesitated = False
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._done = asyncio.Event()

    def begin(self) -> None:
        """Forget the page before."""
        self.stuck.clear()
        self._hesitated = False

    def calm(self) -> None:
        """Nobody hesitates any more on this page."""
        self._hesitated = True

    def run(self) -> None:
        """Serve until told to stop."""
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        endpoint = Endpoint(otherwise=self._answer)
        async with AsyncExitStack() as stack:
            for port in self._ports:
                endpoint.port = port
                with suppress(OSError):
                    await stack.enter_async_context(endpoint)
                    self.port = port
                    break
            self._ready.set()
            await self._done.wait()

    def wait(self) -> None:
        """Wait until it can be asked."""
        if not self._ready.wait(20) or not self.port:
            raise RuntimeError("the model of the pages did not start")

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._done.set)

    async def _answer(self, writer: asyncio.StreamWriter, seen: Seen) -> bool:
        return await self._act(seen)(writer, seen)

    def _act(self, seen: Seen) -> Act:
        prompt = str(seen.body["messages"][-1]["content"])
        model = str(seen.body["model"])
        if model == "expired":
            return failing(401, "Incorrect API key provided")
        if model == "slow" or (model == "hesitant" and self._hesitates(prompt)):
            return self._hang
        if model == "curious" and (lookups := looked_up(prompt)):
            return said(lookups, usage=USAGE)
        if model == "chatty":
            return said("I would go ahead, all things considered.", usage=USAGE)
        return said(words(prompt, model, bare="response_format" in seen.body), usage=USAGE)

    def _hesitates(self, prompt: str) -> bool:
        """The last revision, and only the first time."""
        if self._hesitated or (seat_of(prompt), round_of(prompt)) != ("Safety", "revision"):
            return False
        self._hesitated = True
        self.stuck.set()
        return True

    @staticmethod
    async def _hang(_writer: asyncio.StreamWriter, _seen: Seen) -> bool:
        await asyncio.sleep(3600)
        return False


LOOKUP = re.compile(r"LOOKUP ([0-9a-f]{12}) \{")


def looked_up(prompt: str) -> str:
    """What Safety asks to see before its first ballot: what there is, then the file that matters, and a secret."""
    mark = LOOKUP.search(prompt)
    if mark is None or (seat_of(prompt), round_of(prompt)) != ("Safety", "analysis"):
        return ""
    wanted = ('{"read": "backup.md"}', '{"read": ".env"}') if "here is what was found" in prompt else ('{"list": "."}',)
    return "" if "restored once" in prompt else "\n".join(f"LOOKUP {mark[1]} {one}" for one in wanted)


def words(prompt: str, model: str, *, bare: bool) -> str:
    """What is said to a prompt, by the protocol that it is of."""
    if "A question is debated" in prompt or "Two sides have debated" in prompt:
        return debated(prompt)
    if '"outcome": <outcome>' in prompt:
        return researched(prompt)
    if '"ranking": [<best>' in prompt:
        return ranked(prompt, model)
    if '"continue_debate"' in prompt:
        return conferred(prompt, model, bare=bare)
    return reply(prompt, SCRIPTS.get(model, STEADY), bare=bare)


def reply(prompt: str, script: Mapping[tuple[str, str], tuple[str, int, int, str]], *, bare: bool) -> str:
    """What the model says; with a schema it can only answer with the object itself."""
    seat, round_ = seat_of(prompt), round_of(prompt)
    if round_ == "challenge":
        return CHALLENGES.get(seat, CHALLENGES["Safety"])
    decision, confidence, risk, reasoning = script.get((seat, round_), ("WARN", 70, 30, "I see no hurry."))
    if "FINDING |" in prompt:
        reasoning = f"{reasoning}\n{FOUND}"
    stated = {"reasoning": reasoning, "decision": decision, "confidence": confidence, "risk": risk}
    ballot = json.dumps({**({"mark": marks[-1]} if (marks := MARK.findall(prompt)) else {}), **stated})
    return ballot if bare else f"{reasoning}\n\nBALLOT {ballot}"


def conferred(prompt: str, model: str, *, bare: bool) -> str:
    """What a model says in a conference."""
    number = "1" if "This is the first round" in prompt else "2"
    option, rationale, confidence = TALK.get((model, number), (FLAGS, "It costs least.", 0.8))
    stated = {"rationale": rationale, "option": option, "confidence": confidence, "continue_debate": number == "1"}
    vote = json.dumps({"mark": MARK.findall(prompt)[-1], **stated})
    return vote if bare else f"{rationale}\n\nVOTE: {vote}"


QUEUES: Mapping[tuple[str, str], tuple[list[object], str]] = {
    ("red", "1"): (["1", "2", "3"], "Kafka keeps what was sent, and replay has saved us twice."),
    ("green", "1"): (["2", "3", "1"], "NATS is one binary, and two of us have run it."),
    ("blue", "1"): (["3", "2"], "Redis runs here already; a new system is a new way to fail."),
    ("red", "2"): (["1", "2", "3"], "Replay is still what I would miss, and NATS comes close."),
    ("green", "2"): (["2", ["1", "3"]], "NATS, and of the other two neither."),
    ("blue", "2"): (["2", "3", "1"], "One binary fails in fewer ways than I thought."),
}
"""Rankings of Kafka, NATS and Redis, by model and round: the order and why."""


def ranked(prompt: str, model: str) -> str:
    """What a model says where options are ranked."""
    number = "1" if "You have heard nobody yet" in prompt else "2"
    order, why = QUEUES.get((model, number), (["1", "2"], "As it stands."))
    stated = {"mark": MARK.findall(prompt)[-1], "rationale": why, "ranking": order, "confidence": 0.8}
    return json.dumps(stated)


ARGUED = {
    ("FOR", "1"): ("It saves what nobody uses", '"staging costs 300 euros a month"', 0.8),
    ("AGAINST", "1"): ("What nobody uses may still be the only archive", "It could matter one day", 0.7),
    ("FOR", "2"): ("The archive is in the backup of 2 May", '"restored once as a test on 2 May"', 0.85),
    ("AGAINST", "2"): ("A backup restored once as a test proves little", "Tests differ from need", 0.6),
}
"""A debate, by side and round: claim, evidence, confidence."""


def debated(prompt: str) -> str:
    """What a model says in a debate: as a side, as its moderator (settled after the second round), or as its judge."""
    mark = {"mark": marks[-1]} if (marks := MARK.findall(prompt)) else {}
    number = "2" if "in round 1]" in prompt else "1"
    if "You moderate" in prompt:
        number = "2" if "in round 2]" in prompt else "1"
        points = {"agreed": ["It costs money"], "open": ["Is the backup enough?"]}
        return json.dumps({**mark, **points, "leaning": "for", "confidence": 0.9 if number == "2" else 0.6})
    if '"a_logic"' in prompt:
        return json.dumps({**mark, "a_evidence": 0.7, "a_logic": 0.7, "b_evidence": 0.6, "b_logic": 0.6})
    side = next((side for side in ("FOR", "AGAINST") if f"You argue {side}." in prompt), "")
    if side == "AGAINST":
        number = "2" if "Opponent in round 1]" in prompt else "1"
    claim, evidence, confidence = ARGUED.get((side, number), ("One thing is sure", "It took 3 days", 0.5))
    if '"claims"' not in prompt:
        return "Both sides accept that it costs money. What is open is whether the backup is enough."
    return json.dumps({**mark, "claims": [claim], "evidence": [evidence], "confidence": confidence})


SOURCE = re.compile(r"source \d+: ([^],\n]+)[^\n]*\n+(?:#[^\n]*\n+)?([^\n]+)")
"""A passage as a researcher is shown it: where it stands, and its first words."""

WAYS = ("against the obvious", "research narrowly", "research widely", "as if nobody had before you")
"""What tells researchers apart; each cites four documents of its own."""


def researched(prompt: str) -> str:
    """What a researcher finds: YES with a quote from the context, or what the documents say that speak of noon."""
    outcome: float | str = 0.8 if "probability" in prompt else "YES"
    cited, why = [("context", "opened on Monday")], "The council says so."
    if shops := [found for found in SOURCE.findall(prompt) if "payments" in found[1]]:
        late = "against the obvious" in prompt
        start = next((4 * place for place, word in enumerate(WAYS) if word in prompt), 0)
        cited = [found for found in sorted(shops) if ("since 12:" in found[1]) is late][start : start + 4]
        outcome, why = ("NO", "Not every shop was back.") if late else ("YES", "The shops say so, each for itself.")
    evidence = [{"url": url, "quote": quote, "category": "official", "relevance": 0.9} for url, quote in cited]
    stated = {"reasoning": why, "outcome": outcome, "confidence": 0.7 if outcome == "NO" else 0.9}
    return json.dumps({"mark": MARK.findall(prompt)[-1], **stated, "evidence": evidence})


def seat_of(prompt: str) -> str:
    part = PART.search(prompt)
    return next((seat for seat, word in SEATS if part and word in part[1]), "")


def round_of(prompt: str) -> str:
    if "Do not vote here" in prompt:
        return "challenge"
    return "revision" if "challenge you" in prompt or "last position" in prompt else "analysis"


@contextmanager
def serving(ports: Sequence[int] = ()) -> Iterator[Models]:
    """The server, while it runs: at the first of these ports that is free, else at some port."""
    models = Models(ports)
    thread = threading.Thread(target=models.run, name="models of the pages", daemon=True)
    thread.start()
    try:
        models.wait()
        yield models
    finally:
        models.stop()
        thread.join(10)


def main() -> int:
    """Serve at the address that the pages show, until Ctrl-C."""
    try:
        with serving([9000]), suppress(KeyboardInterrupt):
            sys.stdout.write(f"The documentation's model answers at http://{SHOWN}/v1 until you press Ctrl-C.\n")
            sys.stdout.flush()
            threading.Event().wait()
    except RuntimeError:
        sys.stderr.write(f"{SHOWN} is in use; end the program that listens there, and try again\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
