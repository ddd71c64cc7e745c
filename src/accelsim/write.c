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

#include "accelsim/cluster.h"
#include "accelsim/stock.h"
#include "accelsim/write_parts.h"
#include "base/bits.h"
#include "isa/sync.h"

enum { VERSION_5 = 5, VERSION_6 = 6 };

/* Bytes of one line in the list. Accel-Sim counts the bytes of a copy in 32 bits and does not come to the end of a
 * 4-GiB line. */
#define COPY_LINE_MOST (UINT64_C(1) << 30)

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

void write_path(const struct accelsim_writer *w, uint64_t kernel, const char *ending,
                char out[WRITE_PATH + WRITE_SUFFIX])
{
    if (kernel == 0)
        snprintf(out, WRITE_PATH + WRITE_SUFFIX, "%s/%s", w->temporary, ending);
    else
        snprintf(out, WRITE_PATH + WRITE_SUFFIX, "%s/kernel-%" PRIu64 "%s", w->temporary, kernel, ending);
}

static void remove_all(struct accelsim_writer *w)
{
    char path[WRITE_PATH + WRITE_SUFFIX];
    write_path(w, 0, "kernelslist.g", path);
    unlink(path);
    for (uint64_t k = 1; k <= w->report.kernels; k++) {
        write_path(w, k, kernel_file_ending(w->format.packing), path);
        unlink(path);
        write_path(w, k, ".sass", path);
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
    char path[WRITE_PATH + WRITE_SUFFIX];
    if (!empty_or_absent(w->folder))
        status_fail(status, STATUS_IO, "%.400s: exists and is not an empty folder; name a new one", folder);
    else if (!make_temporary(w))
        status_fail(status, STATUS_IO, "%.400s: cannot be created: %s", folder, strerror(errno));
    else {
        write_path(w, 0, "kernelslist.g", path);
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
    kernel_file_close(w->kernel, &ignored);
    line6_writer_free(&w->six);
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
    struct kernel_file *f = w->kernel;
    bool six = w->version == VERSION_6;
    kernel_file_print(f, "-kernel name = %.2000s\n-kernel id = %" PRIu64 "\n", l->name, w->report.kernels);
    kernel_file_print(f, "-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n", l->grid[0], l->grid[1], l->grid[2],
                      l->block[0], l->block[1], l->block[2]);
    if (l->cluster[0])
        kernel_file_print(f, "-cluster dim = (%u,%u,%u)\n", l->cluster[0], l->cluster[1], l->cluster[2]);
    kernel_file_print(f, "-shmem = %u\n-nregs = %u\n", l->static_shared + l->dynamic_shared, l->registers);
    kernel_file_print(f, "-binary version = %u\n-cuda stream id = %" PRIu64 "\n", w->report.binary_version, l->stream);
    kernel_file_print(f, "-shmem base_addr = 0x%016" PRIx64 "\n-local mem base_addr = 0x%016" PRIx64 "\n",
                      LINE_SHARED_WINDOW, six ? LINE6_LOCAL_WINDOW : LINE_LOCAL_WINDOW);
    kernel_file_print(f, "-nvbit version = subcore\n-accelsim tracer version = %u\n-enable lineinfo = 0\n", w->version);
    kernel_file_body(f, six ? "PC mask dest_num [reg_dests] opcode src_num [reg_srcs] [group] mem_width [addresses] "
                              "immediates Val|NoVal [reg_values]"
                            : "[line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
                              "[adrrescompress?] [mem_addresses] immediate");
}

static bool open_kernel(struct accelsim_writer *w, struct status *status)
{
    char path[WRITE_PATH + WRITE_SUFFIX];
    const char *ending = kernel_file_ending(w->format.packing);
    write_path(w, w->report.kernels, ending, path);
    w->kernel = kernel_file_open(path, w->format.packing, status);
    put_copies(w);
    sink_print(w->list, "kernel-%" PRIu64 "%s\n", w->report.kernels, ending);
    w->list_size = sink_size(w->list);
    w->list_ranges = w->report.ranges;
    w->report.dropped = 0;
    return w->kernel != NULL;
}

/* Version 5 has no words for clusters, for the data of bulk and tensor copies, and for barrier objects. */
static bool needs_version_6(const struct trace_launch *l)
{
    bool needed = l->cluster[0];
    for (uint32_t i = 0; i < l->code_count && !needed; i++) {
        enum isa_op op = (enum isa_op)l->code[i].isa.op;
        needed = isa_op_info(op)->way == ISA_WAY_ENGINE || issued_has_operand(op);
    }
    return needed;
}

bool accelsim_writer_begin(struct accelsim_writer *w, const struct trace_launch *launch, struct status *status)
{
    struct accelsim_written *r = &w->report;
    w->launch = launch;
    bool chosen = w->format.version == VERSION_5 || w->format.version == VERSION_6;
    w->version = w->format.packing == ACCELSIM_TRACEZ ? VERSION_6
                 : chosen                             ? w->format.version
                 : needs_version_6(launch)            ? VERSION_6
                                                      : VERSION_5;
    w->six.added = w->format.code;
    r->version_6 += w->version == VERSION_6;
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
        char line[64];
        int length = snprintf(line, sizeof line, "%04x %08x 0 EXIT 0 0 0%s\n", w->pc + 16, w->still_running,
                              w->version == VERSION_6 ? " NoVal" : "");
        kernel_file_line(w->kernel, line, (size_t)length);
        w->report.exits++;
        w->report.instructions++;
    }
    w->still_running = 0;
    kernel_file_end_warp(w->kernel);
}

/* Without clusters each block is one of its own. */
static void begin_cta(struct accelsim_writer *w, uint64_t cta)
{
    static const uint32_t alone[3] = {1, 1, 1};
    const uint32_t *grid = w->launch->grid, *size = w->launch->cluster[0] ? w->launch->cluster : alone;
    struct kernel_file_block b = {.rank = cluster_rank(grid, w->launch->cluster, cta)};
    uint64_t rest = cta;
    for (unsigned d = 0; d < 3; rest /= grid[d++]) {
        b.block[d] = (uint32_t)(rest % grid[d]);
        b.cluster[d] = b.block[d] / size[d];
        b.within[d] = b.block[d] % size[d];
    }
    w->window = (struct line_window){.local = LINE6_LOCAL_WINDOW, .rank = b.rank};
    kernel_file_begin_block(w->kernel, &b, w->version == VERSION_6);
}

void accelsim_writer_warp(struct accelsim_writer *w, uint64_t instructions, uint32_t exited)
{
    const struct trace_launch *l = w->launch;
    uint32_t warps = trace_launch_warps(l), warp = (uint32_t)(w->next_warp % warps);
    if (w->next_warp > 0)
        end_warp(w);
    if (w->next_warp > 0 && warp == 0)
        kernel_file_end_block(w->kernel);
    if (warp == 0)
        begin_cta(w, w->next_warp / warps);
    uint32_t threads = l->block[0] * l->block[1] * l->block[2] - 32 * warp;
    uint32_t launched = threads >= 32 ? UINT32_MAX : (1u << threads) - 1;
    w->still_running = launched & ~exited;
    w->six.path = launched;
    w->left = instructions;
    w->pc = 0;
    w->next_warp++;
    kernel_file_begin_warp(w->kernel, warp, instructions + (w->still_running != 0));
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
        w->no_memory |= !w->used[at];
        if (w->used[at] && w->version == VERSION_6)
            line6_form_make(&w->used[at]->six, &w->launch->code[at]);
        else if (w->used[at])
            line_form_make(&w->used[at]->five, &w->launch->code[at]);
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

static size_t put_line(struct accelsim_writer *w, const struct used *used, const struct issued *issued)
{
    char line[LINE_MOST];
    if (w->version == VERSION_6) {
        line6_write(&w->six, &used->six, issued, &w->window);
        w->no_memory |= w->six.failed;
        kernel_file_line(w->kernel, w->six.text, w->six.size);
        return w->six.size;
    }
    size_t length = line_write(line, &used->five, issued);
    kernel_file_line(w->kernel, line, length);
    return length;
}

void accelsim_writer_add(struct accelsim_writer *w, const struct issued *issued)
{
    struct used *used = used_at(w, issued->pc);
    assert(w->left > 0);
    w->left--;
    w->pc = issued->pc;
    if (!used)
        return;
    if (w->format.code && isa_op_info(w->launch->code[issued->pc / 16].isa.op)->memory == ISA_MEM_ASYNC_COPY)
        note_places(used, issued);
    w->report.bytes += put_line(w, used, issued);
    used->lines++;
    w->report.instructions++;
}

/* ---- the end of a kernel ----------------------------------------------------------------------------------------- */

static void note_unknown(struct accelsim_written *r, const struct used *used, bool six)
{
    const char *name = six ? used->six.name : used->five.front + used->five.name;
    size_t whole = six ? used->six.name_length : used->five.name_length;
    size_t length = whole < WRITTEN_NAME ? whole : WRITTEN_NAME - 1;
    if (stock_knows(r->binary_version, name, whole))
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
        bool six = w->version == VERSION_6;
        enum isa_sync sync = isa_sync_of((enum isa_op)w->launch->code[i].isa.op);
        bool stops = six && (sync == ISA_SYNC_READ || sync == ISA_SYNC_FORGET);
        w->report.objects += stops ? w->used[i]->lines : 0;
        note_unknown(&w->report, w->used[i], six);
        w->report.sources += (six ? w->used[i]->six.left_out : w->used[i]->five.left_out) ? w->used[i]->lines : 0;
    }
}

bool accelsim_writer_end(struct accelsim_writer *w, struct status *status)
{
    const struct trace_launch *l = w->launch;
    assert(w->next_warp == trace_launch_ctas(l) * trace_launch_warps(l));
    end_warp(w);
    kernel_file_end_block(w->kernel);
    bool ok = kernel_file_close(w->kernel, status);
    w->kernel = NULL;
    if (w->out_of_code)
        ok = status_fail(status, STATUS_FORMAT, "%.200s: an instruction lies behind the end of the code", l->name);
    if (w->no_memory)
        ok = status_fail(status, STATUS_MEMORY, "%.200s: no memory", l->name);
    note_lines(w);
    ok = ok && write_code(w, status);
    free_used(w);
    return ok;
}
