/* Faces of a cube: from a direction to a face and a place on it, and over an edge to the next face. */
#ifndef SUBCORE_EXEC_TEXTURE_CUBE_H
#define SUBCORE_EXEC_TEXTURE_CUBE_H

#include <stdint.h>

/* Finds the face, in the order +x, -x, +y, -y, +z, -z, and the place on it, both coordinates from 0 to 1 (CUDA C++
 * Programming Guide, cubemap textures; PTX ISA). Of equal components the first is the major one (ASSUMED). */
unsigned cube_face(const float direction[3], float place[2]);
/* The same on a face that is given. */
void cube_project(unsigned face, const float direction[3], float place[2]);

/* Moves a texel one step outside its face with `size` texels to the face that is there. A texel beyond a corner,
 * where no face is, becomes the corner's own texel (ASSUMED). */
unsigned cube_neighbour(unsigned face, int64_t *x, int64_t *y, int64_t size);

#endif
