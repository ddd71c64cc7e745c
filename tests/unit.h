/* The part that every test needs: cmocka with the headers it wants first, and a main() over a list of tests.
 *
 *   static void a_ring_holds_its_capacity(void **state) { ... }
 *   UNIT_TESTS(UNIT(a_ring_holds_its_capacity))
 */
#ifndef SUBCORE_TESTS_UNIT_H
#define SUBCORE_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A test that has nothing to test on this machine ends here. cmocka's own skip() writes "not ok # SKIP", which Meson
 * takes for a failure. */
#undef skip
#define skip()                                                                                                         \
    do {                                                                                                               \
        print_message("# %s: skipped\n", __func__);                                                                    \
        return;                                                                                                        \
    } while (0)

#define UNIT(function) cmocka_unit_test(function)

#define UNIT_TESTS(...)                                                                                                \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                                               \
        return cmocka_run_group_tests(tests, NULL, NULL);                                                              \
    }

/* Tells whether slow tests run in their full form: `make test FULL=1`. The quick form tries fewer combinations. */
static inline bool unit_full(void) { return getenv("SUBCORE_FULL") != NULL; }

/* Path of a file in the repository, from its root. The result is good until the next call with the same buffer. */
static inline const char *unit_path(char buffer[4096], const char *path)
{
    const char *root = getenv("SUBCORE_ROOT");
    snprintf(buffer, 4096, "%s/%s", root ? root : ".", path);
    return buffer;
}

#endif
