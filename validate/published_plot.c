/* Results of published kernels as a picture. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "validate/published_results.h"
#include "validate/svg.h"

enum { WIDTH = 1040, HEIGHT = 480, TOP = 60, BOTTOM = 420, MIDDLE = 520, COLOURS = 8 };

static const char *const colours[COLOURS] = {"#1f5fa8", "#c2571a", "#2b8a57", "#8a2b7a",
                                             "#b8860b", "#3b3f46", "#1aa0a8", "#a81f3b"};

struct picture {
    const struct published_results *results;
    const struct published_group *group;
    size_t groups;
    FILE *out;
};

static bool drawn(const struct published_result *r) { return r->state == PUBLISHED_COMPARED && !isnan(r->error); }

static const char *colour_of(const struct picture *p, const struct published_row *row)
{
    size_t at = 0;
    while (at + 1 < p->groups && (strcmp(p->group[at].set, row->set) != 0 || strcmp(p->group[at].gpu, row->gpu) != 0))
        at++;
    return colours[at % COLOURS];
}

static void dot(const struct picture *p, double x, double y, const struct published_result *r)
{
    fprintf(p->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\" fill=\"%s\" fill-opacity=\"0.8\"><title>", x, y,
            colour_of(p, r->row));
    svg_escape(p->out, r->row->set);
    fputs(", ", p->out);
    svg_escape(p->out, r->row->gpu);
    fputs(", ", p->out);
    svg_escape(p->out, r->row->parameters);
    fprintf(p->out, ": %.6g, predicted %.6g, %+.1f %%</title></circle>\n", published_cycles(r->row), r->predicted,
            r->error);
}

/* Results are sorted, the worst first: it is drawn at the right. */
static void draw_errors(const struct picture *p, size_t count)
{
    struct svg_axis x = svg_axis(80, MIDDLE - 40, false), y = svg_axis(BOTTOM, TOP, false);
    const struct published_result *const *row = (const struct published_result *const *)p->results->row;
    svg_widen(&x, 0);
    svg_widen(&x, count > 1 ? (double)(count - 1) : 1);
    svg_widen(&y, 0);
    svg_widen(&y, STATISTICS_WITHIN);
    svg_widen(&y, count ? fabs(row[0]->error) * 1.05 : 0);
    svg_grid(p->out, &y, false, 80, MIDDLE - 40, " %");
    svg_line(p->out, 80, svg_at(&y, STATISTICS_WITHIN), MIDDLE - 40, svg_at(&y, STATISTICS_WITHIN),
             "stroke=\"#b8860b\" stroke-dasharray=\"5 4\"");
    for (size_t i = 0; i < count; i++)
        dot(p, svg_at(&x, (double)(count - 1 - i)), svg_at(&y, fabs(row[i]->error)), row[i]);
    svg_text(p->out, (80 + MIDDLE - 40) / 2.0, HEIGHT - 24, "middle", "", "rows, by their absolute error");
}

static void draw_scatter(const struct picture *p, size_t count)
{
    struct svg_axis x = svg_axis(MIDDLE + 70, WIDTH - 30, true), y = svg_axis(BOTTOM, TOP, true);
    const struct published_result *const *row = (const struct published_result *const *)p->results->row;
    for (size_t i = 0; i < count; i++) {
        svg_widen(&x, published_cycles(row[i]->row));
        svg_widen(&x, row[i]->predicted);
    }
    if (!(x.high >= x.low))
        return;
    y.low = x.low -= 0.1;
    y.high = x.high += 0.1;
    svg_grid(p->out, &x, true, BOTTOM, TOP, "");
    svg_grid(p->out, &y, false, MIDDLE + 70, WIDTH - 30, "");
    svg_line(p->out, x.from, y.from, x.to, y.to, "stroke=\"#b8860b\" stroke-dasharray=\"5 4\"");
    for (size_t i = 0; i < count; i++)
        if (svg_drawable(&x, published_cycles(row[i]->row)) && svg_drawable(&y, row[i]->predicted))
            dot(p, svg_at(&x, published_cycles(row[i]->row)), svg_at(&y, row[i]->predicted), row[i]);
    svg_text(p->out, (MIDDLE + 70 + WIDTH - 30) / 2.0, HEIGHT - 24, "middle", "",
             "measured cycles; upwards: predicted");
}

static void draw_legend(const struct picture *p)
{
    for (size_t i = 0; i < p->groups && i < COLOURS; i++) {
        char style[64], words[64];
        snprintf(style, sizeof style, " fill=\"%s\" font-weight=\"600\" font-size=\"11\"", colours[i]);
        snprintf(words, sizeof words, "%.30s, %.24s", p->group[i].set, p->group[i].gpu);
        svg_text(p->out, 80 + 235 * (double)(i % 4), 42 + 14 * (double)(i / 4), "start", style, words);
    }
}

bool published_svg(const struct published_results *results, FILE *out)
{
    struct picture p = {.results = results, .out = out};
    struct published_group *group = published_groups(results, &p.groups);
    size_t count = 0;
    if (!group)
        return false;
    p.group = group;
    while (count < results->count && drawn(results->row[count]))
        count++;
    char title[96];
    snprintf(title, sizeof title, "Published kernels: how far the simulator is from hardware, %zu rows", count);
    svg_begin(out, WIDTH, HEIGHT);
    svg_text(out, 80, 24, "start", " font-size=\"15\" font-weight=\"600\"", title);
    draw_legend(&p);
    draw_errors(&p, count);
    draw_scatter(&p, count);
    svg_end(out);
    free(group);
    return true;
}
