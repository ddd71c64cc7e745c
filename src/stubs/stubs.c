/* The functions that a library's header documents and that the library does not implement: each says so once and
 * returns the documented answer. The build compiles this file once for each library, with two definitions:
 *
 *   STUB_HEADER  the library's own header, which has the type of its status
 *   STUB_NAMES   the library's table, with one row LIBRARY(label, type, answer, refuse) and a row STUB(name) for each
 *                function; `refuse` is the function by which the rest of the library refuses single cases
 *
 * A stub is weak: a definition in the library's own files takes its place. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include STUB_HEADER

#define LIBRARY(label, type, answer, refuse)
enum stub {
#define STUB(name) STUB_##name,
#include STUB_NAMES
#undef STUB
    STUBS
};

static const char *const names[] = {
#define STUB(name) #name,
#include STUB_NAMES
#undef STUB
};
#undef LIBRARY

static atomic_bool told[STUBS];

static void tell(const char *label, size_t stub, const char *what)
{
    if (!atomic_exchange(&told[stub], true))
        fprintf(stderr, "subcore: %s is not supported%s%s by the simulator's own %s\n", names[stub],
                what ? " for " : "", what ? what : "", label);
}

/* The row of the library: its refusals, and the answer of its stubs. */
#define STUB(name)
#define LIBRARY(label, type, answer, refuse)                                                                           \
    typedef type status;                                                                                               \
    type refuse(const char *function, const char *what)                                                                \
    {                                                                                                                  \
        for (size_t i = 0; i < STUBS; i++)                                                                             \
            if (strcmp(names[i], function) == 0)                                                                       \
                tell(label, i, what);                                                                                  \
        return answer;                                                                                                 \
    }                                                                                                                  \
    static type refuse_stub(enum stub stub)                                                                            \
    {                                                                                                                  \
        tell(label, stub, NULL);                                                                                       \
        return answer;                                                                                                 \
    }
#include STUB_NAMES
#undef STUB
#undef LIBRARY

/* The arguments are of no interest, and these functions must not see prototypes. */
#define LIBRARY(label, type, answer, refuse)
#define STUB(name)                                                                                                     \
    __attribute__((visibility("default"), weak)) status name(void);                                                    \
    status name(void) { return refuse_stub(STUB_##name); }
#include STUB_NAMES
