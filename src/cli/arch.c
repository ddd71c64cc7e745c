#include "cli/arch.h"

#include <stdlib.h>
#include <string.h>

bool arch_parse(const char *text, unsigned *sm, bool *accelerated, struct status *status)
{
    const char *digits = strncmp(text, "sm_", 3) == 0 ? text + 3 : text;
    size_t length = strspn(digits, "0123456789");
    *accelerated = strcmp(digits + length, "a") == 0;
    if (length == 0 || length > 3 || (digits[length] != '\0' && !*accelerated))
        return status_fail(status, STATUS_USAGE, "--arch '%.40s': expected sm_XY, as in sm_86", text);
    *sm = (unsigned)strtoul(digits, NULL, 10);
    return true;
}
