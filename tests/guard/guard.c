/* SPDX-License-Identifier: Apache-2.0 */
/* guard: a preloaded library that ends the process when libge itself calls what forbidden.def forbids.  The host may call it all.
 *
 *   LD_PRELOAD=libguard.so ./program
 *
 * It puts functions of its own into the import table of every loaded library whose file name starts with "libge": also calls in
 * tail position and through -fno-plt are seen, and nobody else's.  Libraries that come by dlopen are looked at then. */
#include <dlfcn.h>
#include <elf.h>
#include <fenv.h>
#include <link.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

static uint32_t n_imports, n_replaced;

/* Symbols seen in import tables and how many of them were replaced: a test of the guard wants to know that it looks. */
EXPORTED uint32_t guard_imports(void);
EXPORTED uint32_t guard_replaced(void);
uint32_t guard_imports(void) { return n_imports; }
uint32_t guard_replaced(void) { return n_replaced; }

static void say(const char *text) { (void)!write(STDERR_FILENO, text, strlen(text)); }

_Noreturn static void stop(const char *name) {
    say("guard: the library called ");
    say(name);
    say("\n");
    abort();
}

#define NEVER(name) _Noreturn static void never_##name(void) { stop(#name); }
#define SOMETIMES(name)
#include "forbidden.def"
#undef NEVER
#undef SOMETIMES

static ssize_t sometimes_write(int fd, const void *bytes, size_t size) {
    if (fd == STDOUT_FILENO || fd == STDERR_FILENO) stop("write");
    return write(fd, bytes, size);
}
static ssize_t sometimes_writev(int fd, const struct iovec *parts, int n) {
    if (fd == STDOUT_FILENO || fd == STDERR_FILENO) stop("writev");
    return writev(fd, parts, n);
}
static void for_workers_only(const char *function_name) {
    char name[16] = "";
    (void)prctl(PR_GET_NAME, name);
    if (strcmp(name, "ge-worker") != 0) stop(function_name);
}
static int sometimes_fesetenv(const fenv_t *env) {
    for_workers_only("fesetenv");
    return fesetenv(env);
}
static int sometimes_sched_setaffinity(pid_t thread, size_t size, const cpu_set_t *cpus) {
    for_workers_only("sched_setaffinity");
    if (thread != 0) stop("sched_setaffinity on another thread");
    return sched_setaffinity(thread, size, cpus);
}
static long sometimes_syscall(long number, long a, long b, long c, long d, long e, long f) {
    if (number != SYS_futex) stop("syscall");
    return syscall(number, a, b, c, d, e, f);
}

typedef void (*function)(void);
static const struct {
    const char *name;
    function replacement;
} table[] = {
#define NEVER(name) { #name, never_##name },
#define SOMETIMES(name) { #name, (function)sometimes_##name },
#include "forbidden.def"
};

static function replacement_of(const char *name) {
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].name, name) == 0) return table[i].replacement;
    return NULL;
}

/* A dynamic section holds addresses, which the loader may have relocated already. */
static const void *address_in(const struct dl_phdr_info *library, ElfW(Addr) value) {
    return (const void *)(value < library->dlpi_addr ? value + library->dlpi_addr : value);
}

static void replace_word(uintptr_t *word, function with) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *start = (void *)((uintptr_t)word & ~(page - 1));
    if (mprotect(start, page, PROT_READ | PROT_WRITE) != 0) stop("mprotect of its import table in vain");
    *word = (uintptr_t)with; /* the page stays writable: it may hold other data */
}

static void replace_imports(const struct dl_phdr_info *library, const ElfW(Rela) *relocations, size_t n, const ElfW(Sym) *symbols,
                            const char *names) {
    for (size_t i = 0; i < n; i++) {
        uint32_t type = ELF64_R_TYPE(relocations[i].r_info), symbol = ELF64_R_SYM(relocations[i].r_info);
        if (symbol == 0 || (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64)) continue;
        if (symbols[symbol].st_shndx != SHN_UNDEF) continue;
        n_imports++;
        function with = replacement_of(names + symbols[symbol].st_name);
        uintptr_t *word = (uintptr_t *)(library->dlpi_addr + relocations[i].r_offset);
        if (!with || *word == (uintptr_t)with) continue;
        replace_word(word, with);
        n_replaced++;
    }
}

static int look_at(struct dl_phdr_info *library, size_t size, void *unused) {
    (void)size, (void)unused;
    const char *file = strrchr(library->dlpi_name, '/');
    file = file ? file + 1 : library->dlpi_name;
    if (strncmp(file, "libge", 5) != 0) return 0;
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    const ElfW(Rela) *plain = NULL, *calls = NULL;
    size_t plain_size = 0, calls_size = 0;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        if (library->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn) *d = (const ElfW(Dyn) *)(library->dlpi_addr + library->dlpi_phdr[i].p_vaddr);
        for (; d->d_tag != DT_NULL; d++) {
            if (d->d_tag == DT_SYMTAB) symbols = address_in(library, d->d_un.d_ptr);
            else if (d->d_tag == DT_STRTAB) names = address_in(library, d->d_un.d_ptr);
            else if (d->d_tag == DT_RELA) plain = address_in(library, d->d_un.d_ptr);
            else if (d->d_tag == DT_RELASZ) plain_size = d->d_un.d_val;
            else if (d->d_tag == DT_JMPREL) calls = address_in(library, d->d_un.d_ptr);
            else if (d->d_tag == DT_PLTRELSZ) calls_size = d->d_un.d_val;
        }
    }
    if (!symbols || !names) return 0;
    if (plain) replace_imports(library, plain, plain_size / sizeof *plain, symbols, names);
    if (calls) replace_imports(library, calls, calls_size / sizeof *calls, symbols, names);
    return 0;
}

__attribute__((constructor)) static void begin(void) { (void)dl_iterate_phdr(look_at, NULL); }

EXPORTED void *dlopen(const char *file, int mode);
void *dlopen(const char *file, int mode) {
    void *(*real)(const char *, int);
    *(void **)&real = dlsym(RTLD_NEXT, "dlopen");
    void *library = real(file, mode);
    if (library) (void)dl_iterate_phdr(look_at, NULL);
    return library;
}
