/* The library as NVTX calls it: its functions are entered into tables that this test makes. */
#include "driver/abi/api_memory.h"
#include "driver/nvtx/abi.h"
#include "driver/nvtx/names.h"
#include "driver/state/driver.h"
#include "report/range.h"
#include "tests/driver/rig.h"
#include "tests/temporary.h"

enum { CORE = 16, CORE2 = 16 };

struct tables {
    nvtx_function core[CORE], core2[CORE2];
    nvtx_function *core_places[CORE], *core2_places[CORE2];
    unsigned core2_count;
};

static struct tables tables;
static char path[TEMPORARY_PATH];

static int give_places(enum nvtx_module module, nvtx_function ***places, unsigned *count)
{
    bool first = module == NVTX_MODULE_CORE, second = module == NVTX_MODULE_CORE2;
    *places = first ? tables.core_places : second ? tables.core2_places : NULL;
    *count = first ? CORE : second ? tables.core2_count : 0;
    return first || second;
}

static const struct nvtx_callbacks callbacks = {.size = sizeof callbacks, .places = give_places};
static const struct nvtx_callbacks short_callbacks = {.size = 8, .places = give_places};

static const void *give_table(uint32_t table) { return table == NVTX_TABLE_CALLBACKS ? &callbacks : NULL; }
static const void *give_none(uint32_t table) { return table == NVTX_TABLE_CALLBACKS ? NULL : &callbacks; }
static const void *give_short(uint32_t table) { return table == NVTX_TABLE_CALLBACKS ? &short_callbacks : NULL; }

static void clear(unsigned core2_count)
{
    tables = (struct tables){.core2_count = core2_count};
    for (unsigned i = 1; i < CORE; i++)
        tables.core_places[i] = &tables.core[i];
    for (unsigned i = 1; i < CORE2; i++)
        tables.core2_places[i] = &tables.core2[i];
}

#define CALL(function, type) ((type)(function))
typedef int push_a(const char *);
typedef int pop_0(void);
typedef int domain_push(const struct nvtx_domain *, const struct nvtx_event *);
typedef int domain_pop(const struct nvtx_domain *);
typedef const struct nvtx_domain *create(const char *);
typedef void mark_a(const char *);
typedef void mark_w(const wchar_t *);

static int push(const char *name) { return CALL(tables.core[NVTX_RANGE_PUSH_A], push_a *)(name); }
static int pop(void) { return CALL(tables.core[NVTX_RANGE_POP], pop_0 *)(); }

static void a_tool_without_tables_takes_no_part(void **state)
{
    (void)state;
    clear(CORE2);
    assert_int_equal(InitializeInjectionNvtx2(NULL), 0);
    assert_int_equal(InitializeInjectionNvtx2(give_none), 0);
    assert_int_equal(InitializeInjectionNvtx2(give_short), 0);
    assert_null(tables.core[NVTX_RANGE_PUSH_A]);
}

static void functions_are_entered_where_the_table_has_a_place(void **state)
{
    (void)state;
    clear(NVTX_DOMAIN_RANGE_POP); /* one short of the last range function */
    tables.core_places[NVTX_RANGE_PUSH_W] = NULL;
    assert_int_equal(InitializeInjectionNvtx2(give_table), 1);
    assert_non_null(tables.core[NVTX_RANGE_PUSH_A]);
    assert_null(tables.core[NVTX_RANGE_PUSH_W]);
    assert_non_null(tables.core2[NVTX_DOMAIN_RANGE_PUSH_EX]);
    assert_null(tables.core2[NVTX_DOMAIN_RANGE_POP]);
    for (unsigned i = NVTX_RANGE_POP + 1; i < CORE; i++)
        assert_null(tables.core[i]);
    clear(CORE2);
    assert_int_equal(InitializeInjectionNvtx2(give_table), 1);
    for (unsigned i = NVTX_MARK_EX; i <= NVTX_RANGE_POP; i++)
        assert_non_null(tables.core[i]);
}

static void levels_belong_to_a_domain(void **state)
{
    (void)state;
    const struct nvtx_domain *domain = CALL(tables.core2[NVTX_DOMAIN_CREATE_A], create *)("solver");
    const struct nvtx_event event = {.size = sizeof event, .message_type = NVTX_MESSAGE_NARROW, .message.narrow = "x"};
    domain_push *push_in = CALL(tables.core2[NVTX_DOMAIN_RANGE_PUSH_EX], domain_push *);
    domain_pop *pop_in = CALL(tables.core2[NVTX_DOMAIN_RANGE_POP], domain_pop *);
    assert_ptr_equal(CALL(tables.core2[NVTX_DOMAIN_CREATE_A], create *)("solver"), domain);
    assert_int_equal(pop(), -1);
    assert_int_equal(push("a"), 0);
    assert_int_equal(push_in(domain, &event), 0);
    assert_int_equal(push("b"), 1);
    assert_int_equal(pop_in(domain), 0);
    assert_int_equal(pop_in(domain), -1);
    assert_int_equal(pop(), 1);
    assert_int_equal(pop(), 0);
    assert_int_equal(pop(), -1);
}

