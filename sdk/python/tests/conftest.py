# SPDX-License-Identifier: Apache-2.0
"""The demo model and its data, shared by the tests."""

import os
from pathlib import Path

import ge
import numpy
import pytest

DIGITS = Path(__file__).resolve().parents[3] / "examples" / "digits"


@pytest.fixture(scope="session")
def digits() -> Path:
    return DIGITS


@pytest.fixture(scope="session")
def images() -> numpy.ndarray:
    return numpy.load(DIGITS / "images.npy")


@pytest.fixture
def model():
    with ge.load(DIGITS / "digits.onnx") as model:
        yield model


@pytest.fixture(scope="session")
def parity() -> Path | None:
    """Where `./dev test` collects what each language got, to compare byte for byte."""
    folder = os.environ.get("GE_PARITY")
    return Path(folder) if folder else None
