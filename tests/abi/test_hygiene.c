/* SPDX-License-Identifier: Apache-2.0 */
/* What the library does to its process, and what it stands when the process is odd.  Each case runs in a child of its own, so that
 * one may end in any way; the exit code says what happened. */
#include "child.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fenv.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/time.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

/* ---- cases: return is success ---- */

/* The demo model, from its file to its first reference probabilities: constants, numbers in text and passes matter. */
static bool runs_digits(void) {
    enum { IMAGES = 16, PIXELS = 64, CLASSES = 10, HEADER = 128 };
    static unsigned char images[HEADER + IMAGES * PIXELS * sizeof(float)], wanted[HEADER + IMAGES * CLASSES * sizeof(float)];
    const int64_t dims[] = { IMAGES, 1, 8, 8 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 4, dims);
    ge_graph *g;
    ge_model *m;
    ge_tensor *t;
    ge_value *in, *out;
    const uint8_t *bytes;
    size_t size;
    FILE *f = fopen("../examples/digits/reference_images.npy", "rb");
    MUST(f && fread(images, 1, sizeof images, f) == sizeof images && fclose(f) == 0);
    f = fopen("../examples/digits/reference_probs.npy", "rb");
    MUST(f && fread(wanted, 1, sizeof wanted, f) == sizeof wanted && fclose(f) == 0);
    OK(ge_graph_import_file(NULL, GE_FILE_AUTO, "../examples/digits/digits.onnx", GE_NTS, NULL, &g));
    OK(ge_graph_compile(g, NULL, &m));
    OK(ge_tensor_create_from_data(NULL, &desc, images + HEADER, sizeof images - HEADER, &t));
    OK(ge_value_create_from_tensor(t, &in));
    OK(ge_tensor_destroy(t));
    const ge_value *ins[] = { in };
    OK(ge_model_run(m, NULL, ins, 1, &out, 1));
    OK(ge_tensor_create_from_value(out, &t));
    OK(ge_tensor_get_data(t, &bytes, &size));
    MUST(size == sizeof wanted - HEADER);
    for (size_t i = 0; i < IMAGES * CLASSES; i++) {
        float got, want;
        memcpy(&got, bytes + i * sizeof got, sizeof got);
        memcpy(&want, wanted + HEADER + i * sizeof want, sizeof want);
        if (!(fabsf(got - want) < 1e-5f)) return false;
    }
    OK(ge_tensor_destroy(t));
    OK(ge_value_destroy(in));
    OK(ge_value_destroy(out));
    OK(ge_model_destroy(m));
    OK(ge_graph_destroy(g));
    return true;
}

/* Each worker blocks all signals but those of its own faults, as the kernel sees it. */
static void workers_block_signals(void) {
    const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
    uint64_t wanted = 0;
    int n_workers = 0;
    for (int s = 1; s < 32; s++)
        if (s != SIGKILL && s != SIGSTOP) wanted |= UINT64_C(1) << (s - 1);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) wanted &= ~(UINT64_C(1) << (faults[i] - 1));
    DIR *tasks = opendir("/proc/self/task");
    MUST(tasks);
    for (struct dirent *d; (d = readdir(tasks)) != NULL;) {
        char path[300], line[256], name[32] = "";
        unsigned long long blocked = 0;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", d->d_name);
        FILE *f = fopen(path, "r");
        while (f && fgets(line, sizeof line, f)) {
            (void)sscanf(line, "Name: %31s", name);
            (void)sscanf(line, "SigBlk: %llx", &blocked);
        }
        if (f) fclose(f);
        if (strcmp(name, "ge-worker") != 0) continue;
        n_workers++;
        MUST((blocked & UINT64_C(0x7fffffff)) == wanted);
    }
    closedir(tasks);
    MUST(n_workers > 0);
}

static volatile sig_atomic_t n_signals;
static void on_signal(int number) { (void)number; n_signals = n_signals + 1; }
static void signals(uint32_t seed) {
    (void)seed;
    struct sigaction action = { .sa_handler = on_signal }, found, first[32] = { 0 };
    sigset_t before, after;
    struct itimerval every = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
    sigaction(SIGALRM, &action, NULL);
    for (int s = 1; s < 32; s++) (void)sigaction(s, NULL, &first[s]); /* the test framework has some */
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    work w;
    work_open(&w, SHARED);
    setitimer(ITIMER_REAL, &every, NULL);
    for (int i = 0; i < 200 || (n_signals < 20 && i < 20000); i++) OK(work_run(&w));
    MUST(runs_digits()); /* a file is read meanwhile */
    workers_block_signals();
    setitimer(ITIMER_REAL, &never, NULL);
    work_close(&w);
    MUST(n_signals > 0);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int s = 1; s < 32; s++) MUST(sigismember(&before, s) == sigismember(&after, s));
    for (int s = 1; s < 32; s++)
        if (sigaction(s, NULL, &found) == 0) MUST(found.sa_handler == first[s].sa_handler && found.sa_flags == first[s].sa_flags);
}

