"use strict";
// Draws the source and the lanes at a step, and describes the step in words.

/** Returns a new element with a class, a text and children. */
function made(tag, {css, text, title, label, children} = {}) {
  const element = document.createElement(tag);
  if (css) element.className = css;
  if (text !== undefined) element.textContent = text;
  if (title) element.title = title;
  if (label) element.setAttribute("aria-label", label);
  if (children) element.append(...children);
  return element;
}

const part = (id) => document.getElementById(id);
const counted = (count, what) => `${count} ${what}${count === 1 ? "" : what.endsWith("s") ? "es" : "s"}`;

/** Returns a new SVG element. */
function drawn(tag, attributes, children = []) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Returns an arrow along a path. `angle` is its direction at the end point, in degrees. */
function arrow(path, [x, y], angle) {
  return [drawn("path", {class: "arrow", d: path}),
    drawn("path", {class: "head", d: "M0 0-8-4.5V4.5z", transform: `translate(${x} ${y}) rotate(${angle})`})];
}

const barrierOf = (step) => (step.barrier ? `barrier ${step.barrier}` : "the barrier");

/** Returns a description of a step. */
function inWords(story, step) {
  const count = lanesOf(step.mask).length, lanes = counted(count, "lane");
  const verb = (one) => (count === 1 ? `${one}s` : one);  // "1 lane loads", "2 lanes load"
  const barrier = barrierOf(step);
  const who = `block ${step.block}, warp ${step.warp}`;
  switch (step.what) {
    case "run": return `${who}: ${counted(step.instructions, "instruction")} for ${lanes}`;
    case "branch": {
      const jump = lanesOf(step.jumped).length;
      return `${who}: ${lanes} diverge: ${jump} ${jump === 1 ? "jumps" : "jump"}`;
    }
    case "arrive": return `${who}: ${lanes} ${verb("wait")} at ${barrier}`;
    case "announce": return `${who}: ${lanes} ${verb("come")} to ${barrier}, and ${count === 1 ? "does" : "do"} not wait`;
    case "barrier": return `block ${step.block}: ${barrier} opens`;
    case "leave": return `${who}: ${lanes} ${verb("leave")} the kernel`;
    case "fault": return `${who}: the kernel is stopped here`;
    case "shuffle": return `${who}: ${lanes} ${verb("shuffle")}`;
    case "warp barrier": return `${who}: ${lanes} ${verb("meet")} at a barrier of the warp`;
  }
  const first = story.nameOf(step, step.at[0]);
  const cost = step.space === "shared" ? `, ${counted(step.passes, "pass")}`
    : step.space === "global" ? `, ${counted(step.sectors, "sector")}` : "";
  const does = {load: `${verb("load")} from`, store: `${verb("store")} to`, atomic: `atomically ${verb("change")}`}[step.what];
  return `${who}: ${lanes} ${does} ${step.space} memory, first ${first}${cost}`;
}

/** Returns the lines of a source as elements, which are created only once. */
function linesOf(recording, story, number) {
  story.lines = story.lines || new Map();
  if (!story.lines.has(number)) {
    const source = recording.sources[number];
    const wrong = new Set(story.launch.findings.flatMap((f) => [
      ...(f.source === number ? [f.line] : []), ...(f.other_source === number ? [f.other_line] : [])]));
    story.lines.set(number, (source ? source.text : []).map((text, k) => made("div", {
      css: wrong.has(k + 1) ? "line fault" : "line", title: wrong.has(k + 1) ? "A finding is at this line" : "",
      children: [made("b", {text: k + 1}), made("span", {text})]})));
  }
  return story.lines.get(number);
}

/** Returns an arrow from the line of one access of a race to the line of the other, if the shown source has both. */
function lineArrows(story, number, source, row) {
  return story.findingsAt(number).flatMap((f) => {
    if (f.address === undefined || f.source !== source || (f.other_source ?? f.source) !== source) return [];
    if (f.other_line === undefined || f.other_line === f.line) return [];
    const [from, to] = [f.other_line, f.line].map((line) => (line - 0.5) * row);
    return arrow(`M22 ${from}H10V${to}H16`, [23, to], 0);
  });
}

function showSource(recording, story, number) {
  const step = story.steps[number];
  const box = part("source"), source = recording.sources[step.source], lines = linesOf(recording, story, step.source);
  if (box.lines !== lines) {
    box.lines = lines;
    box.arrows = drawn("svg", {"aria-hidden": "true"});
    box.replaceChildren(box.arrows, ...lines);
    box.setAttribute("aria-label", source ? `Source: ${source.file}` : "Source");
    part("h-source").textContent = source ? `Source: ${source.file}` : "Source";
    box.line = undefined;
  }
  for (const old of box.querySelectorAll(".here")) {
    old.classList.remove("here");
    old.removeAttribute("aria-current");
  }
  const here = lines[step.line - 1];
  if (!here) return;
  here.classList.add("here");
  here.setAttribute("aria-current", "step");
  // Sets scrollTop, because scrollIntoView would also move the page. The sizes are measured only once, because
  // measuring them at each step would lay out the page each time.
  if (!box.measures) box.measures = {row: here.getBoundingClientRect().height, height: box.clientHeight};
  const {row, height} = box.measures;
  if (story.launch.findings.length) {
    box.arrows.setAttribute("height", lines.length * row);
    box.arrows.replaceChildren(...lineArrows(story, number, step.source, row));
  }
  if (box.line === step.line) return;
  box.line = step.line;
  // The line is scrolled to the middle, at most once per frame. Scrolling lays out the page, and while a key is held
  // down there are several steps per frame.
  if (!box.scrolls) {
    box.scrolls = requestAnimationFrame(() => {
      box.scrolls = 0;
      // Read only now, because the sizes may have changed if the panel was folded.
      const {row: tall, height: seen} = box.measures;
      box.scrollTop = (box.line - 0.5) * tall - seen / 2;
    });
  }
}

