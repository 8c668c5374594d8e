// covers: host | calls that are not allowed during a stream capture fail with a reason, and the capture gives no graph
// with: --api-errors off
// says: cudaMalloc must not be called while a stream is being captured
// says: cudaStreamSynchronize: what is being captured has not run
// says: was not waited for at its end
// says: cudaMemcpy would have to wait for a stream that is being captured
// says: a graph node can only free memory that a node has allocated
// says: cudaGraphDebugDotPrint

#include <cstdio>

__global__ void add_one(int* x) {
  *x += 1;
}

int failures = 0;
void expect(bool so, int line) {
  if (so) return;
  std::printf("line %d: not so\n", line);
  ++failures;
}
#define EXPECT(condition) expect(condition, __LINE__)

// Ends a capture that has failed, clears the error, and returns it.
cudaError_t end(cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  cudaError_t error = cudaStreamEndCapture(stream, &graph);
  EXPECT(graph == nullptr);
  cudaGetLastError();
  return error;
}

int main() {
  int* x;
  int* more = nullptr;
  cudaMalloc(&x, sizeof(int));
  cudaMemset(x, 0, sizeof(int));
  cudaStream_t stream, side;
  cudaEvent_t event;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&side);
  cudaEventCreate(&event);

  EXPECT(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
  EXPECT(end(stream) == cudaErrorIllegalState);

  // An allocation is an error in global mode, but is allowed in relaxed mode.
  EXPECT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  EXPECT(cudaMalloc(&more, 4) == cudaErrorStreamCaptureUnsupported);
  add_one<<<1, 1, 0, stream>>>(x);
  EXPECT(cudaGetLastError() == cudaErrorStreamCaptureInvalidated);
  EXPECT(end(stream) == cudaErrorStreamCaptureInvalidated);
  EXPECT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaSuccess);
  EXPECT(cudaMalloc(&more, 4) == cudaSuccess);
  cudaGraph_t graph;
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaSuccess);

  // The stream is synchronized, although the work in it has not run.
  EXPECT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  add_one<<<1, 1, 0, stream>>>(x);
  EXPECT(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported);
  EXPECT(end(stream) == cudaErrorStreamCaptureInvalidated);

  // A second stream never joins the first.
  EXPECT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  cudaEventRecord(event, stream);
  cudaStreamWaitEvent(side, event, 0);
  add_one<<<1, 1, 0, side>>>(x);
  EXPECT(end(stream) == cudaErrorStreamCaptureUnjoined);

  // Copies through the default stream during the capture.
  int result = -1;
  EXPECT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  EXPECT(cudaMemcpy(&result, x, sizeof(int), cudaMemcpyDeviceToHost) == cudaErrorStreamCaptureImplicit);
  EXPECT(end(stream) == cudaErrorStreamCaptureInvalidated);

  // A graph cannot free memory that was allocated outside it. The emulator doesn't implement the debug print.
  EXPECT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  EXPECT(cudaFreeAsync(x, stream) == cudaErrorInvalidValue);
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  EXPECT(cudaGraphDebugDotPrint(graph, "graph.dot", 0) == cudaErrorNotSupported);
  cudaGetLastError();

  // A capture adds to a graph and to the body of its conditional node. Then a stream is destroyed while it is captured.
  cudaGraph_t own, ended;
  EXPECT(cudaGraphCreate(&own, 0) == cudaSuccess);
  cudaGraphNodeParams branch = {};
  branch.type = cudaGraphNodeTypeConditional;
  branch.conditional.type = cudaGraphCondTypeIf;
  branch.conditional.size = 1;
  EXPECT(cudaGraphConditionalHandleCreate(&branch.conditional.handle, own, 0, cudaGraphCondAssignDefault) ==
         cudaSuccess);
  cudaGraphNode_t node;
  EXPECT(cudaGraphAddNode(&node, own, nullptr, nullptr, 0, &branch) == cudaSuccess);
  for (cudaGraph_t into : {own, branch.conditional.phGraph_out[0]}) {
    EXPECT(cudaStreamBeginCaptureToGraph(stream, into, nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed) ==
           cudaSuccess);
    EXPECT(cudaGraphDestroy(own) == cudaErrorIllegalState);
    add_one<<<1, 1, 0, stream>>>(x);
    EXPECT(cudaStreamEndCapture(stream, &ended) == cudaSuccess);
  }
  EXPECT(cudaStreamBeginCaptureToGraph(stream, own, nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed) == cudaSuccess);
  cudaEventRecord(event, stream);
  cudaStreamWaitEvent(side, event, 0);
  EXPECT(cudaStreamDestroy(stream) == cudaSuccess);
  EXPECT(cudaGraphDestroy(own) == cudaSuccess);
  EXPECT(cudaStreamBeginCapture(side, cudaStreamCaptureModeRelaxed) == cudaSuccess);
  EXPECT(cudaStreamEndCapture(side, &ended) == cudaSuccess);
  cudaGetLastError();

  // No captured work has run.
  EXPECT(cudaMemcpy(&result, x, sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(result == 0);
  return failures;
}
