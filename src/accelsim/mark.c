#include "accelsim/mark.h"

#include <string.h>

#include "accelsim/scan.h"

bool mark_is(const char *text, const char *end, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - text) >= n && memcmp(text, word, n) == 0;
}

bool mark_number(const char *text, const char *end, uint64_t *value)
{
    const char *at = memchr(text, '=', (size_t)(end - text));
    if (!at)
        return false;
    at = scan_blanks(at + 1);
    return scan_unsigned(&at, value) && *scan_blanks(at) == '\n';
}

bool mark_indices(const char *text, const char *end, const uint32_t limit[3], uint32_t index[3])
{
    char line[96];
    const char *equals = memchr(text, '=', (size_t)(end - text));
    if (!equals || (size_t)(end - equals) >= sizeof line)
        return false;
    for (size_t i = 0; i <= (size_t)(end - equals); i++)
        line[i] = equals[i] == ',' ? ' ' : equals[i];
    const char *p = line + 1;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t value;
        p = scan_blanks(p);
        if (!scan_unsigned(&p, &value) || value >= limit[i])
            return false;
        index[i] = (uint32_t)value;
    }
    return *scan_blanks(p) == '\n';
}

bool mark_cta(const char *text, const char *end, const uint32_t grid[3], uint64_t *cta)
{
    uint32_t at[3];
    bool good = mark_indices(text, end, grid, at);
    *cta = good ? ((uint64_t)at[2] * grid[1] + at[1]) * grid[0] + at[0] : 0;
    return good;
}
