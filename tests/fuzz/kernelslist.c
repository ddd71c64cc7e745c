/* Any bytes as a command list, and as the code beside a trace. */
#include "tests/fuzz/accelsim.h"

#include "accelsim/code.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_code(const uint8_t *data, size_t size)
{
    char folder[4000], path[4096];
    struct status status = {0};
    struct code code;
    snprintf(folder, sizeof folder, "%s/fuzz-%d", file_temporary_folder(), (int)getpid());
    snprintf(path, sizeof path, "%s.sass", folder);
    FILE *f = fopen(path, "wb");
    if (!f)
        return;
    fwrite(data, 1, size, f);
    fclose(f);
    snprintf(path, sizeof path, "%s.traceg", folder);
    if (code_beside(&code, path, &status) != (status.code == STATUS_OK))
        abort();
    code_free(&code);
    snprintf(path, sizeof path, "%s.sass", folder);
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    const struct accelsim_options options = ACCELSIM_DEFAULTS;
    int file = memory_file(data, size, path);
    if (file < 0)
        return 0;
    accelsim_is_list(path);
    convert_and_forget(path, &options);
    close(file);
    read_code(data, size);
    return 0;
}
