/* Control-bit errors planted into compiled code, one at a time: the checker must find them and report nothing else.
 *
 * An edit counts as an error by rules of its own, which are simpler than the checker's: two instructions in a straight
 * piece of code that runs, no guards, a register that only they touch between them, and distances that the MICRO 2025
 * paper measured (4 cycles to a datapath, 5 to an address or data of a memory instruction). */
#include "tests/hazard/example.h"
#include "tests/unit.h"

enum { MOST = 4096, OF_EACH = 24, SPAN = 40, KINDS = 9 };

/* ---- errors to plant */

enum plant_kind {
    SHORT_STALL,     /* a fixed latency is not waited for */
    SHORT_TO_MEMORY, /* the same for an address or the data of a memory instruction */
    SHORT_TO_GUARD,
    WAIT_DROPPED,    /* of a load's consumer */
    COUNTER_DROPPED, /* of a load */
    COUNTER_CHANGED,
    ESCAPES,             /* a load's stall count of 1 before its consumer */
    READ_WAIT_DROPPED,   /* of the instruction that overwrites a source */
    READ_COUNTER_DROPPED /* of the instruction that reads it */
};

struct plant {
    const struct example *example;
    unsigned sm;
    enum plant_kind kind;
    size_t offset; /* of the word in the image */
    uint64_t high; /* its new upper half */
    char kernel[64];
    uint32_t edited, first, second; /* pcs */
    uint8_t hazard;                 /* enum hazard_kind */
};

struct planting {
    struct plant *plant; /* [MOST] */
    size_t count;
    const struct example *example;
    unsigned sm;
    const uint8_t *image;
    const struct cubin_kernel *kernel;
    const struct isa_inst *code;
    size_t instructions;
    const bool *executed, *target;
};

static uint64_t with_field(uint64_t high, unsigned bit, unsigned width, uint64_t value)
{
    uint64_t mask = ((UINT64_C(1) << width) - 1) << (bit - 64);
    return (high & ~mask) | (value << (bit - 64) & mask);
}

static uint64_t with_stall(uint64_t high, unsigned stall)
{
    return with_field(with_field(high, 105, 4, stall), 109, 1, 1); /* without yield */
}

static void plant(struct planting *p, enum plant_kind kind, size_t edited, uint64_t high, size_t first, size_t second,
                  enum hazard_kind hazard)
{
    if (p->count == MOST)
        return;
    struct plant *x = &p->plant[p->count++];
    *x = (struct plant){.example = p->example,
                        .sm = p->sm,
                        .kind = kind,
                        .offset = (size_t)(p->kernel->code.data - p->image) + 16 * edited,
                        .high = high,
                        .edited = (uint32_t)(16 * edited),
                        .first = (uint32_t)(16 * first),
                        .second = (uint32_t)(16 * second),
                        .hazard = (uint8_t)hazard};
    snprintf(x->kernel, sizeof x->kernel, "%s", p->kernel->name);
}

static const struct isa_op_info *info(const struct isa_inst *inst) { return isa_op_info((enum isa_op)inst->op); }
static bool unguarded(const struct isa_inst *inst) { return inst->guard.index == ISA_PT && !inst->guard.inverted; }

static bool reads(const struct isa_inst *inst, unsigned reg)
{
    const struct isa_operand *const o[] = {&inst->a, &inst->b, &inst->c};
    for (unsigned i = 0; i < 3; i++)
        if (o[i]->kind == ISA_REG && o[i]->index != ISA_RZ && reg >= o[i]->index && reg < o[i]->index + o[i]->words)
            return true;
    return false;
}

static bool writes(const struct isa_inst *inst, unsigned reg)
{
    const struct isa_operand *d = &inst->d;
    return d->kind == ISA_REG && d->index != ISA_RZ && reg >= d->index && reg < (unsigned)d->index + d->words;
}

static bool simple_math(const struct isa_inst *inst)
{
    switch (inst->op) {
    case ISA_OP_IADD3:
    case ISA_OP_LOP3:
    case ISA_OP_SHF:
    case ISA_OP_LEA:
    case ISA_OP_MOV:
    case ISA_OP_FADD:
    case ISA_OP_FMUL:
    case ISA_OP_FFMA: return true;
    case ISA_OP_IMAD: return inst->d.words == 1 && inst->c.words < 2;
    default: return false;
    }
}

