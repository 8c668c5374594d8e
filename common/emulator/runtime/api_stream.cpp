// Streams and events. Work is executed immediately, so every wait is over at once, unless a kernel waits for other
// work. Elapsed time is that of the host, because the emulated device has no time of its own.

#include <fmt/format.h>

#include <chrono>

#include "emulator/runtime/capture.hpp"
#include "emulator/runtime/router.hpp"
#include "emulator/runtime/stream_order.hpp"
#include "emulator/runtime/timeline.hpp"
#include "emulator/runtime/waiting_work.hpp"

using namespace emulator::runtime;

namespace {

cudaError_t known(cudaStream_t stream) {
  return timeline::instance().find(stream) != nullptr ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

/// Resumes waiting work, then returns true if the stream still has to wait.
bool is_behind(const stream_record& stream) {
  waiting_work& waiting = waiting_work::instance();
  if (!waiting.any()) return false;
  waiting.resume();
  return waiting.is_queued_after(stream);
}

/// Returns true if the event is pending.
bool is_pending(const event_record& event) {
  return event.waits != 0 && !waiting_work::instance().is_over(event.waits);
}

cudaError_t create_stream(cudaStream_t* stream, unsigned flags, int priority) {
  if (stream == nullptr || (flags != cudaStreamDefault && flags != cudaStreamNonBlocking)) return cudaErrorInvalidValue;
  *stream = timeline::instance().create_stream(flags, priority);
  stream_order::instance().stream_made();
  return cudaSuccess;
}

cudaError_t create_event(cudaEvent_t* event, unsigned flags) {
  constexpr unsigned known_flags = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  if (event == nullptr || (flags & ~known_flags) != 0) return cudaErrorInvalidValue;
  if ((flags & cudaEventInterprocess) != 0) return not_implemented("cudaEventInterprocess");
  *event = timeline::instance().create_event(flags);
  return cudaSuccess;
}

cudaError_t record(cudaEvent_t event, cudaStream_t stream) {
  event_record* found = timeline::instance().find(event);
  const stream_record* in = timeline::instance().find(stream);
  if (found == nullptr || in == nullptr) return cudaErrorInvalidResourceHandle;
  if (found->device != in->device) {
    explain(fmt::format("cudaEventRecord: the event belongs to device {}, the stream to device {}", found->device,
                        in->device));
    return cudaErrorInvalidResourceHandle;
  }
  found->captured = in->captured;
  if (in->captured.of != nullptr) return cudaSuccess;
  const auto happens = [event, in] {
    event_record* here = timeline::instance().find(event);
    if (here == nullptr) return cudaSuccess;  // destroyed in the meantime
    here->recorded = std::chrono::steady_clock::now();
    stream_order::instance().record(*here, *in);
    return cudaSuccess;
  };
  found->waits = 0;
  if (!is_behind(*in)) return happens();
  found->waits = waiting_work::instance().keep(*in, happens);
  return cudaSuccess;
}

/// Calls the host function at once, without the device's lock, because it may take a long time. If the stream is
/// captured, the call becomes a node of the graph; if the stream has unfinished work, the call is queued after it.
template <typename Callback>
cudaError_t call_back(const char* name, const void* return_address, cudaStream_t stream, Callback callback) {
  bool captured = false;
  const cudaError_t error = on_emulator<after_fault::refused>(name, return_address, [&] {
    const stream_record* found = timeline::instance().find(stream);
    captured = is_captured(stream) || (found != nullptr && is_behind(*found));
    if (!captured) return known(stream);
    return in_stream(stream, cudaGraphNodeTypeHost, [callback] {
      callback();
      return cudaSuccess;
    });
  });
  if (error == cudaSuccess && !captured) {
    // The callback runs after the earlier work of the stream, and other host threads can learn from it that this work
    // has ended.
    static_cast<void>(on_emulator<after_fault::refused>(name, return_address, [&] {
      stream_order::instance().host_waited_for(*timeline::instance().find(stream));
      return cudaSuccess;
    }));
    callback();
  }
  return error;
}

void finish(const stream_record& stream) {
  waiting_work::instance().finish_stream(stream);
}
void finish(const event_record& event) {
  waiting_work::instance().finish(event.waits);
}

/// Returns true if the stream has to wait for unfinished work, its own or that of other streams.
bool is_pending(const stream_record& stream) {
  return waiting_work::instance().is_queued_after(stream);
}

/// Whether the caller waits for unfinished work, or only asks if there is any.
enum class caller { waits, asks };

/// Waits for a stream or an event. A caller that only asks gets cudaErrorNotReady if there is unfinished work.
template <typename Handle>
cudaError_t wait_for(const char* call, Handle handle, caller does) {
  const auto* const found = timeline::instance().find(handle);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  const cudaError_t error = refuse_to_wait(call, found->captured);
  if (error != cudaSuccess) return error;
  if (does == caller::waits)
    finish(*found);
  else
    waiting_work::instance().resume(true);
  if (is_pending(*found)) return cudaErrorNotReady;
  stream_order::instance().host_waited_for(*found);
  return device::instance().sticky_error();
}

}  // namespace

EMULATOR_API(cudaStreamCreate, (cudaStream_t * stream), stream) {
  return create_stream(stream, cudaStreamDefault, 0);
}

EMULATOR_API(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), stream, flags) {
  return create_stream(stream, flags, 0);
}

