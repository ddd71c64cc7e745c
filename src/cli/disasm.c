#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/document.h"
#include "cli/listing.h"

struct work {
    const struct cli_options *options;
    struct document document;
    FILE *out;      /* NULL: no text */
    unsigned arch;  /* 0: all */
    size_t kernels; /* listed so far */
    struct status *status;
};

/* The tables know the arithmetic of sm_100 and later only, and take some of its new words for older ones. */
static void warn_incomplete(unsigned arch)
{
    if (arch >= 100)
        fprintf(stderr,
                "subcore: the instruction tables of sm_%u are incomplete: words print as INVALID, "
                "and some as another instruction\n",
                arch);
}

static bool parse_arch(const char *text, unsigned *arch, struct status *status)
{
    uint64_t number;
    const char *digits = strncmp(text, "sm_", 3) == 0 ? text + 3 : text;
    if (!cli_number(digits, 999, &number))
        return status_fail(status, STATUS_USAGE, "--arch '%.40s': expected sm_XY, as in sm_86", text);
    *arch = (unsigned)number;
    return true;
}

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
    if (!options->arch)
        return status_fail(status, STATUS_USAGE, "disasm --hex needs --arch sm_XY");
    if (!parse_arch(options->arch, &arch, status))
        return false;
    struct isa_decoder *decoder = isa_decoder_create(arch, status);
    if (!decoder)
        return false;
    warn_incomplete(arch);
    bool standard = strcmp(options->hex, "-") == 0;
    FILE *in = standard ? stdin : fopen(options->hex, "r");
    bool ok = in ? print_words(in, standard ? "standard input" : options->hex, decoder, status)
                 : status_fail(status, STATUS_IO, "%.300s: %s", options->hex, strerror(errno));
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
    fprintf(out, "%s: %zu image%s\n%5s  %-6s %-8s %-12s %12s %12s %10s\n", file->path, file->image_count,
            file->image_count == 1 ? "" : "s", "#", "kind", "arch", "compression", "bytes", "stored", "container");
    for (size_t i = 0; i < file->image_count; i++) {
        const struct cubin_image *image = &file->images[i];
        fprintf(out, "%5zu  %-6s sm_%-5u %-12s %12ju %12ju %10u\n", i, kind_name(image->kind), image->sm,
                compression_name(image->compression), (uintmax_t)image->bytes, (uintmax_t)image->stored_bytes,
                image->container);
    }
    fputc('\n', out);
}

static bool list_kernels(struct work *w, const struct cubin *cubin, const struct isa_decoder *decoder)
{
    const struct cubin_kernel *only = NULL;
    struct status missing = {0};
    if (w->options->kernel && !(only = cubin_find_kernel(cubin, w->options->kernel, &missing)))
        return true; /* perhaps in another image */
    for (size_t i = 0; i < cubin->kernel_count; i++) {
        struct listing listing;
        if (only && only != &cubin->kernels[i])
            continue;
        if (!listing_create(&listing, decoder, &cubin->kernels[i], w->status))
            return false;
        if (w->out) {
            fprintf(w->out, "%ssm_%u  ", w->kernels ? "\n" : "", cubin->sm);
            listing_print(&listing, w->out);
        }
        if (w->document.wanted)
            listing_json(&listing, &w->document.json);
        w->kernels++;
        listing_free(&listing);
    }
    return true;
}

static bool list_code(struct work *w, struct cubin_bytes bytes, const char *path)
{
    struct cubin cubin;
    if (!cubin_open(&cubin, bytes, path, w->status))
        return false;
    struct isa_decoder *decoder = isa_decoder_create(cubin.sm, w->status);
    warn_incomplete(cubin.sm);
    bool ok = decoder && list_kernels(w, &cubin, decoder);
    if (decoder)
        isa_decoder_destroy(decoder);
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
    if (options->hex && options->operands.count > 0)
        return status_fail(status, STATUS_USAGE, "disasm takes FILE or --hex, not both");
    if (options->hex)
        return disassemble_hex(options, status);
    if (options->operands.count == 0)
        return status_fail(status, STATUS_USAGE, "disasm needs FILE or --hex; see 'subcore help disasm'");
    if (options->arch && !parse_arch(options->arch, &w.arch, status))
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
    .text = "Each line has the address, the control bits and the instruction. The control bits are\n"
            "[B012345:R0:W1:Y:S04]: the dependence counters to wait for, the counters released when the sources\n"
            "are read and when the result is written, the yield hint, and the stall count.\n"
            "A line of --hex is one word of 32 digits, or two of 16 with the lower half first; one line of text\n"
            "comes out for each.\n",
    .options = CLI_BIT(KERNEL) | CLI_BIT(ARCH) | CLI_BIT(HEX) | CLI_BIT(LIST) | CLI_BIT(JSON) | CLI_BIT(HELP),
    .operands_max = 1,
    .run = run,
};