static bool counted(const struct isa_inst *inst)
{
    return inst->control.write_sb != ISA_NO_SB || inst->control.read_sb != ISA_NO_SB;
}

static unsigned counters_of(const struct isa_inst *inst)
{
    return (1u << inst->control.write_sb | 1u << inst->control.read_sb) & 0x3f;
}

static bool plain_memory(const struct isa_inst *inst)
{
    return inst->op == ISA_OP_LDG || inst->op == ISA_OP_STG || inst->op == ISA_OP_LDS || inst->op == ISA_OP_STS;
}

/* Control goes straight from `first` to the instruction before `end`. */
static bool straight(const struct planting *p, size_t first, size_t end)
{
    if (end >= p->instructions || !p->executed[first] || !p->executed[end])
        return false;
    for (size_t i = first; i < end; i++)
        if (p->code[i].op == ISA_INVALID || (i > first && p->target[i]) ||
            info(&p->code[i])->flags & (ISA_BRANCH | ISA_EXIT | ISA_BARRIER))
            return false;
    return !p->target[end];
}

static unsigned stall_of(const struct isa_inst *inst)
{
    return inst->control.yield && inst->control.stall < 2 ? 2 : inst->control.stall;
}

static uint64_t high_of(const struct planting *p, size_t index) { return p->code[index].word.hi; }

/* Takes so much from one stall count between the two that `needed` cycles are not kept. */
static void shorten(struct planting *p, enum plant_kind kind, size_t first, size_t second, unsigned needed)
{
    unsigned sum = 0;
    for (size_t i = first; i < second; i++)
        sum += stall_of(&p->code[i]);
    for (size_t i = first; i < second; i++) {
        unsigned stall = stall_of(&p->code[i]), excess = sum - (needed - 1);
        if (stall <= excess || counted(&p->code[i]))
            continue;
        plant(p, kind, i, with_stall(high_of(p, i), stall - excess), first, second, HAZARD_RAW);
        return;
    }
}

static void plant_stalls(struct planting *p, size_t first)
{
    const struct isa_inst *inst = &p->code[first];
    if (!simple_math(inst) || !unguarded(inst) || inst->d.kind != ISA_REG || inst->d.index == ISA_RZ)
        return;
    for (size_t i = first + 1; i < first + SPAN && straight(p, first, i); i++) {
        const struct isa_inst *next = &p->code[i];
        if (unguarded(next) && reads(next, inst->d.index)) {
            if (simple_math(next))
                shorten(p, SHORT_STALL, first, i, 4);
            else if (plain_memory(next))
                shorten(p, SHORT_TO_MEMORY, first, i, 5);
            return;
        }
        if (writes(next, inst->d.index))
            return;
    }
}

static void plant_guards(struct planting *p, size_t first)
{
    const struct isa_inst *inst = &p->code[first];
    if ((inst->op != ISA_OP_ISETP && inst->op != ISA_OP_FSETP) || !unguarded(inst) || inst->pu.index == ISA_PT)
        return;
    for (size_t i = first + 1; i < first + SPAN && straight(p, first, i); i++) {
        const struct isa_inst *next = &p->code[i];
        if (next->guard.index == inst->pu.index && !next->guard.uniform) {
            shorten(p, SHORT_TO_GUARD, first, i, 12);
            return;
        }
        if (next->pu.index == inst->pu.index || next->pv.index == inst->pu.index)
            return;
    }
}

