#pragma once
/// \file
/// Stream capture: between cudaStreamBeginCapture and cudaStreamEndCapture, work for a stream isn't executed but
/// becomes a node of a graph. If another stream waits for an event of a captured stream, it joins the capture.

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "emulator/runtime/graph.hpp"

namespace emulator::runtime {

struct event_record;
struct stream_record;

/// One capture, from beginning to end; shared by the streams and events that take part.
struct capture {
  cudaStream_t origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  unsigned long long id = 0;
  cudaGraph_t into = nullptr;
  /// The graph was made for the capture; otherwise it belongs to the program.
  bool owns_graph = true;
  /// Nodes made by streams other than `origin`, which has to wait for all of them.
  std::vector<graph_node*> made_elsewhere = {};
  std::vector<cudaGraphNode_t> last_listed =
      {};  ///< The nodes that a call last returned to the program, which may use them until it asks again.
  /// The program made a call that cannot be captured, so there will be no graph.
  bool invalid = false;
  bool ended = false;  ///< Only events still refer to it.
};

/// The place of a stream or an event in a capture, that is, the nodes that its next node will depend on.
struct capture_point {
  std::shared_ptr<capture> of;  ///< Null: not captured.
  std::vector<graph_node*> last;
};

/// Executes the work of a call in its stream at once or, if the stream is captured, adds it to the graph as a node.
/// \return the result of `work`; cudaErrorInvalidResourceHandle if there is no such stream;
/// cudaErrorStreamCaptureImplicit if the legacy default stream would have to wait for a captured one
[[nodiscard]] cudaError_t in_stream(cudaStream_t stream, graph_work work);
/// The same for work that isn't a kernel.
[[nodiscard]] cudaError_t in_stream(cudaStream_t stream, cudaGraphNodeType type, std::function<cudaError_t()> run);

/// Returns true if a stream is being captured; false if there is no such stream.
[[nodiscard]] bool is_captured(cudaStream_t stream);
/// Returns true if a capture in progress adds to the graph, or to a body of its conditional nodes.
[[nodiscard]] bool is_captured_into(cudaGraph_t which);
/// Ends the capture that a stream has begun, because the stream is destroyed and the program can no longer end it.
void drop_capture(const stream_record& origin);

/// Refuses work that cannot be captured in this stream's capture and explains why. The capture then yields no graph.
[[nodiscard]] cudaError_t refuse_in_capture(cudaStream_t stream, const char* words);

/// Makes a stream wait for an event. If one of the two is captured, the other one joins the capture.
[[nodiscard]] cudaError_t capture_wait(stream_record& stream, const event_record& event);

/// Refuses to wait for work that has only been captured and explains why. The capture then yields no graph.
[[nodiscard]] cudaError_t refuse_to_wait(const char* call, const capture_point& point);

/// Refuses a call that must not be made during a capture and cannot be captured, such as cudaMalloc, and explains why.
/// It does so if this thread is capturing, or if any other thread is capturing in global mode, but not in relaxed mode.
/// The capture then yields no graph.
[[nodiscard]] cudaError_t refuse_while_capturing(const char* call);

/// The same for a copy or fill in the legacy default stream. It is refused even in relaxed mode if that stream would
/// have to wait for a captured one.
[[nodiscard]] cudaError_t refuse_legacy_while_capturing(const char* call);

}  // namespace emulator::runtime
