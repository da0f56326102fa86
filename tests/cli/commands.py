# SPDX-License-Identifier: Apache-2.0
"""The `ge` command from outside: what it prints, writes and returns.

    python3 commands.py PATH/TO/ge [CLASS[.test] ...]
"""
import contextlib
import json
import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import unittest

import npy_bytes
import onnx_bytes as onnx

REPO = pathlib.Path(__file__).resolve().parents[2]
DIGITS = REPO / "examples" / "digits"
MODEL = DIGITS / "digits.onnx"
EXPECTED = json.loads((DIGITS / "expected.json").read_text())
OK, FAILED, USAGE, BAD_MODEL, BAD_INPUT = range(5)
GE = "ge"


class Base(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(dir=os.environ.get("GE_TEST_TMP"))
        self.tmp = pathlib.Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def ge(self, *args, code=OK, env=None):
        """Runs ge, checks the exit code and that an error says so on stderr only, and gives the CompletedProcess."""
        done = subprocess.run([GE, *map(str, args)], capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
                              env=None if env is None else {**os.environ, **env})
        shown = f"ge {' '.join(map(str, args))}\n{done.stdout}{done.stderr}"
        self.assertEqual(done.returncode, code, shown)
        if code == OK:
            self.assertNotIn("ge: ", done.stderr, shown)
        self.assertNotIn("\x1b", done.stdout + done.stderr, "no escapes when piped")
        return done

    def fails(self, code, part, *args):
        done = self.ge(*args, code=code)
        self.assertIn(part, done.stderr)
        return done

    def save(self, name, data):
        path = self.tmp / name
        path.write_bytes(data)
        return path


class Usage(Base):
    def test_help_of_everything(self):
        text = self.ge("--help").stdout
        for command in ("run", "info", "dump", "check", "bench"):
            self.assertIn(command, text)
            help_text = self.ge(command, "--help").stdout
            self.assertTrue(help_text.startswith(f"usage: ge {command} MODEL"))
            self.assertEqual(help_text, self.ge("help", command).stdout)
            self.assertLessEqual(max(map(len, help_text.splitlines())), 120)
        for number in "01234":
            self.assertIn(f"\n  {number}  ", text)

    def test_version(self):
        self.assertRegex(self.ge("--version").stdout, r"^ge \d+\.\d+\.\d+\n.+\n$")

    def test_wrong_lines(self):
        self.assertIn("usage:", self.ge(code=USAGE).stderr)
        self.fails(USAGE, "did you mean 'bench'", "bnech")
        self.fails(USAGE, "unknown option '--frob'", "--frob")
        self.fails(USAGE, "MODEL is missing", "run")
        self.fails(USAGE, "unexpected word", "run", MODEL, "more")
        self.fails(USAGE, "did you mean '--threads'", "run", MODEL, "--thread=1")
        self.fails(USAGE, "--threads", "run", MODEL, "--threads", "0")
        self.fails(USAGE, "--runs", "bench", MODEL, "--runs", "1.5")

    def test_models_that_are_none(self):
        for command in ("run", "info", "dump", "check", "bench"):
            done = self.ge(command, self.tmp / "absent.onnx", code=BAD_MODEL)
            self.assertIn("absent.onnx", done.stdout + done.stderr)
            done = self.ge(command, self.save("noise.onnx", b"\xff\xfe noise"), code=BAD_MODEL)
            self.assertIn("noise.onnx", done.stdout + done.stderr)
        self.ge("info", self.tmp, code=BAD_MODEL)

    def test_output_that_cannot_be_written(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w") as full:
            done = subprocess.run([GE, "info", str(MODEL)], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("standard output", done.stderr)


class Run(Base):
    def run_digits(self, images, *args):
        out = self.tmp / "out"
        self.ge("run", MODEL, "--input", f"image={images}", "--output", out, *args)
        return (out / "probabilities.npy").read_bytes(), npy_bytes.read(out / "probabilities.npy")

    def close_to_reference(self, elements):
        _, _, wanted = npy_bytes.read(DIGITS / "reference_probs.npy")
        self.assertEqual(len(elements), len(wanted))
        self.assertLessEqual(max(abs(a - b) for a, b in zip(elements, wanted)), EXPECTED["reference"]["tolerance"])

    def test_reference(self):
        _, (descr, shape, elements) = self.run_digits(DIGITS / "reference_images.npy")
        self.assertEqual((descr, shape), ("<f4", (16, 10)))
        self.close_to_reference(elements)

    def test_held_out_images(self):
        _, (_, shape, elements) = self.run_digits(DIGITS / "images.npy")
        self.assertEqual(shape, (360, 10))
        rows = [elements[i:i + 10] for i in range(0, len(elements), 10)]
        self.assertEqual([max(range(10), key=row.__getitem__) for row in rows], EXPECTED["predictions"])

    def test_orders_and_threads_give_the_same_bytes(self):
        _, shape, pixels = npy_bytes.read(DIGITS / "reference_images.npy")
        first, _ = self.run_digits(DIGITS / "reference_images.npy", "--threads", "1")
        npy_bytes.write(self.tmp / "big.npy", ">f4", shape, pixels)
        self.assertEqual(self.run_digits(self.tmp / "big.npy", "--threads", "2")[0], first)
        n = shape[0]  # dims of size 1 and a full reversal of the rest: [n,1,8,8] in Fortran order
        turned = [pixels[i * 64 + y * 8 + x] for x in range(8) for y in range(8) for i in range(n)]
        npy_bytes.write(self.tmp / "fortran.npy", "<f4", shape, turned, fortran=True)
        self.assertEqual(self.run_digits(self.tmp / "fortran.npy")[0], first)

    def test_two_inputs_share_a_symbol(self):
        model = self.save("add.onnx", onnx.add_model())
        npy_bytes.write(self.tmp / "a.npy", "<f4", (2, 3), [1, 2, 3, 4, 5, 6])
        self.ge("run", model, "-i", f"a={self.tmp}/a.npy", "-i", "b=ones", "-o", self.tmp)
        self.assertEqual(npy_bytes.read(self.tmp / "sum.npy")[1:], ((2, 3), [2, 3, 4, 5, 6, 7]))

    def test_shapes_to_compile_for(self):
        model = self.save("add.onnx", onnx.add_model())
        info = json.loads(self.ge("info", model, "--input-shape", "a:2,3", "--json").stdout)
        self.assertTrue(info["static_shapes"])
        self.assertEqual([port["shape"] for port in info["inputs"]], [[2, 3], [2, 3]])
        self.ge("run", model, "--input-shape", "a:2,3", "-i", "ones")
        run = ("run", model, "-i", "ones", "--input-shape", "a:1~4,3")
        self.ge(*run, "--shape", "a=4x3")
        self.fails(BAD_INPUT, "input 'a': dim 0 is 5, but was compiled for 1 to 4", *run, "--shape", "a=5x3")
        for command in ("run", "bench", "check", "info", "dump"):
            self.fails(USAGE if command != "check" else BAD_MODEL, "", command, model, "--input-shape", "a:2")

    def test_gears(self):
        model = self.save("add.onnx", onnx.add_model())
        run = ("run", model, "-i", "ones", "--dynamic-batch-size", "1,4", "--input-shape", "a:-1,3")
        self.ge(*run, "--shape", "a=4x3")
        self.fails(BAD_INPUT, "input 'a': dim 0: 2 is no gear of ge.dynamicBatchSize, these are: 1 or 4", *run, "--shape", "a=2x3")
        self.assertIn("float32[4,3]", self.ge("bench", model, "-n", "1", "--dynamic-dims", "1;4", "--input-shape", "a:-1,3",
                                               "--shape", "a=4x3").stdout)
        self.fails(USAGE, "two gears or more", "info", model, "--dynamic-batch-size", "1")

    def test_made_up_data(self):
        model = self.save("add.onnx", onnx.add_model())
        results = []
        for source in ("random:1", "random:1", "random:2", "zeros"):
            self.ge("run", model, "-i", source, "-s", "a=4x3", "-o", self.tmp)
            results.append(npy_bytes.read(self.tmp / "sum.npy")[2])
        self.assertEqual(results[0], results[1])
        self.assertNotEqual(results[0], results[2])
        self.assertEqual(set(results[3]), {0.0})
        self.assertTrue(all(-2 <= x < 2 for x in results[0]))
        self.fails(BAD_INPUT, "--shape a=1x3", "run", model, "-i", "zeros")
        self.fails(USAGE, "seed", "run", model, "-i", "a=random:x")

    def test_report(self):
        text = self.ge("run", MODEL, "--input", f"image={DIGITS}/reference_images.npy").stdout
        self.assertIn("float32[16,10]", text)
        done = self.ge("run", MODEL, "--input", DIGITS / "reference_images.npy", "--json")  # the only input needs no name
        report = json.loads(done.stdout)
        (output,) = report["outputs"]
        self.assertEqual((output["name"], output["shape"], output["dtype"]), ("probabilities", [16, 10], "float32"))
        self.assertAlmostEqual(output["mean"], 0.1, 5)
        self.assertGreater(report["run_ns"], 0)

    def test_inputs_that_do_not_fit(self):
        images = DIGITS / "reference_images.npy"
        self.fails(BAD_INPUT, "--input image=", "run", MODEL)
        self.fails(BAD_INPUT, "did you mean 'image'", "run", MODEL, "--input", f"imge={images}")
        self.fails(BAD_INPUT, "no input 'other'", "run", MODEL, "--shape", "other=1")
        self.fails(BAD_INPUT, "cannot be opened", "run", MODEL, "--input", "image=absent.npy")
        self.fails(BAD_INPUT, "no .npy file", "run", MODEL, "--input", f"image={MODEL}")
        self.fails(BAD_INPUT, "wants float32", "run", MODEL, "--input", f"image={DIGITS}/labels.npy")
        self.fails(BAD_INPUT, "wants shape [batch,1,8,8]", "run", MODEL, "--input", f"image={DIGITS}/reference_probs.npy")
        self.fails(BAD_INPUT, "wants shape", "run", MODEL, "--input", "zeros", "--shape", "image=1x1x9x8")
        self.fails(BAD_INPUT, "otherwise", "run", MODEL, "--input", f"image={images}", "--shape", "image=1x1x8x8")
        self.fails(USAGE, "given twice", "run", MODEL, "-i", f"image={images}", "-i", f"image={images}")
        self.fails(USAGE, "no list of", "run", MODEL, "-i", "zeros", "-s", "image=1xx8")
        cut = self.save("cut.npy", images.read_bytes()[:-1])
        self.fails(BAD_INPUT, "ends early", "run", MODEL, "--input", f"image={cut}")

    def test_output_folder_that_cannot_be(self):
        file = self.save("file", b"")
        self.fails(FAILED, "file", "run", MODEL, "-i", DIGITS / "reference_images.npy", "-o", file / "sub")


class Info(Base):
    def test_text(self):
        text = self.ge("info", MODEL).stdout
        for part in ("image", "float32[batch,1,8,8]", "probabilities", "float32[batch,10]", "metadata", "libge-examples"):
            self.assertIn(part, text)

    def test_json(self):
        info = json.loads(self.ge("info", MODEL, "--json").stdout)
        self.assertEqual(info["inputs"], [{"name": "image", "dtype": "float32", "shape": ["batch", 1, 8, 8], "optional": False}])
        self.assertEqual(info["outputs"][0]["shape"], ["batch", 10])
        self.assertEqual(info["metadata"]["classes"], "0,1,2,3,4,5,6,7,8,9")
        self.assertFalse(info["static_shapes"])
        self.assertGreaterEqual(info["constant_bytes"], 9802 * 4)
        self.assertGreater(sum(info["operators"].values()), 9)
        self.assertEqual(info["steps"], 7)
        self.assertIn("7, fewer or more with the shapes of a run", self.ge("info", MODEL).stdout)

    def test_names_cannot_steer_the_terminal(self):
        name = "x\x1b[2Jy"
        model = onnx.model([onnx.node("Relu", [name], ["y"], "n")], [onnx.value_info(name, onnx.FLOAT, (2,))],
                           [onnx.value_info("y", onnx.FLOAT, (2,))])
        self.assertIn("x\\x1b[2Jy", self.ge("info", self.save("m.onnx", model)).stdout)


class Dump(Base):
    def test_every_format(self):
        for name, part in (("readable", "%softmax"), ("dot", "digraph"), ("plan", "softmax"), ("ir", "softmax"),
                           ("summary", "nodes"), ("kernels", ""), ("passes", "")):
            with self.subTest(name):
                self.assertIn(part, self.ge("dump", MODEL, "--format", name).stdout)

    def test_kernels_of_every_step(self):
        text = self.ge("dump", MODEL, "-f", "kernels").stdout
        self.assertIn('kernels of "digits": 7 steps', text)
        for node in ("GeBlockedConv2D 'conv1'", "GeBlockedPool2D 'pool1'", "GeBlockedConv2D 'conv2'", "MatMulV2 'fc1'", "MatMulV2 'fc2'", "SoftmaxV2 'softmax'"):
            self.assertRegex(text, f"  {node}: [a-z0-9]+\\n")
        model = onnx.model([onnx.node("Conv", ["x", "w"], ["y"], "n")], [onnx.value_info("x", onnx.FLOAT, (1, 2, 4, 4)), onnx.value_info("w", onnx.FLOAT, (2, 2, 1, 1))],
                           [onnx.value_info("y", onnx.FLOAT, (1, 2, 4, 4))])
        self.assertIn("    winograd refused: filter is no constant\n", self.ge("dump", self.save("m.onnx", model), "-f", "kernels").stdout)

    def test_to_a_file(self):
        path = self.tmp / "g.dot"
        self.assertEqual(self.ge("dump", MODEL, "-f", "dot", "-o", path).stdout, "")
        self.assertEqual(path.read_text(), self.ge("dump", MODEL, "-f", "dot").stdout)
        self.fails(FAILED, "cannot be created", "dump", MODEL, "-o", self.tmp / "no" / "file")

    def test_source_and_result_differ(self):
        self.assertIn("fc1", self.ge("dump", MODEL, "--source").stdout)
        self.fails(USAGE, "compiled model", "dump", MODEL, "--source", "-f", "plan")
        self.fails(USAGE, "did you mean 'readable'", "dump", MODEL, "-f", "readble")
        self.fails(USAGE, "unknown format", "dump", MODEL, "-f", "svg")


class Check(Base):
    def test_good_model(self):
        self.assertIn("no problems", self.ge("check", MODEL).stdout)
        self.assertEqual(json.loads(self.ge("check", MODEL, "--json").stdout)["problems"], [])

    def broken(self):
        nodes = [onnx.node("NoSuchOp", ["a"], ["x"], "first"), onnx.node("AlsoNone", ["x"], ["y"], "second", "my.domain"),
                 onnx.node("Relu", ["y"], ["z"], "third")]
        return self.save("broken.onnx", onnx.model(nodes, [onnx.value_info("a", onnx.FLOAT, (2,))],
                                                   [onnx.value_info("z", onnx.FLOAT, (2,))]))

    def test_all_problems_are_listed(self):
        path = self.broken()
        text = self.ge("check", path, code=BAD_MODEL).stdout
        for part in ("NoSuchOp", "'first'", "AlsoNone", "'second'", "my.domain", "[GE_ERR_UNSUPPORTED_OPERATOR]", "2 problems"):
            self.assertIn(part, text)
        report = json.loads(self.ge("check", path, "--json", code=BAD_MODEL).stdout)
        self.assertEqual([p["node"] for p in report["problems"]], ["first", "second"])
        self.assertFalse(report["ok"])
        self.ge("info", path, code=BAD_MODEL)

    def test_truncated_models(self):
        whole = MODEL.read_bytes()
        for size in (0, 1, 100, len(whole) // 2, len(whole) - 1):
            with self.subTest(size):
                report = json.loads(self.ge("check", self.save("cut.onnx", whole[:size]), "--json", code=BAD_MODEL).stdout)
                self.assertGreaterEqual(report["problems_count"], 1)
                self.assertTrue(report["problems"][0]["message"])

    def test_clashes_and_warnings(self):
        def model(output_dims, opset):
            return onnx.model([onnx.node("Relu", ["a"], ["y"], "n")], [onnx.value_info("a", onnx.FLOAT, (2,))],
                              [onnx.value_info("y", onnx.FLOAT, output_dims)], opset=opset)
        path = self.save("clash.onnx", model((3,), 17))
        text = self.ge("check", path, code=BAD_MODEL).stdout
        self.assertIn("output 'y' of Relu 'n' is float32[2] and declared as float32[3] (opset 17) [GE_ERR_SHAPE]", text)
        path = self.save("new.onnx", model((2,), 99))
        self.assertIn("warning: operator set 99", self.ge("check", path).stdout)
        report = json.loads(self.ge("check", path, "--json").stdout)
        self.assertEqual((report["ok"], report["warnings_count"], report["problems"][0]["severity"]), (True, 1, "warning"))

    def test_unknown_value(self):
        model = onnx.model([onnx.node("Relu", ["nowhere"], ["y"], "n")], [onnx.value_info("a", onnx.FLOAT, (2,))],
                           [onnx.value_info("y", onnx.FLOAT, (2,))])
        self.assertIn("nowhere", self.ge("check", self.save("m.onnx", model), code=BAD_MODEL).stdout)


class Profile(Base):
    KEYS = {"node", "op_type", "kernel", "start_ns", "duration_ns", "read_bytes", "written_bytes", "stream", "threads"}

    def check_steps(self, report, runs):
        self.assertEqual(report["profiled_runs"], runs)
        self.assertEqual({s["op_type"] for s in report["step_times"]} & {"GeBlockedConv2D", "MatMulV2", "SoftmaxV2"},
                         {"GeBlockedConv2D", "MatMulV2", "SoftmaxV2"})
        for step in report["step_times"]:
            self.assertEqual(set(step), self.KEYS)
            self.assertTrue(step["node"] and step["kernel"] and step["duration_ns"] > 0 and step["threads"] >= 1)
            self.assertGreater(step["read_bytes"] + step["written_bytes"], 0)

    def test_run(self):
        plain = json.loads(self.ge("run", MODEL, "--input", "random:3", "--shape", "image=2x1x8x8", "--json").stdout)
        timed = json.loads(self.ge("run", MODEL, "--input", "random:3", "--shape", "image=2x1x8x8", "--json", "--profile").stdout)
        self.assertNotIn("step_times", plain)
        self.assertEqual(plain["outputs"], timed["outputs"])
        self.check_steps(timed, 1)
        starts = [s["start_ns"] for s in timed["step_times"]]
        self.assertEqual(starts, sorted(starts))

    def test_table(self):
        text = self.ge("run", MODEL, "--input", "random", "--shape", "image=1x1x8x8", "--profile").stdout
        for word in ("kernel", "share", "speed", "threads", "GeBlockedConv2D", "7 steps, "):
            self.assertIn(word, text)

    def test_bench(self):
        report = json.loads(self.ge("bench", MODEL, "--runs", 5, "--json", "--profile").stdout)
        self.check_steps(report, 5)
        times = [s["duration_ns"] for s in report["step_times"]]
        self.assertEqual(times, sorted(times, reverse=True))
        self.assertIn("medians of timed runs", self.ge("bench", MODEL, "--runs", 2, "--profile").stdout)

    def test_trace(self):
        path = self.tmp / "trace.json"
        self.ge("run", MODEL, "--input", "random", "--shape", "image=1x1x8x8", "--trace", path)
        trace = json.loads(path.read_text())
        spans = [e for e in trace["traceEvents"] if e["ph"] == "X"]
        self.assertEqual({e["cat"] for e in spans} - {"part"}, {"compile", "run", "step"})
        run = next(e for e in spans if e["cat"] == "run")
        for e in spans:
            self.assertGreaterEqual(e["dur"], 0)
            if e["cat"] == "step":
                self.assertTrue(run["ts"] <= e["ts"] and e["ts"] + e["dur"] <= run["ts"] + run["dur"] + 0.01)
        self.fails(FAILED, "cannot be written", "bench", MODEL, "--runs", 1, "--trace", self.tmp / "no" / "trace.json")


class Bench(Base):
    def test_json(self):
        report = json.loads(self.ge("bench", MODEL, "--threads", "1", "--runs", "20", "--warmup", "2", "--json", "-s",
                                    "image=4x1x8x8").stdout)
        self.assertEqual((report["runs"], report["warmup_runs"], report["threads"]), (20, 2, 1))
        self.assertEqual(report["inputs"], {"image": "float32[4,1,8,8]"})
        self.assertLessEqual(report["min_ns"], report["median_ns"])
        self.assertLessEqual(report["median_ns"], report["p90_ns"])
        self.assertLessEqual(report["p90_ns"], report["max_ns"])
        self.assertGreater(report["compile_ns"], 0)
        self.assertGreater(report["peak_memory_bytes"], 1 << 20)
        self.assertGreater(report["planned_bytes"], 0)
        self.assertGreaterEqual(report["planned_bytes"], report["lower_bound_bytes"])

    def test_text(self):
        text = self.ge("bench", MODEL, "--runs", "3").stdout
        for part in ("median", "memory", "image float32[1,1,8,8]"):
            self.assertIn(part, text)

    def test_locale_does_not_matter(self):
        json.loads(self.ge("bench", MODEL, "--runs", "2", "--json", env={"LC_ALL": "de_DE.UTF-8"}).stdout)


class Terminal(Base):
    def on_terminal(self, *args):
        """What ge prints on stderr when that is a terminal."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([GE, *map(str, args)], stdout=subprocess.DEVNULL, stderr=theirs, stdin=subprocess.DEVNULL,
                                   env={**os.environ, "TERM": "xterm"})
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # the end of a terminal
            while part := os.read(ours, 4096):
                shown += part
        os.close(ours)
        self.assertEqual(process.wait(timeout=60), OK)
        return shown

    def test_progress_comes_and_goes(self):
        report = json.loads(self.ge("bench", MODEL, "--runs", "20", "--json").stdout)
        runs = max(20, 3_000_000_000 // max(1, report["median_ns"]))
        shown = self.on_terminal("bench", MODEL, "--runs", min(runs, 50_000_000))
        self.assertIn(b"running", shown)
        self.assertTrue(shown.endswith(b"\r\x1b[K"))

    def test_short_work_shows_nothing(self):
        self.assertEqual(self.on_terminal("bench", MODEL, "--runs", "1", "--warmup", "0"), b"")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    GE = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
