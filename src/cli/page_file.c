#include "cli/page_file.h"

#include "report/page.h"

enum { MOST_BYTES = 1 << 30 };

bool page_file_read(struct page_file *file, struct status *status)
{
    bool ok = file_read(file->path, MOST_BYTES, &file->bytes, status) &&
              json_tree_read(&file->tree, (const char *)file->bytes.data, file->bytes.size, file->path, status) &&
              page_takes(&(struct page_run){file->path, file->tree.root}, status);
    if (!ok)
        page_file_free(file);
    return ok;
}

void page_file_free(struct page_file *file)
{
    json_tree_free(&file->tree);
    file_free(&file->bytes);
}
