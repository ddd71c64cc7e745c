/* Symbols of the library that programs see. */
#ifndef SUBCORE_RUNTIME_ABI_EXPORT_H
#define SUBCORE_RUNTIME_ABI_EXPORT_H

#define RUNTIME_API __attribute__((visibility("default")))

#endif
