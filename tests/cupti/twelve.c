/* libcupti.so.12, and libcupti.so.13 in the same process. */
#include <dlfcn.h>

#include "driver/abi/api_stream.h"
#include "tests/cupti/rig.h"
#include "tests/driver/rig.h"

struct thirteen {
    void *library;
    enum cupti_result (*enable)(int kind);
    enum cupti_result (*finalize)(void);
    enum cupti_result (*version)(uint32_t *version);
};

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    assert_non_null(found);
    return found;
}

static struct thirteen thirteen_open(void)
{
    struct thirteen t = {.library = dlopen("libcupti.so.13", RTLD_NOW | RTLD_LOCAL)};
    if (!t.library)
        fail_msg("%s", dlerror());
    *(void **)&t.enable = symbol(t.library, "cuptiActivityEnable");
    *(void **)&t.finalize = symbol(t.library, "cuptiFinalize");
    *(void **)&t.version = symbol(t.library, "cuptiGetVersion");
    return t;
}

static void each_library_has_its_own_version(void **state)
{
    (void)state;
    struct thirteen t = thirteen_open();
    uint32_t version = 0;
    GOOD(cuptiGetVersion(&version));
    assert_int_equal(version, 28);
    GOOD(t.version(&version));
    assert_int_equal(version, 130202);
}

static void one_library_at_a_time_has_something_enabled(void **state)
{
    (void)state;
    struct thirteen t = thirteen_open();
    CUcontext context = rig_context("rtx-a6000");
    log_start(1 << 12, 0);
    GOOD(cuptiActivityEnable(ACTIVITY_DRIVER));
    GIVES(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, t.enable(ACTIVITY_DRIVER));
    GOOD(t.finalize());
    SUCCEEDS(cuCtxSynchronize());
    GOOD(cuptiActivityFlushAll(0));
    assert_int_equal(record_log.count, 1);
    log_end();
    GOOD(t.enable(ACTIVITY_DRIVER));
    GIVES(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, cuptiActivityEnable(ACTIVITY_DRIVER));
    GOOD(t.finalize());
    SUCCEEDS(cuCtxSynchronize());
    GOOD(cuptiActivityFlushAll(0));
    assert_int_equal(record_log.count, 1); /* a refused kind is not enabled later */
    SUCCEEDS(cuCtxDestroy_v2(context));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_library_has_its_own_version),
        cmocka_unit_test(one_library_at_a_time_has_something_enabled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
