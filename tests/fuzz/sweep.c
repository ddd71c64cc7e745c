/* Any text is a sweep whose programs and axes have names and words, or is refused with its file and a line. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sweep/sweep_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As assert, in every build. */
static void hold(bool condition)
{
    if (!condition)
        abort();
}

static void check(const struct sweep_file *file)
{
    hold(file->program_count > 0);
    for (size_t i = 0; i < file->program_count; i++) {
        hold(file->programs[i].name && file->programs[i].words.count > 0);
        for (size_t w = 0; w < file->programs[i].words.count; w++)
            hold(strlen(file->programs[i].words.items[w]) < 4096);
        for (size_t other = 0; other < i; other++)
            hold(strcmp(file->programs[i].name, file->programs[other].name) != 0);
    }
    for (size_t i = 0; i < file->axis_count; i++)
        hold(file->axes[i].name && file->axes[i].values.count > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sweep_file file;
    struct status status = {0};
    if (sweep_file_parse(&file, "sweep.toml", (const char *)data, size, &status)) {
        check(&file);
        sweep_file_free(&file);
    } else {
        hold(status.code != STATUS_OK && strncmp(status.text, "sweep.toml:", 11) == 0);
        hold(!file.programs && !file.axes && file.program_count == 0);
    }
    return 0;
}
