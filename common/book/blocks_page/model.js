"use strict";
// The model of time from common/timing/model: computes microseconds from the counts of launches and the facts about a
// machine. This file draws nothing.
const facts = JSON.parse(document.getElementById("facts").textContent);
const machine = facts.machine;
const of = Object.fromEntries(facts.names.map((name, k) => [name, k]));
/** The counts that grow with a launch's number of blocks. */
const ofLaunch = ["blocks", "instructions", "divisions", "shared_passes", "sectors", "local_sectors", "global_atomics",
  "lines", "sectors_near", "sectors_again"];

/** Returns the counts for a different number of blocks. Every block of the launch must do the same. */
function withBlocks(counts, blocks) {
  const more = [...counts];
  for (const name of ofLaunch) more[of[name]] *= blocks / counts[of.blocks];
  return more;
}

/** Returns the launches of a kernel for n elements, from the sizes at which it was counted. */
function launchesAt(counted, n) {
  const sizes = Object.keys(counted).map(Number).sort((a, b) => a - b);
  if (counted[n]) return counted[n];
  const above = sizes.find((size) => size > n);
  let first;
  if (above === undefined) {
    const [small, large] = sizes.slice(-2);
    const share = (n - large) / (large - small);
    first = counted[large][0].map((value, k) => value + share * (value - counted[small][0][k]));
  } else {
    const counts = counted[above][0];
    first = withBlocks(counts, Math.max(1, Math.ceil((counts[of.blocks] * n) / above)));
  }
  // The results of the first launch are the input of the next launch.
  const again = counted[sizes[0]].length > 1 && first[of.blocks] > 1;
  return [first, ...(again ? launchesAt(counted, first[of.blocks]) : [])];
}

/** Returns the nanoseconds that starting a block takes, for the measured block size that is equal or next larger. */
const startNs = (threads) => (machine.starts.find((s) => s.threads >= threads) || machine.starts[machine.starts.length - 1]).ns;

/** Returns the time of a launch, and the time that each of its needs would take alone, in microseconds. */
function predictLaunch(c, isFirst) {
  const get = (name) => c[of[name]];
  const cycle = 1e-3 / machine.clock_ghz;
  const wait = (isFirst ? machine.memory_ns : machine.l2_ns) * 1e-3, turnover = machine.block_turnover_ns * 1e-3;
  const life = turnover + get("path_cycles") * cycle + get("path_waits") * wait;
  const capacity = machine.multiprocessors * get("blocks_per_multiprocessor");
  const waves = get("blocks") / capacity, busy = Math.min(get("blocks"), machine.multiprocessors);
  const terms = {
    "block starts": get("blocks") * startNs(get("threads_per_block")) * 1e-3,
    latency: life * (waves > 1 ? waves + machine.last_wave : 1),
    memory: (Math.max(0, get("sectors") - get("sectors_near")) * 32) / machine.memory_gb_per_s * 1e-3,
    instructions: ((get("instructions") / machine.instructions_per_cycle + get("divisions") * machine.division_cycles) / busy) * cycle,
    "L1 cache": (get("lines") / busy) * cycle,
    "shared memory": (get("shared_passes") / busy) * cycle,
  };
  const work = Math.max(terms.instructions, terms["L1 cache"], terms["shared memory"]) + wait;
  const run = Math.hypot(work, terms.latency, terms.memory + wait + turnover);
  const longest = (get("longest_cycles") - get("path_cycles")) * cycle + (get("longest_waits") - get("path_waits")) * wait;
  const last = (get("last_cycles") - get("path_cycles")) * cycle + (get("last_waits") - get("path_waits")) * machine.l2_ns * 1e-3;
  const launch = (isFirst ? machine.first_launch_us : machine.further_launch_us)
    + (isFirst && get("path_waits") > 0.5 ? machine.cold_us : 0);
  const body = Math.max(terms["block starts"] + life, run);
  return {us: body + Math.max(0, longest, last) + launch, terms, launch, life, capacity, waves, body, blocks: get("blocks")};
}

/** Returns the totals over all launches of a kernel (time, terms by name, launch overhead), and the first launch. */
function predict(launches) {
  const each = launches.map((counts, k) => predictLaunch(counts, k === 0));
  const terms = {};
  for (const one of each) for (const [name, us] of Object.entries(one.terms)) terms[name] = (terms[name] || 0) + us;
  const sum = (what) => each.reduce((all, one) => all + one[what], 0);
  return {us: sum("us"), launch: sum("launch"), terms, first: each[0], launches: each.length};
}

/** Returns what dominates the time, in the words of the chapters' tables. */
function limitOf({us, terms, launch}) {
  if (launch > us / 2) return "launches";
  const falling = Object.entries(terms).sort((a, b) => b[1] - a[1]);
  return falling.slice(0, falling[1][1] >= machine.nearly * falling[0][1] ? 2 : 1).map(([name]) => name).join(" and ");
}

/** Returns the microseconds from the start of one block to the start of the next. */
const startGap = (first) => first.terms["block starts"] / first.blocks;
/**
 * Returns how long a block lives, if all blocks live equally long and the last one ends when the launch is predicted to
 * end. That is longer than a block would take alone, because blocks share the machine.
 */
function lifeOf(first) {
  const gap = startGap(first), turns = Math.ceil(first.blocks / first.capacity);
  const lastSlot = first.blocks - (turns - 1) * first.capacity - 1;
  // If the rate of starts is the limit, slots wait for blocks. Otherwise each iteration over the slots takes as long as
  // a block lives.
  const byStarts = first.body - (first.blocks - 1) * gap;
  return byStarts <= first.capacity * gap ? byStarts : (first.body - lastSlot * gap) / turns;
}
/** Returns true if a slot contains a block at this time, in microseconds. */
function isBusy(first, slot, time) {
  const life = lifeOf(first), gap = startGap(first), period = Math.max(life, first.capacity * gap);
  const turn = Math.floor((time - slot * gap) / period);
  if (turn < 0 || turn * first.capacity + slot >= first.blocks) return false;
  return time - turn * period - slot * gap < life;
}

/** Returns the rate in GB/s for the loads in flight: Little's law and the best rate, combined as in the model. */
function rateOf(warps, loads, bytes) {
  const little = (machine.multiprocessors * warps * 32 * loads * bytes) / machine.memory_ns;
  return 1 / Math.hypot(1 / little, 1 / machine.memory_gb_per_s);
}