EMULATOR_API(cudaStreamCreateWithPriority, (cudaStream_t * stream, unsigned flags, int priority), stream, flags,
             priority) {
  return create_stream(stream, flags, priority);
}

extern "C" cudaError_t CUDARTAPI cudaStreamDestroy(cudaStream_t stream) {
  // A stream belongs to the device on which it was created, no matter which device is selected when it is destroyed.
  const bool ours = timeline::instance().find(stream) != nullptr;
  if (!ours && (on_gpu() || real_runtime::instance().loaded())) return forward_by_name("cudaStreamDestroy", stream);
  return on_emulator<after_fault::refused>("cudaStreamDestroy", __builtin_return_address(0), [&] {
    const stream_record* found = timeline::instance().find(stream);
    const auto destroy = [stream] {
      if (const stream_record* const goes = timeline::instance().find(stream)) drop_capture(*goes);
      return timeline::instance().destroy(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    };
    if (found == nullptr || !is_behind(*found)) return destroy();
    waiting_work::instance().keep(*found, destroy);
    return cudaSuccess;
  });
}

EMULATOR_API_STREAM(cudaStreamSynchronize, _ptsz, (cudaStream_t stream), stream) {
  return wait_for("cudaStreamSynchronize", stream, caller::waits);
}
EMULATOR_API_STREAM(cudaStreamQuery, _ptsz, (cudaStream_t stream), stream) {
  return wait_for("cudaStreamQuery", stream, caller::asks);
}

EMULATOR_API_STREAM(cudaStreamWaitEvent, _ptsz, (cudaStream_t stream, cudaEvent_t event, unsigned flags), stream, event,
                    flags) {
  stream_record* waiting = timeline::instance().find(stream);
  const event_record* awaited = timeline::instance().find(event);
  if (waiting == nullptr || awaited == nullptr) return cudaErrorInvalidResourceHandle;
  const cudaError_t error = capture_wait(*waiting, *awaited);
  if (error != cudaSuccess || waiting->captured.of != nullptr) return error;
  const auto waits = [waiting, event] {
    if (const event_record* e = timeline::instance().find(event); e != nullptr)
      stream_order::instance().wait(*waiting, *e);
    return cudaSuccess;
  };
  if (!is_behind(*waiting) && !is_pending(*awaited)) return waits();
  waiting_work::instance().keep(*waiting, waits, awaited->waits);
  return cudaSuccess;
}

EMULATOR_API_STREAM(cudaStreamGetFlags, _ptsz, (cudaStream_t stream, unsigned* flags), stream, flags) {
  return answer(flags, timeline::instance().find(stream), &stream_record::flags, cudaErrorInvalidResourceHandle);
}

EMULATOR_API_STREAM(cudaStreamGetPriority, _ptsz, (cudaStream_t stream, int* priority), stream, priority) {
  return answer(priority, timeline::instance().find(stream), &stream_record::priority, cudaErrorInvalidResourceHandle);
}

EMULATOR_API_STREAM(cudaStreamGetId, _ptsz, (cudaStream_t stream, unsigned long long* id), stream, id) {
  return answer(id, timeline::instance().find(stream), &stream_record::id, cudaErrorInvalidResourceHandle);
}

EMULATOR_API_STREAM(cudaStreamAttachMemAsync, _ptsz,
                    (cudaStream_t stream, void* pointer, size_t length, unsigned flags), stream, pointer, length,
                    flags) {
  return known(stream);
}

extern "C" cudaError_t CUDARTAPI cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  if (on_gpu()) return forward_by_name("cudaLaunchHostFunc", stream, function, data);
  return call_back("cudaLaunchHostFunc", __builtin_return_address(0), stream, [=] { function(data); });
}

