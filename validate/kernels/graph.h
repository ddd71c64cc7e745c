/* A directed graph in compressed rows, made of random numbers: most vertices have one to six edges, one in 64 has 24,
 * one in 64 has none, and so does the last. Half of the edges stay near their vertex. Vertex 0 has 24. */
#ifndef SUBCORE_VALIDATE_KERNELS_GRAPH_H
#define SUBCORE_VALIDATE_KERNELS_GRAPH_H

#include "examples/util.h"

struct graph {
    uint32_t vertices, edges;
    uint32_t *row;  /* vertices + 1: where the edges of a vertex begin */
    uint32_t *from; /* the vertex of each edge */
    uint32_t *to;
};

/* The vertices are at least 128. Fails the run when there is no memory. */
struct graph graph_make(struct run *run, uint32_t vertices, uint32_t seed);

/* A copy in device memory. */
struct graph_copy {
    uint64_t row, from, to;
};

struct graph_copy graph_upload(struct run *run, const struct graph *g);

#endif
