#include "accelsim/kernel.h"

#include <stdio.h>
#include <stdlib.h>

#include "accelsim/cluster.h"
#include "accelsim/container.h"
#include "accelsim/facts.h"
#include "accelsim/hyfiss.h"
#include "accelsim/line6.h"
#include "accelsim/line_run.h"
#include "accelsim/mark.h"
#include "accelsim/payload.h"
#include "accelsim/scan.h"
#include "accelsim/warp.h"
#include "base/text.h"
#include "cubin/cubin.h"

enum { VOLTA = 70, WARPS = 32 };
enum { LAST_WITH_IDS = 2, LAST_OF_PATH = 1, FIRST_TYPED = 6 }; /* versions of the tracer */

struct kernel {
    struct converter *converter;
    struct input in;
    struct header header;
    struct code code;
    struct trace_launch launch;
    struct book book;
    struct spaces spaces;
    struct warp warp;
    bool begun;              /* the writer has */
    uint32_t warps, threads; /* of a CTA */
    uint64_t cta, next_cta;  /* that is read, that may come next */
    bool in_cta;
    uint32_t warp_number, warps_seen; /* a bit for each */
    uint64_t instructions;
    struct line_recorder recorder;
    struct cluster_marks marks;
    struct line6 six; /* the last line of version 6, */
    char *rewritten;  /* and as version 5 would have it; owned */
};

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static bool fail(struct kernel *k, struct status *status, const char *what)
{
    const uint32_t *g = k->header.grid;
    if (!k->in_cta)
        return input_fail(&k->in, status, "%s", what);
    uint64_t rest = k->cta / g[0];
    return input_fail(&k->in, status, "CTA %llu,%llu,%llu warp %u: %s", (unsigned long long)(k->cta % g[0]),
                      (unsigned long long)(rest % g[1]), (unsigned long long)(rest / g[1]), k->warp_number, what);
}

/* ---- lines of instructions --------------------------------------------------------------------------------------- */

/* The words before the pc. */
static bool skip_numbers(const struct kernel *k, const char **at)
{
    enum { IDS = 4 };
    uint64_t ignored;
    unsigned before = (k->header.version <= LAST_WITH_IDS ? IDS : 0u) + k->header.lines;
    for (; before > 0; before--) {
        *at = scan_blanks(*at);
        if (!scan_unsigned(at, &ignored))
            return false;
    }
    *at = scan_blanks(*at);
    return true;
}

/* The instruction, and in *behind its text. NULL: the line is wrong. */
static struct book_entry *find_instruction(struct kernel *k, const char **at, const char *end, uint32_t *mask,
                                           struct status *status)
{
    uint64_t pc, lanes;
    const char *line = *at, *text = line;
    if (!scan_hexadecimal(&text, &pc)) {
        fail(k, status, "a pc is expected, in hexadecimal digits");
        return NULL;
    }
    text = scan_blanks(text);
    if (!scan_hexadecimal(&text, &lanes) || lanes > UINT32_MAX) {
        fail(k, status, "a mask of 32 lanes is expected behind the pc");
        return NULL;
    }
    struct book_entry *e = book_find(&k->book, pc, text, end);
    bool known = e != NULL;
    *at = text;
    *mask = (uint32_t)lanes;
    if (!e && !(e = book_enter(&k->book, pc, at, end, k->warp.entry, &k->in, status)))
        return NULL;
    if (known)
        *at += e->length;
    if (known && !book_remember(k->warp.entry, e, line, text, *mask)) {
        status_fail(status, STATUS_MEMORY, "%s: no memory for its instructions", k->in.path);
        return NULL;
    }
    return e;
}

/* A line of version 6 as version 5 would have it. */
static bool rewrite(struct kernel *k, const char **at, const char **end, struct status *status)
{
    char why[LINE6_WRONG];
    if (!k->rewritten && !(k->rewritten = malloc(INPUT_LINE_MOST + LINE6_LONGER)))
        return status_fail(status, STATUS_MEMORY, "%s: no memory for a line", k->in.path);
    *end = line6_rewrite(&k->six, *at, *end, k->rewritten, why);
    *at = k->rewritten;
    return *end || fail(k, status, why);
}

