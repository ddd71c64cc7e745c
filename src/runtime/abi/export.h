/* What programs can see of the library. */
#ifndef SUBCORE_RUNTIME_ABI_EXPORT_H
#define SUBCORE_RUNTIME_ABI_EXPORT_H

#define RUNTIME_API __attribute__((visibility("default")))

#endif
