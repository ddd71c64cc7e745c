/* A trace is checked before it is timed: each limit at both of its sides. */
#include <fcntl.h>
#include <unistd.h>

#include "../unit.h"
#include "container.h"
#include "isa/assemble.h"
#include "stream.h"
#include "trace/metadata.h"
#include "trace/predict.h"
#include "trace/verify.h"

#define ALL UINT32_MAX

enum { FADD, LDG, LDS, LDL, LDC, GENERIC, COPY, TURN, CODE };

/* Their words alone: the writer does not know their meaning, and writes the words of the test. */
static struct trace_launch one_of_each(void)
{
    static const char *const text[CODE] = {
        "FADD R1, R2, R3",    "LDG.E R2, [R4.64]", "LDS R2, [R4]",           "LDL R2, [R4]",
        "LDC R2, c[0x3][R4]", "LD.E R2, [R4.64]",  "LDGSTS.E [R2], [R4.64]", "BRA 0x70"};
    struct status status = {0};
    struct isa_asm_error error;
    struct isa_assembler *assembler = isa_assembler_create(80, &status);
    struct trace_launch l = test_launch(1, 32);
    assert_non_null(assembler);
    l.code_count = CODE;
    for (uint32_t i = 0; i < CODE; i++)
        if (!isa_assemble(assembler, text[i], strlen(text[i]), i * 16, NULL, NULL, &l.code[i].isa.word, &error))
            fail_msg("%s: %s", text[i], error.message);
    isa_assembler_destroy(assembler);
    return l;
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

/* A stream of one instruction, written and read: the complaint must be `text` (NULL: none). */
static void expect_instruction(const struct issued *is, bool two, const char *text)
{
    struct trial t = {0};
    struct status status = {0};
    struct issued got;
    struct trace_launch launch = one_of_each();
    t.writer = trace_writer_create(trace_test_path(t.path), NULL, &t.status);
    assert_true(trace_writer_begin(t.writer, &launch, &t.status));
    struct trace_stream *s = trace_writer_stream(t.writer, 0, 0);
    if (two)
        trace_stream_add_copy(s, is);
    else
        trace_stream_add(s, is);
    trace_stream_end(s);
    trial_reopen(&t);
    assert_true(trace_cursor_seek(t.cursor, 0, 0, &status));
    assert_int_equal(trace_cursor_next(t.cursor, &got, &status), !text);
    assert_int_equal(status.code, text ? STATUS_FORMAT : STATUS_OK);
    if (text && (!strstr(status.text, text) || !strstr(status.text, "kernel 0 (wild), CTA 0, warp 0: ")))
        fail_msg("'%s' does not say '%s'", status.text, text);
    trace_launch_free(&launch);
    trial_end(&t);
}

static struct issued access_of(unsigned instruction, enum isa_space space, uint64_t address)
{
    struct issued is = {.pc = instruction * 16, .path = ALL, .active = ALL, .flow = ISSUED_NEXT, .bytes = 4};
    is.space = (uint8_t)space;
    for (unsigned lane = 0; lane < 32; lane++)
        is.address[lane] = address;
    return is;
}

static void an_access_has_a_size_that_an_instruction_has(void **state)
{
    const char *const wrong = "an access of a size that no instruction has";
    (void)state;
    for (unsigned bytes = 0; bytes < 256; bytes++) {
        struct issued is = access_of(LDG, ISA_SPACE_GLOBAL, 4096);
        bool right = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16 || bytes == 32;
        is.bytes = (uint8_t)bytes;
        expect_instruction(&is, false, right ? NULL : wrong);
        is = access_of(LDS, ISA_SPACE_SHARED, 4096);
        is.bytes = (uint8_t)bytes;
        expect_instruction(&is, false, right || bytes == 0 ? NULL : wrong); /* 0: a barrier object */
    }
}

static void an_instruction_accesses_its_own_space_only(void **state)
{
    static const unsigned reached[CODE] = {
        [LDG] = 1u << ISA_SPACE_GLOBAL,
        [LDS] = 1u << ISA_SPACE_SHARED,
        [LDL] = 1u << ISA_SPACE_LOCAL,
        [LDC] = 1u << ISA_SPACE_CONSTANT,
        [GENERIC] = 1u << ISA_SPACE_GLOBAL | 1u << ISA_SPACE_SHARED | 1u << ISA_SPACE_LOCAL,
        [COPY] = 1u << ISA_SPACE_GLOBAL,
    };
    (void)state;
    for (unsigned i = LDG; i <= COPY; i++) {
        for (unsigned space = ISA_SPACE_GLOBAL; space <= ISA_SPACE_GENERIC; space++) {
            struct issued is = access_of(i, (enum isa_space)space, 64);
            bool right = reached[i] >> space & 1;
            expect_instruction(&is, i == COPY, right ? NULL : "an access to a space that its instruction cannot reach");
        }
    }
}

static void addresses_lie_within_the_space_that_they_are_of(void **state)
{
    const uint64_t device = UINT64_MAX - 4096, window = UINT64_C(1) << 24;
    static const enum isa_space spaces[] = {
        [LDS] = ISA_SPACE_SHARED, [LDL] = ISA_SPACE_LOCAL, [LDC] = ISA_SPACE_CONSTANT};
    (void)state;
    struct issued last = access_of(LDG, ISA_SPACE_GLOBAL, device), beyond = access_of(LDG, ISA_SPACE_GLOBAL, 0);
    expect_instruction(&last, false, NULL);
    beyond.address[7] = device + 1;
    expect_instruction(&beyond, false, "an access over the end of the address space");
    beyond.active = ~(1u << 7);
    expect_instruction(&beyond, false, NULL);
    beyond.active = ALL;
    beyond.zero_fill = 1u << 7;
    expect_instruction(&beyond, false, NULL);
    for (unsigned i = LDS; i <= LDC; i++) {
        last = access_of(i, spaces[i], window - 1);
        expect_instruction(&last, false, NULL);
        last.address[31] = window;
        expect_instruction(&last, false, "an offset beyond 16 MiB");
    }
}

static void a_copy_to_shared_memory_says_where_it_goes(void **state)
{
    (void)state;
    struct issued is = access_of(COPY, ISA_SPACE_GLOBAL, 4096);
    is.shared[5] = (1u << 24) - 1;
    expect_instruction(&is, true, NULL);
    expect_instruction(&is, false, "a copy to shared memory without the places there");
    is.shared[5]++;
    expect_instruction(&is, true, "an offset beyond 16 MiB");
    is.space = ISA_SPACE_NONE;
    expect_instruction(&is, false, "a load of constants, or a copy, without addresses");
    is = access_of(LDC, ISA_SPACE_NONE, 0);
    expect_instruction(&is, false, "a load of constants, or a copy, without addresses");
    is.active = 0;
    expect_instruction(&is, false, NULL);
    is = access_of(LDG, ISA_SPACE_NONE, 0);
    expect_instruction(&is, false, NULL);
}

static void what_takes_no_way_to_memory_may_say_anything(void **state)
{
    (void)state;
    struct issued is = access_of(FADD, ISA_SPACE_CONSTANT, UINT64_MAX);
    is.bytes = 132;
    expect_instruction(&is, false, NULL);
}

static void lanes_and_barriers_are_those_that_there_are(void **state)
{
    (void)state;
    struct issued is = {.pc = FADD * 16, .path = 0xff, .active = 0xff, .flow = ISSUED_AT_BARRIER, .barrier = 16};
    expect_instruction(&is, false, NULL);
    is.barrier = 17;
    expect_instruction(&is, false, "a barrier of a number that there is not");
    is.barrier = 0;
    is.active = 0x100;
    expect_instruction(&is, false, "lanes are active that are not on its path");
}

/* ---- contents of blocks ------------------------------------------------------------------------------------------ */

/* A stream of one instruction and no bytes: the first one, which comes as expected. */
struct made {
    struct container c;
    struct trace_launch launch;
    struct trace_frame pieces;
    char path[4096];
};

static void make(struct made *m)
{
    const struct trace_piece piece = {.instructions = 1, .path = ALL, .last = true};
    *m = (struct made){.launch = one_of_each()};
    assert_true(trace_frame_add(&m->pieces, &piece, NULL));
    m->c.entry = trace_frame_ranges(&m->pieces);
    m->c.kernel = (struct trace_kernel_entry){.name = m->launch.name, .ctas = 1, .warps = 1, .instructions = 1};
    m->c.kernel.complete = true;
    trace_test_path(m->path);
}

static void write_made(struct made *m, const struct trace_places *flow)
{
    struct trace_dictionary d;
    assert_true(trace_dictionary_init(&d));
    struct trace_written from = trace_dictionary_state(&d);
    for (uint32_t i = 0; flow && i < flow->count; i++)
        assert_true(trace_places_add(&d.flow, flow->key[i]));
    trace_dictionary_put(&d, &from, &m->c.dictionary);
    trace_frame_put(&m->pieces, &m->c.frame);
    trace_metadata_put(&m->launch, &m->c.launch);
    int fd = open(m->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0 && container_write(fd, &m->c));
    close(fd);
    trace_dictionary_free(&d);
}

static void unmake(struct made *m)
{
    trace_bytes_free(&m->c.dictionary);
    trace_bytes_free(&m->c.frame);
    trace_bytes_free(&m->c.launch);
    trace_frame_free(&m->pieces);
    trace_launch_free(&m->launch);
    unlink(m->path);
}

/* Opening its kernel must fail with `text` (NULL: it is opened, and its stream read). */
static void expect_kernel(struct made *m, const char *text)
{
    struct status status = {0};
    struct issued is;
    write_made(m, NULL);
    struct trace_file *file = trace_open(m->path, &status);
    assert_non_null(file);
    struct trace_kernel *kernel = trace_kernel_open(file, 0, &status);
    if (text && (kernel || !strstr(status.text, text) || !strstr(status.text, m->path)))
        fail_msg("'%s' does not say '%s'", status.text, text);
    struct trace_cursor *cursor = kernel ? trace_cursor_create(kernel) : NULL;
    if (!text && !(cursor && trace_cursor_seek(cursor, 0, 0, &status) && trace_cursor_next(cursor, &is, &status)))
        fail_msg("%s", status.text);
    trace_cursor_destroy(cursor);
    trace_kernel_close(kernel);
    trace_close(file);
    unmake(m);
}

static void a_launch_needs_no_more_than_a_gpu_can_have(void **state)
{
    enum { WINDOW = 1 << 24 };
    const uint64_t beyond = UINT64_C(1) << 57;
    struct made m;
    (void)state;
    make(&m);
    m.launch.registers = 256;
    m.launch.static_shared = WINDOW - 1;
    m.launch.dynamic_shared = 1;
    m.launch.shared_preferred = m.launch.local_bytes = WINDOW;
    m.launch.local_base = beyond - 1;
    m.launch.code_address = beyond - 128;
    m.launch.bank_bytes[4] = 65536;
    expect_kernel(&m, NULL);
#define EXPECT_ABOVE(member, value, text) (make(&m), m.launch.member = (value), expect_kernel(&m, text))
    EXPECT_ABOVE(registers, 257, "more than 256 registers a thread");
    EXPECT_ABOVE(static_shared, WINDOW + 1, "more than 16 MiB of shared memory a CTA");
    EXPECT_ABOVE(dynamic_shared, UINT32_MAX, "more than 16 MiB of shared memory a CTA");
    EXPECT_ABOVE(shared_preferred, WINDOW + 1, "more than 16 MiB of shared memory a CTA");
    EXPECT_ABOVE(local_bytes, WINDOW + 1, "more than 16 MiB of local memory a thread");
    EXPECT_ABOVE(local_base, beyond, "an address of code or local memory beyond 57 bits");
    EXPECT_ABOVE(code_address, beyond, "an address of code or local memory beyond 57 bits");
    EXPECT_ABOVE(code_address, 4096 + 64, "an address of code that is no multiple of 128");
    EXPECT_ABOVE(bank_bytes[4], 65537, "a constant bank of more than 64 KiB");
    EXPECT_ABOVE(block[1], 33, "a block of more than 1024 threads");
    EXPECT_ABOVE(architecture, 52, "code of sm_52");
#undef EXPECT_ABOVE
}

static void the_index_fits_the_grid_and_the_frames(void **state)
{
    struct made m;
    (void)state;
    make(&m);
    expect_kernel(&m, NULL);
    make(&m);
    m.c.kernel.warps = 2;
    expect_kernel(&m, "more streams than its grid has warps");
    make(&m);
    m.launch.grid[0] = 2;
    expect_kernel(&m, "it is complete, and does not have a stream of each warp");
    make(&m);
    m.launch.grid[0] = TRACE_FRAME_PIECES + 1;
    m.c.kernel.warps = TRACE_FRAME_PIECES + 1;
    expect_kernel(&m, "more streams than its frames can hold");
    make(&m);
    m.c.entry.last_cta = 1;
    expect_kernel(&m, "a frame of warps that its grid does not have");
    make(&m);
    m.c.entry.last_warp = 1;
    expect_kernel(&m, "a frame of warps that its grid does not have");
}

/* The only CTAs in a grid of 4294967295 are its first and its last: those between are not tried one by one. */
static void what_lies_between_far_ctas_is_passed_over(void **state)
{
    const struct trace_piece last = {.cta = UINT32_MAX - 1u, .instructions = 1, .path = ALL, .last = true};
    struct status status = {0};
    struct made m;
    (void)state;
    make(&m);
    m.launch.grid[0] = UINT32_MAX;
    m.c.kernel.complete = false;
    m.c.kernel.ctas = m.c.kernel.warps = 2;
    assert_true(trace_frame_add(&m.pieces, &last, NULL));
    m.c.entry = trace_frame_ranges(&m.pieces);
    write_made(&m, NULL);
    struct trace_file *file = trace_open(m.path, &status);
    struct trace_kernel *kernel = trace_kernel_open(file, 0, &status);
    if (!kernel)
        fail_msg("%s", status.text);
    assert_int_equal(trace_kernel_next_cta(kernel, 0), 0);
    assert_int_equal(trace_kernel_next_cta(kernel, 1), UINT32_MAX - 1u);
    assert_int_equal(trace_kernel_next_cta(kernel, UINT32_MAX), UINT64_MAX);
    trace_kernel_close(kernel);
    trace_close(file);
    unmake(&m);
}

/* The stream of the first warp cannot be read, since `text`. The kernel has two CTAs. */
static void expect_frame(struct made *m, const char *text)
{
    struct status status = {0};
    struct issued is;
    m->launch.grid[0] = 2;
    m->c.kernel.complete = false;
    write_made(m, NULL);
    struct trace_file *file = trace_open(m->path, &status);
    struct trace_kernel *kernel = trace_kernel_open(file, 0, &status);
    struct trace_cursor *cursor = kernel ? trace_cursor_create(kernel) : NULL;
    assert_non_null(cursor);
    assert_false(trace_cursor_seek(cursor, 0, 0, &status) && trace_cursor_next(cursor, &is, &status));
    assert_non_null(strstr(status.text, text));
    assert_int_equal(trace_kernel_presence(kernel, m->c.entry.last_cta, 0), TRACE_DAMAGED);
    trace_cursor_destroy(cursor);
    trace_kernel_close(kernel);
    trace_close(file);
    unmake(m);
}

static void a_frame_is_what_the_index_says(void **state)
{
    struct made m;
    (void)state;
    make(&m);
    m.c.entry.last_cta = 1;
    expect_frame(&m, "a frame differs from its row in the index");
    make(&m);
    m.c.entry.instructions = 2;
    expect_frame(&m, "a frame differs from its row in the index");
}

static void a_frame_has_each_piece_once(void **state)
{
    struct made m;
    (void)state;
    make(&m);
    assert_true(trace_frame_add(&m.pieces, &m.pieces.piece[0], NULL));
    m.c.entry = trace_frame_ranges(&m.pieces);
    expect_frame(&m, "a frame is damaged");
}

static void note(void *self, const struct trace_damage *damage)
{
    (void)damage;
    ++*(unsigned *)self;
}

/* A branch to itself that comes as expected 2^50 times. */
static void a_stream_without_end_can_be_left(void **state)
{
    const uint8_t loop[] = {0, TRACE_OUTCOME, ISSUED_JUMP | TRACE_TARGET, 1};
    const struct trace_piece piece = {.instructions = UINT64_C(1) << 50, .pc = TURN, .path = ALL, .bytes = 4};
    const volatile bool stop = true;
    uint32_t key = TURN;
    const struct trace_places flow = {.key = &key, .count = 1};
    struct status status = {0};
    uint64_t damages;
    unsigned seen = 0;
    struct made m;
    (void)state;
    make(&m);
    m.pieces.pieces = 0;
    assert_true(trace_frame_add(&m.pieces, &piece, loop));
    m.pieces.piece[0].last = true;
    m.c.entry = trace_frame_ranges(&m.pieces);
    write_made(&m, &flow);
    struct trace_file *file = trace_open(m.path, &status);
    assert_non_null(file);
    const struct trace_check check = {.damage = note, .self = &seen, .stop = &stop};
    assert_false(trace_verify(file, &check, &damages, &status));
    assert_int_equal(status.code, STATUS_INTERRUPTED);
    assert_int_equal(seen, 0);
    trace_close(file);
    unmake(&m);
}

UNIT_TESTS(UNIT(an_access_has_a_size_that_an_instruction_has), UNIT(an_instruction_accesses_its_own_space_only),
           UNIT(addresses_lie_within_the_space_that_they_are_of), UNIT(a_copy_to_shared_memory_says_where_it_goes),
           UNIT(what_takes_no_way_to_memory_may_say_anything), UNIT(lanes_and_barriers_are_those_that_there_are),
           UNIT(a_launch_needs_no_more_than_a_gpu_can_have), UNIT(the_index_fits_the_grid_and_the_frames),
           UNIT(what_lies_between_far_ctas_is_passed_over), UNIT(a_frame_is_what_the_index_says),
           UNIT(a_frame_has_each_piece_once), UNIT(a_stream_without_end_can_be_left))
