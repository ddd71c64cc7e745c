#include "cli/checkpoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "cli/version.h"
#include "gpu/save.h"
#include "trace/save.h"

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static bool make_room(void **array, uint64_t *room, uint64_t wanted, size_t size)
{
    if (wanted <= *room)
        return true;
    uint64_t more = wanted > 2 * *room ? wanted : 2 * *room;
    void *grown = realloc(*array, more * size);
    if (!grown)
        return false;
    *array = grown;
    *room = more;
    return true;
}

/* The part before the GPU: ended launches, and memory that was read. */
static void head_archive(struct checkpoint *c, struct archive *a, uint64_t *launch)
{
    struct checkpoint_trace *trace = archive_reading(a) ? &c->saved_trace : &c->trace;
    archive_plain(a, trace, sizeof *trace);
    archive_same(a, "choice of launches", c->choice);
    archive_plain(a, launch, sizeof *launch);
    archive_plain(a, &c->ended, sizeof c->ended);
    archive_plain(a, &c->read_bytes, sizeof c->read_bytes);
    void *outcome = c->outcome, *read = c->read;
    if (archive_ok(a) && archive_reading(a) &&
        (c->ended > UINT32_MAX || c->read_bytes > UINT64_MAX / 2 ||
         !make_room(&outcome, &c->outcome_room, c->ended, sizeof *c->outcome) ||
         !make_room(&read, &c->read_room, c->read_bytes, 1)))
        archive_fail(a, STATUS_MEMORY, "no memory to resume a run");
    c->outcome = outcome;
    c->read = read;
    if (!archive_ok(a))
        return;
    archive_plain(a, c->outcome, c->ended * sizeof *c->outcome);
    archive_plain(a, c->read, c->read_bytes);
}

static bool save(void *self, uint64_t cycle, bool last, struct status *status)
{
    struct checkpoint *c = self;
    (void)cycle;
    uint64_t launch = c->launches - 1;
    struct archive *a = archive_create(c->path, gpu_layout(CLI_VERSION), status);
    if (!a)
        return false;
    head_archive(c, a, &launch);
    gpu_archive(*c->gpu, a);
    c->has_saved = archive_close(a, status) && last;
    return status->code == STATUS_OK;
}

/* The launch that was saved has begun: it goes on where it was. */
static bool begun(void *self, struct status *status)
{
    struct checkpoint *c = self;
    if (!c->from || c->launches - 1 != c->saved)
        return true;
    struct archive *a = c->from;
    c->from = NULL;
    gpu_archive(*c->gpu, a);
    c->refused = !archive_close(a, status);
    return !c->refused;
}

