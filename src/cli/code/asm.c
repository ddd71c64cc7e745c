#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/arch.h"
#include "cli/code/assembly.h"
#include "cli/command.h"

/* saxpy.sass gives saxpy.cubin beside it. */
static bool default_output(const char *path, char *out, size_t size, struct status *status)
{
    if (!assembly_is(path))
        return status_fail(status, STATUS_USAGE, "asm needs -o FILE, since '%.200s' does not end in .sass", path);
    int n = snprintf(out, size, "%.*s.cubin", (int)(strlen(path) - strlen(".sass")), path);
    return (n > 0 && (size_t)n < size) || status_fail(status, STATUS_USAGE, "the name of the file is too long");
}

static bool write_cubin(const char *path, const uint8_t *cubin, size_t size, struct status *status)
{
    struct file_output file;
    if (!file_output_open(&file, path, status))
        return false;
    if (fwrite(cubin, 1, size, file.stream) == size)
        return file_output_commit(&file, status);
    file_output_abandon(&file);
    return status_fail(status, STATUS_IO, "%.300s: cannot be written", path);
}

static bool run(const struct cli_options *options, struct status *status)
{
    const char *path = options->operands.items[0];
    char beside[4096];
    struct asm_input input = {.arch_binding = true};
    if (options->arch && !arch_parse(options->arch, &input.arch, &input.accelerated, status))
        return false;
    if (!options->output && !default_output(path, beside, sizeof beside, status))
        return false;
    uint8_t *cubin;
    size_t size;
    bool ok = assembly_read(path, input, &cubin, &size, status) &&
              write_cubin(options->output ? options->output : beside, cubin, size, status);
    free(cubin);
    return ok;
}

const struct command command_asm = {
    .name = "asm",
    .operands = "FILE",
    .summary = "assemble a file of SASS into a cubin",
    .text = "FILE has directives, labels and instructions as 'subcore disasm' prints them; - is standard input.\n"
            "Without -o, file.sass becomes file.cubin; -o - is standard output. Control bits that are left out\n"
            "are filled in so that every result is there before it is read. docs/assembler.md describes the\n"
            "language.\n"
            "\n"
            "Example\n"
            "  subcore disasm saxpy.cubin | subcore asm - -o again.cubin\n",
    .options = CLI_BIT(OUTPUT) | CLI_BIT(ARCH) | CLI_BIT(HELP),
    .operands_min = 1,
    .operands_max = 1,
    .file = 1,
    .run = run,
};
