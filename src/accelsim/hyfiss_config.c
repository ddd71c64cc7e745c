#include <stdlib.h>
#include <string.h>

#include "accelsim/hyfiss_parts.h"
#include "accelsim/line.h"
#include "accelsim/scan.h"

/* ---- lines and words --------------------------------------------------------------------------------------------- */

bool hyfiss_next_line(struct hyfiss_lines *l)
{
    while (l->at < l->text->end) {
        l->line = l->at;
        l->end = memchr(l->at, '\n', (size_t)(l->text->end - l->at));
        l->at = l->end + 1;
        l->number++;
        if (!memchr(l->line, '#', (size_t)(l->end - l->line)))
            return true;
    }
    return false;
}

bool hyfiss_fail(const struct hyfiss_lines *l, struct status *status, const char *what)
{
    return status_fail(status, STATUS_FORMAT, "%.300s:%llu: %s", l->text->path, (unsigned long long)l->number, what);
}

/* Copies the next word. Returns false if there is none, or it is too long. */
static bool take_word(const char **at, char *word, size_t room)
{
    size_t n = 0;
    const char *p = scan_blanks(*at);
    while (!scan_ends_token(p[n]))
        n++;
    if (n == 0 || n >= room)
        return false;
    memcpy(word, p, n);
    word[n] = '\0';
    *at = p + n;
    return true;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static uint64_t *number_of(struct hyfiss_launch *l, const char *key)
{
    const struct {
        const char *key;
        uint64_t *number;
    } keys[] = {
        {"num_registers", &l->registers},     {"shared_mem_bytes", &l->shared},    {"cuda_stream_id", &l->stream},
        {"shmem_base_addr", &l->shared_base}, {"local_base_addr", &l->local_base}, {"grid_dim_x", &l->grid[0]},
        {"grid_dim_y", &l->grid[1]},          {"grid_dim_z", &l->grid[2]},         {"tb_dim_x", &l->block[0]},
        {"tb_dim_y", &l->block[1]},           {"tb_dim_z", &l->block[2]}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i].key, key) == 0)
            return keys[i].number;
    return NULL;
}

static bool check_launch(const struct hyfiss_source *s, const struct hyfiss_launch *l, struct status *status)
{
    bool good = l->name[0] != '\0';
    for (unsigned i = 0; i < 3; i++)
        good &= l->grid[i] > 0 && l->grid[i] <= INT32_MAX && l->block[i] > 0 && l->block[i] <= 1024;
    good =
        good && l->block[0] * l->block[1] * l->block[2] <= 1024 && l->grid[1] <= UINT16_MAX && l->grid[2] <= UINT16_MAX;
    return good || status_fail(status, STATUS_FORMAT,
                               "%.300s: kernel %u needs a kernel_name, grid_dim_x, y, z and tb_dim_x, y, z that a "
                               "launch can have",
                               s->app.path, s->kernel);
}

bool hyfiss_read_launch(const struct hyfiss_source *s, struct hyfiss_launch *launch, struct status *status)
{
    struct hyfiss_lines l = {.text = &s->app, .at = s->app.begin};
    char option[64], prefix[32];
    size_t length = (size_t)snprintf(prefix, sizeof prefix, "-kernel_%u_", s->kernel);
    *launch = (struct hyfiss_launch){0};
    while (hyfiss_next_line(&l)) {
        const char *at = l.line;
        if (!take_word(&at, option, sizeof option) || strncmp(option, prefix, length) != 0)
            continue;
        uint64_t *number = number_of(launch, option + length);
        at = scan_blanks(at);
        if (strcmp(option + length, "kernel_name") == 0) {
            if (!take_word(&at, launch->name, sizeof launch->name))
                return hyfiss_fail(&l, status, "kernel_name has no value, or one of 512 characters and more");
        } else if (number && !scan_unsigned(&at, number)) {
            return hyfiss_fail(&l, status, "the value must be a decimal number");
        }
    }
    return check_launch(s, launch, status);
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static enum hyfiss_place place_of(const char *opcode)
{
    static const char *const memory[] = {"LD", "LDG", "LDL", "ST", "STG", "STL", "ATOM", "ATOMG", "RED", "LDGSTS"};
    static const char *const shared[] = {"LDS", "STS", "ATOMS", "LDSM", "STSM"};
    size_t n = strcspn(opcode, ".");
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        if (strlen(memory[i]) == n && memcmp(memory[i], opcode, n) == 0)
            return HYFISS_MEMORY;
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (strlen(shared[i]) == n && memcmp(shared[i], opcode, n) == 0)
            return HYFISS_SHARED;
    return HYFISS_NONE;
}

/* Operands that are general registers, `[R8]` as well. */
struct registers {
    unsigned number[LINE_SOURCES], count;
};

static void add_register(struct registers *r, const char *word)
{
    const char *at = word + (*word == '[');
    char *end = NULL;
    unsigned long number = *at == 'R' && scan_digit(at[1]) < 10 ? strtoul(at + 1, &end, 10) : 256;
    if (number < 256 && (*end == '\0' || *end == ']') && r->count < LINE_SOURCES)
        r->number[r->count++] = (unsigned)number;
}

/* Reads ND [DST] or NS SRC.. */
static bool take_operands(const char **at, struct registers *r, bool *address)
{
    char word[32];
    uint64_t count = 0;
    *at = scan_blanks(*at);
    if (!scan_unsigned(at, &count) || count > 8)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        if (!take_word(at, word, sizeof word))
            return false;
        *address |= word[0] == '[';
        add_register(r, word);
    }
    return true;
}

