/* Traces of version 6, as text and in containers: their translation, and the refusals. */
#include "tests/accelsim/traces.h"

#include <zstd.h>

#include <stdlib.h>

#include "accelsim/export.h"
#include "accelsim/hold.h"

#define SIX HEAD("6", "90", GRID("1,1,1", "32,1,1")) BODY
#define FIVE_90 HEAD("5", "90", GRID("1,1,1", "32,1,1")) BODY

/* The same three instructions as both versions have them. */
static const char five[] = FIVE_90 ONE_WARP("5", "0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x700000000000 4 0\n"
                                                 "0010 0000000f 0 STG.E 2 R2 R4 4 2 0x700000001000 8 8 8 0\n"
                                                 "0020 ffffffff 1 R3 IADD3 3 R1 R4 R5 0 7\n"
                                                 "0030 ffffffff 1 R24 HGMMA.64x128x16.F32 1 R24 0 0\n"
                                                 "0040 ffffffff 0 EXIT 0 0 0\n");
static const char six[] =
    SIX ONE_WARP("5", "0000 ffffffff 1 R1 LDG.E 2 R2 UR4 4 1 0x700000000000 4 0 NoVal\n"
                      "0010 0000000f 0 STG.E 3 R2 R4 UR4 4 2 0x700000001000 8 8 8 0 0 Val 1 5 1 7 1 0\n"
                      "0020 ffffffff 2 R3 P0 IADD3 4 R1 R4 R5 UP1 0 7 0 NoVal\n"
                      "0030 ffffffff 1 R24 HGMMA.64x128x16.F32 3 R24 UR4 UR6 0 0 0 NoVal\n"
                      "0040 ffffffff 0 EXIT 0 0 0 NoVal\n");

static void same_streams(struct trace_file *a, struct trace_file *b)
{
    struct status status = {0};
    struct trace_kernel *x = trace_kernel_open(a, 0, &status), *y = trace_kernel_open(b, 0, &status);
    const struct trace_launch *l = trace_kernel_launch(x), *m = trace_kernel_launch(y);
    struct trace_cursor *c = trace_cursor_create(x), *d = trace_cursor_create(y);
    struct issued is, other;
    assert_int_equal(l->code_count, m->code_count);
    for (uint32_t i = 0; i < l->code_count; i++) {
        assert_true(l->code[i].isa.word.lo == m->code[i].isa.word.lo &&
                    l->code[i].isa.word.hi == m->code[i].isa.word.hi);
        assert_string_equal(l->code[i].described ? l->code[i].described : "",
                            m->code[i].described ? m->code[i].described : "");
    }
    assert_int_equal(trace_launch_ctas(l), trace_launch_ctas(m));
    for (uint64_t cta = 0; cta < trace_launch_ctas(l); cta++) {
        unsigned count = 0;
        assert_true(trace_cursor_seek(c, cta, 0, &status) && trace_cursor_seek(d, cta, 0, &status));
        for (; trace_cursor_next(c, &is, &status); count++) {
            assert_true(trace_cursor_next(d, &other, &status));
            assert_int_equal(is.pc, other.pc);
            assert_int_equal(is.active, other.active);
            assert_int_equal(is.space, other.space);
            for (unsigned lane = 0; lane < 32 && is.space; lane++)
                if (is.active >> lane & 1)
                    assert_true(is.address[lane] == other.address[lane]);
        }
        assert_int_equal(count, 5);
        assert_false(trace_cursor_next(d, &other, &status));
    }
    trace_cursor_destroy(c);
    trace_cursor_destroy(d);
    trace_kernel_close(x);
    trace_kernel_close(y);
}

static void lines_become_what_those_of_version_5_become(void **state)
{
    struct folder f, g;
    (void)state;
    make_folder(&f, five);
    make_folder(&g, six);
    struct trace_file *a = open_folder(&f, NULL, NULL), *b = open_folder(&g, NULL, NULL);
    same_streams(a, b);
    trace_close(a);
    trace_close(b);
    remove_folder(&f);
    remove_folder(&g);
}

