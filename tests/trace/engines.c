/* The parts of traces for sm_90: clusters, operands for barrier objects, transfers of engines. Written and read again,
 * also by the reader in Python, and each limit at both of its sides. */
#include <stdlib.h>
#include <unistd.h>

#include "../unit.h"
#include "isa/assemble.h"
#include "stream.h"
#include "trace/metadata.h"

#define ALL UINT32_MAX

enum { ARRIVE, PHASECHK, EXCH, STAS, LD, TMA, BULK, NOP, TURN, CODE, LENGTH = 600 };

static struct trace_launch one_of_each(uint32_t ctas)
{
    static const char *const text[CODE] = {"SYNCS.ARRIVE.TRANS64.A1T0 RZ, [R2+URZ], RZ",
                                           "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R2+URZ], R3",
                                           "SYNCS.EXCH.64 URZ, [UR4], UR6",
                                           "STAS [R2.64], R4",
                                           "LD.E R2, desc[UR4][R4.64]",
                                           "UTMALDG.2D [UR8], [UR4]",
                                           "UBLKCP.S.G.MULTICAST [UR8], [UR4], UR6",
                                           "NOP",
                                           "BRA 0x80"};
    struct status status = {0};
    struct isa_asm_error error;
    struct isa_assembler *assembler = isa_assembler_create(90, &status);
    struct isa_decoder *decoder = isa_decoder_create(90, &status);
    struct trace_launch l = test_launch(ctas, 32);
    assert_non_null(assembler);
    assert_non_null(decoder);
    l.architecture = 90;
    l.code_count = CODE;
    l.cluster[0] = 2;
    l.cluster[1] = l.cluster[2] = 1;
    for (uint32_t i = 0; i < CODE; i++) {
        struct word128 word;
        if (!isa_assemble(assembler, text[i], strlen(text[i]), i * 16, NULL, NULL, &word, &error))
            fail_msg("%s: %s", text[i], error.message);
        assert_true(isa_decode(decoder, word, i * 16, &l.code[i].isa));
    }
    isa_assembler_destroy(assembler);
    isa_decoder_destroy(decoder);
    return l;
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static uint64_t draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 24;
}

static struct transfer some_transfer(uint64_t *seed)
{
    struct transfer t = {.kind = TRANSFER_LOAD,
                         .base = UINT64_C(0x700000000000) + draw(seed) % 65536 * 128,
                         .stride = {2, 512, draw(seed) % 8 * 4096, 0, 0},
                         .extent = {64, 16, 2, 1, 1},
                         .start = {0, (uint32_t)draw(seed) % 4, 0, 0, 0},
                         .from = {0, (uint32_t)draw(seed) % 3, 0, 0, 0},
                         .to = {0, 16, 2, 1, 1},
                         .map = draw(seed) % 2 ? UINT64_C(0x700100000000) : 0,
                         .rows = 32,
                         .bytes = 4096,
                         .element_bytes = 2,
                         .shared = 1024 * (uint32_t)(draw(seed) % 8),
                         .barrier = 8 * (uint32_t)(draw(seed) % 16),
                         .targets = (uint16_t)(1 + draw(seed) % 3),
                         .fetch = (uint8_t)(draw(seed) % 8)};
    return t;
}

static struct issued some(uint64_t *seed, uint32_t pc)
{
    struct issued is = {.pc = pc * 16, .path = ALL, .active = ALL, .flow = ISSUED_NEXT};
    bool odd = draw(seed) % 4 == 0;
    uint32_t base = 64 * (uint32_t)(draw(seed) % 32);
    if (odd)
        is.active = (uint32_t)draw(seed) | 1;
    if (pc == TMA || pc == BULK)
        is.transfer = some_transfer(seed);
    if (pc >= TMA)
        return is;
    is.space = pc == STAS || pc == LD || (pc == ARRIVE && odd) ? ISA_SPACE_CLUSTER : ISA_SPACE_SHARED;
    is.bytes = pc == STAS || pc == LD ? 4 : is.space == ISA_SPACE_CLUSTER ? 8 : 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        uint32_t rank = is.space == ISA_SPACE_CLUSTER ? (uint32_t)draw(seed) % 2 : 0;
        is.address[lane] = (rank << 24) + base + (odd ? 8 * (uint32_t)(draw(seed) % 64) : 8 * lane);
        is.operand[lane] = odd ? draw(seed) << 24 ^ draw(seed) : (uint64_t)base << 40 | 3;
    }
    return is;
}

