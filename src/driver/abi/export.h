/* Symbols of the library that programs see. */
#ifndef SUBCORE_DRIVER_ABI_EXPORT_H
#define SUBCORE_DRIVER_ABI_EXPORT_H

#define DRIVER_API __attribute__((visibility("default")))

#endif