struct gpu_pause checkpoint_pause(struct checkpoint *c)
{
    return (struct gpu_pause){
        .self = c, .every = c->every, .begun = c->resumed ? begun : NULL, .save = c->path[0] ? save : NULL};
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

/* A folder that is missing is better found now than when the run is to be saved. */
static bool check_place(const char *path, struct status *status)
{
    char folder[sizeof((struct checkpoint *)NULL)->path + 1];
    struct stat info;
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[1] = '\0';
    else
        snprintf(folder, sizeof folder, ".");
    if (access(folder, W_OK | X_OK) != 0)
        return status_fail(status, STATUS_USAGE, "--save %.200s: %.200s: %s", path, folder, strerror(errno));
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return status_fail(status, STATUS_USAGE, "--save %.200s: it is a folder", path);
    return true;
}

/* FILE, or FILE:EVERY. */
static bool read_save(struct checkpoint *c, const char *text, struct status *status)
{
    const char *slash = strrchr(text, '/'), *colon = strrchr(slash ? slash : text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    if (length == 0 || length >= sizeof c->path || strcmp(text, "-") == 0)
        return status_fail(status, STATUS_USAGE, "--save: '%.100s' is not FILE or FILE:CYCLES", text);
    if (colon && (!cli_number(colon + 1, INT64_MAX, &c->every) || c->every == 0))
        return status_fail(status, STATUS_USAGE,
                           "--save %.100s: '%.100s' is not a positive number of cycles; a name with a colon needs "
                           ":CYCLES behind it",
                           text, colon + 1);
    memcpy(c->path, text, length);
    c->path[length] = '\0';
    return check_place(c->path, status);
}

static const char *without_time(const struct cli_options *options)
{
    return options->functional       ? "--functional"
           : options->check          ? "--check"
           : options->check_hazards  ? "--check-hazards"
           : options->strict_hazards ? "--strict-hazards"
           : options->record         ? "--record"
           : options->source         ? "--source"
           : options->all            ? "--all"
                                     : NULL;
}

static uint64_t choice_of(const struct cli_options *options)
{
    const char *const parts[] = {options->kernels, options->fast_forward};
    uint64_t choice = HASH_SEED;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        choice = hash_bytes(choice, parts[i] ? parts[i] : "", parts[i] ? strlen(parts[i]) + 1 : 1);
    return choice;
}

bool checkpoint_begin(struct checkpoint *c, const struct cli_options *options, struct gpu **gpu, struct status *status)
{
    *c = (struct checkpoint){.resumed = options->resume, .choice = choice_of(options), .gpu = gpu};
    const char *other = without_time(options);
    if (!options->save && !options->resume)
        return true;
    if (other)
        return status_fail(status, STATUS_USAGE, "--%s does not go with %s", options->save ? "save" : "resume", other);
    if (options->save && !read_save(c, options->save, status))
        return false;
    if (!options->resume)
        return true;
    c->from = archive_open(options->resume, gpu_layout(CLI_VERSION), status);
    if (!c->from)
        return false;
    head_archive(c, c->from, &c->saved);
    if (archive_ok(c->from))
        return true;
    archive_close(c->from, status);
    c->from = NULL;
    return false;
}

bool checkpoint_trace(struct checkpoint *c, struct trace_file *file, const char *path, struct status *status)
{
    const char *other = c->saved_trace.path;
    c->refused = true;
    snprintf(c->trace.path, sizeof c->trace.path, "%s", path);
    c->trace.identity = c->path[0] || c->from ? trace_identity(file) : 0;
    if (c->from && !other[0])
        return status_fail(status, STATUS_USAGE, "%.200s: this save is not of a replay", c->resumed);
    if (c->from && c->saved_trace.identity != c->trace.identity)
        return status_fail(status, STATUS_USAGE,
                           "%.150s: this save is of a replay of %.150s, and %.100s is another trace", c->resumed, other,
                           path);
    c->refused = false;
    return true;
}

bool checkpoint_no_trace(struct checkpoint *c, struct status *status)
{
    if (!c->from || !c->saved_trace.path[0])
        return true;
    c->refused = true;
    return status_fail(status, STATUS_USAGE, "%.200s: this save is of a replay of %.200s", c->resumed,
                       c->saved_trace.path);
}

void checkpoint_end(struct checkpoint *c)
{
    if (c->from)
        archive_abandon(c->from);
    free(c->outcome);
    free(c->read);
    *c = (struct checkpoint){0};
}

bool checkpoint_launch(struct checkpoint *c, struct launch_outcome *outcome)
{
    uint64_t launch = c->launches++;
    if (!c->from || launch >= c->saved || launch >= c->ended)
        return false;
    *outcome = c->outcome[launch];
    return true;
}

bool checkpoint_launched(struct checkpoint *c, const struct launch_outcome *outcome, struct status *status)
{
    void *all = c->outcome;
    if (!c->path[0])
        return true;
    if (!make_room(&all, &c->outcome_room, c->launches, sizeof *outcome))
        return status_fail(status, STATUS_MEMORY, "no memory for the results of launches");
    c->outcome = all;
    c->outcome[c->launches - 1] = *outcome;
    c->ended = c->launches;
    return true;
}

void checkpoint_say(const struct checkpoint *c, struct status *status)
{
    struct status before = *status;
    if (!c->has_saved || status->code != STATUS_INTERRUPTED)
        return;
    *status = (struct status){0};
    status_fail(status, STATUS_INTERRUPTED, "%.200s; go on with --resume %.200s", before.text, c->path);
}

bool checkpoint_read(struct checkpoint *c, void *to, uint64_t from, uint64_t bytes)
{
    if (c->from) {
        if (bytes > c->read_bytes - c->read_at)
            return false;
        memcpy(to, c->read + c->read_at, bytes);
        c->read_at += bytes;
        return true;
    }
    void *all = c->read;
    if (!memory_read(gpu_memory(*c->gpu), to, from, bytes))
        return false;
    if (!c->path[0])
        return true;
    bool ok = make_room(&all, &c->read_room, c->read_bytes + bytes, 1);
    c->read = all;
    if (ok)
        memcpy(c->read + c->read_bytes, to, bytes);
    c->read_bytes += ok ? bytes : 0;
    return ok;
}

bool checkpoint_reached(struct checkpoint *c, struct status *status)
{
    c->refused = c->from != NULL;
    return !c->from || status_fail(status, STATUS_USAGE, "%s: the saved run was in launch %llu, which did not come",
                                   c->resumed, (unsigned long long)c->saved);
}
