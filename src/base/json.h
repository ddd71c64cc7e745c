/* Streaming JSON writer: no tree, deterministic output, two-space indent. Misuse (a value where a key is due) is an
 * assertion. */
#ifndef SUBCORE_BASE_JSON_H
#define SUBCORE_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_DEPTH = 16 };

struct json {
    FILE *out;
    int depth;
    bool first[JSON_DEPTH]; /* nothing written yet in this object or array */
    bool array[JSON_DEPTH];
};

void json_begin(struct json *j, FILE *out);        /* borrows `out` */
void json_object(struct json *j, const char *key); /* key is NULL in an array and at the top */
void json_array(struct json *j, const char *key);
void json_end(struct json *j);                                        /* closes the innermost object or array */
void json_string(struct json *j, const char *key, const char *value); /* escapes as RFC 8259 asks. NULL gives null */
void json_uint(struct json *j, const char *key, uint64_t value);
void json_bool(struct json *j, const char *key, bool value);
/* Shortest decimal form with at most `digits` significant digits; NaN and infinities become null. */
void json_number(struct json *j, const char *key, double value, int digits);

#endif