static void an_event_without_its_message_has_no_name(void **state)
{
    (void)state;
    char room[RANGE_NAME];
    struct nvtx_event event = {.size = sizeof event - 1, .message_type = NVTX_MESSAGE_NARROW, .message.narrow = "x"};
    assert_string_equal(nvtx_event_name(&event, room), "");
    event.size++;
    assert_string_equal(nvtx_event_name(&event, room), "x");
    event.message.narrow = NULL;
    assert_string_equal(nvtx_event_name(&event, room), "");
    event.message_type = NVTX_MESSAGE_REGISTERED;
    assert_string_equal(nvtx_event_name(&event, room), "");
    event.message_type = 9;
    assert_string_equal(nvtx_event_name(&event, room), "");
    assert_string_equal(nvtx_event_name(NULL, room), "");
}

static void wide_names_become_utf8_that_ends_with_a_whole_character(void **state)
{
    (void)state;
    char text[8];
    nvtx_narrow(L"a\u00fc\u20ac", text, sizeof text);
    assert_string_equal(text, "a\u00fc\u20ac");
    nvtx_narrow(L"\U0001f600", text, sizeof text);
    assert_string_equal(text, "\U0001f600");
    nvtx_narrow(L"abcdef\u20ac", text, sizeof text); /* three bytes, and one has place */
    assert_string_equal(text, "abcdef");
    nvtx_narrow((const wchar_t[]){0xd800, 0x110000, 0}, text, sizeof text);
    assert_string_equal(text, "??");
    nvtx_narrow(NULL, text, sizeof text);
    assert_string_equal(text, "");
}

/* The next record of the file, from the first on. */
static struct range_record next(FILE *file)
{
    struct range_record r;
    assert_true(range_next(file, &r));
    assert_int_equal(r.process, getpid());
    return r;
}

static void records_say_what_was_opened_and_in_which_scope_work_was_submitted(void **state)
{
    (void)state;
    CUdeviceptr memory;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    rig_context("rtx-a6000");
    SUCCEEDS(cuMemAlloc_v2(&memory, 64));
    uint64_t before = atomic_load(&driver_get()->ranges.submitted);
    SUCCEEDS(cuMemsetD8_v2(memory, 0, 64)); /* in no range */
    push("outer");
    SUCCEEDS(cuMemsetD8_v2(memory, 1, 64));
    SUCCEEDS(cuMemsetD8_v2(memory, 2, 64)); /* the same scope: no second record */
    push("inner");
    pop();
    SUCCEEDS(cuMemsetD8_v2(memory, 3, 64));
    pop();
    CALL(tables.core[NVTX_MARK_W], mark_w *)(L"done");
    struct range_record outer = next(file), scope = next(file), inner = next(file), again = next(file);
    struct range_record mark = next(file), more;
    assert_int_equal(outer.kind, RANGE_PUSH);
    assert_string_equal(outer.text.name, "outer");
    assert_int_equal(outer.order, before + 1);
    assert_int_equal(scope.kind, RANGE_SCOPE);
    assert_int_equal(scope.count, 1);
    assert_int_equal(scope.ranges[0], outer.id);
    assert_int_equal(inner.id, outer.id + 1);
    assert_int_equal(inner.order, before + 3);
    assert_int_equal(again.id, scope.id + 1);
    assert_int_equal(again.ranges[0], outer.id);
    assert_int_equal(mark.kind, RANGE_MARK);
    assert_string_equal(mark.text.name, "done");
    assert_int_equal(mark.order, before + 4);
    assert_false(range_next(file, &more));
    fclose(file);
}

static int start(void **state)
{
    (void)state;
    temporary_file(path);
    return setenv("SUBCORE_RANGES", path, 1);
}

static int stop(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tool_without_tables_takes_no_part),
        cmocka_unit_test(functions_are_entered_where_the_table_has_a_place),
        cmocka_unit_test(levels_belong_to_a_domain),
        cmocka_unit_test(an_event_without_its_message_has_no_name),
        cmocka_unit_test(wide_names_become_utf8_that_ends_with_a_whole_character),
        cmocka_unit_test(records_say_what_was_opened_and_in_which_scope_work_was_submitted),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
