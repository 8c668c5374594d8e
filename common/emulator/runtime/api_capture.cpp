// Stream capture, which turns the work of a stream into a graph, and `in_stream`, through which all work enters its
// stream, captured or not.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "emulator/runtime/capture.hpp"
#include "emulator/runtime/conditional_nodes.hpp"
#include "emulator/runtime/current_call.hpp"
#include "emulator/runtime/graph_nodes.hpp"
#include "emulator/runtime/router.hpp"
#include "emulator/runtime/stream_order.hpp"
#include "emulator/runtime/timeline.hpp"
#include "emulator/runtime/waiting_work.hpp"

namespace emulator::runtime {
namespace {

/// Returns the captures in progress, without duplicates.
std::set<std::shared_ptr<capture>> captures() {
  std::set<std::shared_ptr<capture>> all;
  for (const stream_record* stream : timeline::instance().streams()) {
    if (stream->captured.of != nullptr) all.insert(stream->captured.of);
  }
  return all;
}

/// Makes the capture yield no graph; its streams stay in it until it is ended.
cudaError_t invalidate(capture& which, cudaError_t why, const std::string& words) {
  which.invalid = true;
  explain(words);
  return why;
}

void add_new(std::vector<graph_node*>& to, const std::vector<graph_node*>& nodes) {
  for (graph_node* node : nodes) {
    if (std::find(to.begin(), to.end(), node) == to.end()) to.push_back(node);
  }
}

/// Returns true if each of `others` is in `last` or precedes a node in it.
bool come_after(const std::vector<graph_node*>& last, const std::vector<graph_node*>& others) {
  std::set<const graph_node*> reached;
  std::vector<const graph_node*> left(last.begin(), last.end());
  while (!left.empty()) {
    const graph_node* node = left.back();
    left.pop_back();
    if (reached.insert(node).second) left.insert(left.end(), node->after.begin(), node->after.end());
  }
  return std::all_of(others.begin(), others.end(), [&](const graph_node* node) { return reached.count(node) != 0; });
}

/// Returns the capture of a blocking stream, that is, one that waits for the legacy default stream and vice versa; null
/// if none is captured.
std::shared_ptr<capture> capture_of_blocking_stream() {
  for (const stream_record* stream : timeline::instance().streams()) {
    if (stream->captured.of != nullptr && (stream->flags & cudaStreamNonBlocking) == 0) return stream->captured.of;
  }
  return nullptr;
}

/// Removes all streams from a capture, and marks it as ended for events that refer to it.
void leave(capture& which) {
  for (stream_record* taking_part : timeline::instance().streams()) {
    if (taking_part->captured.of.get() == &which) taking_part->captured = {};
  }
  which.ended = true;
}

/// Nodes of a graph.
struct node_list {
  const cudaGraphNode_t* nodes = nullptr;
  size_t count = 0;
};

/// Finds the nodes of a list. Returns false if one of them does not belong to the graph.
bool find_nodes(const graph& of, node_list list, std::vector<graph_node*>& found) {
  if (list.count != 0 && list.nodes == nullptr) return false;
  for (size_t i = 0; i < list.count; ++i) {
    if (!of.contains(node_of(list.nodes[i]))) return false;
    add_new(found, {node_of(list.nodes[i])});
  }
  return true;
}

/// Begins a capture into a new graph or, if `into` is given, into that graph, after its nodes `behind`.
cudaError_t begin_capture(cudaStream_t stream, cudaStreamCaptureMode mode, cudaGraph_t into = nullptr,
                          node_list behind = {}) {
  std::vector<graph_node*> last;
  if (into != nullptr) {
    const graph* const in = graph_table::instance().find(into);
    if (in == nullptr || !find_nodes(*in, behind, last)) return cudaErrorInvalidValue;
    if (is_captured_into(into)) return cudaErrorIllegalState;
  }
  stream_record* found = timeline::instance().find(stream);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  if (mode != cudaStreamCaptureModeGlobal && mode != cudaStreamCaptureModeThreadLocal &&
      mode != cudaStreamCaptureModeRelaxed) {
    return cudaErrorInvalidValue;
  }
  if (timeline::instance().is_legacy(*found)) {
    explain("cudaStreamBeginCapture: the default stream cannot be captured; make a stream with cudaStreamCreate");
    return cudaErrorStreamCaptureUnsupported;
  }
  if (found->captured.of != nullptr) return cudaErrorIllegalState;
  auto made =
      std::make_shared<capture>(capture{stream, mode, std::this_thread::get_id(), timeline::instance().next_id()});
  made->owns_graph = into == nullptr;
  made->into = into != nullptr ? into : graph_table::instance().add(std::make_unique<graph>());
  found->captured = {std::move(made), std::move(last)};
  return cudaSuccess;
}

cudaError_t capture_status(cudaStream_t stream, cudaStreamCaptureStatus& status) {
  const stream_record* found = timeline::instance().find(stream);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  status = cudaStreamCaptureStatusNone;
  if (found->captured.of == nullptr) return cudaSuccess;
  status = found->captured.of->invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}

/// The part that all versions of cudaStreamGetCaptureInfo share.
cudaError_t capture_info(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                         cudaGraph_t* into, const cudaGraphNode_t** dependencies, size_t* count) {
  if (status == nullptr) return cudaErrorInvalidValue;
  const cudaError_t error = capture_status(stream, *status);
  if (error != cudaSuccess || *status != cudaStreamCaptureStatusActive) return error;
  const capture_point& point = timeline::instance().find(stream)->captured;
  std::vector<cudaGraphNode_t>& listed = point.of->last_listed;
  listed.clear();
  for (graph_node* node : point.last) listed.push_back(handle_of(node));
  if (id != nullptr) *id = point.of->id;
  if (into != nullptr) *into = point.of->into;
  if (dependencies != nullptr) *dependencies = listed.data();
  if (count != nullptr) *count = listed.size();
  return cudaSuccess;
}

}  // namespace

cudaError_t in_stream(cudaStream_t stream, graph_work work) {
  stream_record* found = timeline::instance().find(stream);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  capture_point& point = found->captured;
  if (point.of != nullptr) {
    if (point.of->invalid) return cudaErrorStreamCaptureInvalidated;
    work.device = found->device;
    note_origin(work);
    graph& into = *graph_table::instance().find(point.of->into);
    point.last = {into.add(std::move(work), point.last)};
    if (stream != point.of->origin) point.of->made_elsewhere.push_back(point.last.front());
    return cudaSuccess;
  }
  if (timeline::instance().is_legacy(*found)) {
    if (const auto met = capture_of_blocking_stream()) {
      return invalidate(*met, cudaErrorStreamCaptureImplicit,
                        "work in the default stream would have to wait for a stream that is being captured: put it "
                        "into a stream made with cudaStreamNonBlocking, or call it after cudaStreamEndCapture");
    }
  }
  waiting_work& waiting = waiting_work::instance();
  if (waiting.any()) waiting.resume();
  const auto run_now = [found, is_host = work.type == cudaGraphNodeTypeHost, run = std::move(work.run)] {
    // A host function runs after the earlier work of the stream, and other host threads can learn from it that this
    // work has ended.
    if (is_host) stream_order::instance().host_waited_for(*found);
    return stream_order::instance().run(*found, false, [&] { return run ? run() : cudaSuccess; });
  };
  if (waiting.is_queued_after(*found)) {
    waiting.keep(*found, run_now, 0, work.kernel != nullptr ? work.kernel->what() : std::string());
    return cudaSuccess;
  }
  const cudaError_t error = run_now();
  if (waiting.any()) waiting.resume();
  return error;
}

cudaError_t in_stream(cudaStream_t stream, cudaGraphNodeType type, std::function<cudaError_t()> run) {
  return in_stream(stream, graph_work{type, std::move(run), nullptr, nullptr});
}

bool is_captured(cudaStream_t stream) {
  const stream_record* found = timeline::instance().find(stream);
  return found != nullptr && found->captured.of != nullptr;
}

bool is_captured_into(cudaGraph_t which) {
  const std::set<std::shared_ptr<capture>> all = captures();
  if (std::any_of(all.begin(), all.end(), [which](const auto& one) { return one->into == which; })) return true;
  const graph* const found = graph_table::instance().find(which);
  return found != nullptr && std::any_of(found->nodes.begin(), found->nodes.end(), [](const auto& node) {
           const branching* const in = node->work.branches.get();
           return in != nullptr && std::any_of(in->bodies.begin(), in->bodies.end(), is_captured_into);
         });
}

void drop_capture(const stream_record& origin) {
  const std::shared_ptr<capture> dropped = origin.captured.of;
  if (dropped == nullptr || timeline::instance().find(dropped->origin) != &origin) return;
  leave(*dropped);
  if (dropped->owns_graph) static_cast<void>(graph_table::instance().destroy(dropped->into));
}

cudaError_t refuse_in_capture(cudaStream_t stream, const char* words) {
  return invalidate(*timeline::instance().find(stream)->captured.of, cudaErrorStreamCaptureUnsupported, words);
}

cudaError_t capture_wait(stream_record& stream, const event_record& event) {
  const capture_point& from = event.captured;
  capture_point& here = stream.captured;
  if (from.of == nullptr) {
    if (here.of == nullptr) return cudaSuccess;
    return invalidate(*here.of, cudaErrorStreamCaptureIsolation,
                      "cudaStreamWaitEvent: a stream that is being captured cannot wait for an event recorded outside "
                      "of the capture");
  }
  if (from.of->ended) return cudaErrorCapturedEvent;
  if (from.of->invalid) return cudaErrorStreamCaptureInvalidated;
  if (here.of != nullptr && here.of != from.of) {
    here.of->invalid = true;
    return invalidate(*from.of, cudaErrorStreamCaptureMerge,
                      "cudaStreamWaitEvent: stream and event belong to two different captures");
  }
  if (timeline::instance().is_legacy(stream)) {
    return invalidate(*from.of, cudaErrorStreamCaptureImplicit,
                      "cudaStreamWaitEvent: the default stream cannot take part in a capture");
  }
  here.of = from.of;
  add_new(here.last, from.last);
  return cudaSuccess;
}

cudaError_t refuse_to_wait(const char* call, const capture_point& point) {
  if (point.of == nullptr) return cudaSuccess;
  if (point.of->ended) return cudaErrorCapturedEvent;
  return invalidate(*point.of, cudaErrorStreamCaptureUnsupported,
                    fmt::format("{}: what is being captured has not run, so that nothing can wait for it", call));
}

cudaError_t refuse_while_capturing(const char* call) {
  const std::set<std::shared_ptr<capture>> all = captures();
  if (all.empty()) return cudaSuccess;
  const std::thread::id here = std::this_thread::get_id();
  for (const auto& one : all) {
    const bool refuses = one->mode == cudaStreamCaptureModeGlobal ||
                         (one->mode == cudaStreamCaptureModeThreadLocal && one->thread == here);
    if (!refuses) continue;
    return invalidate(*one, cudaErrorStreamCaptureUnsupported,
                      fmt::format("{} must not be called while a stream is being captured: call it before, or begin "
                                  "the capture with cudaStreamCaptureModeRelaxed",
                                  call));
  }
  return cudaSuccess;
}

cudaError_t refuse_legacy_while_capturing(const char* call) {
  if (const auto met = capture_of_blocking_stream()) {
    return invalidate(*met, cudaErrorStreamCaptureImplicit,
                      fmt::format("{} would have to wait for a stream that is being captured: use its asynchronous "
                                  "form in that stream",
                                  call));
  }
  return refuse_while_capturing(call);
}

}  // namespace emulator::runtime

