/* Traces that are read, written as version 6, and read again. */
#include "tests/accelsim/version6.h"

#include "accelsim/export.h"

static struct trace_file *written_again(struct trace_file *file, bool ours)
{
    char folder[TEMPORARY_PATH], list[TEMPORARY_PATH + 32], kernel[TEMPORARY_PATH + 32];
    struct status status = {0};
    struct accelsim_written written;
    struct accelsim_report report;
    uint64_t damaged;
    const struct accelsim_export export = {.format = {.version = 6, .code = ours}};
    temporary_folder(folder);
    snprintf(list, sizeof list, "%s/kernelslist.g", folder);
    snprintf(kernel, sizeof kernel, "%s/kernel-1.traceg", folder);
    assert_true(accelsim_export(file, folder, &export, &written, &damaged, &status));
    struct trace_file *again = accelsim_open(list, &ACCELSIM_DEFAULTS, &report, &status);
    if (!again)
        fail_msg("%s", status.text);
    unlink(list);
    unlink(kernel);
    assert_int_equal(rmdir(folder), 0);
    return again;
}

/* Traces without machine code, of which our files have no kernel-1.sass. */
static void survives(const char *text, bool ours)
{
    static struct stream s, t;
    struct trace_file *file = stream_of(&s, text), *again = written_again(file, ours);
    read_stream(&t, again, 0, 0, 0);
    assert_int_equal(s.count, t.count);
    for (uint32_t i = 0; i < s.count; i++) {
        const struct issued *a = &s.issued[i], *b = &t.issued[i];
        enum isa_op op = (enum isa_op)s.launch->code[a->pc / 16].isa.op;
        assert_int_equal(a->pc, b->pc);
        assert_int_equal(op, t.launch->code[b->pc / 16].isa.op);
        assert_int_equal(a->active, b->active);
        assert_int_equal(a->flow, b->flow);
        assert_int_equal(a->space, b->space);
        assert_int_equal(a->bytes, b->bytes);
        if (a->flow == ISSUED_AT_BARRIER || a->barrier_arrive) {
            assert_int_equal(a->barrier, b->barrier);
            assert_int_equal(a->barrier_warps, b->barrier_warps);
        }
        for (unsigned lane = 0; lane < 32 && a->space; lane++)
            if (a->active >> lane & 1) {
                assert_int_equal(a->address[lane], b->address[lane]);
                assert_true(!issued_has_operand(op) || a->operand[lane] == b->operand[lane]);
            }
        if (isa_op_info(op)->way == ISA_WAY_ENGINE && a->active)
            assert_memory_equal(&a->transfer, &b->transfer, sizeof a->transfer);
    }
    trace_kernel_close(t.kernel);
    trace_close(again);
    end_stream(&s, file);
}

static void traces_without_code_survive_being_written_again(void **state)
{
    (void)state;
    for (unsigned ours = 0; ours < 2; ours++) {
        survives(FIVE_90 ONE_WARP("5", "0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x700000000000 4 0\n"
                                       "0010 ffffffff 0 BAR.SYNC 0 0 3\n0020 ffffffff 0 BAR.SYNC 0 0 64\n"
                                       "0030 ffffffff 0 BAR.ARV 0 0 5\n0040 ffffffff 0 EXIT 0 0 0\n"),
                 ours);
        survives(SIX ONE_WARP("8", OBJECT("0000", "EXCH.64", "0x400",
                                          "7ffff800001ffffe") OBJECT("0010", "ARRIVE.TRANS64", "0x400", "1000")
                                       OBJECT("0020", "ARRIVE.TRANS64.A0TX", "0x400", "40") ASKS(
                                           "0030", "0x400", "80000000") "0040 00000001 0 STAS.64 2 R2 R4 8 2 0x410 0 "
                                                                        "Val 1 40800000410 1 0\n"
                                                                        "0050 ffffffff 1 R4 BAR.SYNC 1 R5 0 96 0 Val 1 "
                                                                        "6 1 60\n0060 ffffffff 0 BAR.SYNC 0 0 2 32 "
                                                                        "NoVal\n" LAST),
                 ours);
        survives(SIX ONE_WARP("5",
                              "0000 00000001 0 UTMALDG.2D 2 UR4 UR8 32 0x408 0 192 64 4 0x1000 6 32 32 4032 32 32 0 "
                              "NoVal\n0010 00000001 0 UBLKCP.G.S 3 UR4 UR8 UR6 32 0x0 0 48 0 4 0x1000 2 32 0 NoVal\n"
                              "0020 00000001 0 UTMAREDG.2D.ADD 2 UR4 UR8 32 0x0 0 64 0 4 0x1000 2 32 0 NoVal\n"
                              "0030 00000001 0 UTMACMDFLUSH 0 0 0 NoVal\n" LAST),
                 ours);
    }
}

UNIT_TESTS(UNIT(traces_without_code_survive_being_written_again))
