#include "driver/launch/block_api.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/text.h"
#include "driver/queue/queue.h"
#include "driver/state/call.h"
#include "driver/state/thread.h"
#include "report/launches.h"
#include "report/report.h"

const char *subcoreBlockGpu(void)
{
    struct call call;
    call_begin(&call, __func__, CALL_ANY);
    const char *set = getenv("SUBCORE_GPU");
    const char *gpu = call.driver->initialised ? call.driver->settings.gpu : set && *set ? set : "rtx-a6000";
    call_end(&call, CUDA_SUCCESS);
    return gpu;
}

/* Returns the block's number (0: out of memory). */
static uint64_t begin(struct ranges *ranges, enum block_choice choice, const char *name)
{
    ranges_begin(ranges);
    uint64_t id = ranges_start(ranges, "subcore", name);
    if (block_begin(&ranges->blocks, id, choice, &ranges->submitted))
        return id;
    ranges_end(ranges, id);
    return 0;
}

CUresult subcoreBlockBegin(int choice, const char *name, uint64_t *block)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_ANY);
    if (choice < BLOCK_AS_ASKED || choice > BLOCK_EXECUTED || !name || !block)
        result = CUDA_ERROR_INVALID_VALUE;
    else if (call.driver->forked)
        result = CUDA_ERROR_NOT_INITIALIZED;
    else if (!(*block = begin(&call.driver->ranges, (enum block_choice)choice, name)))
        result = CUDA_ERROR_OUT_OF_MEMORY;
    return call_end(&call, result);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* Waits for the launches of a block that is closed. */
static CUresult wait_for_launches(const struct call *call)
{
    if (call->thread->executor || call->thread->inside > 1)
        return CUDA_ERROR_NOT_PERMITTED;
    queue_wait_all(call->driver);
    return CUDA_SUCCESS;
}

/* Returns the document, or NULL if out of memory. */
static char *write_document(struct block *block, const struct config *config)
{
    struct json json;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    json_begin(&json, out);
    json_object(&json, NULL);
    json_array(&json, "launches");
    for (struct block_launch *l = block->launches; l; l = l->next) {
        text_make_printable(l->record.name, "");
        text_make_printable(l->record.result.kernel, "");
        json_object(&json, NULL);
        launches_json(&l->record, 0, &json);
        json_end(&json);
    }
    json_end(&json);
    json_array(&json, "kernels");
    for (const struct block_launch *l = block->launches; l; l = l->next)
        report_json(&l->record.result, config, &json, NULL);
    json_end(&json);
    json_end(&json);
    bool failed = ferror(out);
    if (fclose(out) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}

CUresult subcoreBlockEnd(uint64_t block, char **document)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_ANY);
    struct driver *driver = call.driver;
    struct ranges *ranges = &driver->ranges;
    if (!document || !block_close(&ranges->blocks, block, &ranges->submitted))
        return call_end(&call, CUDA_ERROR_INVALID_VALUE);
    ranges_end(ranges, block);
    bool launched = driver->initialised && !driver->forked;
    if (launched)
        result = wait_for_launches(&call);
    struct block *over = block_take(&ranges->blocks, block);
    result = call_end(&call, result);
    struct block none = {0};
    *document = NULL;
    if (result == CUDA_SUCCESS && !(launched && over->lost))
        *document = write_document(launched ? over : &none, &driver->device.config);
    block_free(over);
    return result == CUDA_SUCCESS && !*document ? CUDA_ERROR_OUT_OF_MEMORY : result;
}

void subcoreBlockFree(char *document) { free(document); }