using namespace emulator::runtime;

EMULATOR_API_STREAM(cudaStreamBeginCapture, _ptsz, (cudaStream_t stream, cudaStreamCaptureMode mode), stream, mode) {
  return begin_capture(stream, mode);
}

EMULATOR_API_STREAM(cudaStreamEndCapture, _ptsz, (cudaStream_t stream, cudaGraph_t* graph), stream, graph) {
  if (graph == nullptr) return cudaErrorInvalidValue;
  *graph = nullptr;
  const stream_record* found = timeline::instance().find(stream);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  const std::shared_ptr<capture> ended = found->captured.of;
  if (ended == nullptr) return cudaErrorIllegalState;
  if (ended->origin != stream) return cudaErrorStreamCaptureUnmatched;
  if (ended->mode != cudaStreamCaptureModeRelaxed && ended->thread != std::this_thread::get_id()) {
    return cudaErrorStreamCaptureWrongThread;
  }
  const bool joined = come_after(found->captured.last, ended->made_elsewhere);
  leave(*ended);
  if (ended->owns_graph && (ended->invalid || !joined)) static_cast<void>(graph_table::instance().destroy(ended->into));
  if (ended->invalid) return cudaErrorStreamCaptureInvalidated;
  if (!joined) {
    explain(
        "cudaStreamEndCapture: a stream that joined the capture was not waited for at its end: record an "
        "event in it, and let the first stream wait for the event");
    return cudaErrorStreamCaptureUnjoined;
  }
  *graph = ended->into;
  return cudaSuccess;
}

