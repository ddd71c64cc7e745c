#include "validate/svg.h"

#include <math.h>

struct svg_axis svg_axis(double from, double to, bool log)
{
    return (struct svg_axis){HUGE_VAL, -HUGE_VAL, from, to, log};
}

static double scaled(const struct svg_axis *axis, double value) { return axis->log ? log10(value) : value; }

double svg_at(const struct svg_axis *axis, double value)
{
    return axis->from + (scaled(axis, value) - axis->low) / (axis->high - axis->low) * (axis->to - axis->from);
}

bool svg_drawable(const struct svg_axis *axis, double value) { return isfinite(value) && (!axis->log || value > 0); }

void svg_widen(struct svg_axis *axis, double value)
{
    if (!svg_drawable(axis, value))
        return;
    double v = scaled(axis, value);
    axis->low = v < axis->low ? v : axis->low;
    axis->high = v > axis->high ? v : axis->high;
}

void svg_escape(FILE *out, const char *words)
{
    for (; *words; words++) {
        if (*words == '&')
            fputs("&amp;", out);
        else if (*words == '<')
            fputs("&lt;", out);
        else
            fputc(*words, out);
    }
}

void svg_text(FILE *out, double x, double y, const char *anchor, const char *style, const char *words)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>", x, y, anchor, style);
    svg_escape(out, words);
    fputs("</text>\n", out);
}

void svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *style)
{
    fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2, style);
}

unsigned svg_ticks(const struct svg_axis *axis, double tick[SVG_TICKS])
{
    unsigned count = 0;
    if (axis->log) {
        static const double part[] = {1, 2, 5};
        bool wide = axis->high - axis->low > 4;
        for (int decade = (int)floor(axis->low); decade <= (int)axis->high; decade++)
            for (unsigned i = 0; i < (wide ? 1 : 3) && count < SVG_TICKS; i++) {
                double value = part[i] * pow(10, decade), v = log10(value);
                if (v >= axis->low - 1e-9 && v <= axis->high + 1e-9)
                    tick[count++] = value;
            }
        return count;
    }
    double raw = (axis->high - axis->low) / 6, unit = pow(10, floor(log10(raw)));
    double step = raw / unit > 5 ? 10 * unit : raw / unit > 2 ? 5 * unit : raw / unit > 1 ? 2 * unit : unit;
    for (double v = ceil(axis->low / step) * step; v <= axis->high + step / 1e6 && count < SVG_TICKS; v += step)
        tick[count++] = v;
    return count;
}

void svg_begin(FILE *out, int width, int height)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
            "font-family=\"system-ui, sans-serif\" font-size=\"12\" fill=\"#24292f\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
            width, height, width, height, width, height);
}

void svg_end(FILE *out) { fputs("</svg>\n", out); }

void svg_grid(FILE *out, const struct svg_axis *axis, bool across, double from, double to, const char *unit)
{
    double tick[SVG_TICKS];
    unsigned count = svg_ticks(axis, tick);
    for (unsigned i = 0; i < count; i++) {
        double place = svg_at(axis, tick[i]);
        char words[40];
        snprintf(words, sizeof words, "%.6g%s", tick[i], unit);
        if (across) {
            svg_line(out, place, from, place, to, "stroke=\"#e6e8eb\"");
            svg_text(out, place, from + 17, "middle", "", words);
        } else {
            svg_line(out, from, place, to, place, "stroke=\"#e6e8eb\"");
            svg_text(out, from - 7, place + 4, "end", "", words);
        }
    }
}
