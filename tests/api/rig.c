#include "tests/api/rig.h"

const char *rig_path(char buffer[4096], const char *example)
{
    char place[96];
    snprintf(place, sizeof place, "examples/cubin/%s.sm_86.cubin", example);
    return unit_path(buffer, place);
}

void rig_begin(struct rig *r, const char *gpu, unsigned threads)
{
    static const char *const set[] = {"gpu.memory=1"};
    const struct subcore_options options = {.gpu = gpu, .set = set, .set_count = 1, .threads = threads};
    char path[4096];
    float a[N], b[N];
    *r = (struct rig){.n = N};
    r->gpu = subcore_open(&options, &r->error);
    if (!r->gpu)
        fail_msg("%s", r->error.text);
    r->module = subcore_load_file(r->gpu, rig_path(path, "vecadd"), &r->error);
    if (!r->module)
        fail_msg("%s", r->error.text);
    r->kernel = subcore_kernel(r->module, "vecadd", &r->error);
    assert_non_null(r->kernel);
    r->a = subcore_alloc(r->gpu, sizeof a, &r->error);
    r->b = subcore_alloc(r->gpu, sizeof b, &r->error);
    r->c = subcore_alloc(r->gpu, sizeof a, &r->error);
    for (unsigned i = 0; i < N; i++) {
        a[i] = (float)i;
        b[i] = (float)(2 * i);
    }
    assert_true(subcore_write(r->gpu, r->a, a, sizeof a, &r->error));
    assert_true(subcore_write(r->gpu, r->b, b, sizeof b, &r->error));
    r->arguments[0] = &r->a;
    r->arguments[1] = &r->b;
    r->arguments[2] = &r->c;
    r->arguments[3] = &r->n;
    r->launch = (struct subcore_launch){
        .kernel = r->kernel, .grid = {8}, .block = {128}, .arguments = r->arguments, .functional = true};
}

void rig_end(struct rig *r) { subcore_close(r->gpu); }

void rig_check(struct rig *r, uint32_t n)
{
    float c[N];
    assert_true(subcore_read(r->gpu, c, r->c, sizeof c, &r->error));
    for (uint32_t i = 0; i < N; i++)
        assert_true(c[i] == (i < n ? (float)(3 * i) : 0));
}
