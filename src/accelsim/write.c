#include "accelsim/write.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "accelsim/copies.h"
#include "accelsim/line.h"
#include "accelsim/sink.h"
#include "accelsim/stock.h"
#include "base/bits.h"

enum { PATH_MOST = 4096, SUFFIX = 64, TRACER_VERSION = 5 };

/* Bytes of one line of the list. Accel-Sim counts the bytes of a copy in 32 bits and does not come to the end of one of
 * 4 GiB. */
#define COPY_LINE_MOST (UINT64_C(1) << 30)

/* An instruction of the kernel that has executed. */
struct used {
    struct line_form form;
    uint64_t lines;
    uint32_t copies;    /* LDGSTS: the lanes whose places in shared memory are noted */
    uint32_t place[32]; /* above the lowest one */
};

struct accelsim_writer {
    struct accelsim_format format;
    struct accelsim_written report;
    char folder[PATH_MOST - SUFFIX], temporary[PATH_MOST]; /* temporary: empty when there is none any more */
    struct sink *list, *kernel;
    uint64_t list_size, list_ranges; /* of the list up to its last kernel */
    struct copies pending;           /* since then */
    const struct trace_launch *launch;
    struct used **used; /* [code_count]; NULL where nothing has executed yet */
    uint32_t code_count;
    uint64_t next_warp;         /* of the kernel, counted through its CTAs */
    uint64_t left;              /* instructions of the current warp that have not come */
    uint32_t pc, still_running; /* where its last one was; lanes without an EXIT */
    bool no_memory, out_of_code;
};

/* ---- the folder -------------------------------------------------------------------------------------------------- */

static bool empty_or_absent(const char *folder)
{
    DIR *d = opendir(folder);
    if (!d)
        return errno == ENOENT;
    unsigned count = 0;
    while (readdir(d) && count < 3)
        count++;
    closedir(d);
    return count < 3; /* . and .. */
}

static bool make_temporary(struct accelsim_writer *w)
{
    for (unsigned number = 0; number < 1000; number++) {
        snprintf(w->temporary, sizeof w->temporary, "%s.%ld.%u.tmp", w->folder, (long)getpid(), number);
        if (mkdir(w->temporary, 0777) == 0)
            return true;
        if (errno != EEXIST)
            break;
    }
    w->temporary[0] = '\0';
    return false;
}

static const char *suffix(enum accelsim_packing packing)
{
    static const char *const suffixes[] = {[ACCELSIM_PLAIN] = "", [ACCELSIM_XZ] = ".xz", [ACCELSIM_GZ] = ".gz"};
    return suffixes[packing];
}

/* Paths are shorter than the kernel allows, or the first of them could not be opened. */
static void path_of(const struct accelsim_writer *w, uint64_t kernel, const char *ending, char out[PATH_MOST + SUFFIX])
{
    if (kernel == 0)
        snprintf(out, PATH_MOST + SUFFIX, "%s/%s", w->temporary, ending);
    else
        snprintf(out, PATH_MOST + SUFFIX, "%s/kernel-%" PRIu64 "%s", w->temporary, kernel, ending);
}

static void remove_all(struct accelsim_writer *w)
{
    char path[PATH_MOST + SUFFIX], ending[SUFFIX];
    path_of(w, 0, "kernelslist.g", path);
    unlink(path);
    snprintf(ending, sizeof ending, ".traceg%s", suffix(w->format.packing));
    for (uint64_t k = 1; k <= w->report.kernels; k++) {
        path_of(w, k, ending, path);
        unlink(path);
        path_of(w, k, ".sass", path);
        unlink(path);
    }
    rmdir(w->temporary);
    w->temporary[0] = '\0';
}

struct accelsim_writer *accelsim_writer_create(const char *folder, const struct accelsim_format *format,
                                               struct status *status)
{
    struct accelsim_writer *w = calloc(1, sizeof *w);
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    if (!w || length >= sizeof w->folder) {
        status_fail(status, STATUS_MEMORY, "%.400s: no memory to write it", folder);
        free(w);
        return NULL;
    }
    memcpy(w->folder, folder, length);
    w->format = *format;
    char path[PATH_MOST + SUFFIX];
    if (!empty_or_absent(w->folder))
        status_fail(status, STATUS_IO, "%.400s: exists and is not an empty folder; name a new one", folder);
    else if (!make_temporary(w))
        status_fail(status, STATUS_IO, "%.400s: cannot be created: %s", folder, strerror(errno));
    else {
        path_of(w, 0, "kernelslist.g", path);
        w->list = sink_open(path, ACCELSIM_PLAIN, status);
    }
    if (w->list)
        return w;
    accelsim_writer_destroy(w);
    return NULL;
}

