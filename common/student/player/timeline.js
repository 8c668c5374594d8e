"use strict";
// Draws the timeline, on which findings are marked, and the list of findings.

const timelineHeight = 72;

/** Returns the waits of a launch's warps: each from the step of the warp's arrival to the step at which the barrier
 * opens. */
function waitsOf(story) {
  const since = new Map(), waits = [];
  let block = -1;
  story.steps.forEach((step, k) => {
    // Waits end with the block, because in a block whose recording was cut off, a barrier may never open.
    if (step.block !== block) since.clear();
    block = step.block;
    const barrier = step.barrier ?? 0;
    if (!since.has(barrier)) since.set(barrier, new Map());
    const arrived = since.get(barrier);
    if (step.what === "arrive" && !arrived.has(step.warp)) arrived.set(step.warp, k);
    if (step.what !== "barrier") return;
    for (const [warp, from] of arrived) waits.push({warp, from, to: k});
    arrived.clear();
  });
  return waits;
}

/** Draws the timeline: warps from top to bottom, steps from left to right, and barriers as lines through all warps. */
function drawTimeline(story, canvas, width, height) {
  const colours = getComputedStyle(document.documentElement);
  const [text, bad, wait, active, waiting] = ["--text", "--bad", "--wait", "--active", "--on-wait"]
    .map((name) => colours.getPropertyValue(name));
  canvas.width = width;
  canvas.height = height;
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d"), row = height / story.warps;
  const x = (k) => (k * width) / Math.max(1, story.steps.length);
  pen.fillStyle = waiting;
  for (const {warp, from, to} of waitsOf(story)) pen.fillRect(x(from), (warp + 0.2) * row, x(to) - x(from), row * 0.6);
  story.steps.forEach((step, k) => {
    if (step.what === "barrier") {
      pen.fillStyle = text;
      pen.fillRect(x(k), 0, Math.max(1, Math.min(2, x(1) / 2)), height);
      return;
    }
    pen.fillStyle = step.what === "fault" ? bad : step.conflicts ? wait : active;
    const tall = row * (step.conflicts || step.what === "fault" ? 0.9 : step.at ? 0.6 : 0.25);
    pen.fillRect(x(k), step.warp * row + (row - tall) / 2, Math.max(1, x(1) - 0.5), tall);
  });
}

/** Returns a mark for each step of a finding. For a race, also returns an arc from one access to the other. */
function marksOf(story, width, jump) {
  const share = (k) => (k + 0.5) / Math.max(1, story.steps.length);
  const seen = new Set(), marks = [], arcs = [];
  for (const f of story.launch.findings) {
    for (const at of [f.other_step, f.step]) {
      // At most one mark per 6 pixels. If there are several findings there, the first one is enough to reach them.
      const place = Math.round((share(at) * width) / 6);
      if (at === undefined || seen.has(place)) continue;
      seen.add(place);
      const mark = made("button", {css: "mark", label: `Finding at step ${at + 1}: ${f.kind}`, title: `Step ${at + 1}: ${f.kind}`});
      mark.style.left = `${100 * share(at)}%`;
      mark.onclick = () => jump(at);
      marks.push(mark);
    }
    if (f.step === undefined || f.other_step === undefined || arcs.length >= 16) continue;
    const [from, to] = [f.other_step, f.step].map((at) => share(at) * width);
    const side = Math.sign(to - from) || 1;
    if (Math.abs(to - from) < 12) continue;
    arcs.push(...arrow(`M${from + 6 * side} 6C${from + (to - from) / 4} -4 ${to - (to - from) / 4} -4 ${to - 10 * side} 4`,
      [to - 6 * side, 7], side > 0 ? 30 : 150));
  }
  return [drawn("svg", {class: "arc", "aria-hidden": "true"}, arcs), ...marks];
}

/** Draws everything that depends on the window's width and on the theme. `showTimeline` moves only the frame in it. */
function layTimeline(story, jump) {
  const box = part("timeline");
  const canvas = box.querySelector("canvas") || document.createElement("canvas");
  const here = made("div", {css: "here"}), width = Math.max(200, box.clientWidth);
  box.replaceChildren(made("div", {css: "steps", children: [canvas, here]}), ...marksOf(story, width, jump));
  drawTimeline(story, canvas, width, Math.min(timelineHeight, Math.max(28, story.warps * 12)));
  canvas.setAttribute("role", "img");
  canvas.title = "A row per warp. Low: arithmetic; higher: an access; highest: with bank conflicts. Pale: it waits. "
    + "A line through all: a barrier opens.";
  canvas.onclick = (event) => jump(Math.floor((event.offsetX / canvas.clientWidth) * story.steps.length));
  here.style.width = `max(5px, ${100 / Math.max(1, story.steps.length)}%)`;
}

function showTimeline(story, number) {
  const box = part("timeline");
  box.querySelector(".here").style.left = `${(100 * number) / Math.max(1, story.steps.length)}%`;
  box.querySelector("canvas").setAttribute("aria-label",
    `${story.warps} warps, ${story.steps.length} steps, now at ${number + 1}`);
}

/** Returns which threads made the two accesses of a race, and why the accesses are not ordered. */
function orderOf(f) {
  const across = f.block !== undefined && f.block !== f.other_block;
  const other = f.other_step === undefined ? " The other access is not among the recorded steps." : "";
  if (!across) return `Threads ${f.other_thread} and ${f.thread}: no barrier orders these two accesses, so they may happen in either order.${other}`;
  return `Thread ${f.other_thread} of block ${f.other_block} and thread ${f.thread} of block ${f.block}: `
    + `nothing orders these two accesses, because blocks do not wait for each other, so they may happen in either order.${other}`;
}

function showFindings(story, number, jump) {
  part("findings").parentElement.hidden = story.launch.findings.length === 0;
  part("findings").replaceChildren(...story.launch.findings.map((f) => {
    const race = f.address !== undefined;
    const links = [["other_step", race ? "the first access" : "the other barrier"],
      ["step", race ? "the access that races with it" : "here"]]
      .filter(([name]) => f[name] !== undefined).map(([name, text]) => {
        const button = made("button", {text: `${number === f[name] ? "▶ " : ""}Step ${f[name] + 1}: ${text}`});
        if (number === f[name]) button.setAttribute("aria-current", "step");
        button.onclick = () => jump(f[name]);
        return button;
      });
    const order = race ? [made("p", {text: orderOf(f)})] : [];
    return made("div", {css: "finding", children: [made("h3", {text: `${f.kind}, line ${f.line}`}),
      made("p", {text: f.message}), ...order, ...(f.cure ? [made("p", {text: f.cure})] : []), ...links]});
  }));
}
