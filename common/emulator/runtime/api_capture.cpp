// Stream capture: what is asked of a stream becomes a graph.

#include "emulator/runtime/capture.hpp"
#include "emulator/runtime/router.hpp"
#include "emulator/runtime/timeline.hpp"

using namespace emulator::runtime;

EMULATOR_API_STREAM(cudaStreamBeginCapture, _ptsz, (cudaStream_t stream, cudaStreamCaptureMode mode), stream, mode) {
  return begin_capture(stream, mode);
}

EMULATOR_API_STREAM(cudaStreamEndCapture, _ptsz, (cudaStream_t stream, cudaGraph_t* graph), stream, graph) {
  return graph != nullptr ? end_capture(stream, *graph) : cudaErrorInvalidValue;
}

EMULATOR_API_STREAM(cudaStreamIsCapturing, _ptsz, (cudaStream_t stream, cudaStreamCaptureStatus* status), stream,
                    status) {
  return status != nullptr ? capture_status(stream, *status) : cudaErrorInvalidValue;
}

namespace {

/// The part that all versions of the call have: status and number of the capture.
cudaError_t capture_info(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                         bool wants_nodes) {
  if (status == nullptr) return cudaErrorInvalidValue;
  const cudaError_t error = capture_status(stream, *status);
  if (error != cudaSuccess || *status != cudaStreamCaptureStatusActive) return error;
  if (wants_nodes) return not_implemented("cudaStreamGetCaptureInfo, for the graph that is being captured,");
  if (id != nullptr) *id = timeline::instance().find(stream)->captured.of->id;
  return cudaSuccess;
}

}  // namespace

#if CUDART_VERSION >= 13000
EMULATOR_API_STREAM(cudaStreamGetCaptureInfo, _ptsz,
                    (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
                     const cudaGraphNode_t** dependencies, const cudaGraphEdgeData** edges, size_t* count),
                    stream, status, id, graph, dependencies, edges, count) {
  const bool wants_nodes = graph != nullptr || dependencies != nullptr || edges != nullptr || count != nullptr;
  return capture_info(stream, status, id, wants_nodes);
}
#else
EMULATOR_API_STREAM(cudaStreamGetCaptureInfo_v2, _ptsz,
                    (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
                     const cudaGraphNode_t** dependencies, size_t* count),
                    stream, status, id, graph, dependencies, count) {
  return capture_info(stream, status, id, graph != nullptr || dependencies != nullptr || count != nullptr);
}
#endif
