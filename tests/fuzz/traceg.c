/* Any bytes as a kernel's file, packed or not. */
#include "tests/fuzz/accelsim.h"

#include "accelsim/kernel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* With keep_going an architecture is given, too, for headers that do not tell it.
 * Tables of architectures are kept from input to input: to make them takes a hundred times as long as to read. */
static void convert_kernel(struct converter *c, const char *kernel, bool keep_going)
{
    struct status status = {0};
    struct accelsim_report report = {0};
    struct accelsim_options options = ACCELSIM_DEFAULTS;
    char path[4096];
    options.keep_going = keep_going;
    options.architecture = keep_going ? 80 : 0;
    snprintf(path, sizeof path, "%s/fuzz-%d.trace", file_temporary_folder(), (int)getpid());
    c->writer = trace_writer_create(path, NULL, &status);
    if (!c->writer)
        return;
    c->options = &options;
    c->report = &report;
    if (kernel_convert(c, kernel, 0, &status) != (status.code == STATUS_OK))
        abort();
    trace_writer_destroy(c->writer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct converter converter;
    char path[64];
    int file = memory_file(data, size, path);
    if (file < 0)
        return 0;
    convert_kernel(&converter, path, false);
    convert_kernel(&converter, path, true);
    close(file);
    return 0;
}
