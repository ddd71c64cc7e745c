#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/arch.h"
#include "cli/code/listing.h"
#include "cli/code/pascal_listing.h"
#include "cli/command.h"
#include "cli/document.h"

struct work {
    const struct cli_options *options;
    struct document document;
    FILE *out;      /* NULL: no text */
    unsigned arch;  /* 0: all */
    size_t kernels; /* listed so far */
    struct status *status;
};

/* ---- hexadecimal words ----------------------------------------------------------------------------------------- */

/* One number of 32 digits, or the two halves of 16 digits in the order of cuobjdump, the lower one first. */
static bool parse_word(char *line, struct word128 *word)
{
    char digits[2][33] = {"", ""};
    unsigned count = 0;
    for (char *part = strtok(line, " \t\r\n"); part; part = strtok(NULL, " \t\r\n")) {
        part += strncmp(part, "0x", 2) == 0 ? 2 : 0;
        if (count == 2 || strlen(part) > 32 || strspn(part, "0123456789abcdefABCDEF") != strlen(part))
            return false;
        strcpy(digits[count++], part);
    }
    if (count == 1 && strlen(digits[0]) == 32) {
        word->lo = strtoull(digits[0] + 16, NULL, 16);
        digits[0][16] = '\0';
        word->hi = strtoull(digits[0], NULL, 16);
        return true;
    }
    if (count != 2 || strlen(digits[0]) != 16 || strlen(digits[1]) != 16)
        return false;
    *word = (struct word128){strtoull(digits[0], NULL, 16), strtoull(digits[1], NULL, 16)};
    return true;
}

static bool print_words(FILE *in, const char *path, const struct isa_decoder *decoder, struct status *status)
{
    char line[256], text[ISA_TEXT];
    uint32_t pc = 0;
    for (unsigned number = 1; fgets(line, sizeof line, in); number++) {
        struct word128 word;
        struct isa_inst inst;
        if (line[strspn(line, " \t\r\n")] == '\0')
            continue;
        if (!parse_word(line, &word))
            return status_fail(status, STATUS_FORMAT,
                               "%.200s:%u: expected one word of 32 hexadecimal digits, or two of 16", path, number);
        isa_decode(decoder, word, pc, &inst);
        isa_print(&inst, text);
        puts(text);
        pc += 16;
    }
    return true;
}

static bool disassemble_hex(const struct cli_options *options, struct status *status)
{
    unsigned arch = 0;
    bool accelerated;
    if (!options->arch)
        return status_fail(status, STATUS_USAGE, "disasm --hex needs --arch sm_XY");
    if (!arch_parse(options->arch, &arch, &accelerated, status))
        return false;
    struct isa_decoder *decoder = pascal_supported(arch) ? NULL : isa_decoder_create(arch, status);
    if (!decoder && !pascal_supported(arch))
        return false;
    bool standard = strcmp(options->hex, "-") == 0;
    int file = standard ? -1 : file_open(options->hex, true, status);
    FILE *in = standard ? stdin : file >= 0 ? fdopen(file, "r") : NULL;
    const char *name = standard ? "standard input" : options->hex;
    bool ok = !in       ? status_fail(status, STATUS_IO, "%.300s: %s", options->hex, strerror(errno))
              : decoder ? print_words(in, name, decoder, status)
                        : pascal_listing_words(in, name, arch, status);
    if (in && !standard)
        fclose(in);
    isa_decoder_destroy(decoder);
    return ok;
}

/* ---- files ----------------------------------------------------------------------------------------------------- */

static const char *kind_name(enum cubin_image_kind kind)
{
    static const char *const names[] = {"cubin", "PTX", "other"};
    return names[kind];
}

static const char *compression_name(enum cubin_compression compression)
{
    static const char *const names[] = {"plain", "LZ4", "zstd", "unknown"};
    return names[compression];
}

