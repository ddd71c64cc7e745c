/* Pictures of a sweep: cycles over the values of one axis, a line for each combination of program and other values. */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/sweep/sweep_table.h"

enum { WIDTH = 760, HEIGHT = 420, LEFT = 80, RIGHT = 280, TOP = 40, BOTTOM = 50, LINES_MAX = 12, LABEL = 160 };

static const char *const colours[LINES_MAX] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
                                               "#000000", "#999999", "#7f3b08", "#542788", "#1b7837", "#c51b7d"};

struct plot {
    const struct sweep_table *table;
    size_t axis, stride; /* points between two values of the axis */
    double highest;
    FILE *out;
};

static void xml_text(const char *text, FILE *out)
{
    for (; *text; text++)
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc(*text, out);
        }
}

static double cycles_at(const struct plot *p, size_t first, size_t value)
{
    const struct sweep_row *row = &p->table->rows[first + value * p->stride];
    return row->timed ? row->cycles : NAN;
}

static double x_of(const struct plot *p, size_t value)
{
    size_t count = p->table->points->file->axes[p->axis].values.count;
    return LEFT + (WIDTH - LEFT - RIGHT) * (double)value / (double)(count - 1);
}

static double y_of(const struct plot *p, double cycles)
{
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * cycles / p->highest;
}

/* Whether the point is the first one of a line: it has the axis' first value. */
static bool begins_line(const struct plot *p, size_t point)
{
    return point / p->stride % p->table->points->file->axes[p->axis].values.count == 0;
}

/* Program and values of the other axes that have several. */
static void label_of(const struct plot *p, size_t first, char label[static LABEL])
{
    const struct sweep_point *point = &p->table->points->items[first];
    const struct sweep_file *file = p->table->points->file;
    size_t used = (size_t)snprintf(label, LABEL, "%s", point->program->name);
    for (size_t a = 0; a < file->axis_count && used < LABEL; a++)
        if (a != p->axis && file->axes[a].values.count > 1)
            used += (size_t)snprintf(label + used, LABEL - used, ", %s", point->values[a]);
}

static void draw_line(const struct plot *p, size_t first, unsigned number)
{
    size_t count = p->table->points->file->axes[p->axis].values.count;
    char label[LABEL];
    bool open = false;
    fprintf(p->out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" d=\"", colours[number]);
    for (size_t v = 0; v < count; v++) {
        double cycles = cycles_at(p, first, v);
        if (!isnan(cycles))
            fprintf(p->out, "%c%.1f %.1f", open ? 'L' : 'M', x_of(p, v), y_of(p, cycles));
        open = !isnan(cycles);
    }
    fputs("\"/>\n", p->out);
    for (size_t v = 0; v < count; v++)
        if (!isnan(cycles_at(p, first, v)))
            fprintf(p->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>\n", x_of(p, v),
                    y_of(p, cycles_at(p, first, v)), colours[number]);
    label_of(p, first, label);
    fprintf(p->out, "<text x=\"%d\" y=\"%d\" fill=\"%s\">", WIDTH - RIGHT + 20, TOP + 10 + 20 * (int)number,
            colours[number]);
    xml_text(label, p->out);
    fputs("</text>\n", p->out);
}

static void draw_frame(const struct plot *p)
{
    enum { TICKS = 5 };
    const struct sweep_axis *axis = &p->table->points->file->axes[p->axis];
    fprintf(p->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
            "<text x=\"%d\" y=\"20\">cycles</text>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT);
    for (unsigned i = 0; i <= TICKS; i++) {
        double cycles = p->highest * i / TICKS;
        fprintf(p->out,
                "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n",
                LEFT, WIDTH - RIGHT, y_of(p, cycles), y_of(p, cycles), LEFT - 6, y_of(p, cycles) + 4, cycles);
    }
    size_t step = axis->values.count / 12 + 1;
    for (size_t v = 0; v < axis->values.count; v += step) {
        fprintf(p->out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", x_of(p, v), HEIGHT - BOTTOM + 18);
        xml_text(axis->values.items[v], p->out);
        fputs("</text>\n", p->out);
    }
    fprintf(p->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12);
    xml_text(axis->name, p->out);
    fputs("</text>\n", p->out);
}

static void draw(struct plot *p)
{
    unsigned number = 0;
    size_t left_out = 0;
    for (size_t i = 0; i < p->table->points->count; i++)
        if (p->table->rows[i].timed)
            p->highest = fmax(p->highest, p->table->rows[i].cycles);
    p->highest = p->highest > 0 ? p->highest : 1;
    draw_frame(p);
    for (size_t i = 0; i < p->table->points->count; i++) {
        if (!begins_line(p, i))
            continue;
        if (number < LINES_MAX)
            draw_line(p, i, number++);
        else
            left_out++;
    }
    if (left_out > 0)
        fprintf(p->out, "<text x=\"%d\" y=\"%d\">and %zu more, in sweep.csv</text>\n", WIDTH - RIGHT + 20,
                TOP + 10 + 20 * LINES_MAX, left_out);
    fputs("</svg>\n", p->out);
}

/* A key's points and an option's dashes stay. Characters that a file's name should not have become dashes. */
static void file_name(char path[static PATH_MAX], const char *folder, const char *axis)
{
    int n = snprintf(path, PATH_MAX, "%s/", folder);
    for (; *axis && n < PATH_MAX - 8; axis++)
        path[n++] = isalnum((unsigned char)*axis) || strchr("._-", *axis) ? *axis : '-';
    snprintf(path + n, (size_t)(PATH_MAX - n), ".svg");
}

bool sweep_plot_write(const struct sweep_table *table, const char *folder, struct status *status)
{
    const struct sweep_file *file = table->points->file;
    size_t stride = 1;
    for (size_t a = file->axis_count; a-- > 0; stride *= file->axes[a].values.count) {
        char path[PATH_MAX];
        struct file_output output;
        struct plot plot = {.table = table, .axis = a, .stride = stride};
        if (file->axes[a].values.count < 2)
            continue;
        file_name(path, folder, file->axes[a].name);
        if (!file_output_open(&output, path, status))
            return false;
        plot.out = output.stream;
        draw(&plot);
        if (!file_output_commit(&output, status))
            return false;
    }
    return true;
}
