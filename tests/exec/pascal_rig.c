#include "pascal_rig.h"

#include <stdlib.h>

#include "unit.h"

struct pascal *pascal_create(void)
{
    struct status status = {0};
    struct pascal *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->t = arith_create(60);
    p->decoder = isa_decoder_create(60, &status);
    assert_non_null(p->decoder);
    p->t->warp.stack = &p->stack;
    arith_shuffle(p->t, ARITH_INTEGER);
    return p;
}

void pascal_destroy(struct pascal *p)
{
    isa_decoder_destroy(p->decoder);
    arith_destroy(p->t);
    free(p);
}

void pascal_run(struct pascal *p, uint64_t word)
{
    char text[ISA_TEXT];
    assert_true(isa_decode(p->decoder, (struct word128){word, 0x7e0}, 0, &p->t->inst.isa));
    isa_print(&p->t->inst.isa, text);
    if (p->t->inst.isa.op == ISA_OP_PASCAL)
        fail_msg("%s does not execute", text);
    exec_inst_prepare(&p->t->inst);
    arith_run(p->t, exec_table(), UINT32_MAX);
    if (p->t->core.fault.code)
        fail_msg("%s: %s", text, p->t->core.fault.text);
}

void pascal_fill(struct pascal *p)
{
    for (unsigned i = 1; i <= 6; i++)
        for (unsigned lane = 0; lane < EXEC_LANES; lane++)
            r(p, i)[lane] = arith_value(p->t, ARITH_INTEGER);
}

void pascal_check(uint64_t word, pascal_expected *of)
{
    struct pascal *p = pascal_create();
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        pascal_fill(p);
        pascal_run(p, word);
        for (unsigned i = 0; i < EXEC_LANES; i++)
            if (r(p, D)[i] != of(r(p, A)[i], r(p, B)[i], r(p, C)[i]))
                fail_msg("0x%016llx of 0x%x, 0x%x, 0x%x: 0x%x, not 0x%x", (unsigned long long)word, r(p, A)[i],
                         r(p, B)[i], r(p, C)[i], r(p, D)[i], of(r(p, A)[i], r(p, B)[i], r(p, C)[i]));
    }
    pascal_destroy(p);
}
