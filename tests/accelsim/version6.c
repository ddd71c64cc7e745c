/* Traces of version 6 as text: their lines, copies and clusters, and the refusals. */
#include "tests/accelsim/version6.h"

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

UNIT_TESTS(UNIT(lines_become_what_those_of_version_5_become), UNIT(what_is_wrong_in_a_line_is_told),
           UNIT(what_is_wrong_in_our_own_words_is_told), UNIT(copies_become_transfers_of_their_places),
           UNIT(our_own_words_take_the_place_of_what_the_line_has), UNIT(replay_markers_are_no_instructions),
           UNIT(clusters_are_known_from_the_places_of_blocks))
