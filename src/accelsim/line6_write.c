#include "accelsim/line6_write.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "accelsim/added.h"
#include "base/bits.h"
#include "isa/contract.h"
#include "isa/copy.h"
#include "isa/sync.h"

enum { OBJECT_BYTES = 8, RANK_SHIFT = 24, CTAS = 16 };

/* ---- constant parts ---------------------------------------------------------------------------------------------- */

enum register_kind { GENERAL, UNIFORM, PREDICATE, UNIFORM_PREDICATE, REGISTER_KINDS };

struct named {
    uint8_t kind; /* enum register_kind */
    uint8_t number;
};

struct operands {
    struct named destination, source[16];
    unsigned sources;
    bool has_destination;
    int64_t immediate;
};

/* The next register from `at` on, before `end`. Returns the text behind it, or NULL. Predicates that are always true
 * are none. */
static const char *next_register(const char *at, const char *end, struct named *named)
{
    for (char before = ' '; at < end; before = *at++) {
        bool inside = isalnum((unsigned char)before) || before == '_' || before == '.';
        bool uniform = at[0] == 'U';
        const char *letter = at + uniform;
        if (inside || letter + 1 >= end || (*letter != 'R' && *letter != 'P'))
            continue;
        bool predicate = *letter == 'P', zero = letter[1] == 'Z' && !predicate;
        char *behind = (char *)(letter + 2);
        unsigned long number = uniform ? ISA_URZ : ISA_RZ;
        if (!zero && !isdigit((unsigned char)letter[1]))
            continue;
        if (!zero)
            number = strtoul(letter + 1, &behind, 10);
        if (number > ISA_RZ || isalnum((unsigned char)*behind) || *behind == '_')
            continue;
        *named = (struct named){(uint8_t)((predicate ? PREDICATE : GENERAL) + uniform), (uint8_t)number};
        return behind;
    }
    return NULL;
}

/* The destination stands alone and first: a register, behind predicates that are written, too; or predicates alone. */
static bool is_destination(const struct operands *o, const struct isa_inst *isa, struct named named, const char *at)
{
    bool registers = isa->d.kind == ISA_REG || isa->d.kind == ISA_UREG, predicate = named.kind >= PREDICATE;
    bool alone = *at == 'R' || *at == 'U' || *at == 'P', first = !o->has_destination && o->sources == 0;
    return first && alone && (registers ? !predicate : predicate && isa->pu.present);
}

/* As far as there is room. Predicates before a register that is written are left out. */
static void read_operands(struct operands *o, const char *text, const struct trace_inst *inst)
{
    bool registers = inst->isa.d.kind == ISA_REG || inst->isa.d.kind == ISA_UREG;
    *o = (struct operands){0};
    for (const char *at = text + strspn(text, " "); *at;) {
        const char *end = line_operand_end(at), *from = at;
        struct named named;
        int64_t value;
        if (line_is_number(at, end, inst->described != NULL, &value))
            o->immediate = value;
        while ((from = next_register(from, end, &named)) != NULL) {
            bool before = registers && !o->has_destination && named.kind >= PREDICATE;
            if (is_destination(o, &inst->isa, named, at)) {
                o->destination = named;
                o->has_destination = true;
            } else if (o->sources < 16 && !before) {
                o->source[o->sources++] = named;
            }
        }
        at = *end ? end + 1 : end;
        at += strspn(at, " ");
    }
}

static char *put_text(char *out, const char *text)
{
    size_t length = strlen(text);
    memcpy(out, text, length);
    return out + length;
}

static char *put_register(char *out, struct named named)
{
    static const char *const kinds[REGISTER_KINDS] = {" R", " UR", " P", " UP"};
    return line_decimal(put_text(out, kinds[named.kind]), named.number);
}

/* At most four sources, general ones before all others. */
static char *put_sources(char *out, struct line6_form *form, const struct operands *o)
{
    struct named kept[LINE_SOURCES];
    unsigned n = 0, left_out = 0;
    for (unsigned kind = GENERAL; kind < REGISTER_KINDS; kind++)
        for (unsigned i = 0; i < o->sources; i++) {
            if (o->source[i].kind != kind)
                continue;
            if (n < LINE_SOURCES)
                kept[n++] = o->source[i];
            else
                left_out += kind == GENERAL;
        }
    out = line_decimal(out, n);
    for (unsigned i = 0; i < n; i++)
        out = put_register(out, kept[i]);
    form->sources = (uint8_t)n;
    form->left_out = (uint8_t)left_out;
    return out;
}

static struct named named_of(const struct isa_operand *operand)
{
    if (operand->kind == ISA_REG)
        return (struct named){GENERAL, operand->index};
    if (operand->kind == ISA_UREG)
        return (struct named){UNIFORM, operand->index};
    return (struct named){GENERAL, ISA_RZ};
}

