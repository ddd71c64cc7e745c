#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "accelsim/hyfiss.h"
#include "base/file.h"

enum { PATH = 4096, FILE_BITS = 36 };

static const char middle[] = "/../sass_traces/kernel_", suffix[] = ".sass";

/* Returns the number of the kernel in a path, and the length of the configuration folder's; 0: it is no such path. */
static unsigned kernel_of(const char *path, size_t *folder)
{
    const char *at = strstr(path, middle);
    char *end;
    if (!at)
        return 0;
    unsigned long number = strtoul(at + strlen(middle), &end, 10);
    *folder = (size_t)(at - path);
    return strcmp(end, suffix) == 0 && number <= INT32_MAX ? (unsigned)number : 0;
}

bool hyfiss_is(const char *path)
{
    size_t folder;
    return kernel_of(path, &folder) > 0;
}

bool hyfiss_path(char *out, size_t room, const char *app_config, uint64_t kernel)
{
    const char *slash = strrchr(app_config, '/');
    int folder = slash ? (int)(slash - app_config) : 1;
    int n = snprintf(out, room, "%.*s%s%" PRIu64 "%s", folder, slash ? app_config : ".", middle, kernel, suffix);
    return n > 0 && (size_t)n < room;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* A file as text whose last line has its end. */
struct loaded {
    char path[PATH], *text; /* owned */
    size_t size;
};

static void unload(struct loaded *f)
{
    free(f->text);
    f->text = NULL;
    f->size = 0;
}

/* Reads the file that f->path names. */
static bool load_file(struct loaded *f, uint64_t *taken, struct status *status)
{
    struct file_bytes bytes;
    unload(f);
    if (!file_read(f->path, (size_t)1 << FILE_BITS, &bytes, status))
        return false;
    f->text = malloc(bytes.size + 1);
    if (f->text) {
        memcpy(f->text, bytes.data, bytes.size);
        f->size = bytes.size;
        if (f->size == 0 || f->text[f->size - 1] != '\n')
            f->text[f->size++] = '\n';
        *taken += bytes.size;
    }
    file_free(&bytes);
    return f->text || status_fail(status, STATUS_MEMORY, "%.300s: no memory to read it", f->path);
}

static struct hyfiss_text text_of(const struct loaded *f)
{
    return (struct hyfiss_text){f->path, f->text, f->text + f->size};
}

/* ---- the files of a kernel --------------------------------------------------------------------------------------- */

struct opened {
    const char *path;
    int folder; /* length of the configuration folder's path in it */
    unsigned kernel;
    uint64_t taken;
    struct loaded app, instructions, executed, memory;
};

static bool name_config(const struct opened *o, struct loaded *f, const char *name)
{
    int n = snprintf(f->path, sizeof f->path, "%.*s/%s", o->folder, o->path, name);
    return n > 0 && (size_t)n < sizeof f->path;
}

/* Of a CTA if `by_cta`, else of the grid. */
static bool name_trace(const struct opened *o, struct loaded *f, const char *end, bool by_cta, uint64_t cta)
{
    int n = by_cta ? snprintf(f->path, sizeof f->path, "%.*s/../%s_traces/kernel-%u/kernel_%u_block_%" PRIu64 ".%s",
                              o->folder, o->path, strcmp(end, "mem") == 0 ? "memory" : "sass", o->kernel, o->kernel,
                              cta, end)
                   : snprintf(f->path, sizeof f->path, "%.*s/../%s_traces/kernel_%u.%s", o->folder, o->path,
                              strcmp(end, "mem") == 0 ? "memory" : "sass", o->kernel, end);
    return n > 0 && (size_t)n < sizeof f->path;
}

static bool too_long(const struct opened *o, struct status *status)
{
    return status_fail(status, STATUS_IO, "%.300s: the paths of its files are too long", o->path);
}

static bool load_both(struct opened *o, bool by_cta, uint64_t cta, struct hyfiss_text *executed,
                      struct hyfiss_text *memory, struct status *status)
{
    if (!name_trace(o, &o->executed, "sass", by_cta, cta) || !name_trace(o, &o->memory, "mem", by_cta, cta))
        return too_long(o, status);
    if (!load_file(&o->executed, &o->taken, status))
        return false;
    *executed = text_of(&o->executed);
    unload(&o->memory);
    *memory = (struct hyfiss_text){.path = o->memory.path}; /* a kernel without accesses may have no such file */
    if (access(o->memory.path, F_OK) != 0)
        return true;
    bool good = load_file(&o->memory, &o->taken, status);
    if (good)
        *memory = text_of(&o->memory);
    return good;
}

static bool load_cta(void *self, uint64_t cta, struct hyfiss_text *executed, struct hyfiss_text *memory,
                     struct status *status)
{
    return load_both(self, true, cta, executed, memory, status);
}

static bool load_grid(void *self, uint64_t cta, struct hyfiss_text *executed, struct hyfiss_text *memory,
                      struct status *status)
{
    return load_both(self, false, cta, executed, memory, status);
}

static bool rewrite(struct opened *o, unsigned architecture, FILE *out, struct status *status)
{
    if (!name_config(o, &o->app, "app.config") || !name_config(o, &o->instructions, "instn.config") ||
        !name_trace(o, &o->executed, "sass", false, 0))
        return too_long(o, status);
    if (!load_file(&o->app, &o->taken, status) || !load_file(&o->instructions, &o->taken, status))
        return false;
    bool whole = access(o->executed.path, F_OK) == 0;
    const struct hyfiss_source source = {.app = text_of(&o->app),
                                         .instructions = text_of(&o->instructions),
                                         .kernel = o->kernel,
                                         .architecture = architecture,
                                         .by_cta = !whole,
                                         .self = o,
                                         .load = whole ? load_grid : load_cta};
    return hyfiss_write(&source, out, status);
}

struct rewriting {
    const char *path;
    unsigned architecture;
    uint64_t *taken;
};

static bool rewrite_path(void *self, FILE *out, struct status *status)
{
    const struct rewriting *r = self;
    size_t folder = 0;
    struct opened *o = calloc(1, sizeof *o);
    if (!o)
        return status_fail(status, STATUS_MEMORY, "%.300s: no memory to read it", r->path);
    o->path = r->path;
    o->kernel = kernel_of(r->path, &folder);
    o->folder = (int)folder;
    bool good = rewrite(o, r->architecture, out, status);
    if (r->taken)
        *r->taken += o->taken;
    unload(&o->app);
    unload(&o->instructions);
    unload(&o->executed);
    unload(&o->memory);
    free(o);
    return good;
}

bool hyfiss_open(struct input *in, const char *path, unsigned architecture, uint64_t *taken, struct status *status)
{
    struct rewriting r = {path, architecture, taken};
    *in = (struct input){0};
    if (!architecture)
        return status_fail(status, STATUS_USAGE,
                           "%.300s: a trace of HyFiSS does not tell its architecture: name a GPU with --gpu", path);
    return input_open_made(in, path, (struct input_maker){&r, rewrite_path}, status);
}
