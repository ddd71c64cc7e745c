/* The form of a file's directives and names in the cubin. */
#include "tests/asm/assemble.h"

static const struct cubin_symbol *symbol(const struct cubin *c, const char *name)
{
    for (size_t i = 0; i < c->symbol_count; i++)
        if (strcmp(c->symbols[i].name, name) == 0)
            return &c->symbols[i];
    fail_msg("no symbol %s", name);
    return NULL;
}

static void text_is(const struct cubin *c, size_t kernel, size_t index, const char *expected)
{
    char text[ISA_TEXT];
    size_t count;
    struct isa_inst *code = decoded(c, &c->kernels[kernel], &count);
    assert_true(index < count);
    isa_print(&code[index], text);
    free(code);
    assert_string_equal(text, expected);
}

static void a_kernel_has_what_its_directives_say(void **state)
{
    (void)state;
    struct assembled a =
        assemble(".arch sm_90a\n.kernel k\n.param a, u8\n.param b, 12\n.param c, ptr\n.param d, 4, 0x40\n"
                 ".registers 40\n.shared s, 100\n.stack 24, open\n.barriers 3\n.maxntid 64, 2\n"
                 ".reqntid 32\n.cluster 2\n.maxclusterrank 4\n.explicitcluster\n.blocksareclusters\nEXIT\n.end\n");
    const struct cubin_kernel *k = &a.cubin.kernels[0];
    static const struct cubin_parameter expected[] = {{0, 0, 1}, {1, 4, 12}, {2, 16, 8}, {3, 0x40, 4}};
    assert_int_equal(a.cubin.sm, 90);
    assert_string_equal(k->name, "k");
    assert_int_equal(k->parameter_count, 4);
    assert_memory_equal(k->parameters, expected, sizeof expected);
    assert_int_equal(k->parameter_base, 0x210);
    assert_int_equal(k->parameter_bytes, 0x44);
    assert_int_equal(k->registers, 40);
    assert_int_equal(k->static_shared_bytes, 1124);
    assert_int_equal(k->stack_bytes, 24);
    assert_true(k->stack_unknown);
    assert_int_equal(k->barriers, 3);
    assert_int_equal(k->max_threads[0] * 100 + k->max_threads[1] * 10 + k->max_threads[2], 6421);
    assert_int_equal(k->required_threads[0], 32);
    assert_int_equal(k->cluster[0], 2);
    assert_int_equal(k->cluster_most, 4);
    assert_true(k->cluster_explicit && k->grid_of_clusters);
    assembled_free(&a);
}

static void registers_and_barriers_follow_from_the_code(void **state)
{
    (void)state;
    struct assembled a = assemble(".arch sm_86\n.kernel k\nIMAD.WIDE R20, R1, R2, R4\nBAR.SYNC 0x2\nEXIT\n.end\n");
    assert_int_equal(a.cubin.kernels[0].registers, 24);
    assert_int_equal(a.cubin.kernels[0].barriers, 3);
    assert_int_equal(a.cubin.kernels[0].code.size % 128, 0);
    assembled_free(&a);
}

