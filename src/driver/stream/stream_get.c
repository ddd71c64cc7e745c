/* Queries of a stream, and attributes. All of it works while the stream captures. */
#include "driver/abi/api_stream.h"
#include "driver/queue/stream.h"
#include "driver/state/context.h"

enum what { WHAT_CONTEXT, WHAT_DEVICE, WHAT_FLAGS, WHAT_ID, WHAT_PRIORITY };

static CUresult get(CUstream handle, bool per_thread, enum what what, void *out, const char *name)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result != CUDA_SUCCESS)
        return call_end(&call, result);
    const struct CUstream_st *stream = stream_find(&call, handle, per_thread);
    if (stream == NULL)
        return call_end(&call, CUDA_ERROR_INVALID_HANDLE);
    if (out == NULL)
        return call_end(&call, CUDA_ERROR_INVALID_VALUE);
    switch (what) {
    case WHAT_CONTEXT: *(CUcontext *)out = stream->context; break;
    case WHAT_DEVICE: *(CUdevice *)out = 0; break;
    case WHAT_FLAGS: *(unsigned *)out = stream->flags; break;
    case WHAT_ID: *(unsigned long long *)out = stream->id; break;
    case WHAT_PRIORITY: *(int *)out = stream->priority; break;
    }
    return call_end(&call, CUDA_SUCCESS);
}

CUresult cuStreamGetCtx(CUstream hStream, CUcontext *pctx) { return get(hStream, false, WHAT_CONTEXT, pctx, __func__); }

CUresult cuStreamGetCtx_ptsz(CUstream hStream, CUcontext *pctx)
{
    return get(hStream, true, WHAT_CONTEXT, pctx, __func__);
}

/* No stream is of a green context. */
CUresult cuStreamGetCtx_v2(CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx)
{
    CUresult result = get(hStream, false, WHAT_CONTEXT, pCtx, __func__);
    if (result == CUDA_SUCCESS && pGreenCtx != NULL)
        *pGreenCtx = NULL;
    return result;
}

CUresult cuStreamGetCtx_v2_ptsz(CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx)
{
    CUresult result = get(hStream, true, WHAT_CONTEXT, pCtx, __func__);
    if (result == CUDA_SUCCESS && pGreenCtx != NULL)
        *pGreenCtx = NULL;
    return result;
}

CUresult cuStreamGetDevice(CUstream hStream, CUdevice *device)
{
    return get(hStream, false, WHAT_DEVICE, device, __func__);
}

CUresult cuStreamGetDevice_ptsz(CUstream hStream, CUdevice *device)
{
    return get(hStream, true, WHAT_DEVICE, device, __func__);
}

CUresult cuStreamGetFlags(CUstream hStream, unsigned int *flags)
{
    return get(hStream, false, WHAT_FLAGS, flags, __func__);
}

CUresult cuStreamGetFlags_ptsz(CUstream hStream, unsigned int *flags)
{
    return get(hStream, true, WHAT_FLAGS, flags, __func__);
}

CUresult cuStreamGetId(CUstream hStream, unsigned long long *streamId)
{
    return get(hStream, false, WHAT_ID, streamId, __func__);
}

CUresult cuStreamGetId_ptsz(CUstream hStream, unsigned long long *streamId)
{
    return get(hStream, true, WHAT_ID, streamId, __func__);
}

CUresult cuStreamGetPriority(CUstream hStream, int *priority)
{
    return get(hStream, false, WHAT_PRIORITY, priority, __func__);
}

CUresult cuStreamGetPriority_ptsz(CUstream hStream, int *priority)
{
    return get(hStream, true, WHAT_PRIORITY, priority, __func__);
}

static CUresult attribute_get(const struct CUstream_st *stream, CUstreamAttrID attribute, CUstreamAttrValue *value)
{
    switch (attribute) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW: value->accessPolicyWindow = stream->window; return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY: value->syncPolicy = stream->sync_policy; return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY: value->priority = stream->priority; return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP: value->memSyncDomainMap = stream->domain_map; return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN: value->memSyncDomain = stream->domain; return CUDA_SUCCESS;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult attribute_set(struct CUstream_st *stream, CUstreamAttrID attribute, const CUstreamAttrValue *value)
{
    switch (attribute) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        if (!(value->accessPolicyWindow.hitRatio >= 0 && value->accessPolicyWindow.hitRatio <= 1))
            return CUDA_ERROR_INVALID_VALUE;
        stream->window = value->accessPolicyWindow;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        if (value->syncPolicy < CU_SYNC_POLICY_AUTO || value->syncPolicy > CU_SYNC_POLICY_BLOCKING_SYNC)
            return CUDA_ERROR_INVALID_VALUE;
        stream->sync_policy = value->syncPolicy;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        if (value->priority < STREAM_PRIORITY_GREATEST || value->priority > STREAM_PRIORITY_LEAST)
            return CUDA_ERROR_INVALID_VALUE;
        stream->priority = value->priority;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP: stream->domain_map = value->memSyncDomainMap; return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
        if (value->memSyncDomain > CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE)
            return CUDA_ERROR_INVALID_VALUE;
        stream->domain = value->memSyncDomain;
        return CUDA_SUCCESS;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

/* Reads into `out`, or sets from `in`. */
static CUresult attribute(CUstream handle, bool per_thread, CUstreamAttrID id, CUstreamAttrValue *out,
                          const CUstreamAttrValue *in, const char *name)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result != CUDA_SUCCESS)
        return call_end(&call, result);
    struct CUstream_st *stream = stream_find(&call, handle, per_thread);
    if (stream == NULL)
        result = CUDA_ERROR_INVALID_HANDLE;
    else if (out != NULL)
        result = attribute_get(stream, id, out);
    else if (in != NULL)
        result = attribute_set(stream, id, in);
    else
        result = CUDA_ERROR_INVALID_VALUE;
    return call_end(&call, result);
}

CUresult cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value)
{
    return attribute(hStream, false, attr, value, NULL, __func__);
}

CUresult cuStreamGetAttribute_ptsz(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value_out)
{
    return attribute(hStream, true, attr, value_out, NULL, __func__);
}

CUresult cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue *param)
{
    return attribute(hStream, false, attr, NULL, param, __func__);
}

CUresult cuStreamSetAttribute_ptsz(CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue *value)
{
    return attribute(hStream, true, attr, NULL, value, __func__);
}

static CUresult copy_attributes(CUstream to, CUstream from, bool per_thread, const char *name)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result != CUDA_SUCCESS)
        return call_end(&call, result);
    struct CUstream_st *target = stream_find(&call, to, per_thread);
    const struct CUstream_st *source = stream_find(&call, from, per_thread);
    if (target == NULL || source == NULL)
        return call_end(&call, CUDA_ERROR_INVALID_HANDLE);
    if (target->context != source->context)
        return call_end(&call, CUDA_ERROR_INVALID_VALUE);
    target->sync_policy = source->sync_policy;
    target->window = source->window;
    target->domain_map = source->domain_map;
    target->domain = source->domain;
    target->priority = source->priority;
    return call_end(&call, CUDA_SUCCESS);
}

CUresult cuStreamCopyAttributes(CUstream dstStream, CUstream srcStream)
{
    return copy_attributes(dstStream, srcStream, false, __func__);
}

CUresult cuStreamCopyAttributes_ptsz(CUstream dst, CUstream src) { return copy_attributes(dst, src, true, __func__); }
