/* The tools of the pictures: text, lines and axes of an SVG file. Places are pixels from the upper left. */
#ifndef SUBCORE_VALIDATE_SVG_H
#define SUBCORE_VALIDATE_SVG_H

#include <stdbool.h>
#include <stdio.h>

enum { SVG_TICKS = 24 };

struct svg_axis {
    double low, high; /* of the values; decimal logarithms where `log` */
    double from, to;  /* in the picture */
    bool log;
};

/* An axis that holds nothing yet. */
struct svg_axis svg_axis(double from, double to, bool log);
/* Takes a value in, if it can be drawn. */
void svg_widen(struct svg_axis *axis, double value);
bool svg_drawable(const struct svg_axis *axis, double value);
double svg_at(const struct svg_axis *axis, double value);
/* Values at which to write numbers: 1, 2, 5 of each decade, or round steps. */
unsigned svg_ticks(const struct svg_axis *axis, double tick[SVG_TICKS]);

void svg_begin(FILE *out, int width, int height);
void svg_end(FILE *out);
/* Text as it stands between tags. */
void svg_escape(FILE *out, const char *words);
/* `style` is a list of attributes that begins with a blank, or empty. */
void svg_text(FILE *out, double x, double y, const char *anchor, const char *style, const char *words);
void svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *style);
/* Lines across the picture at the ticks of an axis, with their numbers and `unit`. `across`: the axis goes from left to
 * right, and the lines from height `from` to `to`; else the other way round. */
void svg_grid(FILE *out, const struct svg_axis *axis, bool across, double from, double to, const char *unit);

#endif