/* The operands of which a line has values: two sources, the address first; and a general destination. */
static void set_valued(struct operands *o, const struct isa_inst *isa)
{
    *o = (struct operands){.sources = 2};
    o->source[0] = named_of(&isa->a);
    o->source[1] = named_of(&isa->b);
    o->has_destination = isa->d.kind == ISA_REG && isa->d.index != ISA_RZ;
    o->destination = named_of(&isa->d);
}

/* A barrier's number that stands in a register counts as written. */
static void set_barrier(struct operands *o, struct line6_form *form, const struct isa_inst *isa)
{
    form->number_in_register = isa->a.kind == ISA_REG && !form->described;
    form->threads_in_register = isa->b.kind == ISA_REG && !form->described;
    *o = (struct operands){.has_destination = form->number_in_register, .destination = named_of(&isa->a)};
    if (form->threads_in_register)
        o->source[o->sources++] = named_of(&isa->b);
}

static enum line6_kind kind_of(const struct trace_inst *inst)
{
    enum isa_op op = (enum isa_op)inst->isa.op;
    enum isa_sync sync = isa_sync_of(op);
    enum isa_copy copy = isa_copy_of(op);
    if (copy != ISA_COPY_NONE && copy != ISA_COPY_GROUP && copy != ISA_COPY_MAP)
        return LINE6_COPY;
    if (isa_op_info(op)->way == ISA_WAY_ENGINE)
        return LINE6_ENGINE;
    if (sync == ISA_SYNC_WRITE || sync == ISA_SYNC_ARRIVE || sync == ISA_SYNC_WAIT)
        return LINE6_OBJECT;
    if (sync == ISA_SYNC_STORE)
        return LINE6_ASYNC;
    return isa_meeting_of(op) == ISA_MEETING_CTA ? LINE6_BARRIER : LINE6_PLAIN;
}

static bool has_addresses(const struct isa_inst *isa)
{
    const struct isa_op_info *info = isa_op_info((enum isa_op)isa->op);
    bool accesses = info->memory != ISA_MEM_NONE && info->memory != ISA_MEM_SHUFFLE;
    bool forgets = isa_sync_of((enum isa_op)isa->op) == ISA_SYNC_FORGET && isa->a.kind != ISA_NONE;
    return (accesses && info->space != ISA_SPACE_NONE && info->space != ISA_SPACE_CONSTANT) || forgets;
}

static void set_facts(struct line6_form *form, const struct trace_inst *inst)
{
    const struct isa_inst *isa = &inst->isa;
    const struct isa_op_info *info = isa_op_info((enum isa_op)isa->op);
    const struct isa_operand *time = isa->b.kind == ISA_IMM ? &isa->b : &isa->a;
    *form = (struct line6_form){
        .isa = isa,
        .described = inst->described != NULL,
        .kind = (uint8_t)kind_of(inst),
        .function = isa->mod[ISA_MOD_FUNCTION],
        .op = (uint8_t)isa_sync_of((enum isa_op)isa->op),
        .addresses = has_addresses(isa),
        .generic = info->space == ISA_SPACE_GENERIC && isa_sync_of((enum isa_op)isa->op) != ISA_SYNC_STORE,
        .waits = isa_sync_of((enum isa_op)isa->op) == ISA_SYNC_WAIT,
    };
    if (info->flags & ISA_SLEEP && time->kind == ISA_IMM)
        form->sleep = (uint16_t)(time->value < UINT16_MAX ? time->value : UINT16_MAX);
}

