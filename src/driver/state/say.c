#include "driver/state/say.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"
#include "driver/state/logs.h"

void say(const char *format, ...)
{
    char line[2048]; /* one write, so that lines of threads and processes do not mix */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    text_make_printable(line, "\n\t");
    fprintf(stderr, "subcore: %s\n", line);
    logs_note("%s", line);
}
