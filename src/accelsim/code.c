#include "accelsim/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "accelsim/input.h"
#include "accelsim/scan.h"
#include "cubin/cubin.h"

enum { VERSION = 1 };

void code_free(struct code *code)
{
    free(code->origin);
    free(code->word);
    free(code->known);
    free(code->place);
    *code = (struct code){0};
}

static bool grow_places(struct code *code, uint32_t room)
{
    struct code_places *grown = realloc(code->place, room * sizeof *grown);
    if (!grown)
        return false;
    memset(grown + code->room, 0, (room - code->room) * sizeof *grown);
    code->place = grown;
    return true;
}

static bool reserve(struct code *code, uint32_t count)
{
    uint32_t room = code->room;
    code->count = count > code->count ? count : code->count;
    if (count <= room)
        return true;
    room = room ? room : 256;
    while (room < count)
        room *= 2;
    struct word128 *word = realloc(code->word, room * sizeof *word);
    code->word = word ? word : code->word;
    uint8_t *known = realloc(code->known, room);
    code->known = known ? known : code->known;
    if (!word || !known)
        return false;
    if (code->place && !grow_places(code, room))
        return false;
    memset(word + code->room, 0, (room - code->room) * sizeof *word);
    memset(known + code->room, 0, room - code->room);
    code->room = room;
    return true;
}

/* ---- kernel-N.sass ----------------------------------------------------------------------------------------------- */

static bool is_key(const char *text, const char *equals, const char *key)
{
    while (equals > text && equals[-1] == ' ')
        equals--;
    size_t n = strlen(key);
    return (size_t)(equals - text) == n && memcmp(text, key, n) == 0;
}

static bool read_bank(struct code *code, const char *text, const char *equals, uint64_t value)
{
    char key[16];
    for (unsigned bank = 0; bank < TRACE_BANKS; bank++) {
        snprintf(key, sizeof key, "bank %u", bank);
        if (is_key(text, equals, key)) {
            code->bank_bytes[bank] = (uint32_t)value;
            return value <= 65536;
        }
    }
    return true; /* a key of later versions */
}

/* Numbers are decimal, or hexadecimal after 0x. */
static bool read_key(struct code *code, const struct input *in, const char *text, const char *equals,
                     struct status *status)
{
    struct {
        const char *key;
        uint32_t *small;
        uint64_t *large;
        bool *flag;
    } keys[] = {
        {"architecture", &code->architecture, NULL, NULL},   {"registers", &code->registers, NULL, NULL},
        {"static shared", &code->static_shared, NULL, NULL}, {"preferred shared", &code->shared_preferred, NULL, NULL},
        {"local", &code->local_bytes, NULL, NULL},           {"local base", NULL, &code->local_base, NULL},
        {"code address", NULL, &code->code_address, NULL},   {"number", NULL, &code->number, NULL},
        {"cooperative", NULL, NULL, &code->cooperative},     {"control bits", NULL, NULL, &code->control_bits},
    };
    const char *at = scan_blanks(equals + 1);
    uint64_t value;
    bool good = at[0] == '0' && at[1] == 'x' ? scan_address(&at, &value) : scan_unsigned(&at, &value);
    if (!good)
        return input_fail(in, status, "a number is expected after '='");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!is_key(text, equals, keys[i].key))
            continue;
        if (keys[i].small ? value > UINT32_MAX : keys[i].flag ? value > 1 : false)
            return input_fail(in, status, "%s: the number is too large", keys[i].key);
        if (keys[i].small)
            *keys[i].small = (uint32_t)value;
        else if (keys[i].large)
            *keys[i].large = value;
        else
            *keys[i].flag = value;
        code->has_number |= keys[i].large == &code->number;
        return true;
    }
    return read_bank(code, text, equals, value) || input_fail(in, status, "a constant bank has at most 65536 bytes");
}

