#pragma once
/// \file
/// Stream capture: between cudaStreamBeginCapture and cudaStreamEndCapture, what is asked of a stream is not done but
/// becomes a node of a graph. Waiting for an event of a captured stream brings another stream into the capture.

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "emulator/runtime/graph.hpp"

namespace emulator::runtime {

struct event_record;
struct stream_record;

/// One capture, from begin to end; shared by the streams and events that take part.
struct capture {
  cudaStream_t origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  unsigned long long id = 0;
  cudaGraph_t into = nullptr;
  bool owns_graph = true;                         ///< It was made for the capture; else the program's own.
  std::vector<graph_node*> made_elsewhere = {};   ///< By other streams than `origin`: it has to wait for all of them.
  std::vector<cudaGraphNode_t> last_listed = {};  ///< What the program was told to be last, as long as it looks at it.
  bool invalid = false;                           ///< A call was made that cannot be captured: the end yields no graph.
  bool ended = false;                             ///< Only events still know of it.
};

/// A stream's or event's place in a capture: what comes next depends on these nodes.
struct capture_point {
  std::shared_ptr<capture> of;  ///< Null: no capture.
  std::vector<graph_node*> last;
};

/// Does what a call asks of a stream: at once, or, where the stream is captured, as a node of the graph.
/// \return what `work` returns; cudaErrorInvalidResourceHandle where there is no such stream;
/// cudaErrorStreamCaptureImplicit where the legacy default stream would have to wait for a captured one
[[nodiscard]] cudaError_t in_stream(cudaStream_t stream, graph_work work);
/// The same for work that is no kernel.
[[nodiscard]] cudaError_t in_stream(cudaStream_t stream, cudaGraphNodeType type, std::function<cudaError_t()> run);

/// Says whether a stream is being captured; false where there is no such stream.
[[nodiscard]] bool is_captured(cudaStream_t stream);
/// Says whether a capture under way adds to the graph, or to a body of its conditional nodes.
[[nodiscard]] bool is_captured_into(cudaGraph_t which);
/// Drops the capture that a stream has begun, because the stream goes: nobody can end it any more.
void drop_capture(const stream_record& origin);

/// Refuses, in words, what cannot be put into the capture of the stream, which yields no graph then.
[[nodiscard]] cudaError_t refuse_in_capture(cudaStream_t stream, const char* words);

/// Lets a stream wait for an event: where one of the two is captured, so is the other from now on.
[[nodiscard]] cudaError_t capture_wait(stream_record& stream, const event_record& event);

/// Refuses, in words, to wait for what has only been captured, and ends the capture without a graph.
[[nodiscard]] cudaError_t refuse_to_wait(const char* call, const capture_point& point);

/// Refuses, in words, a call that cannot be captured and must not be made meanwhile, such as cudaMalloc, if this thread
/// is capturing, or another one in global mode; not in relaxed mode. The capture yields no graph then.
[[nodiscard]] cudaError_t refuse_while_capturing(const char* call);

/// The same for a copy or fill that goes through the legacy default stream: in relaxed mode too, if it would have to
/// wait for a captured stream.
[[nodiscard]] cudaError_t refuse_legacy_while_capturing(const char* call);

}  // namespace emulator::runtime