static void plant_waits(struct planting *p, size_t first)
{
    const struct isa_inst *inst = &p->code[first];
    unsigned k = inst->control.write_sb, other = (k + 1) % 6;
    if (inst->op != ISA_OP_LDG || k == ISA_NO_SB || !unguarded(inst) || inst->d.kind != ISA_REG)
        return;
    bool other_waited = false;
    for (size_t i = first + 1; i < first + SPAN && straight(p, first, i); i++) {
        const struct isa_inst *next = &p->code[i];
        bool uses = unguarded(next) && reads(next, inst->d.index);
        unsigned wait = next->control.wait;
        other_waited |= wait >> other & 1;
        if (info(next)->flags & ISA_DEPBAR || writes(next, inst->d.index))
            return;
        if (wait >> k & 1 && uses) {
            plant(p, WAIT_DROPPED, i, with_field(high_of(p, i), 116, 6, wait & ~(1u << k)), first, i, HAZARD_RAW);
            plant(p, COUNTER_DROPPED, first, with_field(high_of(p, first), 110, 3, ISA_NO_SB), first, i, HAZARD_RAW);
            if (!other_waited)
                plant(p, COUNTER_CHANGED, first, with_field(high_of(p, first), 110, 3, other), first, i, HAZARD_RAW);
            if (i == first + 1)
                plant(p, ESCAPES, first, with_stall(high_of(p, first), 1), first, i, HAZARD_RAW);
        }
        if (wait >> k & 1 || uses)
            return;
    }
}

static void plant_sources(struct planting *p, size_t first)
{
    const struct isa_inst *inst = &p->code[first];
    unsigned k = inst->control.read_sb;
    if (!plain_memory(inst) || k == ISA_NO_SB || !unguarded(inst))
        return;
    unsigned later = 0; /* counters that instructions behind hold: a queue reads sources in order */
    for (size_t i = first + 1; i < first + SPAN && straight(p, first, i); i++) {
        const struct isa_inst *next = &p->code[i];
        unsigned wait = next->control.wait, write = inst->control.write_sb;
        bool overwrites = unguarded(next) && simple_math(next) && reads(inst, next->d.index);
        if (info(next)->flags & ISA_DEPBAR || (write != ISA_NO_SB && wait >> write & 1) || wait & later)
            return;
        later |= counters_of(next);
        if (wait >> k & 1 && overwrites) {
            plant(p, READ_WAIT_DROPPED, i, with_field(high_of(p, i), 116, 6, wait & ~(1u << k)), first, i, HAZARD_WAR);
            plant(p, READ_COUNTER_DROPPED, first, with_field(high_of(p, first), 113, 3, ISA_NO_SB), first, i,
                  HAZARD_WAR);
        }
        if (wait >> k & 1 || overwrites)
            return;
    }
}

static void plant_kernel(struct planting *p)
{
    bool *target = calloc(p->instructions + 1, 1);
    for (size_t i = 0; i < p->instructions; i++)
        if (p->code[i].op != ISA_INVALID && info(&p->code[i])->pipe == ISA_PIPE_CBU &&
            p->code[i].target / 16 < p->instructions)
            target[p->code[i].target / 16] = true;
    p->target = target;
    for (size_t i = 0; i < p->instructions && i < EXAMPLE_CODE - SPAN - 1; i++) {
        plant_stalls(p, i);
        plant_guards(p, i);
        plant_waits(p, i);
        plant_sources(p, i);
    }
    free(target);
}

static void plant_example(struct planting *p)
{
    struct status status = {0};
    struct cubin_bytes image = example_image(p->example->module, p->sm);
    struct cubin cubin;
    bool(*executed)[EXAMPLE_CODE] = calloc(EXAMPLE_KERNELS, sizeof *executed);
    struct isa_decoder *decoder = isa_decoder_create(p->sm, &status);
    assert_true(image.data && executed && decoder && cubin_open(&cubin, image, p->example->module, &status));
    example_check(p->example, image, NULL, executed);
    p->image = image.data;
    for (size_t k = 0; k < cubin.kernel_count && k < EXAMPLE_KERNELS; k++) {
        p->kernel = &cubin.kernels[k];
        p->instructions = p->kernel->code.size / 16;
        struct isa_inst *code = calloc(p->instructions + 1, sizeof *code);
        for (size_t i = 0; i < p->instructions; i++) {
            struct word128 word;
            memcpy(&word, p->kernel->code.data + 16 * i, sizeof word);
            isa_decode(decoder, word, (uint32_t)(16 * i), &code[i]);
        }
        p->code = code;
        p->executed = executed[k];
        plant_kernel(p);
        free(code);
    }
    isa_decoder_destroy(decoder);
    cubin_close(&cubin);
    free(executed);
}