static void make_form(struct hyfiss_inst *inst, const char *opcode, const struct registers *to,
                      const struct registers *from)
{
    size_t n = 0, room = sizeof inst->form;
    if (to->count)
        n += (size_t)snprintf(inst->form, room, " 1 R%u", to->number[0]);
    else
        n += (size_t)snprintf(inst->form, room, " 0");
    n += (size_t)snprintf(inst->form + n, room - n, " %s %u", opcode, from->count);
    for (unsigned i = 0; i < from->count; i++)
        n += (size_t)snprintf(inst->form + n, room - n, " R%u", from->number[i]);
    snprintf(inst->form + n, room - n, " %u", inst->width);
}

/* Reads behind the kernel's number. */
static bool read_inst(struct hyfiss_inst *inst, const char *at)
{
    char opcode[LINE_MNEMONIC];
    struct registers to = {0}, from = {0};
    bool address = false, ignored = false;
    uint64_t pc = 0;
    at = scan_blanks(at);
    bool good = scan_hexadecimal(&at, &pc) && pc < 1u << 28 && take_word(&at, opcode, sizeof opcode);
    if (good && opcode[0] == '@')
        good = take_word(&at, opcode, sizeof opcode);
    good = good && take_operands(&at, &to, &address);
    if (address) { /* a store has its address in the destination's place */
        from = to;
        to = (struct registers){0};
    }
    if (!good || !take_operands(&at, &from, &ignored))
        return false;
    *inst = (struct hyfiss_inst){.pc = (uint32_t)pc, .place = place_of(opcode)};
    inst->width = inst->place == HYFISS_NONE ? 0 : line_width(opcode);
    make_form(inst, opcode, &to, &from);
    return true;
}

static int by_pc(const void *a, const void *b)
{
    uint32_t x = ((const struct hyfiss_inst *)a)->pc, y = ((const struct hyfiss_inst *)b)->pc;
    return x < y ? -1 : x > y;
}

static bool add_inst(struct hyfiss_code *code, const struct hyfiss_inst *inst)
{
    if ((code->count & (code->count - 1)) == 0) { /* full at each power of two */
        struct hyfiss_inst *grown = realloc(code->inst, (code->count ? 2u * code->count : 1u) * sizeof *grown);
        if (!grown)
            return false;
        code->inst = grown;
    }
    code->inst[code->count++] = *inst;
    return true;
}

static bool read_all(const struct hyfiss_source *s, struct hyfiss_code *code, struct status *status)
{
    struct hyfiss_lines l = {.text = &s->instructions, .at = s->instructions.begin};
    while (hyfiss_next_line(&l)) {
        const char *at = scan_blanks(l.line);
        struct hyfiss_inst inst;
        uint64_t kernel = 0;
        if (at == l.end)
            continue;
        if (!scan_unsigned(&at, &kernel))
            return hyfiss_fail(&l, status, "a line begins with the number of its kernel");
        if (kernel != s->kernel)
            continue;
        if (!read_inst(&inst, at))
            return hyfiss_fail(&l, status, "an instruction is 'K PC [@P] OPCODE ND [DST] NS SRC..'");
        if (!add_inst(code, &inst))
            return status_fail(status, STATUS_MEMORY, "%.300s: no memory for its instructions", l.text->path);
    }
    return code->count > 0 ||
           status_fail(status, STATUS_FORMAT, "%.300s: kernel %u has no instruction", s->instructions.path, s->kernel);
}

bool hyfiss_read_code(const struct hyfiss_source *s, struct hyfiss_code *code, struct status *status)
{
    *code = (struct hyfiss_code){0};
    if (!read_all(s, code, status)) {
        free(code->inst);
        *code = (struct hyfiss_code){0};
        return false;
    }
    qsort(code->inst, code->count, sizeof *code->inst, by_pc);
    return true;
}

const struct hyfiss_inst *hyfiss_inst_at(const struct hyfiss_code *code, uint32_t pc)
{
    const struct hyfiss_inst key = {.pc = pc};
    return bsearch(&key, code->inst, code->count, sizeof key, by_pc);
}
