/* Files that are part of the binary: the configurations of GPUs, architectures and DRAM standards, the cubins of
 * examples, measurements and `validate` kernels, the experiments, the reference numbers, the examples' sources, and the
 * template of HTML reports. The tables are written by tools/embed.py when the simulator is built, by name. */
#ifndef SUBCORE_BASE_EMBED_H
#define SUBCORE_BASE_EMBED_H

#include <stddef.h>

struct embedded {
    const char *name;          /* the file's name without folder and extension: "h200", "sgemm.sm_86" */
    const unsigned char *data; /* followed by a zero byte that `size` does not count */
    size_t size;
};

const struct embedded *embedded_configs(size_t *count);
const struct embedded *embedded_baselines(size_t *count); /* configurations of other simulators */
const struct embedded *embedded_architectures(size_t *count);
const struct embedded *embedded_standards(size_t *count);
const struct embedded *embedded_cubins(size_t *count);
const struct embedded *embedded_workloads(size_t *count);
const struct embedded *embedded_experiments(size_t *count);
const struct embedded *embedded_references(size_t *count);
const struct embedded *embedded_blas(size_t *count);         /* in libcublas only: its kernels */
const struct embedded *embedded_dnn(size_t *count);          /* in libcudnn only: its kernels */
const struct embedded *embedded_fft(size_t *count);          /* in libcufft only: its kernels */
const struct embedded *embedded_sparse(size_t *count);       /* in libcusparse only: its kernels */
const struct embedded *embedded_rand(size_t *count);         /* in libcurand only: its kernels */
const struct embedded *embedded_programs(size_t *count);     /* the examples' sources */
const struct embedded *embedded_page_texts(size_t *count);   /* of reports: "page" is HTML, "style" CSS */
const struct embedded *embedded_page_scripts(size_t *count); /* in the order in which the page has them */

#endif
