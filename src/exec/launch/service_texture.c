#include "exec/launch/service_texture.h"

#include <inttypes.h>
#include <string.h>

#include "exec/arithmetic/float32.h"
#include "exec/executors.h"
#include "exec/launch/service_text.h"
#include "exec/texture/texture_cube.h"
#include "exec/texture/texture_operands.h"
#include "exec/texture/texture_sample.h"

static const char prefix[] = "__cuda_syscall_tex_grad_";

bool service_is_gradient(const char *name) { return strncmp(name, prefix, sizeof prefix - 1) == 0; }

/* Replaces changes in a direction by changes of the place on its face. */
static void project(const float at[3], float change[3])
{
    float here[2], there[2], moved[3] = {at[0] + change[0], at[1] + change[1], at[2] + change[2]};
    unsigned face = cube_face(at, here);
    cube_project(face, moved, there);
    change[0] = there[0] - here[0];
    change[1] = there[1] - here[1];
    change[2] = 0;
}

void service_gradient(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned lane,
                      const char *name)
{
    enum { HANDLE = 4, RESULT = 5, AT = 8, ALONG_X = 12 };
    bool layered = strncmp(name + sizeof prefix - 1, "acube", 5) == 0;
    uint32_t handle = warp->reg[HANDLE][lane];
    const struct texture *t = texture_operands_object(core, warp, inst, lane, handle, false);
    struct texture_place place = {0};
    struct texture_use use = {0};
    float x[3], y[4];
    if (!t)
        return;
    if (!service_read(core, warp, lane, EXEC_LOCAL_WINDOW + warp->reg[1][lane], y, sizeof y)) {
        exec_fault(core, warp, inst, lane, EXEC_FAULT_STACK, "the gradients of a texture read are not on the stack");
        return;
    }
    place.layer = layered ? warp->reg[AT][lane] : 0;
    for (unsigned d = 0; d < 3; d++) {
        place.at[d] = float_of(warp->reg[AT + layered + d][lane]);
        x[d] = float_of(warp->reg[ALONG_X + d][lane]);
    }
    if (t->cube) {
        project(place.at, x);
        project(place.at, y);
    }
    texture_footprint(t, x, y, &place);
    struct texel texel = texture_sample(core->memory, t, &place, &use);
    if (use.missing)
        exec_fault_at(core, warp, inst, lane, use.missing, EXEC_FAULT_ADDRESS,
                      "the texture 0x%" PRIx32 " has a texel where no memory is allocated any more", handle);
    warp->reg[HANDLE][lane] = 1;
    for (unsigned c = 0; c < 4; c++)
        warp->reg[RESULT + c][lane] = texel.word[c];
}
