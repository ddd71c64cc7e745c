/* Any bytes as a container of trace version 6, which is told by its name. */
#include "tests/fuzz/accelsim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct accelsim_options options = ACCELSIM_DEFAULTS;
    char folder[FILE_FOLDER], path[FILE_FOLDER + 16], list[FILE_FOLDER + 16];
    struct status status = {0};
    if (!file_temporary_make(folder, "fuzz", &status))
        return 0;
    snprintf(path, sizeof path, "%s/kernel-1.tracez", folder);
    snprintf(list, sizeof list, "%s/kernelslist.g", folder);
    FILE *f = fopen(path, "we"), *g = fopen(list, "we");
    bool good = f && g && fwrite(data, 1, size, f) == size && fputs("kernel-1.tracez\n", g) >= 0;
    good = (!f || fclose(f) == 0) && good;
    good = (!g || fclose(g) == 0) && good;
    for (unsigned keep_going = 0; keep_going < 2 && good; keep_going++) {
        options.keep_going = keep_going;
        options.architecture = keep_going ? 90 : 0;
        convert_and_forget(list, &options);
    }
    file_temporary_remove(folder);
    return 0;
}
