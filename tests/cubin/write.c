/* A cubin taken apart, written and read again is the same to its loader. */
#include "cubin/write.h"

#include "tests/cubin/fixture.h"

enum { FUNCTIONS = 16, SYMBOLS = 256, RELOCATIONS = 256 };

struct parts {
    struct cubin_new module;
    struct cubin_new_function functions[FUNCTIONS];
    struct cubin_new_symbol symbols[SYMBOLS];
    struct cubin_new_relocation relocations[RELOCATIONS];
    uint32_t number[4096]; /* of a symbol in the file among `symbols` */
};

static enum cubin_place place_of(const struct cubin *c, uint32_t section, uint32_t *function)
{
    static const char *const names[] = {[CUBIN_PLACE_CONSTANT3] = ".nv.constant3",
                                        [CUBIN_PLACE_CONSTANT4] = ".nv.constant4",
                                        [CUBIN_PLACE_GLOBAL_INIT] = ".nv.global.init",
                                        [CUBIN_PLACE_GLOBAL] = ".nv.global"};
    for (uint32_t i = 0; i < c->kernel_count; i++)
        if (c->kernels[i].section == section) {
            *function = i;
            return CUBIN_PLACE_TEXT;
        }
    for (unsigned i = CUBIN_PLACE_CONSTANT3; i <= CUBIN_PLACE_GLOBAL; i++)
        if (section < c->section_count && strcmp(c->sections[section].name, names[i]) == 0)
            return (enum cubin_place)i;
    return CUBIN_PLACE_NONE;
}

static void take_functions(const struct cubin *c, struct parts *p)
{
    assert_true(c->kernel_count <= FUNCTIONS);
    for (size_t i = 0; i < c->kernel_count; i++) {
        const struct cubin_kernel *k = &c->kernels[i];
        struct cubin_new_function *f = &p->functions[i];
        *f = (struct cubin_new_function){.name = k->name,
                                         .kernel = true,
                                         .code = k->code,
                                         .registers = k->registers,
                                         .frame_bytes = k->frame_bytes,
                                         .stack_bytes = k->stack_bytes,
                                         .stack_unknown = k->stack_unknown,
                                         .static_shared_bytes = k->static_shared_bytes,
                                         .barriers = k->barriers,
                                         .parameters = k->parameters,
                                         .parameter_count = k->parameter_count,
                                         .parameter_base = k->parameter_base,
                                         .parameter_bytes = k->parameter_bytes,
                                         .constant2 = k->constant2};
        memcpy(f->max_threads, k->max_threads, sizeof f->max_threads);
        memcpy(f->required_threads, k->required_threads, sizeof f->required_threads);
        memcpy(f->cluster, k->cluster, sizeof f->cluster);
    }
}

static void take_symbols(const struct cubin *c, struct parts *p)
{
    for (size_t i = 1; i < c->symbol_count; i++) {
        const struct cubin_symbol *s = &c->symbols[i];
        uint32_t function = 0;
        enum cubin_place place = place_of(c, s->section, &function);
        bool wanted = (s->type == 1 || s->type == 2) && !(s->other & 0x10) && s->name[0] != '.';
        if (!wanted)
            continue;
        assert_true(p->module.symbol_count < SYMBOLS && i < 4096);
        p->number[i] = (uint32_t)p->module.symbol_count;
        p->symbols[p->module.symbol_count++] = (struct cubin_new_symbol){.name = s->name,
                                                                         .place = place,
                                                                         .function = function,
                                                                         .code = s->type == 2,
                                                                         .value = s->value,
                                                                         .size = s->size};
    }
}

static void take_relocations(const struct cubin *c, struct parts *p)
{
    for (size_t i = 0; i < c->relocation_count; i++) {
        const struct cubin_relocation *r = &c->relocations[i];
        uint32_t function = 0, kernel = 0;
        enum cubin_place place = place_of(c, r->section, &function);
        if (place == CUBIN_PLACE_NONE) /* of debugging information */
            continue;
        const struct cubin_symbol *s = &c->symbols[r->symbol];
        bool entry = (s->other & 0x10) && place_of(c, s->section, &kernel) == CUBIN_PLACE_TEXT;
        assert_true(p->module.relocation_count < RELOCATIONS);
        p->relocations[p->module.relocation_count++] =
            (struct cubin_new_relocation){.place = place,
                                          .function = function,
                                          .type = r->type,
                                          .against_function = entry,
                                          .symbol = entry ? kernel : p->number[r->symbol],
                                          .offset = r->offset,
                                          .addend = r->addend};
    }
}

static struct parts *take_apart(const struct cubin *c)
{
    struct parts *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->module = (struct cubin_new){.sm = c->sm,
                                   .functions = p->functions,
                                   .function_count = c->kernel_count,
                                   .symbols = p->symbols,
                                   .relocations = p->relocations,
                                   .constant3 = c->constant3,
                                   .constant4 = c->constant4,
                                   .global_init = c->global_init,
                                   .global_bytes = c->global_bytes};
    take_functions(c, p);
    take_symbols(c, p);
    take_relocations(c, p);
    return p;
}

