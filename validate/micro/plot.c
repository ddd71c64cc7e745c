#include "plot.h"

#include <math.h>

#include "validate/svg.h"

enum { WIDTH = 860, HEIGHT = 480, LEFT = 70, RIGHT = 200, TOP = 44, BOTTOM = 60, BAR_BOTTOM = 130 };

static const char *const colours[] = {"#1f5fa8", "#c2571a", "#2b8a57", "#7b4aa0", "#a8324a", "#5b6470", "#938021"};
enum { COLOURS = sizeof colours / sizeof colours[0] };

struct plot {
    const struct measure_run *run;
    const struct measure_plot *plan;
    const struct references *references;
    FILE *out;
    struct svg_axis x, y;
    unsigned first, series; /* columns */
};

/* ---- axes -------------------------------------------------------------------------------------------------------- */

static void draw_ticks(const struct plot *p, const struct svg_axis *axis, bool across)
{
    double tick[SVG_TICKS];
    char words[32];
    unsigned count = svg_ticks(axis, tick);
    for (unsigned i = 0; i < count; i++) {
        double place = svg_at(axis, tick[i]);
        snprintf(words, sizeof words, "%.6g", tick[i]);
        if (across) {
            svg_line(p->out, place, p->y.from, place, p->y.to, "stroke=\"#e6e8eb\"");
            svg_text(p->out, place, p->y.from + 17, "middle", "", words);
        } else {
            svg_line(p->out, LEFT, place, WIDTH - RIGHT, place, "stroke=\"#e6e8eb\"");
            svg_text(p->out, LEFT - 7, place + 4, "end", "", words);
        }
    }
}

static void draw_frame(const struct plot *p)
{
    char style[96];
    draw_ticks(p, &p->y, false);
    if (!p->run->measure->label)
        draw_ticks(p, &p->x, true);
    svg_line(p->out, LEFT, p->y.from, WIDTH - RIGHT, p->y.from, "stroke=\"#30363d\"");
    svg_line(p->out, LEFT, p->y.from, LEFT, p->y.to, "stroke=\"#30363d\"");
    svg_text(p->out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 14, "middle", "", p->plan->x);
    snprintf(style, sizeof style, " transform=\"rotate(-90 18 %d)\"", (TOP + HEIGHT - BOTTOM) / 2);
    svg_text(p->out, 18, (TOP + HEIGHT - BOTTOM) / 2.0, "middle", style, p->plan->y);
}

/* ---- references -------------------------------------------------------------------------------------------------- */

static void draw_across(const struct plot *p, const char *quantity)
{
    const struct reference *r = references_find(p->references, p->run->device->gpu.name, quantity);
    if (!r || !svg_drawable(&p->y, r->low))
        return;
    double high = svg_at(&p->y, r->high), low = svg_at(&p->y, r->low);
    fprintf(p->out, "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"#f2c14e\" opacity=\"0.35\"/>\n",
            LEFT, high, WIDTH - RIGHT - LEFT, low - high + 0.5);
    svg_line(p->out, LEFT, (high + low) / 2, WIDTH - RIGHT, (high + low) / 2,
             "stroke=\"#b8860b\" stroke-dasharray=\"5 4\"");
    svg_text(p->out, WIDTH - RIGHT + 6, (high + low) / 2 + 4, "start", " fill=\"#8a6508\"", quantity);
}

static void draw_down(const struct plot *p, const char *quantity)
{
    const struct reference *r = references_find(p->references, p->run->device->gpu.name, quantity);
    if (!r || !svg_drawable(&p->x, r->low))
        return;
    double low = svg_at(&p->x, r->low), high = svg_at(&p->x, r->high), middle = (low + high) / 2;
    char style[96];
    fprintf(p->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#f2c14e\" opacity=\"0.35\"/>\n",
            low, p->y.to, high - low + 0.5, p->y.from - p->y.to);
    svg_line(p->out, middle, p->y.from, middle, p->y.to, "stroke=\"#b8860b\" stroke-dasharray=\"5 4\"");
    snprintf(style, sizeof style, " fill=\"#8a6508\" transform=\"rotate(-90 %.1f %.1f)\"", middle - 5, p->y.to + 6);
    svg_text(p->out, middle - 5, p->y.to + 6, "end", style, quantity);
}

static void draw_references(const struct plot *p)
{
    for (unsigned i = 0; i < sizeof p->plan->across / sizeof p->plan->across[0] && p->plan->across[i]; i++)
        draw_across(p, p->plan->across[i]);
    for (unsigned i = 0; i < sizeof p->plan->down / sizeof p->plan->down[0] && p->plan->down[i]; i++)
        draw_down(p, p->plan->down[i]);
}

/* ---- measured values ------------------------------------------------------------------------------------------- */

