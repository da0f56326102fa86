#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Model files as people use them: libge's outputs against ONNX Runtime's.

    python tests/models/run.py LIBRARY                    files that packages ship (packages.txt), kept in build/models
    python tests/models/run.py LIBRARY --architectures    the exported architectures of bench/models.py on top

Three random inputs for each of two shapes where dims are free; 1 and 2 threads.  A file passes when no output is further from ONNX
Runtime's than 1e-4 of that output's range (its largest distance between two elements, or its largest magnitude where that is more)."""

import argparse
import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/onnx"))
PACKAGES = Path(__file__).with_name("packages.txt")
TOLERANCE = 1e-4
RATE = 16000

# File: for each run the shapes of its inputs in order; a number in place of a shape is a scalar of that value.
VAD_5 = [[1, 512], [2, 1, 128], RATE], [[3, 512], [2, 3, 128], RATE]
HEAD = [[[1, 16, 96]]]
FILES = {
    "ch_PP-OCRv4_det_infer.onnx": [[[1, 3, 320, 320]], [[1, 3, 96, 160]]],
    "ch_PP-OCRv4_rec_infer.onnx": [[[1, 3, 48, 320]], [[2, 3, 48, 131]]],
    "ch_ppocr_mobile_v2.0_cls_infer.onnx": [[[1, 3, 48, 192]], [[5, 3, 48, 192]]],
    "silero_vad.onnx": VAD_5,
    "silero_vad_16k_op15.onnx": VAD_5,
    "silero_vad_16k_sequence.onnx": [[[1, 576], [1, 1, 128], [1, 1, 128]], [[40, 576], [1, 1, 128], [1, 1, 128]]],
    "silero_vad_half.onnx": [[[1, 512], [2, 1, 128]], [[3, 512], [2, 3, 128]]],
    "silero_vad_op18_ifless.onnx": [[[1, 512], RATE, [2, 1, 128]], [[3, 512], RATE, [2, 3, 128]]],
    "silero_vad_openvino_16k.onnx": [[[1, 576], [2, 1, 128]]],
    "openwakeword/silero_vad.onnx": [[[1, 1536], RATE, [2, 1, 64], [2, 1, 64]], [[2, 512], RATE, [2, 2, 64], [2, 2, 64]]],
    "embedding_model.onnx": [[[1, 76, 32, 1]], [[7, 76, 32, 1]]],
    "melspectrogram.onnx": [[[1, 1280]], [[1, 12400]]],
    "alexa_v0.1.onnx": HEAD,
    "hey_jarvis_v0.1.onnx": HEAD,
    "hey_mycroft_v0.1.onnx": HEAD,
    "hey_rhasspy_v0.1.onnx": HEAD,
    "timer_v0.1.onnx": [[[1, 34, 96]]],
    "weather_v0.1.onnx": [[[1, 22, 96]]],
}


def fetch(folder):
    """The .onnx files of the packages, by name; two packages have a silero_vad.onnx."""
    wanted = PACKAGES.read_text()
    stamp = folder / "packages.txt"
    if not stamp.exists() or stamp.read_text() != wanted:
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps", "-d", str(folder), "-r",
                        str(PACKAGES)], check=True)
        stamp.write_text(wanted)
    files = {}
    for wheel in sorted(folder.glob("*.whl")):
        with zipfile.ZipFile(wheel) as z:
            for name in z.namelist():
                base = name.rsplit("/", 1)[-1]
                if name.endswith(".onnx"):
                    files["openwakeword/" + base if base == "silero_vad.onnx" and "openwakeword" in name else base] = z.read(name)
    return files


def feed(rng, session, shapes):
    import numpy as np

    kinds = {"tensor(float)": np.float32, "tensor(int64)": np.int64}
    return [np.array(shape, kinds[i.type]) if isinstance(shape, int) else rng.standard_normal(shape).astype(kinds[i.type]) * 0.5
            for i, shape in zip(session.get_inputs(), shapes)]


def distance(got, want):
    """Worst difference as a part of the output's range."""
    import numpy as np

    if got.shape != want.shape or got.dtype != want.dtype:
        return float("inf")
    if want.size == 0 or np.array_equal(got, want):
        return 0.0
    got, want = got.astype(np.float64), want.astype(np.float64)
    span = max(want.max() - want.min(), np.abs(want).max())
    worst = np.abs(got - want).max()
    return float("inf") if np.isnan(worst) else worst / span if span else float("inf")


def compare(library, data, name, inputs_of):
    """Worst distance over runs and threads."""
    import numpy as np
    import onnxruntime
    from engine import Engine

    onnxruntime.set_default_logger_severity(3)
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    worst = 0.0
    engines = [Engine(library, threads) for threads in (1, 2)]
    models = [e.compile(data) for e in engines]
    rng = np.random.default_rng(sum(name.encode()))
    for inputs in inputs_of(rng, session):
        want = session.run(None, {i.name: x for i, x in zip(session.get_inputs(), inputs)})
        for engine, model in zip(engines, models):
            got = engine.run_compiled(model, inputs)
            worst = max([worst] + [distance(g, w) for g, w in zip(got, want)])
            if len(got) != len(want):
                worst = float("inf")
    for engine, model in zip(engines, models):
        engine.lib.ge_model_destroy(model)
    return worst


def packages(library):
    files = fetch(ROOT / "build/models")
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
    import numpy as np

    def random_like(rng, session, sample):
        for _ in range(3):
            yield [rng.standard_normal(a.shape).astype(a.dtype) if a.dtype.kind == "f" else rng.permutation(a.reshape(-1)).reshape(a.shape)
                   for a in (np.asarray(sample[i.name]) for i in session.get_inputs())]

    failed = 0
    for name in models.MODELS:
        path = models.build(name, ROOT / "build/bench/models")
        failed += judge(library, path.read_bytes(), name, lambda rng, s: random_like(rng, s, models.feed(path)))
    return len(models.MODELS), failed


def judge(library, data, name, inputs_of):
    try:
        worst = compare(library, data, name, inputs_of)
    except Exception as error:
        print(f"FAILED {name}: {type(error).__name__}: {error}")
        return 1
    print(f"{'ok    ' if worst <= TOLERANCE else 'FAILED'} {name}: {worst:.1e} of the range", flush=True)
    return worst > TOLERANCE


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", nargs="?", default=os.environ.get("GE_LIBRARY"), help="libge.so (or $GE_LIBRARY)")
    parser.add_argument("--architectures", action="store_true", help="the models of bench/models.py too")
    arguments = parser.parse_args()
    if not arguments.library:
        parser.error("which libge.so?")
    results = [packages(arguments.library)] + ([architectures(arguments.library)] if arguments.architectures else [])
    n, failed = (sum(r[k] for r in results) for k in (0, 1))
    print(f"models: {n - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