/* A German locale of one byte a letter, made here when the machine has none: a comma between digits, and letters above 127. */
static void set_german(void) {
    const char *tmp = getenv("GE_TEST_TMP") ? getenv("GE_TEST_TMP") : "/tmp";
    char command[3 * PATH_MAX], folder[PATH_MAX];
    if (setlocale(LC_ALL, "de_DE.ISO-8859-1")) return;
    snprintf(folder, sizeof folder, "%s/locale_%ld", tmp, (long)getpid());
    snprintf(command, sizeof command, "mkdir -p '%s' && localedef -i de_DE -f ISO-8859-1 '%s/de_DE.ISO-8859-1'", folder, folder);
    if (system(command) != 0) fprintf(stderr, "the package `locales` is missing\n");
    MUST(setenv("LOCPATH", folder, 1) == 0 && setlocale(LC_ALL, "de_DE.ISO-8859-1"));
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    MUST(system(command) == 0);
}

static void einsum_refuses(const char *equation) {
    const int64_t dims[] = { 2, 2 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, dims);
    ge_builder *b;
    ge_value_id x, y;
    OK(ge_builder_create(NULL, "e", 1, &b));
    OK(ge_builder_add_graph_input(b, "x", 1, 0, &desc, &x));
    OK(ge_builder_begin_op(b, "Einsum", GE_NTS, NULL, 0));
    OK(ge_builder_add_inputs(b, &x, 1));
    OK(ge_builder_set_attr_text(b, "equation", GE_NTS, GE_ATTR_STRING, equation, GE_NTS));
    OK(ge_builder_set_attr_int(b, "N", GE_NTS, GE_ATTR_INT, 1));
    ge_graph *g;
    ge_status st = ge_builder_end_op(b, &y, 1, NULL);
    if (st == GE_OK) {
        OK(ge_builder_build(b, &y, 1, &g));
        st = ge_graph_infer_shapes(g, NULL, 0, NULL, 0);
        OK(ge_graph_destroy(g));
    }
    MUST(st == GE_ERR_BAD_ATTR);
    OK(ge_builder_destroy(b));
}

static void comma_locale(uint32_t seed) {
    (void)seed;
    set_german();
    char comma[8], name[64];
    snprintf(comma, sizeof comma, "%.1f", 0.5);
    MUST(strcmp(comma, "0,5") == 0);
    snprintf(name, sizeof name, "%s", setlocale(LC_ALL, NULL));
    ge_graph *g;
    ge_attr_id attr;
    const float half = 0.5f;
    char *text;
    OK(ge_graph_create(NULL, "g", 1, &g));
    OK(ge_graph_add_attr(g, 0, "f", 1, GE_ATTR_FLOAT, &attr));
    OK(ge_graph_set_attr_floats(g, attr, &half, 1));
    text = text_of(g);
    MUST(strstr(text, "0.5") && !strstr(text, "0,5"));
    free(text);
    OK(ge_graph_destroy(g));
    einsum_refuses("\xc3\xa9->\xc3\xa9"); /* letters to this locale, not to an equation */
    MUST(runs_digits());
    MUST(strcmp(setlocale(LC_ALL, NULL), name) == 0);
}

