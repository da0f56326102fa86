/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include <stdarg.h>
#include <stddef.h>

#include "base/diag.h"

#define LINE_BYTES 1024 /* longer lines are cut and end in "..." */

void gei_log_line(const gei_log *log, gei_log_level level, const char *format, ...) {
    if (!log || !log->write || (int32_t)level > log->level) return;
    char text[LINE_BYTES];
    va_list args;
    va_start(args, format);
    gei_format_text(text, sizeof text, format, args);
    va_end(args);
    log->write(log->user, (int32_t)level, text);
}
