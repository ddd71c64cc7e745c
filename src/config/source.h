/* Where the values of a configuration are from: the file that gives each, and the comment that stands there. */
#ifndef SUBCORE_CONFIG_SOURCE_H
#define SUBCORE_CONFIG_SOURCE_H

#include "base/embed.h"
#include "base/file.h"
#include "config/config.h"

enum { CONFIG_VALUE = CONFIG_TEXT + 32, CONFIG_SOURCE = 512 };

/* The file of a GPU and the values that it gives. Create with config_origin_open, free with config_origin_close. */
struct config_origin {
    const char *name; /* as given; borrowed */
    struct file_bytes bytes;
    const char *text; /* NULL: there is no such file, and nothing is known */
    size_t size;
    struct config config;
    struct embedded standard; /* the file that config.dram.kind names */
    struct file_bytes standard_bytes;
};

/* Everything that is known about one value. */
struct config_value {
    const char *section, *key, *unit, *sentence; /* unit: empty when there is none */
    const char *summary;                         /* of the policy that the value names; else empty */
    char text[CONFIG_VALUE];                     /* as it stands in a file */
    char from[CONFIG_TEXT + 16];                 /* "a100", "sm_86", a path; "set" and "default" (empty: not known) */
    char source[CONFIG_SOURCE]; /* the comment; for a default that of the RTX A6000's files; may be empty */
    bool assumed;               /* the source says that the value is, or that a part of it is */
};

/* `gpu` as config_load takes it. */
void config_origin_open(struct config_origin *origin, const char *gpu);
void config_origin_close(struct config_origin *origin);

/* Value `index` of `config`, in options.def's order; false past the end. A value that differs from the one that
 * `origin` gives has been set. */
bool config_value_at(const struct config *config, const struct config_origin *origin, size_t index,
                     struct config_value *out);
size_t config_value_count(void);

/* Returns the measurement that would settle an assumed value. NULL when no row of settle.def has the key. */
const char *config_settled_by(const char *section, const char *key);

/* The value of `index` alone, as number, switch or text. */
void config_value_json(const struct config *config, size_t index, struct json *json, const char *key);

#endif
