// Stream capture: what is asked of a stream becomes a graph.

#include <algorithm>
#include <vector>

#include "emulator/runtime/capture.hpp"
#include "emulator/runtime/graph_nodes.hpp"
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

/// The part that all versions of the call have.
cudaError_t capture_info(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                         cudaGraph_t* graph, const cudaGraphNode_t** dependencies, size_t* count) {
  if (status == nullptr) return cudaErrorInvalidValue;
  const cudaError_t error = capture_status(stream, *status);
  if (error != cudaSuccess || *status != cudaStreamCaptureStatusActive) return error;
  if (id != nullptr) *id = timeline::instance().find(stream)->captured.of->id;
  cudaGraph_t into = nullptr;
  const node_list behind = captured_behind(stream, into);
  if (graph != nullptr) *graph = into;
  if (dependencies != nullptr) *dependencies = behind.nodes;
  if (count != nullptr) *count = behind.count;
  return cudaSuccess;
}

}  // namespace

#if CUDART_VERSION >= 13000
EMULATOR_API_STREAM(cudaStreamGetCaptureInfo, _ptsz,
                    (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
                     const cudaGraphNode_t** dependencies, const cudaGraphEdgeData** edges, size_t* count),
                    stream, status, id, graph, dependencies, edges, count) {
  const cudaError_t error = capture_info(stream, status, id, graph, dependencies, count);
  if (error != cudaSuccess || *status != cudaStreamCaptureStatusActive || edges == nullptr) return error;
  // No edge of the emulator's has data: a list of as many that say so.
  static auto* none = new std::vector<cudaGraphEdgeData>;
  none->resize(std::max(none->size(), timeline::instance().find(stream)->captured.last.size()));
  *edges = none->empty() ? nullptr : none->data();
  return cudaSuccess;
}

EMULATOR_API_STREAM(cudaStreamBeginCaptureToGraph, _ptsz,
                    (cudaStream_t stream, cudaGraph_t into, const cudaGraphNode_t* dependencies,
                     const cudaGraphEdgeData* edges, size_t count, cudaStreamCaptureMode mode),
                    stream, into, dependencies, edges, count, mode) {
  if (count != 0 && has_edge_data(edges, count)) return not_implemented(part_of_a_kernel);
  if (into == nullptr) return cudaErrorInvalidValue;
  return begin_capture(stream, mode, into, {dependencies, count});
}

EMULATOR_API_STREAM(cudaStreamUpdateCaptureDependencies, _ptsz,
                    (cudaStream_t stream, cudaGraphNode_t* dependencies, const cudaGraphEdgeData* edges, size_t count,
                     unsigned flags),
                    stream, dependencies, edges, count, flags) {
  if (flags != cudaStreamAddCaptureDependencies && flags != cudaStreamSetCaptureDependencies)
    return cudaErrorInvalidValue;
  if (count != 0 && has_edge_data(edges, count)) return not_implemented(part_of_a_kernel);
  return stand_behind(stream, {dependencies, count}, flags == cudaStreamAddCaptureDependencies);
}
#else
EMULATOR_API_STREAM(cudaStreamGetCaptureInfo_v2, _ptsz,
                    (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
                     const cudaGraphNode_t** dependencies, size_t* count),
                    stream, status, id, graph, dependencies, count) {
  return capture_info(stream, status, id, graph, dependencies, count);
}
#endif