static void print_images(const struct cubin_file *file, FILE *out)
{
    fprintf(out, "// %s: %zu image%s\n// %5s  %-6s %-8s %-12s %12s %12s %10s\n", file->path, file->image_count,
            file->image_count == 1 ? "" : "s", "#", "kind", "arch", "compression", "bytes", "stored", "container");
    for (size_t i = 0; i < file->image_count; i++) {
        const struct cubin_image *image = &file->images[i];
        fprintf(out, "// %5zu  %-6s sm_%-5u %-12s %12ju %12ju %10u\n", i, kind_name(image->kind), image->sm,
                compression_name(image->compression), (uintmax_t)image->bytes, (uintmax_t)image->stored_bytes,
                image->container);
    }
    fputc('\n', out);
}

static bool list_function(struct work *w, const struct cubin *cubin, const struct isa_assembler *assembler,
                          const struct cubin_kernel *kernel, bool entry)
{
    struct listing listing;
    if (!listing_create(&listing, assembler, cubin, kernel, w->status))
        return false;
    listing.entry = entry;
    if (w->out) {
        fputc('\n', w->out);
        if (w->options->plain)
            listing_print_plain(&listing, w->out);
        else
            listing_print(&listing, w->out);
    }
    if (w->document.wanted && entry)
        listing_json(&listing, &w->document.json);
    w->kernels += entry;
    listing_free(&listing);
    return true;
}

static bool list_kernels(struct work *w, const struct cubin *cubin, const struct isa_assembler *assembler)
{
    const struct cubin_kernel *only = NULL;
    struct status missing = {0};
    if (w->options->kernel && !(only = cubin_find_kernel(cubin, w->options->kernel, &missing)))
        return true; /* perhaps in another image */
    if (w->out && !w->options->plain)
        listing_print_module(cubin, w->out);
    for (size_t i = 0; i < cubin->kernel_count; i++)
        if ((!only || only == &cubin->kernels[i]) && !list_function(w, cubin, assembler, &cubin->kernels[i], true))
            return false;
    return true;
}

/* Functions with their own section, as the device linker leaves them. */
static bool list_functions(struct work *w, const struct cubin *cubin, const struct isa_assembler *assembler)
{
    enum { FUNCTION = 2, ENTRY = 0x10, INSTRUCTION_BYTES = 16 };
    static const char prefix[] = ".text.";
    for (size_t i = 0; i < cubin->symbol_count; i++) {
        const struct cubin_symbol *s = &cubin->symbols[i];
        if (s->type != FUNCTION || s->other & ENTRY || s->section == 0 || s->section >= cubin->section_count)
            continue;
        const struct cubin_section *section = &cubin->sections[s->section];
        if (strncmp(section->name, prefix, sizeof prefix - 1) != 0 || s->value != 0 ||
            strcmp(section->name + sizeof prefix - 1, s->name) != 0 || section->bytes.size < INSTRUCTION_BYTES)
            continue;
        struct cubin_kernel function = {
            .name = s->name, .section = s->section, .code = section->bytes, .registers = section->info >> 24};
        if (!list_function(w, cubin, assembler, &function, false))
            return false;
    }
    return true;
}

static bool list_code(struct work *w, struct cubin_bytes bytes, const char *path)
{
    struct cubin cubin;
    if (!cubin_open(&cubin, bytes, path, w->status))
        return false;
    struct isa_assembler *assembler = isa_assembler_create(cubin.sm, w->status);
    bool ok =
        assembler && list_kernels(w, &cubin, assembler) && (w->options->kernel || list_functions(w, &cubin, assembler));
    if (assembler)
        isa_assembler_destroy(assembler);
    cubin_close(&cubin);
    return ok;
}