void line6_form_make(struct line6_form *form, const struct trace_inst *inst)
{
    char printed[ISA_TEXT], mnemonic[LINE_MNEMONIC];
    struct operands o;
    const char *operands = line_text(inst, printed, mnemonic);
    bool group = strstr(mnemonic, "GMMA") != NULL;
    set_facts(form, inst);
    read_operands(&o, operands, inst);
    int64_t immediate = o.immediate;
    if (form->kind == LINE6_OBJECT || form->kind == LINE6_ASYNC)
        set_valued(&o, &inst->isa);
    else if (form->kind == LINE6_BARRIER)
        set_barrier(&o, form, &inst->isa);
    memcpy(form->name, mnemonic, sizeof form->name);
    form->name_length = (uint8_t)strcspn(mnemonic, ".");
    form->destinations = o.has_destination;
    char *at = put_text(form->front, o.has_destination ? " 1" : " 0");
    if (o.has_destination)
        at = put_register(at, o.destination);
    at = put_text(put_text(at, " "), mnemonic);
    at = put_sources(put_text(at, " "), form, &o);
    if (group)
        at = put_text(at, strstr(operands, "gsb0") ? " 1" : " 0");
    if (form->kind != LINE6_COPY)
        at = line_decimal(put_text(at, " "), form->addresses ? line_width(mnemonic) : 0);
    form->front_length = (uint8_t)(at - form->front);
    form->back_length = (uint8_t)(line_decimal(put_text(form->back, " "), immediate) - form->back);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

void line6_writer_free(struct line6_writer *w)
{
    free(w->text);
    places_free(&w->places);
    *w = (struct line6_writer){0};
}

/* Room for so many bytes more. The end of the text. NULL: no memory. */
static char *reserve(struct line6_writer *w, size_t more)
{
    size_t room = w->size + more;
    if (room > w->room) {
        char *grown = realloc(w->text, 2 * room);
        w->failed |= !grown;
        if (!grown)
            return NULL;
        w->text = grown;
        w->room = 2 * room;
    }
    return w->text + w->size;
}

static char *put_hex(char *at, uint64_t value) { return line_hexadecimal(put_text(at, " 0x"), value, 1); }

static char *put_number(char *at, uint64_t value) { return line_decimal(put_text(at, " "), (int64_t)value); }

/* A value that all active lanes share, or one for each lane. */
static char *put_values(char *at, const uint64_t value[ISA_LANES], uint32_t active)
{
    uint64_t first = active ? value[lowest_bit32(active)] : 0, other = 0;
    for (uint32_t left = active; left; left &= left - 1)
        other |= value[lowest_bit32(left)] ^ first;
    at = put_text(at, other ? " 32" : " 1");
    for (unsigned lane = 0; lane < (other ? ISA_LANES : 1u); lane++)
        at = line_hexadecimal(put_text(at, " "), !other ? first : active >> lane & 1 ? value[lane] : 0, 1);
    return at;
}

/* The register that an operation on an object reads beside the address. */
static uint64_t operand_of(const struct line6_form *form, uint64_t operand)
{
    struct issued_arrival by = issued_unpack_arrival(operand);
    if (form->op == ISA_SYNC_WRITE)
        return operand;
    if (form->op == ISA_SYNC_WAIT)
        return (operand & ISSUED_PARITY) << 31;
    switch (form->function) {
    case ISA_SYNCS_ARRIVE_A1TR:
    case ISA_SYNCS_ARRIVE_A0TR: return (uint32_t)by.bytes;
    case ISA_SYNCS_ARRIVE_ART0: return by.count;
    case ISA_SYNCS_ARRIVE_A0TX: return (uint32_t)-by.bytes;
    default: return 0;
    }
}

static char *put_registers(char *at, const struct line6_form *form, const struct issued *is,
                           const uint64_t address[ISA_LANES])
{
    uint64_t first[ISA_LANES], second[ISA_LANES];
    bool some = is->space != ISA_SPACE_NONE;
    for (unsigned lane = 0; lane < ISA_LANES; lane++) {
        uint64_t operand = some ? is->operand[lane] : 0;
        first[lane] = address[lane] | (form->kind == LINE6_ASYNC ? operand << 32 : 0);
        second[lane] = form->kind == LINE6_ASYNC ? 0 : operand_of(form, operand);
    }
    at = put_text(at, form->destinations ? " Val 1 0" : " Val");
    return put_values(put_values(at, first, is->active), second, is->active);
}

/* As the code has it; values of registers, and facts that a made-up instruction lacks, as in the warp's execution. */
static uint64_t barrier_operand(const struct line6_form *form, const struct isa_operand *operand, uint64_t none,
                                uint64_t done)
{
    if (operand->kind == ISA_REG || form->described)
        return done;
    return operand->kind == ISA_IMM ? operand->value : none;
}

/* Immediates are the number and the threads. Where a register has the number, the threads alone, and the number is the
 * register's value. */
static char *put_barrier(char *at, const struct line6_form *form, const struct issued *is)
{
    const struct isa_inst *isa = form->isa;
    bool known = is->flow == ISSUED_AT_BARRIER || is->barrier_arrive;
    uint64_t number = barrier_operand(form, &isa->a, isa->barrier, known ? is->barrier : 0);
    uint64_t threads = barrier_operand(form, &isa->b, 0, known ? (uint64_t)ISA_LANES * is->barrier_warps : 0);
    at = form->number_in_register ? at : put_number(at, number);
    at = put_number(at, threads);
    if (form->number_in_register)
        at = put_text(at, " 0");
    if (!form->number_in_register && !form->threads_in_register)
        return put_text(at, " NoVal");
    at = put_text(at, " Val");
    if (form->number_in_register)
        at = line_hexadecimal(put_text(at, " 1 "), number, 1);
    return form->threads_in_register ? line_hexadecimal(put_text(at, " 1 "), threads, 1) : at;
}

static uint64_t bytes_inside(const struct transfer *t)
{
    uint64_t rows = 0, address;
    for (uint32_t row = 0; row < t->rows; row++)
        rows += transfer_row(t, row, &address);
    return rows * t->extent[0] * t->element_bytes;
}

/* WIDTH OBJECT MULTICAST [TARGETS] BYTES OUTSIDE 4 BASE COUNT DIFFERENCE.. */
static void put_copy(struct line6_writer *w, const struct issued *is, const struct line_window *window)
{
    static const struct transfer none = {.kind = TRANSFER_NONE};
    const struct transfer *t = is->active ? &is->transfer : &none;
    bool loads = t->kind == TRANSFER_LOAD, among = t->kind == TRANSFER_SHARED, moves = t->kind != TRANSFER_NONE;
    bool several = loads && t->targets != 1u << window->rank % CTAS;
    uint64_t inside = among ? t->bytes : moves ? bytes_inside(t) : 0;
    uint64_t rank = among && t->targets ? lowest_bit32(t->targets) : window->rank;
    uint64_t before = 0;
    w->places.count = 0;
    w->places.width = ISA_SECTOR;
    char *at = NULL;
    if (among || !moves || places_list(&w->places, t))
        at = reserve(w, 256 + (size_t)w->places.count * 24);
    w->failed |= !at;
    if (!at)
        return;
    at = put_hex(put_number(at, w->places.width), loads || among ? rank << RANK_SHIFT | t->barrier : 0);
    at = put_text(at, several ? " 1" : " 0");
    at = several ? put_hex(at, t->targets) : at;
    at = put_number(put_number(at, inside), t->bytes > inside ? t->bytes - inside : 0);
    at = put_hex(put_text(at, " 4"), w->places.count ? w->places.at[0] : 0);
    at = put_number(at, w->places.count);
    for (uint32_t i = 0; i < w->places.count; before = w->places.at[i++])
        if (i > 0)
            at = line_decimal(put_text(at, " "), (int64_t)(w->places.at[i] - before));
    w->size = (size_t)(at - w->text);
}

static void put_added(struct line6_writer *w, const struct line6_form *form, const struct issued *is)
{
    bool moves = form->kind == LINE6_COPY || form->kind == LINE6_ENGINE, accesses = is->space != ISA_SPACE_NONE;
    struct added a = {
        .has_path = is->path != w->path,
        .path = is->path,
        .has_waits = form->waits && is->active && accesses,
        .has_none = is->zero_fill && is->active && accesses,
        .none = is->zero_fill,
        .has_sleep = is->sleep != (is->active ? form->sleep : 0),
        .sleep = is->sleep,
        .has_policy = is->cache_policy && is->active && (is->space == ISA_SPACE_GLOBAL || moves),
        .policy = is->cache_policy,
        .has_transfer =
            moves && is->active && is->transfer.kind != TRANSFER_NONE && is->transfer.kind != TRANSFER_GROUP,
    };
    for (uint32_t left = a.has_waits ? is->active : 0; left; left &= left - 1)
        a.waits |= is->operand[lowest_bit32(left)] & ISSUED_WAITS ? left & -left : 0;
    if (a.has_transfer)
        a.transfer = is->transfer;
    char *at = reserve(w, ADDED_MOST);
    w->size += at ? added_write(at, &a) : 0;
}

void line6_write(struct line6_writer *w, const struct line6_form *form, const struct issued *is,
                 const struct line_window *window)
{
    enum { ROOM = 4096 };
    uint64_t address[ISA_LANES];
    w->size = 0;
    w->path = is->active ? is->active : w->path;
    char *at = reserve(w, ROOM);
    if (!at)
        return;
    at = line_hexadecimal(at, is->pc, 4);
    at = line_hexadecimal(put_text(at, " "), is->active, 8);
    memcpy(at, form->front, form->front_length);
    at += form->front_length;
    if (form->addresses) {
        line_places(address, form->generic, is, window);
        *at++ = ' ';
        at += line_addresses(at, address, is->active);
    }
    w->size = (size_t)(at - w->text);
    if (form->kind == LINE6_COPY)
        put_copy(w, is, window);
    at = reserve(w, ROOM);
    if (!at)
        return;
    if (form->kind == LINE6_BARRIER) {
        at = put_barrier(at, form, is);
    } else {
        memcpy(at, form->back, form->back_length);
        at += form->back_length;
        at = form->kind == LINE6_OBJECT || form->kind == LINE6_ASYNC ? put_registers(at, form, is, address)
                                                                     : put_text(at, " NoVal");
    }
    w->size = (size_t)(at - w->text);
    if (w->added)
        put_added(w, form, is);
    at = reserve(w, 1);
    if (at)
        *at = '\n';
    w->size += at != NULL;
}
