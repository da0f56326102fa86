/* SPDX-License-Identifier: Apache-2.0 */
/* A library that does what ours must not, one misdeed a call: libge_planted.so, for test_guard.c. */
#include "planted.h"

#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void at_end(void) {}

int planted_do(const char *what, int fd) {
    struct sigaction action = { .sa_handler = SIG_IGN };
    sigset_t none;
    sigemptyset(&none);
    if (strcmp(what, "write") == 0) return (int)write(fd, "x", 1); /* in tail position when optimised */
    if (strcmp(what, "puts") == 0) return puts("x");
    if (strcmp(what, "printf") == 0) return printf("%d", fd);
    if (strcmp(what, "fwrite") == 0) return (int)fwrite(what, 1, (size_t)fd, stderr);
    if (strcmp(what, "fputs") == 0) return fputs(what, stderr) + (int)fwrite(what, 1, 0, stdout);
    if (strcmp(what, "abort") == 0) abort();
    if (strcmp(what, "exit") == 0) exit(0);
    if (strcmp(what, "_exit") == 0) _exit(0);
    if (strcmp(what, "setlocale") == 0) return setlocale(LC_ALL, "C") != NULL;
    if (strcmp(what, "uselocale") == 0) return uselocale((locale_t)0) != NULL;
    if (strcmp(what, "sigaction") == 0) return sigaction(SIGUSR1, &action, NULL);
    if (strcmp(what, "signal") == 0) return signal(SIGUSR1, SIG_IGN) == SIG_ERR;
    if (strcmp(what, "sigprocmask") == 0) return sigprocmask(SIG_BLOCK, &none, NULL);
    if (strcmp(what, "pthread_sigmask") == 0) return pthread_sigmask(SIG_BLOCK, &none, NULL);
    if (strcmp(what, "fesetenv") == 0) return fesetenv(FE_DFL_ENV);
    if (strcmp(what, "fesetround") == 0) return fesetround(FE_TONEAREST);
    if (strcmp(what, "__cxa_atexit") == 0) return atexit(at_end); /* the static half of atexit calls that */
    if (strcmp(what, "on_exit") == 0) return on_exit((void (*)(int, void *))(void *)at_end, NULL);
    if (strcmp(what, "chdir") == 0) return chdir("/");
    if (strcmp(what, "umask") == 0) return (int)umask(022);
    if (strcmp(what, "setenv") == 0) return setenv("GE_PLANTED", "1", 1);
    if (strcmp(what, "strtod") == 0) return (int)strtod(what, NULL);
    if (strcmp(what, "syscall") == 0) return (int)syscall(SYS_getpid);
    errno = EINVAL;
    return -1;
}