static void same_bytes(struct cubin_bytes a, struct cubin_bytes b)
{
    assert_int_equal(a.size, b.size);
    if (a.size > 0)
        assert_memory_equal(a.data, b.data, a.size);
}

static void same_kernel(const struct cubin_kernel *a, const struct cubin_kernel *b)
{
    same_bytes(a->code, b->code);
    same_bytes(a->constant2, b->constant2);
    assert_int_equal(a->registers, b->registers);
    assert_int_equal(a->stack_bytes, b->stack_bytes);
    assert_int_equal(a->stack_unknown, b->stack_unknown);
    assert_int_equal(a->static_shared_bytes, b->static_shared_bytes);
    assert_int_equal(a->barriers, b->barriers);
    assert_int_equal(a->parameter_base, b->parameter_base);
    assert_int_equal(a->parameter_bytes, b->parameter_bytes);
    assert_int_equal(a->parameter_count, b->parameter_count);
    for (uint32_t i = 0; i < a->parameter_count; i++) {
        assert_int_equal(a->parameters[i].offset, b->parameters[i].offset);
        assert_int_equal(a->parameters[i].size, b->parameters[i].size);
    }
    assert_memory_equal(a->max_threads, b->max_threads, sizeof a->max_threads);
    assert_memory_equal(a->required_threads, b->required_threads, sizeof a->required_threads);
    assert_memory_equal(a->cluster, b->cluster, sizeof a->cluster);
}

/* Number of relocations that a loader applies; checks that they name the same symbols. */
static void same_relocations(const struct parts *p, const struct cubin *b)
{
    assert_int_equal(p->module.relocation_count, b->relocation_count);
    for (size_t i = 0; i < p->module.relocation_count; i++) {
        const struct cubin_new_relocation *r = &p->relocations[i];
        const char *name = r->against_function ? p->functions[r->symbol].name : p->symbols[r->symbol].name;
        bool found = false;
        for (size_t j = 0; j < b->relocation_count && !found; j++) {
            const struct cubin_relocation *other = &b->relocations[j];
            uint32_t function = 0;
            found = place_of(b, other->section, &function) == r->place && function == r->function &&
                    other->offset == r->offset && other->type == r->type && other->addend == r->addend &&
                    strcmp(b->symbols[other->symbol].name, name) == 0;
        }
        assert_true(found);
    }
}

static void check_file(const char *path)
{
    struct fixture f = fixture_open(path);
    struct parts *p = take_apart(&f.cubin);
    struct status status = {0};
    uint8_t *bytes;
    size_t size;
    if (!cubin_write(&p->module, &bytes, &size, &status))
        fail_msg("%s", status.text);
    struct cubin again;
    if (!cubin_open(&again, (struct cubin_bytes){bytes, size}, path, &status))
        fail_msg("%s", status.text);
    assert_int_equal(again.sm, f.cubin.sm);
    assert_int_equal(again.abi, f.cubin.abi);
    assert_int_equal(again.kernel_count, f.cubin.kernel_count);
    for (size_t i = 0; i < again.kernel_count; i++)
        same_kernel(fixture_kernel(&f, again.kernels[i].name), &again.kernels[i]);
    same_bytes(again.constant3, f.cubin.constant3);
    same_bytes(again.constant4, f.cubin.constant4);
    same_bytes(again.global_init, f.cubin.global_init);
    assert_int_equal(again.global_bytes, f.cubin.global_bytes);
    same_relocations(p, &again);
    cubin_close(&again);
    free(bytes);
    free(p);
    fixture_close(&f);
}

static void a_written_cubin_reads_like_the_compilers(void **state)
{
    (void)state;
    static const char *const paths[] = {"examples/cubin/bfs.sm_80.cubin",      "examples/cubin/histogram.sm_86.cubin",
                                        "examples/cubin/reduce.sm_90.cubin",   "examples/cubin/hgemm.sm_90.cubin",
                                        "tests/cubin/data/deep.sm_80.cubin",   "tests/cubin/data/deep.sm_90.cubin",
                                        "tests/cubin/data/lines.sm_75.cubin",  "tests/cubin/data/lines.sm_89.cubin",
                                        "tests/cubin/data/lines.sm_100.cubin", "tests/cubin/data/lines.sm_120.cubin"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        check_file(paths[i]);
}

static void code_must_be_whole_instructions(void **state)
{
    (void)state;
    static const uint8_t code[24];
    const struct cubin_new_function f = {.name = "k", .kernel = true, .code = {code, sizeof code}};
    const struct cubin_new module = {.sm = 86, .functions = &f, .function_count = 1};
    struct status status = {0};
    uint8_t *bytes;
    size_t size;
    assert_false(cubin_write(&module, &bytes, &size, &status));
    assert_string_equal(status.text, "k: code of 24 bytes");
}

UNIT_TESTS(UNIT(a_written_cubin_reads_like_the_compilers), UNIT(code_must_be_whole_instructions))
