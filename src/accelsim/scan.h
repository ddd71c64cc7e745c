/* Numbers and words of a line, read by hand: this is where a reader of long texts spends its time. A line ends with
 * '\n', which no function here goes beyond. */
#ifndef SUBCORE_ACCELSIM_SCAN_H
#define SUBCORE_ACCELSIM_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline const char *scan_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\r')
        at++;
    return at;
}

static inline bool scan_ends_token(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/* Value of a hexadecimal digit; 16 and above: it is none. */
static inline unsigned scan_digit(char c)
{
    unsigned digit = (unsigned char)c - (unsigned)'0', letter = ((unsigned char)c | 0x20u) - (unsigned)'a';
    return digit < 10 ? digit : letter < 6 ? letter + 10 : 16;
}

/* Each reads a number at *at, moves *at behind it, and says whether one is there that fits and ends with its token. */

static inline bool scan_hexadecimal(const char **at, uint64_t *value)
{
    const char *p = *at;
    uint64_t v = 0;
    unsigned digit;
    while ((digit = scan_digit(*p)) < 16) {
        if (v >> 60)
            return false;
        v = v << 4 | digit;
        p++;
    }
    bool good = p != *at && scan_ends_token(*p);
    *at = p;
    *value = v;
    return good;
}

/* After 0x. */
static inline bool scan_address(const char **at, uint64_t *value)
{
    if ((*at)[0] != '0' || ((*at)[1] | 0x20) != 'x')
        return false;
    *at += 2;
    return scan_hexadecimal(at, value);
}

static inline bool scan_unsigned(const char **at, uint64_t *value)
{
    const char *p = *at;
    uint64_t v = 0;
    while ((unsigned char)*p - (unsigned)'0' < 10) {
        if (v >= UINT64_MAX / 10)
            return false;
        v = v * 10 + (uint64_t)(*p++ - '0');
    }
    bool good = p != *at && scan_ends_token(*p);
    *at = p;
    *value = v;
    return good;
}

static inline bool scan_signed(const char **at, int64_t *value)
{
    bool negative = **at == '-';
    uint64_t magnitude;
    *at += negative;
    if (!scan_unsigned(at, &magnitude) || magnitude > INT64_MAX)
        return false;
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

#endif