static void float_mode(uint32_t seed) {
    (void)seed;
#if defined(__SSE2__)
    const uint32_t odd = (_mm_getcsr() | 0x8040u | 0x4000u) & ~0x2000u; /* flush-to-zero, denormals-are-zero, rounding upwards */
    const int64_t dims[] = { 1 };
    const float tiny = 1e-40f;
    float got;
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, dims);
    ge_builder *b;
    ge_graph *g;
    ge_model *m;
    ge_tensor *t;
    ge_value *in, *out;
    ge_value_id x, y;
    const uint8_t *bytes;
    size_t n;
    _mm_setcsr(odd);
    OK(ge_builder_create(NULL, "f", 1, &b));
    OK(ge_builder_add_graph_input(b, "x", 1, 0, &desc, &x));
    OK(ge_builder_begin_op(b, "Add", 3, NULL, 0));
    OK(ge_builder_add_input(b, x));
    OK(ge_builder_add_input(b, x));
    OK(ge_builder_end_op(b, &y, 1, NULL));
    OK(ge_builder_build(b, &y, 1, &g));
    OK(ge_graph_compile(g, NULL, &m));
    OK(ge_tensor_create_from_data(NULL, &desc, (const uint8_t *)&tiny, sizeof tiny, &t));
    OK(ge_value_create_from_tensor(t, &in));
    const ge_value *ins[] = { in };
    OK(ge_model_run(m, NULL, ins, 1, &out, 1));
    MUST((_mm_getcsr() & ~0x3fu) == (odd & ~0x3fu)); /* given back as it was, flags apart */
    OK(ge_tensor_create_from_value(out, &t));
    OK(ge_tensor_get_data(t, &bytes, &n));
    memcpy(&got, bytes, sizeof got);
    _mm_setcsr(0x1f80);
    MUST(got == tiny + tiny && got > 0); /* a denormal, not flushed */
#endif
}

static void *small_stack_body(void *arg) {
    (void)arg;
    work w;
    work_open(&w, 64);
    OK(work_run(&w));
    ge_graph *g;
    char *text;
    OK(ge_graph_create(w.context, "g", 1, &g));
    text = text_of(g);
    free(text);
    OK(ge_graph_destroy(g));
    if (ge_graph_check(NULL) == GE_OK) return arg;
    work_close(&w);
    MUST(runs_digits());
    return NULL;
}
static void small_stack(uint32_t seed) {
    (void)seed;
    pthread_attr_t attr;
    pthread_t thread;
    size_t bytes = 64 << 10;
#if GE_TEST_ASAN || GE_TEST_TSAN
    bytes = 1 << 20; /* red zones make frames many times as large */
#endif
    pthread_attr_init(&attr);
    MUST(pthread_attr_setstacksize(&attr, bytes) == 0);
    MUST(pthread_create(&thread, &attr, small_stack_body, NULL) == 0);
    pthread_join(thread, NULL);
}

/* Address space used up for threads: stacks cannot be mapped, so the caller does all the work itself. */
static void no_threads(uint32_t seed) {
    (void)seed;
    struct rlimit none = { 0, 0 };
    MUST(setrlimit(RLIMIT_NPROC, &none) == 0);
    if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) _exit(1); /* the limit does not bind root */
    pthread_t thread;
    if (pthread_create(&thread, NULL, small_stack_body, NULL) == 0) _exit(1);
    work w;
    work_open(&w, SHARED);
    OK(work_run(&w));
    work_close(&w);
}

static void no_descriptors(uint32_t seed) {
    (void)seed;
    struct rlimit few = { 16, 16 };
    MUST(setrlimit(RLIMIT_NOFILE, &few) == 0);
    while (open("/dev/null", O_RDONLY) >= 0) {}
    work w;
    ge_graph *g = FOREIGN_HANDLE;
    work_open(&w, 64);
    OK(work_run(&w));
    work_close(&w);
    MUST(ge_graph_import_file(NULL, GE_FILE_AUTO, "models/relu.onnx", GE_NTS, NULL, &g) == GE_ERR_FILE);
    MUST(g == NULL);
}

static void limit_address_space(uint64_t bytes) {
    struct rlimit limit = { bytes, bytes };
    MUST(setrlimit(RLIMIT_AS, &limit) == 0);
}

/* Handles, models and threads in 2 GiB of address space, as `ulimit -v` or a batch system gives. */
static void little_address_space(uint32_t seed) {
    enum { N = 4000 };
    static ge_options *options[N];
    (void)seed;
    limit_address_space(UINT64_C(2) << 30);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++) OK(ge_options_create(&options[i]));
        MUST(ge_tensor_destroy((ge_tensor *)(void *)options[0]) == GE_ERR_HANDLE_WRONG_KIND);
        for (int i = 0; i < N; i++) OK(ge_options_destroy(options[i]));
        MUST(ge_options_destroy(options[N - 1]) == GE_ERR_HANDLE_STALE);
        MUST(ge_options_destroy(FOREIGN_HANDLE) == GE_ERR_HANDLE_FOREIGN);
    }
    work w;
    work_open(&w, 200);
    OK(work_run(&w));
    work_close(&w);
}

