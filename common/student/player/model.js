"use strict";
// The contents of a recording, and the state at each step. This file draws nothing.
const WARP = 32;

/** Returns the numbers of the lanes in a mask. */
function lanesOf(mask) {
  const lanes = [];
  for (let lane = 0; lane < WARP; ++lane) if ((mask >>> lane) & 1) lanes.push(lane);
  return lanes;
}

/** Returns the words that an access touches in each of the 32 banks of shared memory (4 bytes wide), with their lanes.
 * */
function banksOf(step) {
  const lanes = lanesOf(step.mask);
  // With 8 bytes per lane, half-warps are served one after the other; with 16 bytes, quarter-warps.
  const served = step.bytes <= 4 ? WARP : 128 / step.bytes;
  const banks = Array.from({length: 32}, () => []);
  lanes.forEach((lane, k) => {
    for (let byte = 0; byte < Math.max(step.bytes, 4); byte += 4) {
      const word = Math.floor((step.at[k] + byte) / 4);
      const part = Math.floor(lane / served);
      const known = banks[word % 32].find((one) => one.word === word && one.part === part);
      if (known) known.lanes.push(lane);
      else banks[word % 32].push({word, part, lanes: [lane]});
    }
  });
  return banks;
}

/** Returns the number of passes for each part of the warp that is served separately: the words in its busiest bank. */
function passesOf(banks) {
  const most = [];
  for (const words of banks) {
    const here = [];
    for (const {part} of words) here[part] = (here[part] || 0) + 1;
    here.forEach((count, part) => { most[part] = Math.max(most[part] || 0, count); });
  }
  return most.filter((count) => count > 0);
}

/** Returns the 32-byte sectors of an access to global memory, with their lanes. */
function sectorsOf(step) {
  const sectors = new Map();
  lanesOf(step.mask).forEach((lane, k) => {
    const first = Math.floor(step.at[k] / 32), last = Math.floor((step.at[k] + step.bytes - 1) / 32);
    for (let sector = first; sector <= last; ++sector) {
      if (!sectors.has(sector)) sectors.set(sector, []);
      sectors.get(sector).push(lane);
    }
  });
  return [...sectors].sort((a, b) => a[0] - b[0]);
}