static void refused(const char *text, const char *why)
{
    struct folder f;
    struct status status = {0};
    struct accelsim_report report;
    make_folder(&f, text);
    if (accelsim_open(f.list, &ACCELSIM_DEFAULTS, &report, &status))
        fail_msg("it is read, and nobody says '%s'", why);
    if (!strstr(status.text, why))
        fail_msg("'%s' does not say '%s'", status.text, why);
    remove_folder(&f);
}

#define COPY(rest) SIX ONE_WARP("1", "0000 ffffffff 0 UTMALDG.2D 2 UR4 UR8 " rest " 0 NoVal\n")

static void what_is_wrong_in_a_line_is_told(void **state)
{
    (void)state;
    refused(SIX ONE_WARP("1", "0000 ffffffff 1 X1 MOV 0 0 0 NoVal\n"), "a register R, UR, P or UP");
    refused(SIX ONE_WARP("1", "0000 ffffffff 1 R1 HGMMA 1 R2 x 0 0 NoVal\n"), "the number of a group is expected");
    refused(SIX ONE_WARP("1", "0000 ffffffff 0 EXIT 0 0 1 2 3 NoVal\n"), "two immediates at most");
    refused(SIX ONE_WARP("1", "0000 ffffffff 0 EXIT 0 0 1 NoVal 3\n"), "the line goes on behind NoVal");
    refused(SIX ONE_WARP("1", "0000 ffffffff 1 R1 MOV 1 R2 0 0 Val 1 5 2 5 6\n"), "1 or 32 is expected before");
    refused(SIX ONE_WARP("1", "0000 ffffffff 1 R1 MOV 1 R2 0 0 Val 1 5 1 x\n"), "in hexadecimal digits, are expected");
    refused(SIX ONE_WARP("1", "0000 ffffffff 1 R1 MOV 1 R2 0 0 Val 1 5\n"), "1 or 32 is expected before");
    refused(COPY("x 0x400 0 64 0 4 0x1000 2 32"), "the width of a copy");
    refused(COPY("32 0x10000000 0 64 0 4 0x1000 2 32"), "the address of a barrier object");
    refused(COPY("32 0x400 2 64 0 4 0x1000 2 32"), "whether a copy is for several CTAs");
    refused(COPY("32 0x400 1 0x10000 64 0 4 0x1000 2 32"), "a mask of 16 bits");
    refused(COPY("32 0x400 0 16777217 0 4 0x1000 2 32"), "at most 16 MiB");
    refused(COPY("32 0x400 0 64 0 2 0x1000 2 32"), "must be 3 or 4");
    refused(COPY("32 0x400 0 64 0 4 1000x 2 32"), "the first place of a copy");
    refused(COPY("32 0x400 0 64 0 4 0x1000 200000 32"), "the number of the places");
    refused(COPY("32 0x400 0 64 0 4 0x1000 3 32 x"), "as many places of a copy as their number says");
    refused(COPY("32 0x400 0 64 0 3 2 0x1000 x"), "as many places of a copy as their number says");
    refused(COPY("32 0x400 0 64 0 4 0xfffffffffffffff0 1"), "a transfer over the end of the address space");
    refused(COPY("32 0x400 1 0x4 64 0 4 0x1000 2 32"), "a copy is for a CTA that its cluster does not have");
    refused("-cluster dim = (2,1,1)\n" SIX, "the grid is no multiple of its clusters");
    refused("-cluster dim = (17,1,1)\n" SIX, "a cluster has more than 16 blocks");
    refused(HEAD("7", "90", GRID("1,1,1", "32,1,1")) BODY, "trace version 7 cannot be read");
}

static void what_is_wrong_in_our_own_words_is_told(void **state)
{
    static const char why[] = "behind 'Subcore' only path=, waits=, none=, sleep=, policy= and transfer= are expected";
    static const char *const words[] = {"path=",  "path=123456789", "path=1 path=1", "sleep=65536",    "sleep=x",
                                        "none=g", "policy=0x1",     "other=1",       "transfer=1,2,x", "transfer=9"};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[2048];
        snprintf(text, sizeof text, "%s", SIX);
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 BLOCK("0", WARP("0", "1", "0000 ffffffff 0 EXIT 0 0 0 NoVal Subcore %s\n")), words[i]);
        refused(text, why);
    }
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static const struct transfer *copy_of(struct stream *s, struct trace_file **file, const char *line)
{
    char text[4096];
    snprintf(text, sizeof text, "%s", SIX);
    snprintf(text + strlen(text), sizeof text - strlen(text),
             BLOCK("0", WARP("0", "2", "0000 ffffffff 0 %s\n0010 ffffffff 0 EXIT 0 0 0 NoVal\n")), line);
    *file = stream_of(s, text);
    assert_int_equal(s->count, 2);
    return &s->issued[0].transfer;
}

