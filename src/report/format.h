/* Values as people read them: digits in groups of three, units that fit. */
#ifndef SUBCORE_REPORT_FORMAT_H
#define SUBCORE_REPORT_FORMAT_H

#include <stdint.h>

enum { FORMAT_TEXT = 48 };
struct format {
    char text[FORMAT_TEXT];
};

struct format format_count(uint64_t value);             /* 1,234,567 */
struct format format_short(uint64_t value);             /* the same up to 8 digits, then 123.45 M */
struct format format_fixed(double value, int decimals); /* 1,234.50 */
struct format format_percent(double value);             /* 12.34 % */
struct format format_time(double seconds);              /* 23.51 us */
struct format format_traffic(double bytes);             /* 12.58 MB, powers of 1000 */
struct format format_size(uint64_t bytes);              /* 16.0 KiB, powers of 1024 */
struct format format_rate(double per_second);           /* 2.15 M */
struct format format_dim(const uint32_t dim[3]);        /* 16 x 8, without trailing ones */

#endif
