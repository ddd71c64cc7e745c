/* Any text is a schedule, which is the same when it is written and read again, or is refused with its file. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/cta_schedule.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As assert, in every build. */
static void hold(bool condition)
{
    if (!condition)
        abort();
}

/* Files of HyFiSS name no kernels, so that only the other ones can be written. */
static bool is_ours(const struct cta_schedule *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (!s->launch[i].kernel)
            return false;
    return true;
}

static char *text_of(const struct cta_schedule *s, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    hold(out && cta_schedule_write(s, out));
    fclose(out);
    return text;
}

static void check(const struct cta_schedule *s)
{
    struct cta_schedule again;
    struct status status = {0};
    size_t size, same_size;
    hold(s->count > 0);
    if (!is_ours(s))
        return;
    char *text = text_of(s, &size);
    hold(cta_schedule_parse(&again, text, size, "s", &status));
    char *same = text_of(&again, &same_size);
    hold(size == same_size && memcmp(text, same, size) == 0);
    free(text);
    free(same);
    cta_schedule_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cta_schedule s;
    struct status status = {0};
    if (cta_schedule_parse(&s, (const char *)data, size, "schedule.txt", &status)) {
        check(&s);
        cta_schedule_free(&s);
    } else {
        hold(status.code != STATUS_OK && strncmp(status.text, "schedule.txt:", 13) == 0);
        hold(!s.launch && s.count == 0);
    }
    return 0;
}
