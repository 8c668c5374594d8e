// Chapter 1's kernel in OpenCL C: the same tree, the same addresses, the same barriers.
kernel void reduce_interleaved(global const int* in, global int* partials, ulong n, local int* tile) {
  const uint tid = get_local_id(0);
  const ulong i = (ulong)get_group_id(0) * get_local_size(0) + tid;

  tile[tid] = i < n ? in[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  for (uint stride = 1; stride < get_local_size(0); stride *= 2) {
    if (tid % (2 * stride) == 0) tile[tid] += tile[tid + stride];
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  if (tid == 0) partials[get_group_id(0)] = tile[0];
}