EMULATOR_API_STREAM(cudaStreamIsCapturing, _ptsz, (cudaStream_t stream, cudaStreamCaptureStatus* status), stream,
                    status) {
  return status != nullptr ? capture_status(stream, *status) : cudaErrorInvalidValue;
}

#if CUDART_VERSION >= 13000
EMULATOR_API_STREAM(cudaStreamGetCaptureInfo, _ptsz,
                    (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
                     const cudaGraphNode_t** dependencies, const cudaGraphEdgeData** edges, size_t* count),
                    stream, status, id, graph, dependencies, edges, count) {
  const cudaError_t error = capture_info(stream, status, id, graph, dependencies, count);
  if (error != cudaSuccess || *status != cudaStreamCaptureStatusActive || edges == nullptr) return error;
  // The emulator's edges have no data, so this is a list of the same number of ordinary edges.
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
  stream_record* const found = timeline::instance().find(stream);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  capture_point& point = found->captured;
  if (point.of == nullptr) return cudaErrorIllegalState;
  if (point.of->invalid) return cudaErrorStreamCaptureInvalidated;
  std::vector<graph_node*> last;
  if (flags == cudaStreamAddCaptureDependencies) last = point.last;
  const graph& into = *graph_table::instance().find(point.of->into);
  if (!find_nodes(into, {dependencies, count}, last)) return cudaErrorInvalidValue;
  point.last = std::move(last);
  return cudaSuccess;
}
#else
EMULATOR_API_STREAM(cudaStreamGetCaptureInfo_v2, _ptsz,
                    (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
                     const cudaGraphNode_t** dependencies, size_t* count),
                    stream, status, id, graph, dependencies, count) {
  return capture_info(stream, status, id, graph, dependencies, count);
}
#endif
