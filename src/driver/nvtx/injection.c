/* The functions that take the place of NVTX's own, which do nothing. */
#include "driver/nvtx/abi.h"
#include "driver/nvtx/names.h"
#include "driver/state/driver.h"

static struct ranges *ranges_of(void) { return &driver_get()->ranges; }

static const char *name_of(const struct nvtx_domain *domain) { return domain ? domain->name : NULL; }

/* ---- marks ------------------------------------------------------------------------------------------------------- */

static void domain_mark_ex(const struct nvtx_domain *domain, const struct nvtx_event *event)
{
    char room[RANGE_NAME];
    ranges_mark(ranges_of(), name_of(domain), nvtx_event_name(event, room));
}

static void mark_ex(const struct nvtx_event *event) { domain_mark_ex(NULL, event); }

static void mark_a(const char *text) { ranges_mark(ranges_of(), NULL, text ? text : ""); }

static void mark_w(const wchar_t *text)
{
    char name[RANGE_NAME];
    nvtx_narrow(text, name, sizeof name);
    mark_a(name);
}

/* ---- ranges of the process --------------------------------------------------------------------------------------- */

static uint64_t domain_start_ex(const struct nvtx_domain *domain, const struct nvtx_event *event)
{
    char room[RANGE_NAME];
    return ranges_start(ranges_of(), name_of(domain), nvtx_event_name(event, room));
}

static uint64_t start_ex(const struct nvtx_event *event) { return domain_start_ex(NULL, event); }

static uint64_t start_a(const char *text) { return ranges_start(ranges_of(), NULL, text ? text : ""); }

static uint64_t start_w(const wchar_t *text)
{
    char name[RANGE_NAME];
    nvtx_narrow(text, name, sizeof name);
    return start_a(name);
}

static void end(uint64_t id) { ranges_end(ranges_of(), id); }

static void domain_end(const struct nvtx_domain *domain, uint64_t id)
{
    (void)domain;
    end(id);
}

/* ---- ranges of a thread ------------------------------------------------------------------------------------------ */

static int domain_push_ex(const struct nvtx_domain *domain, const struct nvtx_event *event)
{
    char room[RANGE_NAME];
    return ranges_push(ranges_of(), name_of(domain), nvtx_event_name(event, room));
}

static int push_ex(const struct nvtx_event *event) { return domain_push_ex(NULL, event); }

static int push_a(const char *text) { return ranges_push(ranges_of(), NULL, text ? text : ""); }

static int push_w(const wchar_t *text)
{
    char name[RANGE_NAME];
    nvtx_narrow(text, name, sizeof name);
    return push_a(name);
}

static int pop(void) { return ranges_pop(ranges_of(), NULL); }

static int domain_pop(const struct nvtx_domain *domain) { return ranges_pop(ranges_of(), name_of(domain)); }

/* ---- names ------------------------------------------------------------------------------------------------------- */

static const struct nvtx_domain *create_a(const char *name) { return nvtx_domain_named(ranges_of(), name); }

static const struct nvtx_domain *create_w(const wchar_t *wide)
{
    char name[RANGE_DOMAIN];
    nvtx_narrow(wide, name, sizeof name);
    return create_a(name);
}

static const struct nvtx_string *register_a(const struct nvtx_domain *domain, const char *text)
{
    (void)domain;
    return nvtx_string_new(ranges_of(), text);
}

static const struct nvtx_string *register_w(const struct nvtx_domain *domain, const wchar_t *wide)
{
    char text[RANGE_NAME];
    nvtx_narrow(wide, text, sizeof text);
    return register_a(domain, text);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

struct own_function {
    unsigned place;
    nvtx_function function;
};

#define ENTRY(place, function)                                                                                         \
    {                                                                                                                  \
        place, (nvtx_function)(function)                                                                               \
    }

/* A copy of NVTX that is older has shorter tables. */
static void enter(const struct nvtx_callbacks *callbacks, enum nvtx_module module, const struct own_function *own,
                  size_t own_count)
{
    nvtx_function **places = NULL;
    unsigned count = 0;
    if (!callbacks->places(module, &places, &count) || !places)
        return;
    for (size_t i = 0; i < own_count; i++)
        if (own[i].place < count && places[own[i].place])
            *places[own[i].place] = own[i].function;
}

int InitializeInjectionNvtx2(nvtx_get_table get_table)
{
    const struct own_function core[] = {
        ENTRY(NVTX_MARK_EX, mark_ex),         ENTRY(NVTX_MARK_A, mark_a),         ENTRY(NVTX_MARK_W, mark_w),
        ENTRY(NVTX_RANGE_START_EX, start_ex), ENTRY(NVTX_RANGE_START_A, start_a), ENTRY(NVTX_RANGE_START_W, start_w),
        ENTRY(NVTX_RANGE_PUSH_EX, push_ex),   ENTRY(NVTX_RANGE_PUSH_A, push_a),   ENTRY(NVTX_RANGE_PUSH_W, push_w),
        ENTRY(NVTX_RANGE_END, end),           ENTRY(NVTX_RANGE_POP, pop),
    };
    const struct own_function core2[] = {
        ENTRY(NVTX_DOMAIN_MARK_EX, domain_mark_ex),
        ENTRY(NVTX_DOMAIN_RANGE_START_EX, domain_start_ex),
        ENTRY(NVTX_DOMAIN_RANGE_END, domain_end),
        ENTRY(NVTX_DOMAIN_RANGE_PUSH_EX, domain_push_ex),
        ENTRY(NVTX_DOMAIN_RANGE_POP, domain_pop),
        ENTRY(NVTX_DOMAIN_REGISTER_STRING_A, register_a),
        ENTRY(NVTX_DOMAIN_REGISTER_STRING_W, register_w),
        ENTRY(NVTX_DOMAIN_CREATE_A, create_a),
        ENTRY(NVTX_DOMAIN_CREATE_W, create_w),
    };
    const struct nvtx_callbacks *callbacks = get_table ? get_table(NVTX_TABLE_CALLBACKS) : NULL;
    if (!callbacks || callbacks->size < sizeof *callbacks)
        return 0;
    ranges_begin(ranges_of());
    enter(callbacks, NVTX_MODULE_CORE, core, sizeof core / sizeof core[0]);
    enter(callbacks, NVTX_MODULE_CORE2, core2, sizeof core2 / sizeof core2[0]);
    return 1;
}