static void write_warp(struct trial *t, uint64_t cta, uint64_t seed)
{
    struct trace_stream *s = trace_writer_stream(t->writer, cta, 0);
    for (unsigned i = 0; i < LENGTH; i++) {
        struct issued is = some(&seed, i % NOP);
        if (i % NOP == NOP - 1 && i + 1 < LENGTH) {
            is.flow = ISSUED_JUMP;
            is.next_pc = 0;
        }
        trace_stream_add(s, &is);
    }
    trace_stream_end(s);
}

static void begin(struct trial *t, uint32_t ctas)
{
    *t = (struct trial){0};
    struct trace_launch launch = one_of_each(ctas);
    t->writer = trace_writer_create(trace_test_path(t->path), NULL, &t->status);
    assert_true(trace_writer_begin(t->writer, &launch, &t->status));
    trace_launch_free(&launch);
}

static void same(const struct issued *a, const struct issued *b)
{
    assert_int_equal(a->pc, b->pc);
    assert_int_equal(a->active, b->active);
    assert_int_equal(a->space, b->space);
    assert_int_equal(a->bytes, b->bytes);
    for (unsigned lane = 0; lane < 32 && a->space; lane++) {
        if (!(a->active >> lane & 1))
            continue;
        assert_int_equal(a->address[lane], b->address[lane]);
        if (a->pc / 16 <= STAS)
            assert_true(a->operand[lane] == b->operand[lane]);
    }
    if (a->pc / 16 == TMA || a->pc / 16 == BULK)
        assert_memory_equal(&a->transfer, &b->transfer, sizeof a->transfer);
}

static void operands_and_transfers_are_read_as_they_were_written(void **state)
{
    enum { CTAS = 4 };
    struct trial t;
    struct status status = {0};
    struct issued got;
    (void)state;
    begin(&t, CTAS);
    for (uint64_t cta = 0; cta < CTAS; cta++)
        write_warp(&t, cta, cta + 1);
    trial_reopen(&t);
    assert_int_equal(trace_kernel_launch(t.kernel)->cluster[0], 2);
    for (uint64_t cta = CTAS; cta-- > 0;) {
        uint64_t seed = cta + 1;
        memset(&got, 0, sizeof got);
        assert_true(trace_cursor_seek(t.cursor, cta, 0, &status));
        for (unsigned i = 0; i < LENGTH; i++) {
            struct issued is = some(&seed, i % NOP);
            if (!trace_cursor_next(t.cursor, &got, &status))
                fail_msg("%u: %s", i, status.text);
            same(&is, &got);
        }
        assert_false(trace_cursor_next(t.cursor, &got, &status));
    }
    trial_end(&t);
}

/* ---- the reader in Python ---------------------------------------------------------------------------------------- */

static void put_list(char **to, const uint64_t *value, uint32_t lanes)
{
    const char *between = " ";
    for (unsigned i = 0; i < 32; i++) {
        if (!(lanes >> i & 1))
            continue;
        *to += sprintf(*to, "%s%llx", between, (unsigned long long)value[i]);
        between = ",";
    }
    if (!lanes)
        *to += sprintf(*to, " -");
}

static void put_transfer(char **to, const struct transfer *t)
{
    uint64_t v[32] = {t->kind,          t->base,   t->map,     t->rows,    t->bytes,
                      t->element_bytes, t->shared, t->barrier, t->targets, t->fetch};
    unsigned n = 10;
    for (unsigned d = 0; d < TRANSFER_DIMENSIONS; d++) {
        v[n++] = t->stride[d];
        v[n++] = t->extent[d];
    }
    for (unsigned d = 1; d < TRANSFER_DIMENSIONS; d++) {
        v[n++] = t->start[d];
        v[n++] = t->from[d];
        v[n++] = t->to[d];
    }
    put_list(to, v, ALL);
}

