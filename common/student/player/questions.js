"use strict";
// Questions about the next step. The answers are computed from the recording.

/** Returns lanes as text: "lanes 0 to 3, 8, 16 to 31". */
function rangesOf(lanes) {
  const ranges = [];
  for (const lane of lanes) {
    const last = ranges[ranges.length - 1];
    if (last && last[1] === lane - 1) last[1] = lane;
    else ranges.push([lane, lane]);
  }
  const words = ranges.map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`)).join(", ");
  return lanes.length === 0 ? "none" : `lane${lanes.length === 1 ? "" : "s"} ${words}`;
}

/** Returns an explanation of the number of passes that an access takes. */
function whyPasses(step) {
  const passes = passesOf(banksOf(step));
  if (passes.length === 1) return `${step.passes}: the busiest bank has ${step.passes} words to serve, one in each pass.`;
  return `${step.passes}: with ${step.bytes} bytes per lane the warp is served in ${passes.length} parts, one after the other. `
    + `Their busiest banks have ${passes.join(", ")} words to serve, one in each pass.`;
}

/** Returns the previous step of the same warp, or null if there is none. */
function stepBefore(story, number) {
  const {warp, block} = story.steps[number];
  for (let k = number - 1; k >= 0; --k) {
    const step = story.steps[k];
    if (step.warp === warp && step.block === block && step.mask) return step;
  }
  return null;
}

/** Returns a question about a step, or null. Each kind of question is asked at most once per line, when it first makes
 * sense. */
function questionOf(story, number, asked) {
  const step = story.steps[number];
  const lanes = lanesOf(step.mask);
  const once = (kind, question) => {
    const key = `${kind} ${step.source} ${step.line}`;
    return asked.has(key) ? null : {key, kind, number, ...question};
  };
  const where = `Line ${step.line}, block ${step.block}, warp ${step.warp}`;
  if (step.space === "shared" && step.conflicts > 0) {
    return once("passes", {
      text: `${where}: ${counted(lanes.length, "lane")} ${step.what} shared memory next, the first at `
        + `${story.nameOf(step, step.at[0])}, the second at ${story.nameOf(step, step.at[1])}. How many passes does it take?`,
      answer: step.passes,
      why: whyPasses(step),
    });
  }
  if (step.space === "shared" && lanes.length > 1) {
    const lane = lanes.includes(16) ? 16 : lanes[lanes.length - 1];
    const at = step.at[lanes.indexOf(lane)];
    return once("bank", {
      text: `${where}: lane ${lane} will ${step.what} ${story.nameOf(step, at)}. Which bank does it touch?`,
      answer: Math.floor(at / 4) % 32,
      why: `Bank ${Math.floor(at / 4) % 32}: word ${Math.floor(at / 4)} of shared memory, and there are 32 banks.`,
    });
  }
  const before = step.what === "run" ? stepBefore(story, number) : null;
  if (before && before.mask !== step.mask && before.what === "branch") {
    return once("lanes", {
      text: `${where}: the lanes have diverged. How many of them are active next?`,
      answer: lanes.length,
      why: `${lanes.length}: ${rangesOf(lanes)}.`,
    });
  }
  return null;
}

/** Returns whether an answer is right. If it isn't a number, `unread` is true, and it doesn't count as an answer. */
function judge(question, text) {
  if (!/^\s*\d+\s*$/.test(text)) return {right: false, unread: true, words: "Give a whole number, 0 or more."};
  const right = Number(text) === question.answer;
  return {right, words: right ? `Right. ${question.why}` : "That's not it. Try again, or press Show me."};
}
