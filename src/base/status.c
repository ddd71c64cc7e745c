#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"

bool status_fail(struct status *status, enum status_code code, const char *format, ...)
{
    if (status->code != STATUS_OK)
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(status->text, sizeof status->text, format, arguments);
    va_end(arguments);
    text_make_printable(status->text, "\n\t");
    status->code = code;
    return false;
}
