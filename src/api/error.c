#include <stdarg.h>

#include "api/api.h"
#include "api/version.h"

const char *subcore_version(void) { return API_VERSION; }

bool api_fail(struct subcore_error *error, enum subcore_code code, const char *format, ...)
{
    if (!error)
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    error->code = code;
    return false;
}

bool api_fail_status(struct subcore_error *error, const struct status *status)
{
    static const enum subcore_code codes[] = {
        [STATUS_OK] = SUBCORE_OK,
        [STATUS_USAGE] = SUBCORE_ARGUMENT,
        [STATUS_IO] = SUBCORE_FILE,
        [STATUS_FORMAT] = SUBCORE_FORMAT,
        [STATUS_CONFIG] = SUBCORE_CONFIG,
        [STATUS_MEMORY] = SUBCORE_MEMORY,
        [STATUS_UNSUPPORTED] = SUBCORE_UNSUPPORTED,
        [STATUS_FAULT] = SUBCORE_FAULT,
        [STATUS_DEADLOCK] = SUBCORE_DEADLOCK,
        [STATUS_INTERRUPTED] = SUBCORE_STOPPED,
        [STATUS_CHECK] = SUBCORE_ARGUMENT,
        [STATUS_DIFFERENT] = SUBCORE_ARGUMENT,
        [STATUS_HAZARD] = SUBCORE_ARGUMENT,
    };
    return api_fail(error, codes[status->code], "%s", status->text);
}