/* The error says what is missing, and what is there goes on to work. */
static void no_address_space(uint32_t seed) {
    ge_options *options, *first;
    ge_error *error;
    ge_status st;
    (void)seed;
    limit_address_space(UINT64_C(300) << 20);
    OK(ge_options_create(&first));
    while ((st = ge_options_create(&options)) == GE_OK) {}
    MUST(st == GE_ERR_OUT_OF_MEMORY && !options);
    ge_error_take(&error);
    MUST(error && strstr(ge_error_get_message(error), "address space"));
    OK(ge_error_release(error));
    OK(ge_options_destroy(first));
    OK(ge_options_create(&options));
}

/* The same before anything was made. */
static void no_address_space_at_all(uint32_t seed) {
    ge_options *options = FOREIGN_HANDLE;
    (void)seed;
    limit_address_space(1 << 20);
    MUST(ge_options_create(&options) == GE_ERR_OUT_OF_MEMORY && !options);
}

/* A second copy of the library by path, with state of its own; and dlclose with its workers alive. */
static void two_copies(uint32_t seed) {
    (void)seed;
    Dl_info where;
    char copy[PATH_MAX], command[2 * PATH_MAX + 16];
    MUST(dladdr((void *)(uintptr_t)ge_get_version, &where));
    snprintf(copy, sizeof copy, "%s/copy_%ld.so", getenv("GE_TEST_TMP") ? getenv("GE_TEST_TMP") : "/tmp", (long)getpid());
    snprintf(command, sizeof command, "cp '%s' '%s'", where.dli_fname, copy);
    MUST(system(command) == 0);
    void *library = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
    unlink(copy);
    MUST(library);
    ge_status (*create)(const ge_options *, ge_context **) = (ge_status(*)(const ge_options *, ge_context **))dlsym(library, "ge_context_create");
    ge_status (*destroy)(ge_context *) = (ge_status(*)(ge_context *))dlsym(library, "ge_context_destroy");
    ge_context *theirs, *ours;
    MUST(create && destroy && create != ge_context_create);
    OK(create(NULL, &theirs));
    OK(ge_context_create(NULL, &ours));
    MUST(destroy(ours) == GE_ERR_HANDLE_FOREIGN && ge_context_destroy(theirs) == GE_ERR_HANDLE_FOREIGN);
    OK(destroy(theirs));
    work w;
    work_open(&w, SHARED);
    OK(work_run(&w));
    MUST(dlclose(library) == 0);
    OK(work_run(&w));
    work_close(&w);
    OK(ge_context_destroy(ours));
}

/* The library opened, used and closed by hand while its workers live. */
static void close_with_threads(uint32_t seed) {
    (void)seed;
    Dl_info where;
    MUST(dladdr((void *)(uintptr_t)ge_get_version, &where));
    void *library = dlopen(where.dli_fname, RTLD_NOW);
    MUST(library);
    work w;
    pthread_t busy;
    work_open(&w, SHARED);
    MUST(pthread_create(&busy, NULL, runs_forever, &w) == 0 && pthread_detach(busy) == 0);
    for (int i = 0; i < 4; i++) (void)dlclose(library);
    OK(work_run(&w));
    exit(0);
}

/* ---- the runner ---- */

CASE(signals)
CASE(comma_locale)
CASE(float_mode)
CASE(small_stack)
CASE(no_threads)
CASE(no_descriptors)
CASE(two_copies)
#if GE_TEST_ASAN || GE_TEST_TSAN /* they reserve terabytes themselves: no limit can be set */
#define LIMITED(name) static void test_##name(void **state) { (void)state; (void)name; print_message(#name ": not under sanitizers\n"); skip(); }
#else
#define LIMITED(name) CASE(name)
#endif
LIMITED(little_address_space)
LIMITED(no_address_space)
LIMITED(no_address_space_at_all)
CASE(close_with_threads)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_comma_locale),   cmocka_unit_test(test_float_mode),     cmocka_unit_test(test_small_stack),
        cmocka_unit_test(test_no_threads),     cmocka_unit_test(test_no_descriptors), cmocka_unit_test(test_two_copies),
        cmocka_unit_test(test_close_with_threads), cmocka_unit_test(test_little_address_space),
        cmocka_unit_test(test_no_address_space), cmocka_unit_test(test_no_address_space_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