/** One launch, and its state after any number of steps. */
class Story {
  constructor(launch) {
    this.launch = launch;
    this.steps = launch.steps;
    this.threads = launch.block.reduce((a, b) => a * b, 1);
    this.warps = Math.ceil(this.threads / WARP);
    this.checkpoints = [this.beginning()];
    this.last = this.copy(this.checkpoints[0]);
  }
  beginning() {
    return {at: 0, block: -1, shared: new Map(), written: new Set(), warps: [],
      sums: {instructions: 0, conflicts: 0, passes: 0, sectors: 0, barriers: 0, shuffles: 0}};
  }
  copy(state) {
    return {...state, shared: new Map(state.shared), written: new Set(state.written), warps: state.warps.map((w) => ({...w, waitsAt: {...w.waitsAt}})), sums: {...state.sums}};
  }
  /** Returns the state after the first `count` steps. */
  after(count) {
    let state = this.last.at <= count ? this.last : null;
    const kept = this.checkpoints[Math.min(Math.floor(count / 256), this.checkpoints.length - 1)];
    if (!state || kept.at > state.at) state = this.copy(kept);
    while (state.at < count) {
      this.take(state, this.steps[state.at]);
      if (state.at % 256 === 0 && this.checkpoints.length === state.at / 256) this.checkpoints.push(this.copy(state));
    }
    return (this.last = state);
  }
  /** Applies one step to a state. */
  take(state, step) {
    ++state.at;
    if (step.block !== state.block) {
      state.block = step.block;
      state.shared = new Map();
      state.written = new Set();
      state.warps = Array.from({length: this.warps}, (_, w) => {
        const lanes = Math.min(WARP, this.threads - w * WARP);
        return {exists: lanes === WARP ? 0xffffffff : (1 << lanes) - 1, active: 0, waits: 0, waitsAt: {}, left: 0};
      });
    }
    const sums = state.sums;
    sums.instructions += step.instructions || 0;
    sums.conflicts += step.conflicts || 0;
    sums.passes += step.passes || 0;
    sums.sectors += step.sectors || 0;
    if (step.what === "shuffle") ++sums.shuffles;
    if (step.what === "barrier") {
      ++sums.barriers;
      for (const warp of state.warps) {
        warp.waits &= ~(warp.waitsAt[step.barrier ?? 0] ?? 0);
        warp.waitsAt[step.barrier ?? 0] = 0;
      }
      return;
    }
    const warp = state.warps[step.warp];
    warp.active = step.mask;
    if (step.what === "arrive") {
      warp.waits |= step.mask;
      warp.waitsAt[step.barrier ?? 0] |= step.mask;
    }
    if (step.what === "leave") warp.left |= step.mask;
    if (step.space === "shared" && step.values) {
      lanesOf(step.mask).forEach((_, k) => {
        const values = [].concat(step.values[k]);
        const size = step.bytes / values.length;
        values.forEach((value, n) => {
          const at = step.at[k] + n * size, word = Math.floor(at / 4);
          if (step.what !== "load") state.written.add(word);
          // The value of memory that was never written is meaningless, so it is not shown.
          state.shared.set(at, state.written.has(word) ? value : "?");
        });
      });
    }
  }
  /** Returns the findings that a step is part of. */
  findingsAt(number) {
    return this.launch.findings.filter((f) => f.step === number || f.other_step === number);
  }
  /** Returns the name of the element at an address, such as tile[17]. */
  nameOf(step, address) {
    const variable = this.launch.variables[step.variable];
    if (!variable) return step.space === "shared" ? `byte ${address}` : `address ${address.toString(16)}`;
    return `${variable.name}[${Math.floor((address - variable.begin) / variable.element_bytes)}]`;
  }
}

/** Returns the name of a kernel without its types and namespaces. */
const nameOfKernel = (kernel) => kernel.replace(/<.*|\(.*/, "").split(/[ :]/).pop();

const countOf = (extents) => extents.reduce((a, b) => a * b, 1);

/** Returns a description of a launch, such as "Chapter 2, your kernel, 4096 blocks of 256 threads". */
function titleOf(launch) {
  const blocks = countOf(launch.grid), threads = countOf(launch.block);
  const shape = `${blocks} ${blocks === 1 ? "block" : "blocks"} of ${threads} ${threads === 1 ? "thread" : "threads"}`;
  const chapter = launch.kernel.match(/\bchapter(\d+)::(exercise|solution)\b/);
  if (!chapter) return `${nameOfKernel(launch.kernel)}, ${shape}`;
  return `Chapter ${chapter[1]}, ${chapter[2] === "exercise" ? "your kernel" : "the reference"}, ${shape}`;
}

/** Returns the steps of a launch that are worth a look: for each kind, their indices in `steps`, in ascending order. */
function placesOf(launch) {
  const where = (holds) => launch.steps.flatMap((step, k) => (holds(step, k) ? [k] : []));
  const found = launch.findings.flatMap((f) => [f.step, f.other_step]).filter((at) => at !== undefined);
  return {
    // The step before a barrier opens, because only at that step all of the barrier's lanes are waiting.
    barrier: where((step, k) => k + 1 < launch.steps.length && launch.steps[k + 1].what === "barrier"),
    divergence: where((step) => step.what === "branch"),
    conflict: where((step) => step.conflicts > 0),
    finding: [...new Set(found)].sort((a, b) => a - b),
  };
}

/** Returns where to begin: the first finding or, if there is none, the first bank conflict, or else the first diverged
 * branch; null if there are none of these. */
function beginningOf(places) {
  const words = {finding: "finding", conflict: "bank conflict", divergence: "divergence"};
  for (const [kind, name] of Object.entries(words)) if (places[kind].length) return {at: places[kind][0], name};
  return null;
}