static bool list_image(struct work *w, const struct cubin_file *file, const struct cubin_image *image)
{
    bool code = image->kind == CUBIN_IMAGE_ELF && !w->options->list && (w->arch == 0 || image->sm == w->arch);
    if (w->document.wanted) {
        json_object(&w->document.json, NULL);
        json_string(&w->document.json, "kind", kind_name(image->kind));
        json_uint(&w->document.json, "architecture", image->sm);
        json_string(&w->document.json, "compression", compression_name(image->compression));
        json_uint(&w->document.json, "bytes", image->bytes);
        json_uint(&w->document.json, "stored_bytes", image->stored_bytes);
        json_uint(&w->document.json, "container", image->container);
        json_array(&w->document.json, "kernels");
    }
    struct cubin_bytes bytes;
    uint8_t *owned = NULL;
    bool ok = !code || (cubin_file_image(file, image, &bytes, &owned, w->status) && list_code(w, bytes, file->path));
    free(owned);
    if (w->document.wanted) {
        json_end(&w->document.json);
        json_end(&w->document.json);
    }
    return ok;
}

static bool list_file(struct work *w, const struct cubin_file *file)
{
    if (w->out && (file->kind != CUBIN_FILE_CUBIN || w->options->list))
        print_images(file, w->out);
    if (w->document.wanted) {
        json_string(&w->document.json, "file", file->path);
        json_array(&w->document.json, "images");
    }
    bool ok = true;
    for (size_t i = 0; i < file->image_count && ok; i++)
        ok = list_image(w, file, &file->images[i]);
    if (w->document.wanted)
        json_end(&w->document.json);
    if (!ok || w->kernels > 0 || w->options->list)
        return ok;
    if (w->options->kernel)
        return status_fail(w->status, STATUS_USAGE, "%.200s has no kernel '%.100s'%s%s", file->path, w->options->kernel,
                           w->arch ? " for " : "", w->arch ? w->options->arch : "");
    return status_fail(w->status, STATUS_FORMAT, "%.200s has no machine code%s%s", file->path, w->arch ? " for " : "",
                       w->arch ? w->options->arch : "");
}

static bool run(const struct cli_options *options, struct status *status)
{
    struct work w = {.options = options, .status = status};
    bool accelerated;
    if (options->hex && options->operands.count > 0)
        return status_fail(status, STATUS_USAGE, "disasm takes FILE or --hex, not both");
    if (options->hex)
        return disassemble_hex(options, status);
    if (options->operands.count == 0)
        return status_fail(status, STATUS_USAGE, "disasm needs FILE or --hex; see 'subcore help disasm'");
    if (options->arch && !arch_parse(options->arch, &w.arch, &accelerated, status))
        return false;
    struct cubin_file file;
    if (!cubin_file_open(&file, options->operands.items[0], status))
        return false;
    w.out = options->json && strcmp(options->json, "-") == 0 ? NULL : stdout;
    bool ok = document_begin(&w.document, options->json, status) && list_file(&w, &file);
    if (ok)
        document_commit(&w.document, status);
    else
        document_abandon(&w.document);
    cubin_file_close(&file);
    return status->code == STATUS_OK;
}

const struct command command_disasm = {
    .name = "disasm",
    .operands = "FILE",
    .summary = "print the machine code of a cubin, fatbin or CUDA program",
    .text = "'subcore asm' reads this text: directives, labels, and for each instruction its address, its\n"
            "control bits and its text. The control bits are [B012345:R0:W1:Y:S04]: the dependence counters to\n"
            "wait for, the counters released when the sources are read and when the result is written, the yield\n"
            "hint, and the stall count. Source lines stand above the code where the cubin has line tables.\n"
            "A line of --hex is one word of 32 digits, or two of 16 with the lower half first; one line of text\n"
            "comes out for each. Of sm_60 and sm_61 a line is one word of 16 digits, and each fourth, from the\n"
            "first on, is a control word.\n",
    .options =
        CLI_BIT(KERNEL) | CLI_BIT(ARCH) | CLI_BIT(HEX) | CLI_BIT(LIST) | CLI_BIT(PLAIN) | CLI_BIT(JSON) | CLI_BIT(HELP),
    .operands_max = 1,
    .file = 1,
    .run = run,
};