static void names_stand_for_places(void **state)
{
    (void)state;
    struct assembled a =
        assemble(".arch sm_86\n.const one\n.f32 1\n.end\n.const two, 16\n.f32 2, 4\n.end\n.reserve r, 4\n"
                 ".address r\n.address one+4\n.kernel k\n.param x, ptr\n.param y, u32\n.shared s, 8\n"
                 ".shared t, 8, 4\nMOV R0, c[0x0][y]\nMOV R0, c[0x0][x+4]\nMOV R0, c[0x3][two+4]\n"
                 "LDS R1, [R0+t-4]\nMOV R0, c[0x4][r]\nMOV R0, t\nend: BRA `(end)\n.end\n");
    static const char *const expected[] = {"MOV R0, c[0x0][0x168]",
                                           "MOV R0, c[0x0][0x164]",
                                           "MOV R0, c[0x3][0x14]",
                                           "LDS R1, [R0+0x4]",
                                           "MOV R0, c[0x4][0x0]",
                                           "MOV R0, 0x8",
                                           "BRA 0x60"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        text_is(&a.cubin, 0, i, expected[i]);
    assembled_free(&a);
}

static void addresses_are_left_to_the_loader(void **state)
{
    (void)state;
    struct assembled a =
        assemble(".arch sm_86\n.extern vprintf\n.global g\n.u32 7\n.align 8\n.u64 g+4\n.end\n.kernel k\n"
                 "MOV R2, 32@lo(g+8)\nMOV R3, 32@hi(back)\nCALL.ABS.NOINC `(vprintf)\nback:\nEXIT\n.end\n");
    static const struct {
        const char *section, *symbol;
        uint32_t type;
        uint64_t offset;
        int64_t addend;
    } expected[] = {{".nv.global.init", "g", 0x02, 8, 4},
                    {".text.k", "g", 0x38, 0, 8},
                    {".text.k", "k", 0x39, 16, 48},
                    {".text.k", "vprintf", 0x3a, 32, 0}};
    assert_int_equal(a.cubin.relocation_count, 4);
    for (size_t i = 0; i < 4; i++) {
        bool found = false;
        for (size_t j = 0; j < 4 && !found; j++) {
            const struct cubin_relocation *r = &a.cubin.relocations[j];
            found = strcmp(a.cubin.sections[r->section].name, expected[i].section) == 0 &&
                    strcmp(a.cubin.symbols[r->symbol].name, expected[i].symbol) == 0 && r->type == expected[i].type &&
                    r->offset == expected[i].offset && r->addend == expected[i].addend;
        }
        assert_true(found);
    }
    assert_int_equal(symbol(&a.cubin, "vprintf")->section, 0);
    assembled_free(&a);
}

static void values_are_little_endian_and_aligned(void **state)
{
    (void)state;
    struct assembled a =
        assemble(".arch sm_86\n.const a\n.u8 1, -1\n.align 4\n.u16 0x1234\n.zero 2\n.f32 1.5\n.f64 -2\n"
                 ".string \"a\\n\\\"\"\n.end\n.kernel k\n.bank2\n.u64 0x1122334455667788\n.end\nEXIT\n.end\n");
    static const uint8_t bank3[] = {1, 0xff, 0, 0, 0x34, 0x12, 0, 0,    0,   0,    0xc0, 0x3f,
                                    0, 0,    0, 0, 0,    0,    0, 0xc0, 'a', '\n', '"',  0};
    static const uint8_t bank2[] = {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11};
    assert_int_equal(a.cubin.constant3.size, sizeof bank3);
    assert_memory_equal(a.cubin.constant3.data, bank3, sizeof bank3);
    assert_int_equal(a.cubin.kernels[0].constant2.size, sizeof bank2);
    assert_memory_equal(a.cubin.kernels[0].constant2.data, bank2, sizeof bank2);
    assembled_free(&a);
}

static void parameters_beyond_4_kib_move(void **state)
{
    (void)state;
    struct assembled a =
        assemble(".arch sm_86\n.kernel k\n.param big, 4096\n.param n, u32\nMOV R0, c[0x0][n]\nEXIT\n.end\n");
    text_is(&a.cubin, 0, 0, "MOV R0, c[0x0][0x2a80]");
    assert_int_equal(a.cubin.kernels[0].parameter_base, 0x1a80);
    assert_int_equal(a.cubin.kernels[0].parameters[0].size, 4096);
    assembled_free(&a);
}

static void control_bits_and_raw_words_are_taken_as_they_are(void **state)
{
    (void)state;
    struct assembled a = assemble(".arch sm_86\n.kernel k\n/*0000*/ [B-1--4-:R2:W3:Y:S07] @!P1 MOV R0, R1.reuse ; # x\n"
                                  ".word 0x000fc00000000000000000000000791a\nEXIT\n.end\n");
    const uint8_t *code = a.cubin.kernels[0].code.data;
    size_t count;
    struct isa_inst *decodes = decoded(&a.cubin, &a.cubin.kernels[0], &count);
    char control[32];
    isa_print_control(decodes[0].control, control);
    assert_string_equal(control, "[B-1--4-:R2:W3:Y:S07]");
    text_is(&a.cubin, 0, 0, "@!P1 MOV R0, R1.reuse");
    assert_memory_equal(code + 16, "\x1a\x79\0\0\0\0\0\0\0\0\0\0\0\xc0\x0f\0", 16);
    free(decodes);
    assembled_free(&a);
}

UNIT_TESTS(UNIT(a_kernel_has_what_its_directives_say), UNIT(registers_and_barriers_follow_from_the_code),
           UNIT(names_stand_for_places), UNIT(addresses_are_left_to_the_loader),
           UNIT(values_are_little_endian_and_aligned), UNIT(parameters_beyond_4_kib_move),
           UNIT(control_bits_and_raw_words_are_taken_as_they_are))