/* The columns from the addresses on. */
static void expected(const struct issued *is, char text[8192])
{
    char *at = text;
    put_list(&at, is->address, is->space ? is->active : 0);
    put_list(&at, is->operand, is->space && is->pc / 16 <= STAS ? is->active : 0);
    if (is->pc / 16 == TMA || is->pc / 16 == BULK)
        put_transfer(&at, &is->transfer);
    strcpy(at, "\n");
}

static void the_reader_in_python_reads_them(void **state)
{
    enum { NO_ZSTD = 77 };
    char script[4096], command[12000], line[8192], text[8192];
    struct trial t;
    uint64_t seed = 1;
    unsigned count = 0;
    (void)state;
    if (system("python3 -c '' 2>/dev/null") != 0)
        skip();
    begin(&t, 2);
    write_warp(&t, 0, 1);
    write_warp(&t, 1, 2);
    trial_reopen(&t);
    snprintf(command, sizeof command, "python3 '%s' '%s' 0 0 0", unit_path(script, "tools/read_trace.py"), t.path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    for (; fgets(line, sizeof line, pipe) && strncmp(line, "no zstd", 7) != 0; count++) {
        struct issued is = some(&seed, count % NOP);
        const char *column = line;
        for (unsigned i = 0; i < 14; i++)
            column = strchr(column + 1, ' ');
        expected(&is, text);
        assert_string_equal(column, text);
    }
    int ended = pclose(pipe);
    trial_end(&t);
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == NO_ZSTD)
        skip();
    assert_int_equal(ended, 0);
    assert_int_equal(count, LENGTH);
}

/* ---- refusals --------------------------------------------------------------------------------------------- */

/* NULL: nothing is wrong. */
static void expect(const struct issued *is, const char *text)
{
    struct trial t;
    struct status status = {0};
    struct issued got;
    begin(&t, 2);
    struct trace_stream *s = trace_writer_stream(t.writer, 0, 0);
    trace_stream_add(s, is);
    trace_stream_end(s);
    trial_reopen(&t);
    assert_true(trace_cursor_seek(t.cursor, 0, 0, &status));
    bool read = trace_cursor_next(t.cursor, &got, &status);
    if (read == (text != NULL) || (text && !strstr(status.text, text)))
        fail_msg("'%s' and not '%s'", status.text, text ? text : "nothing");
    trial_end(&t);
}

static struct issued transfer_of(void)
{
    uint64_t seed = 5;
    struct issued is = {.pc = TMA * 16, .path = ALL, .active = ALL, .flow = ISSUED_NEXT};
    is.transfer = some_transfer(&seed);
    is.transfer.from[1] = is.transfer.start[1] = 0;
    return is;
}

static void a_transfer_keeps_to_what_the_timing_relies_on(void **state)
{
    (void)state;
    struct issued is = transfer_of();
    expect(&is, NULL);
    is.transfer.targets = 3;
    expect(&is, NULL);
    is.transfer.targets = 4;
    expect(&is, "a transfer to a CTA that its cluster does not have");
    is = transfer_of();
    is.transfer.kind = TRANSFER_SHARED;
    is.transfer.targets = 2;
    expect(&is, NULL);
    is.transfer.targets = 3;
    expect(&is, "a copy between shared memories that does not go to one CTA");
    is = transfer_of();
    is.transfer.rows = 1 << 18;
    expect(&is, NULL);
    is.transfer.rows++;
    expect(&is, "a transfer of more than 262144 rows");
    is = transfer_of();
    is.transfer.element_bytes = 0;
    expect(&is, "a transfer of elements that are not 1 to 16 bytes");
    is.transfer.element_bytes = 17;
    expect(&is, "a transfer of elements that are not 1 to 16 bytes");
    is = transfer_of();
    is.transfer.extent[3] = 0;
    expect(&is, "a transfer of a box without digits");
    is = transfer_of();
    is.transfer.barrier = (1 << 24) - 8;
    expect(&is, NULL);
    is.transfer.barrier = 1 << 24;
    expect(&is, "a transfer with an offset beyond 16 MiB, or of more bytes");
    is = transfer_of();
    is.transfer.base = UINT64_MAX - 4096 - 128 - 15 * 512 - is.transfer.stride[2];
    expect(&is, NULL);
    is.transfer.base++;
    expect(&is, "a transfer over the end of the address space");
    is = transfer_of();
    is.transfer.kind = TRANSFER_GROUP + 1;
    expect(&is, "the facts beside an access are damaged");
}