static void draw_curve(const struct plot *p, unsigned column, const char *colour)
{
    bool open = false;
    for (size_t i = 0; i < p->run->rows; i++) {
        const double *cell = p->run->row[i].cell;
        if (!svg_drawable(&p->x, cell[0]) || !svg_drawable(&p->y, cell[column]))
            continue;
        fprintf(p->out, open ? " %.1f,%.1f" : "<polyline fill=\"none\" stroke-width=\"1.8\" points=\"%.1f,%.1f",
                svg_at(&p->x, cell[0]), svg_at(&p->y, cell[column]));
        open = true;
    }
    if (open)
        fprintf(p->out, "\" stroke=\"%s\"/>\n", colour);
    for (size_t i = 0; i < p->run->rows; i++) {
        const double *cell = p->run->row[i].cell;
        if (svg_drawable(&p->x, cell[0]) && svg_drawable(&p->y, cell[column]))
            fprintf(p->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.4\" fill=\"%s\"/>\n", svg_at(&p->x, cell[0]),
                    svg_at(&p->y, cell[column]), colour);
    }
}

static void draw_bars(const struct plot *p, unsigned series, const char *colour)
{
    double slot = (WIDTH - RIGHT - LEFT) / (double)p->run->rows, bar = 0.8 * slot / p->series;
    for (size_t i = 0; i < p->run->rows; i++) {
        double value = p->run->row[i].cell[p->first + series], x = LEFT + slot * ((double)i + 0.1) + bar * series;
        if (!svg_drawable(&p->y, value))
            continue;
        fprintf(p->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x,
                svg_at(&p->y, value), bar > 1.5 ? bar - 0.5 : bar, p->y.from - svg_at(&p->y, value), colour);
    }
}

static void draw_labels(const struct plot *p)
{
    double slot = (WIDTH - RIGHT - LEFT) / (double)p->run->rows;
    size_t each = slot < 12 ? (size_t)(12 / slot) + 1 : 1;
    for (size_t i = 0; i < p->run->rows; i += each) {
        double x = LEFT + slot * ((double)i + 0.5) + 4, y = p->y.from + 10;
        char style[64];
        snprintf(style, sizeof style, " transform=\"rotate(-50 %.1f %.1f)\"", x, y);
        svg_text(p->out, x, y, "end", style, p->run->row[i].label);
    }
}

static void draw_series(const struct plot *p)
{
    const struct measure *m = p->run->measure;
    for (unsigned i = 0; i < p->series; i++) {
        const char *colour = colours[i % COLOURS];
        double y = TOP + 8 + 18.0 * i;
        if (m->label)
            draw_bars(p, i, colour);
        else
            draw_curve(p, p->first + i, colour);
        fprintf(p->out, "<rect x=\"%d\" y=\"%.1f\" width=\"12\" height=\"4\" fill=\"%s\"/>\n", LEFT + 12, y - 6,
                colour);
        svg_text(p->out, LEFT + 29, y, "start", " font-weight=\"600\"", m->column[p->first + i].name);
    }
    if (m->label)
        draw_labels(p);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void fit(struct plot *p)
{
    const struct measure *m = p->run->measure;
    p->x = svg_axis(LEFT, WIDTH - RIGHT, p->plan->x_scale == SCALE_LOG);
    p->y = (struct svg_axis){HUGE_VAL, -HUGE_VAL, HEIGHT - (m->label ? BAR_BOTTOM : BOTTOM), TOP,
                             p->plan->y_scale == SCALE_LOG};
    for (size_t i = 0; i < p->run->rows; i++) {
        svg_widen(&p->x, p->run->row[i].cell[0]);
        for (unsigned c = 0; c < p->series; c++)
            svg_widen(&p->y, p->run->row[i].cell[p->first + c]);
    }
    for (unsigned i = 0; i < sizeof p->plan->across / sizeof p->plan->across[0] && p->plan->across[i]; i++) {
        const struct reference *r = references_find(p->references, p->run->device->gpu.name, p->plan->across[i]);
        svg_widen(&p->y, r ? r->high : NAN);
        svg_widen(&p->y, r ? r->low : NAN);
    }
    if (!p->y.log)
        p->y.low = 0;
    double room = 0.06 * (p->y.high - p->y.low);
    p->y.high += room > 0 ? room : 1;
    p->y.low -= p->y.log ? (room > 0 ? room : 1) : 0;
    if (!(p->x.high > p->x.low))
        p->x.high = p->x.low + 1;
}

void plot_svg(const struct measure_run *run, const struct references *references, FILE *out)
{
    const struct measure *m = run->measure;
    struct plot p = {.run = run, .plan = &m->plot, .references = references, .out = out};
    char title[192];
    p.first = m->plot.first ? m->plot.first : m->label ? 0 : 1;
    p.series = m->plot.series ? m->plot.series : m->columns - p.first;
    fit(&p);
    svg_begin(out, WIDTH, HEIGHT);
    snprintf(title, sizeof title, "%s: %s", run->device->gpu.name, m->title);
    svg_text(out, LEFT, 24, "start", " font-size=\"15\" font-weight=\"600\"", title);
    draw_frame(&p);
    draw_references(&p);
    draw_series(&p);
    svg_end(out);
}
