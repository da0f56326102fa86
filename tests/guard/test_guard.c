/* SPDX-License-Identifier: Apache-2.0 */
/* The guard sees: run with it preloaded, each misdeed planted in libge_planted.so ends the child that does it, with the misdeed's
 * name in the message; the same done by the host, and what is allowed, does not.  Without this the other guard entries prove nothing. */
#include "abi/abi_test.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "planted.h"

/* Runs body(what) in a child; its wait status and what it wrote to stderr. */
static int in_child(int (*body)(const char *), const char *what, char *out_text, size_t size) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL); /* the test framework has a handler */
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        _exit(body(what));
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got; n + 1 < size && (got = read(ends[0], out_text + n, size - 1 - n)) > 0;) n += (size_t)got;
    out_text[n] = 0;
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static int misdeed(const char *what) {
    (void)planted_do(what, STDOUT_FILENO);
    return 0;
}

static void planted_misdeeds_are_seen(void **state) {
    (void)state;
    static const char *const misdeeds[] = { "write", "puts", "printf", "fwrite", "fputs", "abort", "exit", "_exit", "setlocale", "uselocale",
                                            "sigaction", "signal", "sigprocmask", "pthread_sigmask", "fesetenv", "fesetround",
                                            "__cxa_atexit", "on_exit", "chdir", "umask", "setenv", "strtod", "syscall" };
    for (size_t i = 0; i < sizeof misdeeds / sizeof misdeeds[0]; i++) {
        char text[256], wanted[64];
        snprintf(wanted, sizeof wanted, "guard: the library called %s\n", misdeeds[i]);
        int status = in_child(misdeed, misdeeds[i], text, sizeof text);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || strcmp(text, wanted) != 0)
            fail_msg("%s: wait status %d, stderr '%s'", misdeeds[i], status, text);
    }
    print_message("%zu planted misdeeds seen\n", sizeof misdeeds / sizeof misdeeds[0]);
}

static int host_does_all(const char *unused) {
    (void)unused;
    sigset_t none;
    sigemptyset(&none);
    if (write(STDOUT_FILENO, "", 0) != 0 || fputs("", stderr) < 0 || !setlocale(LC_ALL, "C")) return 2;
    if (sigprocmask(SIG_BLOCK, &none, NULL) || fesetenv(FE_DFL_ENV) || chdir("/") || setenv("GE_PLANTED", "1", 1)) return 3;
    (void)umask(022);
    return strtod("0.5", NULL) == 0.5 ? 0 : 4;
}
static int allowed(const char *unused) {
    (void)unused;
    int file = open("/dev/null", O_WRONLY);
    return planted_do("write", file) == 1 && planted_do("nothing", 0) == -1 ? 0 : 2;
}
static void what_is_allowed_passes(void **state) {
    (void)state;
    char text[256];
    assert_int_equal(in_child(host_does_all, "", text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(in_child(allowed, "", text, sizeof text), 0);
    assert_string_equal(text, "");
}

/* libge itself was looked at, through the linker and through dlopen. */
static void the_library_is_guarded(void **state) {
    (void)state;
    uint32_t (*imports)(void), (*replaced)(void);
    *(void **)&imports = dlsym(RTLD_DEFAULT, "guard_imports");
    *(void **)&replaced = dlsym(RTLD_DEFAULT, "guard_replaced");
    assert_true(imports && replaced);
    uint32_t before = replaced();
    assert_true(imports() > 100);
    assert_true(before > 25); /* those of the planted library, and libge's write, syscall and fesetenv */
    char copy[4096], command[9000];
    Dl_info where;
    assert_true(dladdr((void *)(uintptr_t)ge_get_version, &where));
    snprintf(copy, sizeof copy, "%s/libge_guard_%ld.so", getenv("GE_TEST_TMP") ? getenv("GE_TEST_TMP") : "/tmp", (long)getpid());
    snprintf(command, sizeof command, "cp '%s' '%s'", where.dli_fname, copy);
    assert_int_equal(system(command), 0);
    void *library = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
    unlink(copy);
    assert_non_null(library);
    assert_true(replaced() >= before + 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_misdeeds_are_seen),
        cmocka_unit_test(what_is_allowed_passes),
        cmocka_unit_test(the_library_is_guarded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
