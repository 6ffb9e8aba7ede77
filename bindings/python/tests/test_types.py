"""The stubs match the module, and the package itself is typed."""

from __future__ import annotations

import subprocess
import sys

from conftest import ROOT


def run(*arguments: str) -> None:
    """Runs a module outside the package's folder, so that the installed package is checked."""
    ran = subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT / "bindings" / "python" / "tests", capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_stubs_fit_the_module() -> None:
    run("mypy.stubtest", "pqseal._core", "--mypy-config-file", "../pyproject.toml")


def test_the_package_is_typed() -> None:
    run("mypy", "--config-file", "../pyproject.toml", "-p", "pqseal")


def test_a_program_is_checked_in_strict_mode() -> None:
    run("mypy", "--config-file", "../pyproject.toml", "typed_program.py")


def test_pyright_in_strict_mode() -> None:
    """The package and the same program."""
    run("pyright", "--project", "../pyproject.toml", "--pythonpath", sys.executable)