static void copies_become_transfers_of_their_places(void **state)
{
    static struct stream s;
    struct trace_file *file;
    uint64_t address;
    (void)state;
    const struct transfer *t =
        copy_of(&s, &file, "UTMALDG.2D 2 UR4 UR8 32 0x408 0 192 64 4 0x1000 6 32 32 4032 32 32 0 NoVal");
    assert_int_equal(t->kind, TRANSFER_LOAD);
    assert_int_equal(t->barrier, 0x408);
    assert_int_equal(t->bytes, 256);
    assert_int_equal(t->targets, 1);
    assert_int_equal(t->rows, 2);
    assert_int_equal(transfer_span(t), 96);
    assert_true(transfer_row(t, 0, &address) && address == 0x1000);
    assert_true(transfer_row(t, 1, &address) && address == 0x2000);
    end_stream(&s, file);
    t = copy_of(&s, &file, "UTMALDG.1D 2 UR4 UR8 32 0x408 0 96 32 3 2 0x1000 0x1020 0 NoVal");
    assert_int_equal(t->bytes, 96); /* of which 32 are outside: the places have as many fewer */
    assert_int_equal(transfer_span(t), 64);
    end_stream(&s, file);
    t = copy_of(&s, &file, "UBLKCP.G.S 3 UR4 UR8 UR6 32 0x0 0 48 0 4 0x1000 2 32 0 NoVal");
    assert_int_equal(t->kind, TRANSFER_STORE);
    assert_int_equal(t->targets, 0);
    assert_int_equal(transfer_span(t), 48);
    end_stream(&s, file);
    t = copy_of(&s, &file, "UTMAREDG.2D.ADD 2 UR4 UR8 32 0x0 0 64 0 4 0x1000 2 32 0 NoVal");
    assert_int_equal(t->kind, TRANSFER_REDUCTION);
    end_stream(&s, file);
    t = copy_of(&s, &file, "UBLKPF.L2 2 UR4 UR8 32 0x0 0 64 0 4 0x1000 2 32 0 NoVal");
    assert_int_equal(t->kind, TRANSFER_PREFETCH);
    end_stream(&s, file);
    t = copy_of(&s, &file, "UTMACMDFLUSH 0 0 0 NoVal");
    assert_int_equal(t->kind, TRANSFER_GROUP);
    end_stream(&s, file);
}

static void our_own_words_take_the_place_of_what_the_line_has(void **state)
{
    static struct stream s;
    struct trace_file *file;
    (void)state;
    const struct transfer *t = copy_of(&s, &file,
                                       "UTMALDG.2D 2 UR4 UR8 32 0x408 0 64 0 4 0x1000 2 32 0 NoVal Subcore path=f0 "
                                       "transfer=1,2000,3000,1,80,4,800,10,1,2,4,20,,1,,1,,1,,1,,,1,,,1,,,1,,,1");
    assert_int_equal(s.issued[0].path, UINT32_MAX); /* the active lanes are on it */
    assert_int_equal(t->base, 0x2000);
    assert_int_equal(t->map, 0x3000);
    assert_int_equal(t->shared, 0x800);
    assert_int_equal(t->barrier, 0x10);
    assert_int_equal(t->fetch, 2);
    assert_int_equal(transfer_span(t), 0x80);
    end_stream(&s, file);
    t = copy_of(&s, &file, "NANOSLEEP 1 R4 0 0 NoVal Subcore sleep=1234");
    assert_int_equal(s.issued[0].sleep, 1234);
    end_stream(&s, file);
}

/* ---- barrier objects --------------------------------------------------------------------------------------------- */