bool accelsim_writer_finish(struct accelsim_writer *w, struct status *status)
{
    sink_cut(w->list, w->list_size);
    w->report.ranges = w->list_ranges;
    bool ok = sink_close(w->list, status);
    w->list = NULL;
    if (ok && rename(w->temporary, w->folder) != 0)
        ok = status_fail(status, STATUS_IO, "%.400s: cannot be put in place: %s", w->folder, strerror(errno));
    if (ok)
        w->temporary[0] = '\0';
    return ok;
}

static void free_used(struct accelsim_writer *w)
{
    for (uint32_t i = 0; w->used && i < w->code_count; i++)
        free(w->used[i]);
    free(w->used);
    w->used = NULL;
}

void accelsim_writer_destroy(struct accelsim_writer *w)
{
    if (!w)
        return;
    struct status ignored = {0};
    free_used(w);
    sink_close(w->kernel, &ignored);
    sink_close(w->list, &ignored);
    if (w->temporary[0] != '\0')
        remove_all(w);
    free(w);
}

const struct accelsim_written *accelsim_writer_report(const struct accelsim_writer *w) { return &w->report; }

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static void put_copy(struct accelsim_writer *w, uint64_t address, uint64_t bytes)
{
    sink_print(w->list, "MemcpyHtoD,0x%016" PRIx64 ",%" PRIu64 "\n", address, bytes);
    w->report.ranges++;
}

static void put_copies(struct accelsim_writer *w)
{
    copies_join(&w->pending);
    for (uint32_t i = 0; i < w->pending.count; i++) {
        struct copy_range r = w->pending.range[i];
        for (; r.last - r.first >= COPY_LINE_MOST; r.first += COPY_LINE_MOST)
            put_copy(w, r.first, COPY_LINE_MOST);
        put_copy(w, r.first, r.last - r.first + 1);
    }
    w->pending.count = 0;
}

void accelsim_writer_copy(struct accelsim_writer *w, const struct trace_copy *copy)
{
    w->report.copies++;
    w->report.dropped++; /* until a kernel comes */
    if (copies_add(&w->pending, copy->address, copy->bytes))
        return;
    put_copies(w);
    copies_add(&w->pending, copy->address, copy->bytes);
}

/* ---- a kernel ---------------------------------------------------------------------------------------------------- */

static void put_header(struct accelsim_writer *w)
{
    const struct trace_launch *l = w->launch;
    struct sink *s = w->kernel;
    sink_print(s, "-kernel name = %.2000s\n-kernel id = %" PRIu64 "\n", l->name, w->report.kernels);
    sink_print(s, "-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n", l->grid[0], l->grid[1], l->grid[2], l->block[0],
               l->block[1], l->block[2]);
    sink_print(s, "-shmem = %u\n-nregs = %u\n", l->static_shared + l->dynamic_shared, l->registers);
    sink_print(s, "-binary version = %u\n-cuda stream id = %" PRIu64 "\n", w->report.binary_version, l->stream);
    sink_print(s, "-shmem base_addr = 0x%016" PRIx64 "\n-local mem base_addr = 0x%016" PRIx64 "\n", LINE_SHARED_WINDOW,
               LINE_LOCAL_WINDOW);
    sink_print(s, "-nvbit version = subcore\n-accelsim tracer version = %d\n-enable lineinfo = 0\n\n", TRACER_VERSION);
    sink_print(s, "#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
                  "[adrrescompress?] [mem_addresses] immediate\n\n");
}

static bool open_kernel(struct accelsim_writer *w, struct status *status)
{
    char path[PATH_MOST + SUFFIX], ending[SUFFIX];
    snprintf(ending, sizeof ending, ".traceg%s", suffix(w->format.packing));
    path_of(w, w->report.kernels, ending, path);
    w->kernel = sink_open(path, w->format.packing, status);
    put_copies(w);
    sink_print(w->list, "kernel-%" PRIu64 "%s\n", w->report.kernels, ending);
    w->list_size = sink_size(w->list);
    w->list_ranges = w->report.ranges;
    w->report.dropped = 0;
    return w->kernel != NULL;
}

