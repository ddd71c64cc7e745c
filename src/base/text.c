#include "base/text.h"

#include <string.h>

size_t text_utf8(const unsigned char *s)
{
    if (s[0] < 0x80)
        return 1;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    size_t length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    unsigned low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;  /* no overlong forms */
    unsigned high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf; /* no surrogates, nothing over U+10FFFF */
    if (s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (s[i] < 0x80 || s[i] > 0xbf)
            return 0;
    return length;
}

/* Returns the length of the character, or 0 when it is not to be printed: U+0080 to U+009F are control characters as
 * well. */
static size_t printable(const unsigned char *s, const char *keep)
{
    if (s[0] < 0x20 || s[0] == 0x7f)
        return s[0] && strchr(keep, s[0]);
    return s[0] == 0xc2 && s[1] < 0xa0 ? 0 : text_utf8(s);
}

void text_make_printable(char *text, const char *keep)
{
    for (char *at = text; *at;) {
        size_t length = printable((const unsigned char *)at, keep);
        if (!length)
            *at = '?';
        at += length ? length : 1;
    }
}

char *text_printable(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from);
    text_make_printable(to, "");
    return to;
}

void text_print(FILE *out, const char *text) { text_print_part(out, text, strlen(text), ""); }

void text_print_part(FILE *out, const char *text, size_t length, const char *keep)
{
    enum { LONGEST = 4 };
    while (length > 0) {
        unsigned char one[LONGEST + 1] = {0}; /* bytes behind the end are no part of a character */
        memcpy(one, text, length < LONGEST ? length : LONGEST);
        size_t size = printable(one, keep);
        if (size)
            fwrite(one, 1, size, out);
        else
            fputc('?', out);
        size += !size;
        text += size;
        length -= size;
    }
}
