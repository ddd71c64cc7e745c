/* A GPU with vecadd of the examples and three vectors. */
#ifndef SUBCORE_TESTS_API_RIG_H
#define SUBCORE_TESTS_API_RIG_H

#include "subcore/subcore.h"
#include "tests/unit.h"

enum { N = 1000 };

struct rig {
    struct subcore_gpu *gpu;
    struct subcore_module *module;
    const struct subcore_kernel *kernel;
    uint64_t a, b, c; /* a[i] = i, b[i] = 2 i, c[i] = 0 */
    uint32_t n;
    const void *arguments[4];
    struct subcore_launch launch; /* of the whole, functional */
    struct subcore_error error;
};

void rig_begin(struct rig *r, const char *gpu, unsigned threads);
void rig_end(struct rig *r);
/* c[i] = 3 i in the first n. */
void rig_check(struct rig *r, uint32_t n);
/* The path of an example's cubin, made for sm_86. */
const char *rig_path(char buffer[4096], const char *example);

#endif
