#include "accelsim/line.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

char *line_hexadecimal(char *out, uint64_t value, unsigned digits)
{
    unsigned needed = value ? highest_bit64(value) / 4 + 1 : 1;
    for (unsigned i = digits > needed ? digits : needed; i-- > 0;)
        *out++ = "0123456789abcdef"[value >> 4 * i & 15];
    return out;
}

char *line_decimal(char *out, int64_t value)
{
    char digits[20];
    unsigned count = 0;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    if (value < 0)
        *out++ = '-';
    do
        digits[count++] = (char)('0' + rest % 10);
    while ((rest /= 10) != 0);
    while (count > 0)
        *out++ = digits[--count];
    return out;
}

static char *put_text(char *out, const char *text)
{
    size_t length = strlen(text);
    memcpy(out, text, length);
    return out + length;
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

/* Lanes in a row with the same distance, which Accel-Sim's reader holds in 32 bits. */
static bool strided(const uint64_t address[32], uint32_t mask, int64_t *stride)
{
    unsigned first = lowest_bit32(mask);
    uint32_t run = mask >> first;
    if ((run & (run + 1)) != 0 || run == 1)
        return false;
    *stride = (int64_t)(address[first + 1] - address[first]);
    for (unsigned lane = first + 1; lane < 32 && (mask >> lane & 1); lane++)
        if (address[lane] - address[lane - 1] != (uint64_t)*stride)
            return false;
    return *stride >= INT32_MIN && *stride <= INT32_MAX;
}

size_t line_addresses(char *out, const uint64_t address[32], uint32_t mask)
{
    int64_t stride;
    if (mask == 0)
        return (size_t)(put_text(out, "1 0x0 0") - out);
    uint64_t before = address[lowest_bit32(mask)];
    bool one = strided(address, mask, &stride);
    char *at = line_hexadecimal(put_text(out, one ? "1 0x" : "2 0x"), before, 1);
    if (one) {
        *at++ = ' ';
        return (size_t)(line_decimal(at, stride) - out);
    }
    for (uint32_t left = mask & (mask - 1); left; left &= left - 1) {
        uint64_t here = address[lowest_bit32(left)];
        *at++ = ' ';
        at = line_decimal(at, (int64_t)(here - before));
        before = here;
    }
    return (size_t)(at - out);
}

/* ---- constant parts ---------------------------------------------------------------------------------------------- */

unsigned line_width(const char *mnemonic)
{
    for (const char *at = strchr(mnemonic, '.'); at; at = strchr(at, '.')) {
        at++;
        const char *digits = at + (*at == 'U');
        size_t count = strspn(digits, "0123456789"), length = strcspn(at, ".");
        if (count > 0 && digits + count == at + length)
            return (unsigned)strtoul(digits, NULL, 10) / 8;
    }
    return 4;
}

/* The parts of a line that an instruction's operands give. */
struct operands {
    uint8_t registers[16];
    unsigned count, left_out;
    int destination; /* -1: none */
    bool described;
    int64_t immediate;
};

/* The next R<n> or RZ from `at` on, before `end`; *number is its number. Returns the text behind it, or NULL. */
static const char *next_register(const char *at, const char *end, uint8_t *number)
{
    for (const char *before = " "; at < end; before = at++) {
        bool inside = isalnum((unsigned char)*before) || *before == '_';
        if (*at != 'R' || inside)
            continue;
        const char *behind = at + 1;
        unsigned long value = ISA_RZ;
        if (*behind == 'Z') {
            behind++;
        } else if (isdigit((unsigned char)*behind)) {
            char *after;
            value = strtoul(behind, &after, 10);
            behind = after;
        } else {
            continue;
        }
        if (value <= ISA_RZ && !isalnum((unsigned char)*behind) && *behind != '_') {
            *number = (uint8_t)value;
            return behind;
        }
    }
    return NULL;
}

/* A whole operand that is a whole number. The disassembler writes those in hexadecimal, and floating-point ones as
 * "1". Descriptions come from traces, which have none of the latter. */
bool line_is_number(const char *at, const char *end, bool described, int64_t *value)
{
    bool negative = at < end && *at == '-';
    at += negative;
    bool hex = end - at > 2 && at[0] == '0' && at[1] == 'x';
    if (at == end || !isdigit((unsigned char)*at) || (!hex && !described))
        return false;
    char *after;
    uint64_t magnitude = strtoull(at, &after, hex ? 16 : 10);
    *value = (int64_t)(negative ? -magnitude : magnitude);
    return after == end;
}

static bool is_predicate(const char *at, const char *end)
{
    at += at < end && *at == '!';
    at += at < end && *at == 'U';
    return end - at == 2 && at[0] == 'P' && (at[1] == 'T' || isdigit((unsigned char)at[1]));
}

/* The operand ends at a comma outside of brackets. */
const char *line_operand_end(const char *at)
{
    int depth = 0;
    for (; *at && (depth > 0 || *at != ','); at++)
        depth += strchr("[{(", *at) ? 1 : strchr("]})", *at) ? -1 : 0;
    return at;
}

static void add_operand(struct operands *o, const char *at, const char *end, bool may_be_destination)
{
    uint8_t number;
    bool plain = at < end && *at == 'R';
    int64_t value;
    if (line_is_number(at, end, o->described, &value))
        o->immediate = value;
    while ((at = next_register(at, end, &number)) != NULL) {
        if (plain && may_be_destination && o->destination < 0)
            o->destination = number;
        else if (o->count < LINE_SOURCES)
            o->registers[o->count++] = number;
        else
            o->left_out++;
        plain = false;
    }
}

/* `text` begins behind the mnemonic. A destination stands first, behind at most predicates. */
static struct operands read_operands(const char *text, bool described, bool has_destination)
{
    struct operands o = {.destination = -1, .described = described};
    bool first = has_destination;
    for (const char *at = text + strspn(text, " "); *at;) {
        const char *end = line_operand_end(at), *last = end;
        while (last > at && last[-1] == ' ')
            last--;
        bool predicate = is_predicate(at, last);
        add_operand(&o, at, last, first);
        first &= predicate;
        at = *end ? end + 1 : end;
        at += strspn(at, " ");
    }
    return o;
}

static bool has_addresses(const struct isa_op_info *info)
{
    bool accesses = info->memory != ISA_MEM_NONE && info->memory != ISA_MEM_SHUFFLE;
    return accesses && info->space != ISA_SPACE_NONE && info->space != ISA_SPACE_CONSTANT;
}

static char *put_register(char *out, unsigned number) { return line_decimal(put_text(out, " R"), number); }

const char *line_text(const struct trace_inst *inst, char printed[static LINE_TEXT],
                      char mnemonic[static LINE_MNEMONIC])
{
    if (!inst->described)
        isa_print(&inst->isa, printed);
    const char *text = inst->described ? inst->described : printed;
    if (*text == '@')
        text += strcspn(text, " ");
    text += strspn(text, " ");
    size_t length = strcspn(text, " ");
    snprintf(mnemonic, LINE_MNEMONIC, "%.*s", (int)(length < LINE_MNEMONIC ? length : LINE_MNEMONIC - 1), text);
    for (char *c = mnemonic; *c; c++)
        *c = isgraph((unsigned char)*c) ? *c : '_';
    return text + length;
}

void line_form_make(struct line_form *form, const struct trace_inst *inst)
{
    char printed[ISA_TEXT], mnemonic[LINE_MNEMONIC];
    const struct isa_op_info *info = isa_op_info((enum isa_op)inst->isa.op);
    const char *operands = line_text(inst, printed, mnemonic);
    struct operands o = read_operands(operands, inst->described != NULL, inst->isa.d.kind == ISA_REG);
    *form = (struct line_form){
        .addresses = has_addresses(info),
        .generic = info->space == ISA_SPACE_GENERIC,
        .exits = inst->isa.op == ISA_OP_EXIT, /* a trap, which has the flag too, is no exit in these traces */
        .left_out = (uint8_t)o.left_out,
        .name_length = (uint8_t)strcspn(mnemonic, "."),
    };
    char *at = put_text(form->front, o.destination < 0 ? " 0" : " 1");
    if (o.destination >= 0)
        at = put_register(at, (unsigned)o.destination);
    *at++ = ' ';
    form->name = (uint8_t)(at - form->front);
    at = put_text(at, mnemonic);
    *at++ = ' ';
    at = line_decimal(at, o.count);
    for (unsigned i = 0; i < o.count; i++)
        at = put_register(at, o.registers[i]);
    *at++ = ' ';
    at = line_decimal(at, form->addresses ? line_width(mnemonic) : 0);
    form->front_length = (uint8_t)(at - form->front);
    form->back[0] = ' ';
    at = line_decimal(form->back + 1, o.immediate);
    *at++ = '\n';
    form->back_length = (uint8_t)(at - form->back);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* Where Accel-Sim shall find a lane whose address the trace has. */
static uint64_t seen(bool generic, const struct issued *is, unsigned lane, const struct line_window *window)
{
    uint64_t address = is->address[lane], own = (uint64_t)window->rank << 24;
    bool shared = is->space == ISA_SPACE_SHARED, cluster = is->space == ISA_SPACE_CLUSTER;
    if (shared || cluster)
        return (generic ? LINE_SHARED_WINDOW : 0) + (shared ? own : 0) + address;
    if (!generic)
        return address;
    if (is->space == ISA_SPACE_LOCAL)
        return window->local + address;
    uint64_t offset = address - LINE_TRACE_LOCAL_WINDOW;
    return offset < LINE_WINDOW_BYTES ? window->local + offset : address;
}

/* Lanes that do not read, or are in another memory, are put where the first is that does: so they do not add to the
 * access's sectors. */
void line_places(uint64_t to[32], bool generic, const struct issued *is, const struct line_window *window)
{
    uint32_t lanes = is->space == ISA_SPACE_NONE ? 0 : is->active & ~is->zero_fill;
    uint64_t elsewhere = lanes ? seen(generic, is, lowest_bit32(lanes), window) : 0;
    for (unsigned lane = 0; lane < 32; lane++)
        to[lane] = lanes >> lane & 1 ? seen(generic, is, lane, window) : elsewhere;
}

size_t line_write(char out[static LINE_MOST], const struct line_form *form, const struct issued *is)
{
    char *at = line_hexadecimal(out, is->pc, 4);
    *at++ = ' ';
    at = line_hexadecimal(at, is->active, 8);
    memcpy(at, form->front, form->front_length);
    at += form->front_length;
    if (form->addresses) {
        static const struct line_window window = {.local = LINE_LOCAL_WINDOW};
        uint64_t address[32];
        line_places(address, form->generic, is, &window);
        *at++ = ' ';
        at += line_addresses(at, address, is->active);
    }
    memcpy(at, form->back, form->back_length);
    return (size_t)(at + form->back_length - out);
}
