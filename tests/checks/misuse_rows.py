# SPDX-License-Identifier: Apache-2.0
"""The list of misuse that must yield an error: each entry is a row of the table in tests/abi/test_misuse.c or a named test.

A new kind of misuse is a line here and a row there; nothing may be on one side only.
"""

import re

from _repo import ROOT, report

# Entry of the list -> rows of the table ("row"), or (file, function) of a test that needs a story of its own.
WANTED = {
    "null handle": ["null handle"], "random integer as handle": ["random integer as handle"], "aligned random address": ["aligned random address"],
    "handle of another kind": ["handle of another kind"], "handle after destroy": ["handle after destroy"],
    "handle after destroy and 10,000 new objects": ["handle after destroy and 10,000 new objects"], "destroy twice": ["destroy twice"],
    "destroy parent first": ["destroy parent first"], "destroy while running": ["destroy while running"],
    "destroy inside its own callback": ["destroy inside its own callback", ("test_async.c", "a_callback_may_destroy_and_may_not_wait")],
    "handle from second library copy": [("test_hygiene.c", "test_two_copies")], "handle used after fork": [("test_fork.c", "test_fork_before")],
    "child object of another context": ["child object of another context", "bound value of another context"], "negative count": ["negative dim", "negative rank"],
    "count with null array": ["count with null array", "output count with null array"], "size overflow": ["size overflow", "count overflow"],
    "rank above maximum": ["rank above maximum"], "shape x dtype is not bytes": ["shape x dtype is not bytes"], "unaligned data": ["unaligned data"],
    "overlapping output buffers": ["overlapping output buffers"], "output aliases input": ["output aliases input"],
    "struct_size 0, 4, too small": ["struct_size 0", "struct_size 4", "struct_size too small"],
    "struct_size huge": ["struct_size huge with zero tail", "struct_size huge with non-zero tail", "struct_size uninitialised"],
    "reserved field non-zero": ["reserved field non-zero"], "unknown flag bit": ["unknown flag bit"],
    "unknown enum value": ["unknown data type", "unknown direction", "unknown order", "unknown dump format", "unknown backend"], "invalid UTF-8": ["invalid UTF-8"],
    "missing terminator with explicit length": ["missing terminator with explicit length"], "buffer capacity 0": ["buffer capacity 0", "array too short"],
    "callback returning garbage status": ["callback returning garbage status"], "unregister inside callback": ["unregister inside callback"],
    "wait on completed, cancelled, destroyed operation": [("test_async.c", "a_run_can_be_waited_for"), ("test_async.c", "a_cancelled_run_completes_early"),
                                                          ("test_async.c", "waiters_outlive_the_handle")],
    "two threads destroying one handle": ["two threads destroying one handle"],
    "run during close": ["destroy while running", ("test_async.c", "a_running_binding_is_busy_and_may_be_destroyed")],
    "recursion from callback": ["recursion from callback", ("test_async.c", "waiting_inside_a_callback_is_refused")],
    "thread exit without cleanup": ["thread exit without cleanup"],
    "process exit with runs in flight": [("test_async.c", "the_process_may_end_with_runs_in_flight")],
    "dlclose with threads alive": [("test_hygiene.c", "test_close_with_threads")],
}

# Not in C yet, or not to be said in C: entry -> date and reason.
LATER = {
    "allocator returning null, misaligned": "2026-11-30 a context takes no allocator yet; refused memory is played by tests/unit/api/test_memory.c",
    "callback throwing": "2026-11-30 C does not throw; the SDKs test it with their first callbacks",
    "negative timeout other than -1": "2026-11-30 every negative timeout waits without end by the header, so none is misuse",
}


def main() -> None:
    text = (ROOT / "tests/abi/test_misuse.c").read_text()
    rows = re.findall(r'^    \{ "([^"]+)", \w+, GE_\w+,', text, re.M)
    files = {p.name: p.read_text() for p in (ROOT / "tests/abi").glob("test_*.c")}
    problems = []
    for entry, shown in WANTED.items():
        for what in shown:
            if isinstance(what, str) and what not in rows:
                problems.append("'%s': no row '%s' in tests/abi/test_misuse.c" % (entry, what))
            elif not isinstance(what, str) and not re.search(r"cmocka_unit_test\(%s\)" % what[1], files.get(what[0], "")):
                problems.append("'%s': no test %s in tests/abi/%s" % (entry, what[1], what[0]))
    report(problems, "misuse: %d kinds shown by %d rows and tests, %d with a reason" % (len(WANTED), len(rows), len(LATER)))


main()