/* ---- findings */

struct verdict {
    bool found;
    unsigned misplaced;
};

/* The edited instruction lies between the two, or is the one that waits or is waited for. */
static bool belongs(const struct plant *x, const struct hazard *h)
{
    bool loop = h->second <= h->first;
    switch (x->kind) {
    case SHORT_STALL:
    case SHORT_TO_MEMORY:
    case SHORT_TO_GUARD:
    case ESCAPES:
        return loop ? x->edited >= h->first || x->edited < h->second : h->first <= x->edited && x->edited < h->second;
    case WAIT_DROPPED:
    case READ_WAIT_DROPPED: return loop || (h->first < x->edited && h->second >= x->edited);
    default: return h->first == x->edited;
    }
}

static struct verdict verdict(const struct plant *x, struct cubin_bytes original)
{
    struct verdict v = {0};
    struct hazards hazards;
    uint8_t *data = malloc(original.size);
    memcpy(data, original.data, original.size);
    memcpy(data + x->offset + 8, &x->high, sizeof x->high);
    hazards_init(&hazards);
    example_check(x->example, (struct cubin_bytes){data, original.size}, &hazards, NULL);
    for (uint32_t k = 0; k < hazards.kernels; k++) {
        bool same = strcmp(hazards.kernel[k].name, x->kernel) == 0;
        for (uint32_t i = 0; i < hazards.kernel[k].found.count; i++) {
            const struct hazard *h = &hazards.kernel[k].found.item[i];
            v.found |= same && h->first == x->first && h->second == x->second && h->kind == x->hazard;
            v.misplaced += !same || !belongs(x, h);
        }
    }
    hazards_free(&hazards);
    free(data);
    return v;
}

static void planted_errors_are_found_and_nothing_else(void **state)
{
    static const char *const names[] = {
        "saxpy",   "vecadd", "reduce-shuffle",   "scan", "softmax",    "histogram-shared", "spmv-vector",
        "stencil", "nbody",  "transpose-shared", "bfs",  "sgemm-tiled"};
    static const unsigned architectures[] = {80, 86, 90};
    size_t count, found = 0, planted = 0, misplaced = 0, of_kind[KINDS] = {0};
    struct planting p = {.plant = calloc(MOST, sizeof(struct plant))};
    const struct example *list = example_list(&count);
    (void)state;
    for (size_t e = 0; e < count; e++)
        for (size_t n = 0; n < sizeof names / sizeof *names; n++)
            if (strcmp(list[e].name, names[n]) == 0) {
                p.example = &list[e];
                p.sm = architectures[e % 3];
                plant_example(&p);
            }
    for (size_t i = 0; i < p.count; i++)
        of_kind[p.plant[i].kind]++;
    size_t seen[KINDS] = {0};
    for (size_t i = 0; i < p.count; i++) {
        const struct plant *x = &p.plant[i];
        size_t every = of_kind[x->kind] / OF_EACH + 1;
        if (seen[x->kind]++ % every)
            continue;
        struct verdict v = verdict(x, example_image(x->example->module, x->sm));
        planted++;
        found += v.found;
        misplaced += v.misplaced;
        if (!v.found || v.misplaced)
            print_message("# %s sm_%u %s: kind %u at 0x%x, 0x%x to 0x%x: %s, %u misplaced\n", x->example->name, x->sm,
                          x->kernel, x->kind, x->edited, x->first, x->second, v.found ? "found" : "NOT FOUND",
                          v.misplaced);
    }
    print_message("# %zu planted of %zu, %zu found, %zu misplaced\n", planted, p.count, found, misplaced);
    for (unsigned k = 0; k < KINDS; k++)
        print_message("# kind %u: %zu\n", k, of_kind[k]);
    free(p.plant);
    assert_true(planted >= 100);
    assert_true(found * 100 >= planted * 98);
    assert_int_equal(misplaced, 0);
}

UNIT_TESTS(UNIT(planted_errors_are_found_and_nothing_else))
