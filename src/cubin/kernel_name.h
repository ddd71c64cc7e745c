/* Names of kernels as people write them. */
#ifndef SUBCORE_CUBIN_KERNEL_NAME_H
#define SUBCORE_CUBIN_KERNEL_NAME_H

#include <stddef.h>

/* "ns::scan<float, 256>" of a mangled name: demangled where the process holds a C++ library, without return type and
 * parameters; else the function's own name, or the name as it is. Cut names end in "...". */
void kernel_name(const char *mangled, char *out, size_t size);

/* Of such a name, the part before template arguments: "ns::scan". `length` is that of the result, which begins at
 * `name`. */
size_t kernel_name_plain(const char *name);
/* Where the function's own name begins: behind the last "::" that is not in template arguments. */
const char *kernel_name_own(const char *name);

/* At most `width` columns: without namespaces, and then cut, where it is too long. */
void kernel_name_short(const char *name, size_t width, char *out);

#endif
