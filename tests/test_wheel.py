"""The wheel: what is in it, and that it finds its own files when it is installed somewhere."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("hermes_tui", "storage", "styles")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(directory)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (built,) = directory.glob("hermes_tui-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the wheel's content, as pip would lay it down."""
    directory = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(directory)
    return directory


def files_of(package: str) -> set[str]:
    kinds = {".css", ".py", ".sql", ".tcss", ".txt"}
    return {str(path.relative_to(ROOT)) for path in (ROOT / package).rglob("*") if path.suffix in kinds}


def test_it_holds_every_file_of_the_packages_and_nothing_else(installed: Path) -> None:
    held = {str(path.relative_to(installed)) for path in installed.rglob("*") if path.is_file()}
    own = {name for name in held if ".dist-info/" not in name}
    assert own == {name for package in PACKAGES for name in files_of(package)}


@pytest.mark.parametrize(
    "name",
    [
        "styles/app.tcss",
        "styles/browser.tcss",
        "storage/engine/schema/tables.sql",
        "hermes_tui/demo_data/docker.txt",
    ],
)
def test_it_holds_what_is_not_python(installed: Path, name: str) -> None:
    assert (installed / name).is_file()


def test_it_makes_its_demo_and_finds_its_styles_where_it_lies(installed: Path, tmp_path: Path) -> None:
    code = (
        "from pathlib import Path\n"
        "from hermes_tui import app, demo\n"
        "print(Path(app.__file__).parents[1])\n"
        "print(all(Path(path).is_file() for path in app.BrowserApp.CSS_PATH))\n"
        "print(demo.make(Path('.')).stat().st_size > 0)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(installed), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.splitlines() == [str(installed), "True", "True"]