#define OBJECT(pc, what, place, value) pc " 00000001 0 SYNCS." what " 2 R2 R4 8 2 " place " 0 Val 1 400 1 " value "\n"
#define ASKS(pc, place, value) OBJECT(pc, "PHASECHK.TRANS64.TRYWAIT", place, value)
#define STORE(pc) pc " 00000001 0 STG.E 2 R2 R4 4 2 0x700000001000 0 NoVal\n"
#define LAST "0100 ffffffff 0 EXIT 0 0 0 NoVal\n"

static void operands_come_from_the_values_of_registers(void **state)
{
    static struct stream s;
    static const struct {
        uint32_t count, dropped;
        int32_t bytes;
    } want[] = {{1, 0, 4096}, {1, 0, 0}, {3, 0, 0}, {0, 0, 64}, {0, 0, -64}, {0, 0, 1}, {1, 1, 0}};
    (void)state;
    struct trace_file *file = stream_of(
        &s, SIX ONE_WARP(
                "10", OBJECT("0000", "EXCH.64", "0x400", "7ffff800001ffffe")
                          OBJECT("0010", "EXCH.64", "0x408", "1ffff8") OBJECT("0020", "ARRIVE.TRANS64", "0x400", "1000")
                              OBJECT("0030", "ARRIVE.TRANS64.A1T0", "0x400", "5")
                                  OBJECT("0040", "ARRIVE.TRANS64.ART0", "0x400", "3")
                                      OBJECT("0050", "ARRIVE.TRANS64.A0TR", "0x400", "40")
                                          OBJECT("0060", "ARRIVE.TRANS64.A0TX", "0x400", "40")
                                              OBJECT("0070", "ARRIVE.TRANS64.A0T1", "0x400", "40")
                                                  OBJECT("0080", "ARRIVE.TRANS64.OPTOUT.A1T0", "0x400", "40") LAST));
    assert_int_equal(s.count, 10);
    assert_true(s.issued[0].operand[0] == UINT64_C(0x7ffff800001ffffe));
    assert_true(s.issued[1].operand[0] == UINT64_C(0x7fffe000001ffff8)); /* four arrivals, from the low half alone */
    for (unsigned i = 0; i < 7; i++) {
        struct issued_arrival by = issued_unpack_arrival(s.issued[2 + i].operand[0]);
        assert_int_equal(by.count, want[i].count);
        assert_int_equal(by.dropped, want[i].dropped);
        assert_int_equal(by.bytes, want[i].bytes);
        assert_int_equal(s.issued[2 + i].space, ISA_SPACE_SHARED);
        assert_int_equal(s.issued[2 + i].address[0], 0x400);
    }
    end_stream(&s, file);
}

static void assert_waits(const char *text, unsigned first, unsigned second, unsigned third)
{
    unsigned want[] = {first, second, third}, n = 0;
    struct folder f;
    struct status status = {0};
    struct issued is;
    make_folder(&f, text);
    struct trace_file *file = open_folder(&f, NULL, NULL);
    struct trace_kernel *kernel = trace_kernel_open(file, 0, &status);
    struct trace_cursor *c = trace_cursor_create(kernel);
    assert_true(trace_cursor_seek(c, 0, 0, &status));
    while (trace_cursor_next(c, &is, &status))
        if (trace_kernel_launch(kernel)->code[is.pc / 16].isa.op == ISA_OP_SYNCS_PHASECHK && n < 3)
            assert_int_equal(is.operand[0], want[n++]);
    trace_cursor_destroy(c);
    trace_kernel_close(kernel);
    trace_close(file);
    remove_folder(&f);
}

static void a_question_that_is_asked_again_after_effects_was_no_wait(void **state)
{
    enum { NO = 0, WAITS = ISSUED_WAITS, ODD = ISSUED_PARITY };
    (void)state;
    /* another phase, another object, no effects, effects */
    assert_waits(SIX ONE_WARP("5", ASKS("0000", "0x400", "0") STORE("0010") ASKS("0020", "0x400", "80000000")
                                       ASKS("0030", "0x408", "0") LAST),
                 WAITS, WAITS | ODD, WAITS);
    assert_waits(
        SIX ONE_WARP("4", ASKS("0000", "0x400", "0") ASKS("0000", "0x400", "0") ASKS("0000", "0x400", "0") LAST), WAITS,
        WAITS, WAITS);
    assert_waits(SIX ONE_WARP("5", ASKS("0000", "0x400", "0") STORE("0010") ASKS("0020", "0x400", "0")
                                       ASKS("0030", "0x400", "80000000") LAST),
                 NO, WAITS, WAITS | ODD);
    assert_waits(SIX ONE_WARP("6", ASKS("0000", "0x400", "0") STORE("0010") ASKS("0020", "0x400", "0") STORE("0030")
                                       ASKS("0040", "0x400", "0") LAST),
                 NO, NO, WAITS);
}