static bool read_instruction(struct kernel *k, const char *at, const char *end, struct status *status)
{
    uint64_t address[32];
    const char *line = at, *line_end = end;
    struct book_entry *before = k->warp.entry;
    bool typed = k->header.version >= FIRST_TYPED;
    if (!skip_numbers(k, &at))
        return fail(k, status,
                    k->header.version <= LAST_WITH_IDS
                        ? "block and warp, four decimal numbers, are expected before the pc (trace version 0 to 2)"
                        : "a source line, a decimal number, is expected before the pc ('enable lineinfo = 1')");
    if (typed && !rewrite(k, &at, &end, status))
        return false;
    if (typed && k->six.marker)
        return true;
    struct book_entry *e = book_guess(k->warp.entry, at, end);
    uint32_t mask;
    if (e) {
        mask = e->mask;
        at += e->line_length;
    } else if (!(e = find_instruction(k, &at, end, &mask, status))) {
        return false;
    }
    if (e->has_address) {
        const char *wrong = payload_read(at, end, mask, k->header.version <= LAST_OF_PATH, &e->payload, address);
        if (wrong)
            return fail(k, status, wrong);
    }
    e->executed++;
    k->instructions++;
    const char *wrong = warp_add(&k->warp, e, mask, address, typed ? &k->six : NULL);
    line_recorder_add(&k->recorder, &k->warp, before, line, line_end);
    return !wrong || fail(k, status, wrong);
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

static bool end_cta(struct kernel *k, struct status *status)
{
    uint32_t all = k->warps == WARPS ? UINT32_MAX : (1u << k->warps) - 1;
    if (!k->in_cta)
        return true;
    for (uint32_t w = 0; w < k->warps && k->warps_seen != all; w++) {
        k->warp_number = w;
        if (!(k->warps_seen >> w & 1))
            return fail(k, status, "the CTA ends without this warp");
    }
    k->in_cta = false;
    return true;
}

static bool begin_cta(struct kernel *k, const char *text, const char *end, struct status *status)
{
    uint64_t cta;
    if (!end_cta(k, status))
        return false;
    if (!mark_cta(text, end, k->header.grid, &cta))
        return fail(k, status, "'thread block = x,y,z' with a place inside the grid is expected");
    if (cta < k->next_cta)
        return fail(k, status, "this thread block appears a second time or is out of order (x counts fastest)");
    if (cta > k->next_cta)
        return fail(k, status, "thread blocks are missing before this one");
    k->cta = cta;
    k->warp.place.rank = cluster_rank(k->header.grid, k->launch.cluster, cta);
    k->next_cta = cta + 1;
    k->in_cta = true;
    k->warp_number = 0;
    k->warps_seen = 0;
    return true;
}

static bool begin_warp(struct kernel *k, const char *text, const char *end, struct status *status)
{
    uint64_t number;
    if (!k->in_cta)
        return fail(k, status, "'warp =' stands outside of a thread block");
    if (!mark_number(text, end, &number) || number >= k->warps)
        return fail(k, status, "'warp = n' is expected, n below the number of warps of a block");
    k->warp_number = (uint32_t)number;
    if (k->warps_seen >> number & 1)
        return fail(k, status, "this warp appears a second time");
    return true;
}

/* Once for each line: tells how far the conversion is, and whether it is to end here. */
static bool stopped(const struct kernel *k, struct status *status)
{
    struct converter *c = k->converter;
    const struct accelsim_options *o = c->options;
    if (o->progress && c->bytes_done - c->bytes_told >= 1 << 16) {
        c->bytes_told = c->bytes_done;
        o->progress(o->self, c->bytes_done, c->bytes_all);
    }
    if (!o->stop || !*o->stop)
        return false;
    status_fail(status, STATUS_INTERRUPTED, "%.300s: its conversion was stopped in line %ju", k->in.path,
                (uintmax_t)k->in.line);
    return true;
}

static bool read_warp(struct kernel *k, const char *text, const char *end, struct status *status)
{
    uint64_t count;
    uint32_t first = 32 * k->warp_number, left = k->threads - first;
    if (!k->in_cta)
        return fail(k, status, "'insts =' stands outside of a thread block");
    if (!mark_number(text, end, &count) || count == 0)
        return fail(k, status, "'insts = n' is expected, n at least 1");
    if (k->warps_seen >> k->warp_number & 1)
        return fail(k, status, "the instructions of this warp appear a second time");
    k->warps_seen |= 1u << k->warp_number;
    struct trace_stream *stream = trace_writer_stream(k->converter->writer, k->cta, k->warp_number);
    if (!stream)
        return status_fail(status, STATUS_MEMORY, "%s: no memory for a warp", k->in.path);
    warp_begin(&k->warp, stream, &k->spaces, left >= 32 ? UINT32_MAX : (1u << left) - 1, k->header.binary < VOLTA);
    for (uint64_t i = 0, run; i < count; i += run ? run : 1) {
        if (stopped(k, status))
            return false;
        run = line_run_read(&k->recorder, &k->warp, &k->book, &k->in, count - i);
        k->instructions += run;
        if (run)
            continue;
        if (!input_line(&k->in, &text, &end, status))
            return status->code != STATUS_OK ? false : fail(k, status, "the file ends inside of this warp");
        if (scan_blanks(text) == end) {
            i--; /* blank lines may stand everywhere */
            continue;
        }
        if (!read_instruction(k, text, end, status))
            return false;
    }
    if (k->warp.entry == NULL)
        return fail(k, status, "this warp has no instruction");
    if (!warp_end(&k->warp))
        return status_fail(status, STATUS_MEMORY, "%s: no memory for a warp", k->in.path);
    return true;
}

static bool read_section(struct kernel *k, const char *text, const char *end, struct status *status)
{
    text = scan_blanks(text);
    if (mark_is(text, end, "thread block"))
        return begin_cta(k, text, end, status);
    if (k->in_cta && mark_is(text, end, "cluster"))
        return cluster_mark(&k->marks, text, end, &k->warp.place.rank) ||
               fail(k, status,
                    "'cluster id =' and 'cluster cta =' with three indices, or 'cluster rank = n', n below 16, "
                    "are expected");
    if (mark_is(text, end, "warp"))
        return begin_warp(k, text, end, status);
    if (mark_is(text, end, "insts"))
        return read_warp(k, text, end, status);
    if (mark_is(text, end, "#END_TB"))
        return end_cta(k, status);
    if (text >= end || *text == '#')
        return true;
    if (!k->in_cta && k->next_cta == 0 && scan_digit(*text) < 16)
        return fail(k, status,
                    "the instructions are not grouped by blocks and warps: make a .traceg of this .trace with the "
                    "tracer's post-traces-processing");
    return fail(k, status, "neither '#BEGIN_TB', 'thread block =', 'warp =', 'insts =' nor '#END_TB'");
}

static bool read_body(struct kernel *k, struct status *status)
{
    const char *text, *end;
    while (input_line(&k->in, &text, &end, status)) {
        if (stopped(k, status) || !read_section(k, text, end, status))
            return false;
    }
    if (status->code != STATUS_OK)
        return false;
    if (k->in_cta)
        return fail(k, status, "the file ends inside of this thread block");
    if (k->next_cta < trace_launch_ctas(&k->launch))
        return fail(k, status, "the file ends before the last thread block of the grid");
    return true;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static bool find_machine(struct kernel *k, unsigned architecture, struct status *status)
{
    struct converter *c = k->converter;
    unsigned i = converter_machine(c, k->in.path, architecture, status);
    if (i == CONVERTER_MACHINES)
        return false;
    book_begin(&k->book, c->machine[i].synthesis, &k->code, &k->header);
    return true;
}

static bool find_code(struct kernel *k, struct status *status)
{
    const struct accelsim_options *o = k->converter->options;
    if (o->code)
        return code_from_file(&k->code, o->code, &k->header, status);
    return o->ignore_code || code_beside(&k->code, k->in.path, status);
}

/* The driver's values in bank 0 before the parameters are known, the parameters are not: room for some. */
static void set_banks(struct trace_launch *l, const struct code *code)
{
    enum { PARAMETERS = 256 };
    const struct cubin_abi *abi = cubin_abi(l->architecture);
    memcpy(l->bank_bytes, code->bank_bytes, sizeof l->bank_bytes);
    if (!code->origin && abi)
        l->bank_bytes[0] = abi->parameters + PARAMETERS;
}

static void set_launch(struct kernel *k, uint64_t number)
{
    const struct header *h = &k->header;
    const struct code *c = &k->code;
    struct trace_launch *l = &k->launch;
    uint32_t fixed = c->static_shared < h->shared ? c->static_shared : h->shared;
    *l = (struct trace_launch){
        .name = h->name,
        .architecture = c->origin ? c->architecture : synthesis_architecture(h->binary),
        .registers = c->registers ? c->registers : h->registers,
        .static_shared = fixed,
        .dynamic_shared = h->shared - fixed,
        .shared_preferred = c->shared_preferred,
        .local_bytes = c->local_bytes,
        .local_base = c->local_base,
        .code_address = c->code_address,
        .cooperative = c->cooperative,
        .control_bits = c->origin && c->count && c->control_bits,
        .stream = h->stream,
        .number = c->has_number ? c->number : number,
    };
    memcpy(l->grid, h->grid, sizeof l->grid);
    memcpy(l->block, h->block, sizeof l->block);
    memcpy(l->cluster, h->cluster, sizeof l->cluster);
    set_banks(l, c);
    k->threads = h->block[0] * h->block[1] * h->block[2];
    k->warps = trace_launch_warps(l);
    k->spaces.shared_base = h->shared_base;
    k->spaces.local_base = h->local_base;
    k->spaces.shared_window = header_shared_window(h);
    k->warp.place.added = !k->converter->options->ignore_code;
}

static void count(struct kernel *k)
{
    struct accelsim_report *r = k->converter->report;
    r->kernels++;
    r->instructions += k->instructions;
    r->with_code += k->code.origin && k->code.count;
    for (uint32_t i = 0; i < k->book.native_room; i++) {
        const struct book_entry *e = k->book.by_native[i];
        if (e && e->is_unknown) {
            r->unknown_instructions += e->executed;
            converter_unknown(k->converter, e);
        }
    }
}

/* The code, as far as it was seen, and the end of the kernel. */
static bool finish(struct kernel *k, bool complete, struct status *status)
{
    struct trace_launch *l = &k->launch;
    l->local_bytes = k->spaces.local.bytes > l->local_bytes ? k->spaces.local.bytes : l->local_bytes;
    facts_end(&k->header, &k->code, &k->book, &k->spaces, l);
    bool fits = !complete || cluster_end(&k->marks, l, k->warp.targets, k->in.path, status);
    facts_open(k->converter, &k->in, &k->warp);
    bool good = book_code(&k->book, l) || status_fail(status, STATUS_MEMORY, "%s: no memory for its code", k->in.path);
    good = good && trace_writer_code(k->converter->writer, l, status);
    good = trace_writer_end(k->converter->writer, complete && fits, status) && good;
    count(k);
    return good && fits;
}

static void release(struct kernel *k)
{
    k->launch.name = NULL; /* the header's */
    trace_launch_free(&k->launch);
    book_end(&k->book);
    code_free(&k->code);
    header_free(&k->header);
    input_close(&k->in);
    line6_free(&k->six);
    hold_free(&k->warp.hold);
    free(k->rewritten);
    free(k);
}

static bool convert(struct kernel *k, uint64_t number, struct status *status)
{
    if (!header_read(&k->in, &k->header, status) || !facts_begin(k->converter, &k->in, &k->header, status) ||
        !find_code(k, status))
        return false;
    set_launch(k, number);
    if (!find_machine(k, k->launch.architecture, status) ||
        !trace_writer_begin(k->converter->writer, &k->launch, status))
        return false;
    k->begun = true;
    return read_body(k, status);
}

static bool open_input(struct converter *c, struct input *in, const char *path, struct status *status)
{
    if (hyfiss_is(path))
        return hyfiss_open(in, path, c->options->architecture, &c->bytes_done, status);
    return (container_is(path) ? container_open : input_open)(in, path, &c->bytes_done, status);
}

bool kernel_convert(struct converter *c, const char *path, uint64_t number, struct status *status)
{
    struct status damage = {0};
    struct kernel *k = calloc(1, sizeof *k);
    if (!k)
        return status_fail(status, STATUS_MEMORY, "%s: no memory to read it", path);
    k->converter = c;
    bool opened = open_input(c, &k->in, path, &damage);
    bool good = opened && convert(k, number, &damage);
    bool go_on = !good && c->options->keep_going && damage.code != STATUS_MEMORY && damage.code != STATUS_INTERRUPTED;
    if (go_on) {
        converter_warn(c, "%s%s", damage.text, k->begun ? "" : "; the kernel is left out");
        c->report->damaged_kernels++;
        if (!k->begun && c->options->left_out)
            c->options->left_out(c->options->self, number);
    } else if (!good) {
        status_fail(status, damage.code, "%s", damage.text);
    }
    bool ended = !k->begun || finish(k, good, go_on || good ? status : &damage);
    release(k);
    return ended && (good || go_on);
}
