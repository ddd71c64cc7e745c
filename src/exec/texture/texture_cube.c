#include "exec/texture/texture_cube.h"

#include <math.h>
#include <stdbool.h>

/* Of each face: the axes of s and t, with their signs, and the major axis. */
static const struct {
    uint8_t s, t, major;
    int8_t s_sign, t_sign, major_sign;
} faces[6] = {
    {2, 1, 0, -1, -1, 1}, {2, 1, 0, 1, -1, -1}, {0, 2, 1, 1, 1, 1},
    {0, 2, 1, 1, -1, -1}, {0, 1, 2, 1, -1, 1},  {0, 1, 2, -1, -1, -1},
};

void cube_project(unsigned face, const float direction[3], float place[2])
{
    float major = fabsf(direction[faces[face].major]);
    float s = (float)faces[face].s_sign * direction[faces[face].s],
          t = (float)faces[face].t_sign * direction[faces[face].t];
    place[0] = (s / major + 1.0f) * 0.5f;
    place[1] = (t / major + 1.0f) * 0.5f;
}

unsigned cube_face(const float direction[3], float place[2])
{
    float x = fabsf(direction[0]), y = fabsf(direction[1]), z = fabsf(direction[2]);
    unsigned axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    unsigned face = 2 * axis + (signbit(direction[axis]) ? 1 : 0);
    cube_project(face, direction, place);
    return face;
}

static int64_t clamped(int64_t i, int64_t size) { return i < 0 ? 0 : i >= size ? size - 1 : i; }

unsigned cube_neighbour(unsigned face, int64_t *x, int64_t *y, int64_t size)
{
    bool over_x = *x < 0 || *x >= size, over_y = *y < 0 || *y >= size;
    if (!over_x && !over_y)
        return face;
    if (over_x && over_y) {
        *x = clamped(*x, size);
        *y = clamped(*y, size);
        return face;
    }
    /* The direction to the texel's middle: on the edge in one axis, half a texel deep on the next face. */
    double depth = 1.0 - 1.0 / (double)size;
    double s = over_x ? (*x < 0 ? -1 : 1) : (2.0 * (double)*x + 1) / (double)size - 1;
    double t = over_y ? (*y < 0 ? -1 : 1) : (2.0 * (double)*y + 1) / (double)size - 1;
    float direction[3], place[2];
    direction[faces[face].s] = (float)(faces[face].s_sign * s);
    direction[faces[face].t] = (float)(faces[face].t_sign * t);
    direction[faces[face].major] = (float)(faces[face].major_sign * depth);
    unsigned other = 2u * (over_x ? faces[face].s : faces[face].t);
    other += direction[over_x ? faces[face].s : faces[face].t] < 0;
    cube_project(other, direction, place);
    *x = clamped((int64_t)floor((double)place[0] * (double)size), size);
    *y = clamped((int64_t)floor((double)place[1] * (double)size), size);
    return other;
}