/* More instructions than are held lie between the question and the next one: it is a wait. */
static void a_question_is_open_for_a_limited_time(void **state)
{
    enum { STORES = HOLD_MOST - 1, ROOM = (STORES + 8) * 64 };
    (void)state;
    for (unsigned more = 0; more < 2; more++) {
        char *text = calloc(1, ROOM), *at = text;
        assert_non_null(text);
        at += sprintf(at, SIX "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = %u\n", STORES + more + 3);
        at += sprintf(at, ASKS("0000", "0x400", "0"));
        for (unsigned i = 0; i < STORES + more; i++)
            at += sprintf(at, STORE("0010"));
        sprintf(at, ASKS("0020", "0x400", "0") LAST "\n#END_TB\n");
        assert_waits(text, more ? ISSUED_WAITS : 0, ISSUED_WAITS, 0);
        free(text);
    }
}

static void operations_without_values_are_counted(void **state)
{
    static struct stream s;
    (void)state;
    struct trace_file *file =
        stream_of(&s, SIX ONE_WARP("2", "0000 ffffffff 0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 R2 R4 8 "
                                        "1 0x400 0 0 NoVal\n" LAST));
    assert_int_equal(s.issued[0].operand[0], 0); /* it does not wait */
    end_stream(&s, file);
}

static void replay_markers_are_no_instructions(void **state)
{
    static struct stream s;
    (void)state;
    struct trace_file *file = stream_of(&s, SIX ONE_WARP("4", "0000 ffffffff 0 REPLAY_START 0 0 0 NoVal\n"
                                                              "0000 ffffffff 1 R1 MOV 1 R2 0 0 NoVal\n"
                                                              "0000 ffffffff 0 REPLAY_END 0 0 0 NoVal\n" LAST));
    assert_int_equal(s.count, 2);
    end_stream(&s, file);
    refused(SIX ONE_WARP("1", "0000 ffffffff 0 REPLAY_START 0 0 0 NoVal\n"), "this warp has no instruction");
}

static void barriers_have_their_numbers_and_threads(void **state)
{
    static struct stream s;
    static const unsigned want[][2] = {{0, 0}, {2, 1}, {5, 2}, {6, 3}, {7, 4}};
    (void)state;
    struct trace_file *file = stream_of(&s, SIX ONE_WARP("6", "0000 ffffffff 0 BAR.SYNC 0 0 0 NoVal\n"
                                                              "0010 ffffffff 0 BAR.SYNC 0 0 2 32 NoVal\n"
                                                              "0020 ffffffff 1 R4 BAR.SYNC 0 0 64 0 Val 1 5\n"
                                                              "0030 ffffffff 1 R4 BAR.SYNC 1 R5 0 96 0 Val 1 6 1 60\n"
                                                              "0040 ffffffff 0 BAR.SYNC 1 R5 0 7 128 Val 1 80\n" LAST));
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(s.issued[i].flow, ISSUED_AT_BARRIER);
        assert_int_equal(s.issued[i].barrier, want[i][0]);
        assert_int_equal(s.issued[i].barrier_warps, want[i][1]);
    }
    end_stream(&s, file);
}

/* ---- there and back ---------------------------------------------------------------------------------------------- */

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

/* ---- clusters ---------------------------------------------------------------------------------------------------- */

#define PLACED(x, cta, lines)                                                                                          \
    "#BEGIN_TB\n\nthread block = " x ",0,0\ncluster id = 0,0,0\ncluster cta = " cta ",0,0\ncluster rank = " cta "\n"   \
    "\nwarp = 0\ninsts = 4\n" lines "\n#END_TB\n"
