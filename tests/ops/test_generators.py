# SPDX-License-Identifier: Apache-2.0
"""The generators of impl/ops/gen refuse what is wrong, in words, and leave unchanged files alone."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

OPS = Path(__file__).resolve().parents[2] / "impl" / "ops"
CATALOGUE, EXTENSION = OPS / "catalogue" / "ops.json", OPS / "catalogue" / "extension.json"
DTYPES = OPS.parent / "ir" / "dtype.h"


class Generators(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(dir=os.environ.get("GE_TEST_TMP"))
        self.at = Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def source(self, text, name="row.c"):
        (self.at / name).write_text(text)
        return self.at / name

    def run_gen(self, script, *args):
        return subprocess.run([sys.executable, "-B", OPS / "gen" / script, *args], capture_output=True, text=True)

    def tables(self, *sources, extension=EXTENSION):
        return self.run_gen("catalogue.py", self.at / "c.c", DTYPES, CATALOGUE, extension, *sources)

    def refused(self, result, words):
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(words, result.stderr)

    def test_a_row_the_catalogue_lacks(self):
        source = self.source("GEI_OP(NoSuchOperator) = { 0 };\n")
        words = "row NoSuchOperator names an operator that the catalogue (impl/ops/catalogue) lacks"
        self.refused(self.run_gen("op_table.py", self.at / "t.c", CATALOGUE, EXTENSION, source), words)
        self.refused(self.tables(source), words)

    def test_two_rows_of_one_name(self):
        sources = self.source("GEI_OP(Add) = { 0 };\n"), self.source("GEI_OP_UNARY(Add, x, x)\n", "other.c")
        self.refused(self.tables(*sources), "row Add is already in")

    def test_rows_of_family_macros_are_found(self):
        source = self.source("GEI_OP_UNARY_FLOAT(Tanh, tanh(x))\n  GEI_OP(Relu) is no row: it does not start the line\n")
        self.assertEqual(self.run_gen("op_table.py", self.at / "t.c", CATALOGUE, EXTENSION, source).returncode, 0)
        text = (self.at / "t.c").read_text()
        self.assertIn("&gei_op_Tanh", text)
        self.assertNotIn("Relu", text)

    def test_widening_names_real_things(self):
        self.refused(self.tables(self.source('GEI_WIDEN(Add, "x1 nothing", "uint");\n')), "operator Add lacks a port of: x1 nothing")
        self.refused(self.tables(self.source('GEI_WIDEN(Add, "x1", "uint7");\n')), "unknown data type uint7")
        self.refused(self.tables(self.source('GEI_WIDEN(NoSuchOperator, "*", "uint");\n')), "the catalogue lacks")

    def test_widening_reaches_the_table(self):
        before = self.tables(self.source("\n"))
        self.assertEqual(before.returncode, 0, before.stderr)
        plain = (self.at / "c.c").read_text()
        self.assertEqual(self.tables(self.source('GEI_WIDEN(Add, "x1 x2 y", "uint");\n')).returncode, 0)
        self.assertNotEqual(plain, (self.at / "c.c").read_text())

    def test_an_extension_with_a_slip(self):
        op = {"name": "GeThing", "family": "math", "inputs": [], "outputs": [], "graphs": [],
              "attrs": [{"name": "a", "type": "Integer", "required": False, "default": 0}]}
        path = self.at / "e.json"
        path.write_text(json.dumps({"ops": [op]}))
        self.refused(self.tables(extension=path), "GeThing: attribute a needs a type of")
        del op["graphs"]
        path.write_text(json.dumps({"ops": [op]}))
        self.refused(self.tables(extension=path), "GeThing lacks graphs")

    def test_nothing_is_written_when_nothing_changed(self):
        source = self.source("GEI_OP(Add) = { 0 };\n")
        self.assertEqual(self.tables(source).returncode, 0)
        os.utime(self.at / "c.c", (1, 1))
        self.assertEqual(self.tables(source).returncode, 0)
        self.assertEqual((self.at / "c.c").stat().st_mtime, 1)


if __name__ == "__main__":
    unittest.main()