extern "C" cudaError_t CUDARTAPI cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function, void* data) {
  if (on_gpu()) return forward_by_name("cudaLaunchHostFunc_ptsz", stream, function, data);
  return call_back("cudaLaunchHostFunc", __builtin_return_address(0), stream, [=] { function(data); });
}

extern "C" cudaError_t CUDARTAPI cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                                       unsigned flags) {
  if (on_gpu()) return forward_by_name("cudaStreamAddCallback", stream, callback, data, flags);
  return call_back("cudaStreamAddCallback", __builtin_return_address(0), stream,
                   [=] { callback(stream, cudaSuccess, data); });
}

EMULATOR_API(cudaEventCreate, (cudaEvent_t * event), event) {
  return create_event(event, cudaEventDefault);
}

EMULATOR_API(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), event, flags) {
  return create_event(event, flags);
}

extern "C" cudaError_t CUDARTAPI cudaEventDestroy(cudaEvent_t event) {
  const bool ours = timeline::instance().find(event) != nullptr;
  if (!ours && (on_gpu() || real_runtime::instance().loaded())) return forward_by_name("cudaEventDestroy", event);
  return on_emulator<after_fault::refused>("cudaEventDestroy", __builtin_return_address(0), [&] {
    return timeline::instance().destroy(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

EMULATOR_API_STREAM(cudaEventRecord, _ptsz, (cudaEvent_t event, cudaStream_t stream), event, stream) {
  return record(event, stream);
}

EMULATOR_API_STREAM(cudaEventRecordWithFlags, _ptsz, (cudaEvent_t event, cudaStream_t stream, unsigned flags), event,
                    stream, flags) {
  return flags == cudaEventRecordDefault ? record(event, stream) : not_implemented("cudaEventRecordExternal");
}

EMULATOR_API(cudaEventSynchronize, (cudaEvent_t event), event) {
  return wait_for("cudaEventSynchronize", event, caller::waits);
}
EMULATOR_API(cudaEventQuery, (cudaEvent_t event), event) {
  return wait_for("cudaEventQuery", event, caller::asks);
}

EMULATOR_API(cudaEventElapsedTime, (float* milliseconds, cudaEvent_t from, cudaEvent_t to), milliseconds, from, to) {
  if (milliseconds == nullptr) return cudaErrorInvalidValue;
  const event_record* begin = timeline::instance().find(from);
  const event_record* end = timeline::instance().find(to);
  for (const event_record* e : {begin, end}) {
    if (e != nullptr && (e->recorded || is_pending(*e)) && (e->flags & cudaEventDisableTiming) == 0) continue;
    explain(e == nullptr   ? "cudaEventElapsedTime: invalid event handle: it was never created, or has been destroyed"
            : !e->recorded ? "cudaEventElapsedTime: an event has not been recorded"
                           : "cudaEventElapsedTime: an event was made with cudaEventDisableTiming");
    return cudaErrorInvalidResourceHandle;
  }
  if (begin->device != end->device) {
    explain(fmt::format("cudaEventElapsedTime: the events are of devices {} and {}", begin->device, end->device));
    return cudaErrorInvalidResourceHandle;
  }
  waiting_work::instance().resume();
  if (is_pending(*begin) || is_pending(*end)) return cudaErrorNotReady;
  for (const event_record* e : {begin, end}) stream_order::instance().host_waited_for(*e);
  *milliseconds = std::chrono::duration<float, std::milli>(*end->recorded - *begin->recorded).count();
  return cudaSuccess;
}
