/* SPDX-License-Identifier: Apache-2.0 */
/* log: lines for the host's sink.  Off until a sink is set; the sink belongs to a context (api/), base only carries the type. */
#ifndef GEI_BASE_LOG_H
#define GEI_BASE_LOG_H

#include <stdint.h>

typedef enum gei_log_level { GEI_LOG_ERROR = 1, GEI_LOG_WARN = 2, GEI_LOG_INFO = 3, GEI_LOG_DEBUG = 4 } gei_log_level;

typedef struct gei_log {
    void (*write)(void *user, int32_t level, const char *text); /* NULL: off */
    void *user;
    int32_t level; /* most talkative level wanted */
} gei_log;

void gei_log_line(const gei_log *log, gei_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