static void accesses_to_the_cluster_stay_in_it(void **state)
{
    (void)state;
    uint64_t seed = 3;
    struct issued is = some(&seed, LD);
    is.address[5] = (UINT64_C(1) << 28) - 4;
    is.active = ALL;
    expect(&is, NULL);
    is.address[5] = UINT64_C(1) << 28;
    expect(&is, "an address of a CTA beyond the 16th of a cluster");
    is = some(&seed, PHASECHK);
    is.space = ISA_SPACE_GLOBAL;
    is.bytes = 4;
    expect(&is, "an access to a space that its instruction cannot reach");
}

static void a_launch_has_clusters_that_divide_its_grid(void **state)
{
    (void)state;
    struct trace_launch l = one_of_each(6);
    assert_null(trace_launch_wrong(&l, true));
    l.cluster[0] = 4;
    assert_string_equal(trace_launch_wrong(&l, true), "a grid that is no multiple of its clusters");
    l.cluster[0] = 17;
    assert_string_equal(trace_launch_wrong(&l, true), "a dimension of a cluster that is not 1 to 16");
    l.grid[0] = l.grid[1] = 16;
    l.cluster[0] = 16;
    assert_null(trace_launch_wrong(&l, true));
    l.cluster[1] = 2;
    assert_string_equal(trace_launch_wrong(&l, true), "a cluster of more than 16 CTAs");
    trace_launch_free(&l);
}

/* PTX ISA, %cluster_ctarank: x counts fastest, among clusters and in a cluster. */
static void ctas_begin_by_clusters(void **state)
{
    (void)state;
    struct trace_launch l = {.grid = {4, 6, 2}, .cluster = {2, 3, 1}};
    uint64_t order = 0;
    for (uint32_t z = 0; z < 2; z++)
        for (uint32_t y = 0; y < 6; y += 3)
            for (uint32_t x = 0; x < 4; x += 2)
                for (uint32_t rank = 0; rank < 6; rank++)
                    assert_int_equal(trace_launch_cta(&l, order++), x + rank % 2 + 4 * (y + rank / 2 + 6 * z));
    l.cluster[0] = 0;
    assert_int_equal(trace_launch_cta(&l, 17), 17);
}

static bool opens_as(const char *path, int version, struct status *status)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, 8, SEEK_SET);
    fputc(version, file);
    fclose(file);
    *status = (struct status){0};
    struct trace_file *trace = trace_open(path, status);
    if (trace)
        trace_close(trace);
    return trace != NULL;
}

/* A trace without clusters, operands and transfers is the same in version 1, but for a column in the
 * indexes of kernels. */
static void version_1_is_read_and_later_ones_are_not(void **state)
{
    (void)state;
    struct trial t;
    struct status status;
    trial_begin(&t, 2, 32);
    free(wild_write(&t, 2, 1, 300, 40));
    trial_reopen(&t);
    assert_true(opens_as(t.path, 1, &status));
    assert_true(opens_as(t.path, 2, &status));
    assert_true(opens_as(t.path, 3, &status));
    assert_true(opens_as(t.path, 4, &status));
    assert_false(opens_as(t.path, 5, &status));
    assert_non_null(strstr(status.text, "a trace of version 5; this program reads versions 1 to 4"));
    assert_false(opens_as(t.path, 0, &status));
    trial_end(&t);
}

UNIT_TESTS(UNIT(operands_and_transfers_are_read_as_they_were_written), UNIT(the_reader_in_python_reads_them),
           UNIT(a_transfer_keeps_to_what_the_timing_relies_on), UNIT(accesses_to_the_cluster_stay_in_it),
           UNIT(a_launch_has_clusters_that_divide_its_grid), UNIT(ctas_begin_by_clusters),
           UNIT(version_1_is_read_and_later_ones_are_not))
