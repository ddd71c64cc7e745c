#include "driver/state/ranges.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/state/say.h"
#include "driver/state/thread.h"

static const char *copy_of(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value ? strdup(value) : NULL;
}

void ranges_begin(struct ranges *r)
{
    pthread_mutex_lock(&r->lock);
    if (!r->begun) {
        r->path = copy_of("SUBCORE_RANGES");
        r->filter = copy_of("SUBCORE_NVTX");
    }
    r->begun = true;
    pthread_mutex_unlock(&r->lock);
}

/* Each record is one write, so that processes that share the file do not mix theirs. */
static void append(struct ranges *r, struct range_record *record)
{
    if (!r->path || r->failed)
        return;
    record->layout = sizeof *record;
    record->process = (int32_t)getpid();
    if (!r->file)
        r->file = open(r->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    r->failed = r->file < 0 || write(r->file, record, sizeof *record) != sizeof *record;
    if (r->failed)
        say("%s: ranges of NVTX cannot be written: %s", r->path, strerror(errno));
}

static void append_range(struct ranges *r, enum range_kind kind, uint64_t id, const char *domain, const char *name)
{
    struct thread_ranges *own = &thread_get()->ranges;
    if (!own->thread)
        own->thread = ++r->threads;
    struct range_record record = {.kind = kind, .id = id, .thread = own->thread, .order = atomic_load(&r->submitted)};
    snprintf(record.text.domain, sizeof record.text.domain, "%s", domain ? domain : "");
    snprintf(record.text.name, sizeof record.text.name, "%s", name);
    append(r, &record);
}

static bool is_chosen(const struct ranges *r, const char *domain, const char *name)
{
    char rule[RANGE_DOMAIN + RANGE_NAME + 2];
    for (const char *at = r->filter; at && *at; at += *at == '\n') {
        size_t length = strcspn(at, "\n");
        bool fits = length > 0 && length < sizeof rule;
        snprintf(rule, sizeof rule, "%.*s", (int)(fits ? length : 0), at);
        if (fits && range_is(rule, domain ? domain : "", name))
            return true;
        at += length;
    }
    return false;
}

static struct open_range open_range(struct ranges *r, enum range_kind kind, const char *domain, const char *name)
{
    struct open_range range = {.id = ++r->ids, .domain = domain, .chosen = is_chosen(r, domain, name)};
    append_range(r, kind, range.id, domain, name);
    return range;
}

void ranges_mark(struct ranges *r, const char *domain, const char *name)
{
    pthread_mutex_lock(&r->lock);
    append_range(r, RANGE_MARK, 0, domain, name);
    pthread_mutex_unlock(&r->lock);
}

/* ---- of a thread ------------------------------------------------------------------------------------------------- */

static int level(const struct thread_ranges *own, const char *domain)
{
    int level = (int)own->deeper;
    for (unsigned i = 0; i < own->count; i++)
        level += own->open[i].domain == domain;
    return level;
}

int ranges_push(struct ranges *r, const char *domain, const char *name)
{
    struct thread_ranges *own = &thread_get()->ranges;
    int outer = level(own, domain);
    if (own->count == RANGES_MOST) {
        own->deeper++;
        return outer;
    }
    pthread_mutex_lock(&r->lock);
    own->open[own->count++] = open_range(r, RANGE_PUSH, domain, name);
    own->scope = 0;
    pthread_mutex_unlock(&r->lock);
    return outer;
}

int ranges_pop(struct ranges *r, const char *domain)
{
    struct thread_ranges *own = &thread_get()->ranges;
    (void)r;
    if (own->deeper > 0) {
        own->deeper--;
        return level(own, domain);
    }
    unsigned at = own->count;
    while (at > 0 && own->open[at - 1].domain != domain)
        at--;
    if (at == 0)
        return -1;
    memmove(&own->open[at - 1], &own->open[at], (own->count - at) * sizeof own->open[0]);
    own->count--;
    own->scope = 0;
    return level(own, domain);
}

/* ---- of the process ---------------------------------------------------------------------------------------------- */

uint64_t ranges_start(struct ranges *r, const char *domain, const char *name)
{
    pthread_mutex_lock(&r->lock);
    struct open_range range = open_range(r, RANGE_START, domain, name);
    if (r->count < RANGES_MOST) {
        r->open[r->count++] = range;
        r->version++;
    }
    pthread_mutex_unlock(&r->lock);
    return range.id;
}

void ranges_end(struct ranges *r, uint64_t id)
{
    pthread_mutex_lock(&r->lock);
    unsigned at = 0;
    while (at < r->count && r->open[at].id != id)
        at++;
    if (at < r->count) {
        memmove(&r->open[at], &r->open[at + 1], (r->count - at - 1) * sizeof r->open[0]);
        r->count--;
        r->version++;
    }
    pthread_mutex_unlock(&r->lock);
}

/* ---- scopes ------------------------------------------------------------------------------------------------------ */

static void add(struct range_record *record, bool *chosen, const struct open_range *open, unsigned count)
{
    for (unsigned i = 0; i < count && record->count < RANGES_MOST; i++) {
        record->ranges[record->count++] = open[i].id;
        *chosen |= open[i].chosen;
    }
}

/* A scope that no command was submitted in before. */
static void enter_scope(struct ranges *r, struct thread_ranges *own)
{
    struct range_record record = {.kind = RANGE_SCOPE, .thread = own->thread, .order = atomic_load(&r->submitted)};
    own->chosen = false;
    add(&record, &own->chosen, r->open, r->count);
    add(&record, &own->chosen, own->open, own->count);
    own->version = r->version;
    own->scope = record.id = ++r->scopes;
    append(r, &record);
}

struct range_place ranges_submit(struct ranges *r)
{
    struct thread_ranges *own = &thread_get()->ranges;
    struct range_place place = {.order = atomic_fetch_add(&r->submitted, 1)};
    place.choice = blocks_choice(&r->blocks, place.order);
    pthread_mutex_lock(&r->lock);
    if (own->count + r->count > 0) {
        if (own->scope == 0 || own->version != r->version)
            enter_scope(r, own);
        place.scope = own->scope;
        place.chosen = own->chosen;
    }
    place.chosen |= place.choice == BLOCK_TIMED;
    pthread_mutex_unlock(&r->lock);
    return place;
}