bool accelsim_writer_begin(struct accelsim_writer *w, const struct trace_launch *launch, struct status *status)
{
    struct accelsim_written *r = &w->report;
    w->launch = launch;
    w->next_warp = 0;
    w->code_count = launch->code_count;
    r->kernels++;
    r->binary_version = w->format.binary_version ? w->format.binary_version : launch->architecture;
    if (stock_version(r->binary_version) == STOCK_NEVER)
        r->without_table = r->binary_version;
    w->used = calloc(launch->code_count ? launch->code_count : 1, sizeof *w->used);
    if (!w->used)
        return status_fail(status, STATUS_MEMORY, "%.200s: no memory for %u instructions", launch->name,
                           launch->code_count);
    if (!open_kernel(w, status))
        return false;
    put_header(w);
    return true;
}

/* ---- warps ------------------------------------------------------------------------------------------------------- */

static void end_warp(struct accelsim_writer *w)
{
    assert(w->left == 0);
    if (w->still_running) {
        sink_print(w->kernel, "%04x %08x 0 EXIT 0 0 0\n", w->pc + 16, w->still_running);
        w->report.exits++;
        w->report.instructions++;
    }
    w->still_running = 0;
    sink_print(w->kernel, "\n");
}

static void begin_cta(struct accelsim_writer *w, uint64_t cta)
{
    const uint32_t *grid = w->launch->grid;
    uint64_t rest = cta / grid[0];
    sink_print(w->kernel, "#BEGIN_TB\n\nthread block = %" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n\n", cta % grid[0],
               rest % grid[1], rest / grid[1]);
}

void accelsim_writer_warp(struct accelsim_writer *w, uint64_t instructions, uint32_t exited)
{
    const struct trace_launch *l = w->launch;
    uint32_t warps = trace_launch_warps(l), warp = (uint32_t)(w->next_warp % warps);
    if (w->next_warp > 0)
        end_warp(w);
    if (w->next_warp > 0 && warp == 0)
        sink_print(w->kernel, "#END_TB\n\n");
    if (warp == 0)
        begin_cta(w, w->next_warp / warps);
    uint32_t threads = l->block[0] * l->block[1] * l->block[2] - 32 * warp;
    uint32_t launched = threads >= 32 ? UINT32_MAX : (1u << threads) - 1;
    w->still_running = launched & ~exited;
    w->left = instructions;
    w->pc = 0;
    w->next_warp++;
    sink_print(w->kernel, "warp = %u\ninsts = %" PRIu64 "\n", warp, instructions + (w->still_running != 0));
}

static struct used *used_at(struct accelsim_writer *w, uint32_t pc)
{
    uint32_t at = pc / 16;
    if (at >= w->launch->code_count) {
        w->out_of_code = true;
        return NULL;
    }
    if (!w->used[at]) {
        w->used[at] = calloc(1, sizeof *w->used[at]);
        if (w->used[at])
            line_form_make(&w->used[at]->form, &w->launch->code[at]);
        else
            w->no_memory = true;
    }
    return w->used[at];
}

/* Their distances decide about bank conflicts, and are most often alike whenever the instruction executes: those of the
 * execution with the most lanes count. */
static void note_places(struct used *used, const struct issued *issued)
{
    uint32_t lowest = UINT32_MAX;
    if (popcount32(issued->active) <= popcount32(used->copies))
        return;
    used->copies = issued->active;
    for (uint32_t left = issued->active; left; left &= left - 1)
        lowest = issued->shared[lowest_bit32(left)] < lowest ? issued->shared[lowest_bit32(left)] : lowest;
    for (unsigned lane = 0; lane < 32; lane++)
        used->place[lane] = issued->active >> lane & 1 ? issued->shared[lane] - lowest : 0;
}

void accelsim_writer_add(struct accelsim_writer *w, const struct issued *issued)
{
    char line[LINE_MOST];
    struct used *used = used_at(w, issued->pc);
    assert(w->left > 0);
    w->left--;
    w->pc = issued->pc;
    if (!used)
        return;
    if (w->format.code && isa_op_info(w->launch->code[issued->pc / 16].isa.op)->memory == ISA_MEM_ASYNC_COPY)
        note_places(used, issued);
    size_t length = line_write(line, &used->form, issued);
    sink_put(w->kernel, line, length);
    used->lines++;
    w->report.instructions++;
    w->report.bytes += length;
}