/** Returns the sign for a lane: A if it is active, W if it waits at a barrier, x if it has exited, blank if there is no
 * such thread. */
function signOf(warp, lane, isTurn) {
  const has = (mask) => (mask >>> lane) & 1;
  if (!has(warp.exists)) return ["", "", "no thread"];
  if (has(warp.left)) return ["left", "x", "has left the kernel"];
  if (has(warp.waits)) return ["waits", "W", "waits at a barrier"];
  if (isTurn && has(warp.active)) return ["active", "A", "active"];
  return ["", "·", "does nothing in this step"];
}

const keyOf = (entries) => made("p", {css: "key", children: entries.map(([css, text]) =>
  made("span", {children: [made("i", {css}), document.createTextNode(text)]}))});

/** Returns an arrow from the lane of one access of a race to the lane of the other, if both are in the shown block. */
function laneArrows(story, number, box, rows) {
  const block = story.steps[number].block;
  return story.findingsAt(number).flatMap((f) => {
    if (f.other_thread === undefined || (f.block ?? block) !== (f.other_block ?? block)) return [];
    const [from, to] = [f.other_thread, f.thread].map((thread) => {
      const cell = rows[Math.floor(thread / WARP)]?.children[(thread % WARP) + 1];
      return cell && [cell.offsetLeft + cell.offsetWidth / 2, cell.offsetTop + cell.offsetHeight / 2, cell.offsetWidth];
    });
    if (!from || !to) return [];
    // The ring must fit into the space at the edge of the table.
    const ring = ([x, y, wide]) => drawn("circle", {class: "arrow", cx: x, cy: y, r: Math.min(9, wide * 0.55)});
    const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
    if (length < 24) return [ring(from), ring(to)];
    const ux = (to[0] - from[0]) / length, uy = (to[1] - from[1]) / length;
    const end = [to[0] - 10 * ux, to[1] - 10 * uy];
    return [ring(from), ring(to), ...arrow(`M${from[0] + 10 * ux} ${from[1] + 10 * uy}L${end[0] - 5 * ux} ${end[1] - 5 * uy}`,
      end, (Math.atan2(uy, ux) * 180) / Math.PI)];
  });
}

function showLanes(story, state, number) {
  const box = part("lanes"), step = story.steps[number];
  if (box.querySelectorAll("tr").length !== state.warps.length) {
    const empty = () => Array.from({length: WARP}, () => made("td"));
    const tall = state.warps.length <= 4 ? 1.3 : state.warps.length <= 8 ? 1.1 : 0.72;
    box.style.setProperty("--row", `${tall}rem`);
    box.classList.toggle("many", state.warps.length > 8);
    box.replaceChildren(
      made("table", {label: "Lanes of each warp", children: state.warps.map(() =>
        made("tr", {children: [made("th"), ...empty()]}))}),
      keyOf([["active", "active"], ["jumps", "jumps away"], ["waits", "W: waits at the barrier"], ["left", "x: has left"],
        ["", "idle in this step; lanes 0 to 31 from left to right"]]),
      drawn("svg", {"aria-hidden": "true"}));
  }
  const rows = box.querySelectorAll("tr");
  state.warps.forEach((warp, w) => {
    const row = rows[w], isTurn = step.what !== "barrier" && w === step.warp;
    const jumped = isTurn ? step.jumped ?? 0 : 0;
    // Most warps have not changed, so they need not be drawn again.
    const look = [isTurn, isTurn && warp.active, warp.exists, warp.waits, warp.left, jumped].join();
    if (row.dataset.look === look) return;
    row.dataset.look = look;
    row.className = isTurn ? "turn" : "";
    row.children[0].textContent = `${isTurn ? "▶ " : ""}warp ${w}`;
    for (let lane = 0; lane < WARP; ++lane) {
      const [css, text, title] = signOf(warp, lane, isTurn), cell = row.children[lane + 1];
      Object.assign(cell, {className: css, textContent: text, title: `lane ${lane} ${title}`});
      cell.toggleAttribute("data-jumps", Boolean((jumped >>> lane) & 1));
    }
    const active = isTurn ? lanesOf(step.mask & ~warp.waits & ~warp.left).length : 0;
    const waits = lanesOf(warp.waits).length, left = lanesOf(warp.left).length;
    row.setAttribute("aria-label", `warp ${w}: ${active} active, ${waits} wait, ${left} have left`);
  });
  if (story.launch.findings.length) box.querySelector("svg").replaceChildren(...laneArrows(story, number, box, rows));
}

function showSums(state) {
  const names = {instructions: "warp instructions", passes: "passes in shared memory", conflicts: "bank conflicts",
    sectors: "sectors of global memory", barriers: "barriers", shuffles: "shuffles"};
  const box = part("sums");
  if (!box.firstChild) {
    box.replaceChildren(made("dl", {children: Object.entries(names).map(([key, text]) => {
      const value = made("dd");
      value.id = `sum-${key}`;
      return made("div", {children: [made("dt", {text}), value]});
    })}));
  }
  for (const key of Object.keys(names)) {
    part(`sum-${key}`).textContent = state.sums[key];
    part(`sum-${key}`).parentElement.className = state.sums[key] ? "" : "zero";
  }
}