#define MEETS                                                                                                          \
    "0000 ffffffff 0 UCGABAR_ARV 0 0 0 NoVal\n0010 ffffffff 0 UCGABAR_WAIT 0 0 0 NoVal\n"                              \
    "0020 00000001 1 R4 LD.E 1 R2 4 2 0x7f0001000400 0 NoVal\n" LAST

static void clusters_are_known_from_the_places_of_blocks(void **state)
{
    static struct stream s;
    (void)state;
    struct trace_file *file =
        stream_of(&s, "-local mem base_addr = 0x00007f0010000000\n" HEAD("6", "90", GRID("2,1,1", "32,1,1"))
                          BODY PLACED("0", "0", MEETS) PLACED("1", "1", MEETS));
    assert_int_equal(s.launch->cluster[0], 2);
    assert_int_equal(s.issued[0].barrier_arrive, true);
    assert_int_equal(s.issued[0].barrier, 16);
    assert_int_equal(s.issued[1].flow, ISSUED_AT_BARRIER);
    assert_int_equal(s.issued[1].barrier, 16);
    end_stream(&s, file);
    refused(HEAD("6", "90", GRID("2,1,1", "32,1,1")) BODY PLACED("0", "0", MEETS) PLACED("1", "2", MEETS),
            "are not those of clusters of its grid");
    refused(HEAD("6", "90", GRID("2,1,1", "32,1,1")) BODY PLACED("0", "16", MEETS), "n below 16");
}

/* ---- containers -------------------------------------------------------------------------------------------------- */

struct bytes {
    uint8_t data[1 << 16];
    size_t size;
};