static bool read_half(const char **at, uint64_t *half)
{
    *half = 0;
    for (unsigned i = 0; i < 16; i++, ++*at) {
        unsigned digit = scan_digit(**at);
        if (digit > 15)
            return false;
        *half = *half << 4 | digit;
    }
    return true;
}

static bool read_word(struct code *code, const struct input *in, const char *at, struct status *status)
{
    uint64_t pc;
    struct word128 word;
    if (!scan_hexadecimal(&at, &pc) || pc % 16 || pc / 16 >= TRACE_CODE_MOST)
        return input_fail(in, status, "an instruction is its pc, a multiple of 16, and its word, both hexadecimal");
    at = scan_blanks(at);
    if (!read_half(&at, &word.hi) || !read_half(&at, &word.lo) || !scan_ends_token(*at))
        return input_fail(in, status, "a word has 32 hexadecimal digits");
    uint32_t index = (uint32_t)(pc / 16);
    if (!reserve(code, index + 1))
        return status_fail(status, STATUS_MEMORY, "%s: no memory for the code", in->path);
    code->word[index] = word;
    code->known[index] = CODE_KNOWN;
    return true;
}

/* copies PC and 32 numbers, decimal. The instruction stands before. */
static bool read_places(struct code *code, const struct input *in, const char *at, struct status *status)
{
    uint64_t pc, place;
    at = scan_blanks(at);
    if (!scan_hexadecimal(&at, &pc) || pc % 16 || pc / 16 >= code->count || !code->known[pc / 16])
        return input_fail(in, status, "the places of copies stand behind their instruction, and begin with its pc");
    if (!code->place && !(code->place = calloc(code->room, sizeof *code->place)))
        return status_fail(status, STATUS_MEMORY, "%s: no memory for the code", in->path);
    for (unsigned lane = 0; lane < 32; lane++) {
        at = scan_blanks(at);
        if (!scan_unsigned(&at, &place) || place >= 1 << 24)
            return input_fail(in, status, "the place of each of 32 lanes, in bytes, is expected");
        code->place[pc / 16].lane[lane] = (uint32_t)place;
    }
    code->known[pc / 16] = CODE_PLACED;
    return true;
}

static bool read_lines(struct code *code, struct input *in, struct status *status)
{
    static const char magic[] = "subcore-code ", places[] = "copies ";
    const char *text, *end;
    uint64_t version = 0;
    if (input_line(in, &text, &end, status) && (size_t)(end - text) > strlen(magic) &&
        memcmp(text, magic, strlen(magic)) == 0) {
        text += strlen(magic);
        scan_unsigned(&text, &version);
    }
    if (status->code == STATUS_OK && version != VERSION)
        return input_fail(in, status, "the first line must be '%s%d'", magic, VERSION);
    while (status->code == STATUS_OK && input_line(in, &text, &end, status)) {
        text = scan_blanks(text);
        if (text >= end || *text == '#')
            continue;
        const char *equals = memchr(text, '=', (size_t)(end - text));
        bool word = scan_digit(text[0]) < 16 && scan_digit(text[1]) < 16 && scan_digit(text[2]) < 16 &&
                    scan_digit(text[3]) < 16;
        if ((size_t)(end - text) > strlen(places) && memcmp(text, places, strlen(places)) == 0)
            read_places(code, in, text + strlen(places), status);
        else if (word)
            read_word(code, in, text, status);
        else if (equals)
            read_key(code, in, text, equals, status);
        else
            input_fail(in, status, "neither 'key = number' nor an instruction");
    }
    return status->code == STATUS_OK;
}

