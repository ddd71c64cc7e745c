#include "plan/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>

bool plan_read_number(const char **text, uint64_t *number)
{
    char *end;
    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    *number = strtoumax(*text, &end, 10);
    *text = end;
    return errno == 0;
}

bool plan_read_range(const char **text, uint64_t *first, uint64_t *last)
{
    if (!plan_read_number(text, first))
        return false;
    *last = *first;
    if (**text == '-') {
        ++*text;
        *last = UINT64_MAX;
        if (**text != ',' && **text != '\0' && !plan_read_number(text, last))
            return false;
    }
    return *first <= *last && (**text == ',' || **text == '\0');
}