static void put(struct bytes *b, const void *data, size_t size)
{
    assert_in_range(size, 0, sizeof b->data - b->size);
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void put_word(struct bytes *b, uint32_t value) { put(b, &value, 4); }

static const char *const lines[] = {"0000 ffffffff 1 R1 LDG.E 2 R2 UR4 4 1 0x700000000000 4 0 NoVal\n"
                                    "0010 0000000f 0 STG.E 3 R2 R4 UR4 4 2 0x700000001000 8 8 8 0 0 Val 1 5 1 7 1 0\n",
                                    "0020 ffffffff 2 R3 P0 IADD3 4 R1 R4 R5 UP1 0 7 0 NoVal\n"
                                    "0030 ffffffff 1 R24 HGMMA.64x128x16.F32 3 R24 UR4 UR6 0 0 0 NoVal\n",
                                    "0040 ffffffff 0 EXIT 0 0 0 NoVal\n"};
enum { CTAS = 4, PARTS = 3 };

/* Four one-warp blocks in clusters of two, the last one first. */
static size_t make_container(struct bytes *b, bool dictionary)
{
    static const char head[] = HEAD("6", "90", GRID("4,1,1", "32,1,1"));
    static const uint32_t instructions[PARTS] = {2, 2, 1};
    uint64_t place[CTAS];
    ZSTD_CCtx *context = ZSTD_createCCtx();
    b->size = 0;
    put(b, head, sizeof head);
    put_word(b, dictionary ? (uint32_t)strlen(lines[0]) : 0);
    put_word(b, 2);
    if (dictionary)
        put(b, lines[0], strlen(lines[0]));
    for (unsigned cta = 0; cta < CTAS; cta++) {
        place[cta] = b->size;
        put_word(b, 5);
        put_word(b, PARTS);
        for (unsigned i = 0; i < PARTS; i++) {
            uint8_t frame[4096];
            size_t size = ZSTD_compress_usingDict(context, frame, sizeof frame, lines[i], strlen(lines[i]), lines[0],
                                                  dictionary ? strlen(lines[0]) : 0, 3);
            assert_false(ZSTD_isError(size));
            put_word(b, (uint32_t)size);
            put(b, frame, size);
        }
    }
    ZSTD_freeCCtx(context);
    uint64_t index = b->size;
    put_word(b, CTAS);
    for (unsigned cta = CTAS; cta-- > 0;) {
        const uint32_t words[10] = {cta, 0, 0, cta / 2, 0, 0, cta % 2, 0, 0, cta % 2};
        put(b, words, sizeof words);
        put_word(b, 1);
        put_word(b, 5);
        put_word(b, PARTS);
        put(b, &place[cta], 8);
        put(b, instructions, sizeof instructions);
    }
    put(b, &index, 8);
    return (size_t)index;
}

static struct trace_file *open_container(const struct bytes *b, struct status *status)
{
    struct folder f;
    struct accelsim_report report;
    char path[TEMPORARY_PATH + 32];
    make_folder(&f, NULL);
    put_text(f.list, "kernel-1.tracez\n");
    snprintf(path, sizeof path, "%s/kernel-1.tracez", f.path);
    put_file(path, b->data, b->size);
    *status = (struct status){0};
    struct trace_file *file = accelsim_open(f.list, &ACCELSIM_DEFAULTS, &report, status);
    remove_folder(&f);
    return file;
}

static void a_container_is_read_as_its_text_with_its_clusters(void **state)
{
    static struct bytes b;
    struct status status;
    (void)state;
    for (unsigned dictionary = 0; dictionary < 2; dictionary++) {
        make_container(&b, dictionary);
        struct trace_file *file = open_container(&b, &status);
        if (!file)
            fail_msg("%s", status.text);
        struct trace_kernel *kernel = trace_kernel_open(file, 0, &status);
        const struct trace_launch *l = trace_kernel_launch(kernel);
        assert_int_equal(l->cluster[0], 2);
        assert_int_equal(l->cluster[1] * l->cluster[2], 1);
        assert_int_equal(l->grid[0], CTAS);
        struct trace_summary summary;
        trace_summary(file, 0, &summary);
        assert_int_equal(summary.instructions, 5 * CTAS);
        assert_true(summary.complete);
        same_streams(file, file);
        trace_kernel_close(kernel);
        trace_close(file);
    }
}

static void launches_in_clusters_are_not_written_as_version_5(void **state)
{
    static struct bytes b;
    struct status status;
    struct accelsim_written report;
    char folder[TEMPORARY_PATH];
    uint64_t damaged;
    (void)state;
    make_container(&b, false);
    struct trace_file *file = open_container(&b, &status);
    assert_non_null(file);
    temporary_folder(folder);
    const struct accelsim_export export = {.format = {.version = 5}};
    assert_false(accelsim_export(file, folder, &export, &report, &damaged, &status));
    assert_int_equal(status.code, STATUS_UNSUPPORTED);
    assert_non_null(strstr(status.text, "k: launched in clusters"));
    trace_close(file);
    assert_int_equal(rmdir(folder), 0);
}

static void damaged_containers_are_refused(void **state)
{
    static struct bytes b, whole;
    struct status status;
    (void)state;
    make_container(&whole, true);
    for (size_t size = 0; size < whole.size; size += 7) {
        b = whole;
        b.size = size;
        assert_null(open_container(&b, &status));
        assert_int_equal(status.code, STATUS_FORMAT);
    }
    for (size_t at = 0; at < whole.size; at += 5) { /* may still be a container: no more than an error */
        b = whole;
        b.data[at] ^= 0x41;
        struct trace_file *file = open_container(&b, &status);
        if (file)
            trace_close(file);
    }
}

UNIT_TESTS(UNIT(lines_become_what_those_of_version_5_become), UNIT(what_is_wrong_in_a_line_is_told),
           UNIT(what_is_wrong_in_our_own_words_is_told), UNIT(copies_become_transfers_of_their_places),
           UNIT(our_own_words_take_the_place_of_what_the_line_has), UNIT(operands_come_from_the_values_of_registers),
           UNIT(a_question_that_is_asked_again_after_effects_was_no_wait), UNIT(a_question_is_open_for_a_limited_time),
           UNIT(operations_without_values_are_counted), UNIT(replay_markers_are_no_instructions),
           UNIT(barriers_have_their_numbers_and_threads), UNIT(traces_without_code_survive_being_written_again),
           UNIT(clusters_are_known_from_the_places_of_blocks), UNIT(a_container_is_read_as_its_text_with_its_clusters),
           UNIT(launches_in_clusters_are_not_written_as_version_5), UNIT(damaged_containers_are_refused))