bool code_beside(struct code *out, const char *trace, struct status *status)
{
    char path[4096];
    const char *slash = strrchr(trace, '/'), *dot = strstr(slash ? slash : trace, ".traceg");
    dot = dot ? dot : strstr(slash ? slash : trace, ".tracez");
    *out = (struct code){.control_bits = true};
    if (!dot || (size_t)snprintf(path, sizeof path, "%.*s.sass", (int)(dot - trace), trace) >= sizeof path ||
        access(path, F_OK) != 0) {
        *out = (struct code){0};
        return true;
    }
    struct input in;
    if (!input_open(&in, path, NULL, status))
        return false;
    bool good = read_lines(out, &in, status);
    out->origin = good ? strdup(path) : NULL;
    input_close(&in);
    if (good && out->architecture && isa_supported(out->architecture) && out->origin)
        return true;
    if (good)
        status_fail(status, STATUS_FORMAT, "%s: 'architecture' must be one that is known, not %u", path,
                    out->architecture);
    code_free(out);
    return false;
}

/* ---- cubins ------------------------------------------------------------------------------------------------------ */

static bool take_kernel(struct code *out, const struct cubin *cubin, const struct cubin_kernel *k, const char *path,
                        struct status *status)
{
    enum { RESERVED = 1024 }; /* of the system, which the size holds from sm_90 on */
    uint32_t count = (uint32_t)(k->code.size / 16), reserved = cubin->sm >= 90 ? RESERVED : 0;
    *out = (struct code){
        .origin = strdup(path),
        .architecture = cubin->sm,
        .control_bits = true,
        .registers = k->registers,
        .static_shared = k->static_shared_bytes >= reserved ? k->static_shared_bytes - reserved : 0,
        .local_bytes = k->stack_bytes > k->frame_bytes ? k->stack_bytes : k->frame_bytes,
        .bank_bytes = {k->parameter_base + k->parameter_bytes, 0, (uint32_t)k->constant2.size,
                       (uint32_t)cubin->constant3.size, (uint32_t)cubin->constant4.size},
    };
    if (!out->origin || count > TRACE_CODE_MOST || !reserve(out, count))
        return status_fail(status, STATUS_MEMORY, "%s: no memory for the code of %s", path, k->name);
    if (count) {
        memcpy(out->word, k->code.data, (size_t)count * 16);
        memset(out->known, CODE_KNOWN, count);
    }
    return true;
}

/* The image's kernel of exactly this name. */
static bool from_image(struct code *out, const struct cubin_file *file, const struct cubin_image *image,
                       const struct header *kernel, struct status *status)
{
    struct cubin_bytes bytes;
    struct cubin cubin;
    struct status quiet = {0};
    uint8_t *owned = NULL;
    if (!cubin_file_image(file, image, &bytes, &owned, &quiet) || !cubin_open(&cubin, bytes, file->path, &quiet)) {
        free(owned);
        return true;
    }
    bool good = true;
    for (size_t i = 0; i < cubin.kernel_count && !out->origin && good; i++)
        if (strcmp(cubin.kernels[i].name, kernel->name) == 0)
            good = take_kernel(out, &cubin, &cubin.kernels[i], file->path, status);
    cubin_close(&cubin);
    free(owned);
    return good;
}

bool code_from_file(struct code *out, const char *path, const struct header *kernel, struct status *status)
{
    struct cubin_file file;
    unsigned others = 0;
    *out = (struct code){0};
    if (!cubin_file_open(&file, path, status))
        return false;
    bool good = true;
    for (size_t i = 0; i < file.image_count && good && !out->origin; i++) {
        if (file.images[i].kind == CUBIN_IMAGE_ELF && file.images[i].sm == kernel->binary)
            good = from_image(out, &file, &file.images[i], kernel, status);
        else if (file.images[i].kind == CUBIN_IMAGE_ELF)
            others = file.images[i].sm;
    }
    cubin_file_close(&file);
    if (good && out->origin)
        return true;
    code_free(out);
    if (!good)
        return false;
    char hint[64] = "";
    if (others)
        snprintf(hint, sizeof hint, " (there is code for sm_%u)", others);
    return status_fail(status, STATUS_FORMAT, "%s: no kernel %s for sm_%u%s", path, kernel->name, kernel->binary, hint);
}