/* ---- the end of a kernel ----------------------------------------------------------------------------------------- */

static void note_unknown(struct accelsim_written *r, const struct used *used)
{
    const char *name = used->form.front + used->form.name;
    size_t length = used->form.name_length < WRITTEN_NAME ? used->form.name_length : WRITTEN_NAME - 1;
    if (stock_knows(r->binary_version, name, used->form.name_length))
        return;
    uint32_t known = r->unknown_count < WRITTEN_UNKNOWN ? r->unknown_count : WRITTEN_UNKNOWN;
    for (uint32_t i = 0; i < known; i++) {
        if (strncmp(r->unknown[i].name, name, length) == 0 && r->unknown[i].name[length] == '\0') {
            r->unknown[i].lines += used->lines;
            return;
        }
    }
    if (r->unknown_count++ < WRITTEN_UNKNOWN) {
        memcpy(r->unknown[known].name, name, length);
        r->unknown[known].lines = used->lines;
    }
}

static void note_lines(struct accelsim_writer *w)
{
    for (uint32_t i = 0; i < w->launch->code_count; i++) {
        if (!w->used[i])
            continue;
        note_unknown(&w->report, w->used[i]);
        w->report.sources += w->used[i]->form.left_out ? w->used[i]->lines : 0;
    }
}

static void put_facts(struct sink *s, const struct trace_launch *l)
{
    sink_print(s, "subcore-code 1\narchitecture = %u\nregisters = %u\n", l->architecture, l->registers);
    sink_print(s, "static shared = %u\npreferred shared = %u\nlocal = %u\n", l->static_shared, l->shared_preferred,
               l->local_bytes);
    sink_print(s, "local base = 0x%" PRIx64 "\ncode address = 0x%" PRIx64 "\n", l->local_base, l->code_address);
    for (unsigned i = 0; i < TRACE_BANKS; i++)
        if (l->bank_bytes[i])
            sink_print(s, "bank %u = %u\n", i, l->bank_bytes[i]);
    sink_print(s, "cooperative = %d\ncontrol bits = %d\nnumber = %" PRIu64 "\n\n", l->cooperative, l->control_bits,
               l->number);
}

static void put_places(struct sink *s, uint32_t pc, const struct used *used)
{
    if (!used || !used->copies)
        return;
    sink_print(s, "copies %04x", pc);
    for (unsigned lane = 0; lane < 32; lane++)
        sink_print(s, " %u", used->place[lane]);
    sink_print(s, "\n");
}

static bool put_code(struct accelsim_writer *w, struct status *status)
{
    const struct trace_launch *l = w->launch;
    char path[PATH_MOST + SUFFIX], text[ISA_TEXT];
    uint32_t known = 0;
    for (uint32_t i = 0; i < l->code_count; i++)
        known += l->code[i].described == NULL;
    if (!w->format.code || known == 0)
        return true;
    path_of(w, w->report.kernels, ".sass", path);
    struct sink *s = sink_open(path, ACCELSIM_PLAIN, status);
    if (!s)
        return false;
    put_facts(s, l);
    for (uint32_t i = 0; i < l->code_count; i++) {
        const struct isa_inst *isa = &l->code[i].isa;
        if (l->code[i].described)
            continue;
        isa_print(isa, text);
        sink_print(s, "%04x %016" PRIx64 "%016" PRIx64 " %s\n", 16 * i, isa->word.hi, isa->word.lo, text);
        put_places(s, 16 * i, w->used[i]);
    }
    return sink_close(s, status);
}

bool accelsim_writer_end(struct accelsim_writer *w, struct status *status)
{
    const struct trace_launch *l = w->launch;
    assert(w->next_warp == trace_launch_ctas(l) * trace_launch_warps(l));
    end_warp(w);
    sink_print(w->kernel, "#END_TB\n\n");
    bool ok = sink_close(w->kernel, status);
    w->kernel = NULL;
    if (w->out_of_code)
        ok = status_fail(status, STATUS_FORMAT, "%.200s: an instruction lies behind the end of the code", l->name);
    if (w->no_memory)
        ok = status_fail(status, STATUS_MEMORY, "%.200s: no memory", l->name);
    note_lines(w);
    ok = ok && put_code(w, status);
    free_used(w);
    return ok;
}
