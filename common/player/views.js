"use strict";
// Draws how things stand at a step. Each function fills one part of the page.

/** An element with a class, a text and children. */
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

/** A step in words. */
function inWords(story, step) {
  const count = lanesOf(step.mask).length, lanes = counted(count, "lane");
  const verb = (one) => (count === 1 ? `${one}s` : one);  // "1 lane loads", "2 lanes load"
  const barrier = step.barrier ? `barrier ${step.barrier}` : "the barrier";
  const who = `block ${step.block}, warp ${step.warp}`;
  switch (step.what) {
    case "run": return `${who}: ${counted(step.instructions, "instruction")} for ${lanes}`;
    case "branch": {
      const jump = lanesOf(step.jumped).length;
      return `${who}: ${lanes} part: ${jump} ${jump === 1 ? "jumps" : "jump"}`;
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

/** The lines of a source, made once. */
function linesOf(recording, story, number) {
  story.lines = story.lines || new Map();
  if (!story.lines.has(number)) {
    const source = recording.sources[number];
    const wrong = new Set(story.launch.findings.flatMap((f) => [
      ...(f.source === number ? [f.line] : []), ...(f.other_source === number ? [f.other_line] : [])]));
    story.lines.set(number, (source ? source.text : []).map((text, k) => made("div", {
      css: wrong.has(k + 1) ? "fault" : "", title: wrong.has(k + 1) ? "A finding is at this line" : "",
      children: [made("b", {text: k + 1}), made("span", {text})]})));
  }
  return story.lines.get(number);
}

function showSource(recording, story, step) {
  const box = part("source"), source = recording.sources[step.source], lines = linesOf(recording, story, step.source);
  if (box.lines !== lines) {
    box.lines = lines;
    box.replaceChildren(...lines);
    box.setAttribute("aria-label", source ? `Source: ${source.file}` : "Source");
    box.at = undefined;
    // What tells of an earlier scroll comes after a step that wants the next one.
    box.onscroll = () => { if (!box.scrolls) box.at = box.scrollTop; };
  }
  for (const old of box.querySelectorAll(".here")) {
    old.classList.remove("here");
    old.removeAttribute("aria-current");
  }
  const here = lines[step.line - 1];
  if (!here) return;
  here.classList.add("here");
  here.setAttribute("aria-current", "step");
  // By hand: scrollIntoView would move the page, too. And asking where a line lies would lay out the page at each step.
  if (!box.measures) box.measures = {row: here.getBoundingClientRect().height, height: box.clientHeight};
  const {row, height} = box.measures, top = (step.line - 1) * row;
  if (box.at !== undefined && top >= box.at && top + row <= box.at + height) return;
  box.at = Math.max(0, top - height / 2);
  // Once a frame: to scroll lays out the page, and whoever holds a key down takes several steps in one.
  if (!box.scrolls) {
    box.scrolls = requestAnimationFrame(() => {
      box.scrolls = 0;
      box.scrollTop = box.at;
    });
  }
}

/** A sign for each lane: A active, W waits at a barrier, x has left, blank: none such. */
function signOf(warp, lane, isTurn) {
  const has = (mask) => (mask >>> lane) & 1;
  if (!has(warp.exists)) return ["", "", "no thread"];
  if (has(warp.left)) return ["left", "x", "has left the kernel"];
  if (has(warp.waits)) return ["waits", "W", "waits at a barrier"];
  if (isTurn && has(warp.active)) return ["active", "A", "active"];
  return ["", "·", "does nothing in this step"];
}

function showLanes(state, step) {
  const box = part("lanes");
  if (box.querySelectorAll("tr").length !== state.warps.length) {
    const empty = () => Array.from({length: WARP}, () => made("td"));
    box.replaceChildren(
      made("table", {label: "Lanes of each warp", children: state.warps.map(() =>
        made("tr", {children: [made("th"), ...empty()]}))}),
      made("p", {text: "A active · W waits at the barrier · x has left · lanes 0 to 31 from left to right"}));
  }
  const rows = box.querySelectorAll("tr");
  state.warps.forEach((warp, w) => {
    const row = rows[w], isTurn = step.what !== "barrier" && w === step.warp;
    // Of most warps nothing has changed.
    const look = [isTurn, isTurn && warp.active, warp.exists, warp.waits, warp.left].join();
    if (row.dataset.look === look) return;
    row.dataset.look = look;
    row.className = isTurn ? "turn" : "";
    row.children[0].textContent = `${isTurn ? "▶ " : ""}warp ${w}`;
    for (let lane = 0; lane < WARP; ++lane) {
      const [css, text, title] = signOf(warp, lane, isTurn);
      Object.assign(row.children[lane + 1], {className: css, textContent: text, title: `lane ${lane} ${title}`});
    }
    const active = isTurn ? lanesOf(step.mask & ~warp.waits & ~warp.left).length : 0;
    const waits = lanesOf(warp.waits).length, left = lanesOf(warp.left).length;
    row.setAttribute("aria-label", `warp ${w}: ${active} active, ${waits} wait, ${left} have left`);
  });
}

function showShared(story, state, step) {
  const box = part("shared");
  const words = [...state.shared.keys()].map((at) => Math.floor(at / 4));
  if (words.length === 0) return box.replaceChildren(made("p", {text: "Nothing is written yet."}));
  const touched = new Set();
  if (step.space === "shared") {
    lanesOf(step.mask).forEach((_, k) => {
      for (let byte = 0; byte < step.bytes; byte += 4) touched.add(Math.floor((step.at[k] + byte) / 4));
    });
  }
  const rows = Math.min(64, Math.floor(words.reduce((a, b) => Math.max(a, b), 0) / 32) + 1);
  const head = made("tr", {children: [made("th", {text: "bank"}),
    ...Array.from({length: 32}, (_, bank) => made("th", {text: bank}))]});
  const body = Array.from({length: rows}, (_, row) => made("tr", {children: [made("th", {text: row}),
    ...Array.from({length: 32}, (_, bank) => {
      const value = state.shared.get((row * 32 + bank) * 4);
      return made("td", {css: touched.has(row * 32 + bank) ? "touched" : "", text: value === undefined ? "" : value});
    })]}));
  const unwritten = [...state.shared.values()].includes("?")
    ? [made("p", {text: "? was read before anything was written there."})] : [];
  box.replaceChildren(made("table", {label: "Shared memory: rows of 32 banks", children: [head, ...body]}), ...unwritten);
}

/** Values by lane, as rows of a table; above it, of a shuffle, a line from each giver to who gets its value. */
function movedBy(step) {
  const lanes = lanesOf(step.mask), cells = (list) => Array.from({length: WARP}, (_, lane) => {
    const value = list[lanes.indexOf(lane)];
    return made("td", {text: value === undefined ? "" : value === null ? "not finite" : [].concat(value).join(" ")});
  });
  const words = {load: "loads", store: "stores", atomic: "leaves there", shuffle: "gets"};
  const rows = [["lane", lanes], ["from lane", step.from], ["found", step.found], [words[step.what], step.values]]
    .filter(([, list]) => list).map(([name, list]) => made("tr", {children: [made("th", {text: name}), ...cells(list)]}));
  if (!step.values && !step.from) return [];
  const table = made("table", {label: "What each lane moves", children: rows});
  const box = made("div", {css: "moved", label: "What each lane moves", children: [table]});
  // It may be wider than the screen: keys must be able to scroll it.
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  const half = step.what === "shuffle" && !step.values
    ? [made("p", {text: "This shuffle moves one half of a longer value, so no number."})] : [];
  return [...flowOf(step, lanes), box, ...half];
}

/** The way of each value of a shuffle, from its giver above to who gets it below. */
function flowOf(step, lanes) {
  if (!step.from) return [];
  const drawn = (tag, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const picture = drawn("svg", {viewBox: `0 0 ${WARP} 8`, preserveAspectRatio: "none", role: "img",
    "aria-label": "Lines from the lane that gives to the lane that gets"});
  lanes.forEach((lane, k) => {
    const own = step.from[k] === lane;
    picture.append(drawn("line", {x1: step.from[k] + 0.5, y1: 0, x2: lane + 0.5, y2: 8, class: own ? "own" : ""}));
  });
  const numbers = () => made("div", {css: "numbers", children: Array.from({length: WARP}, (_, lane) => made("i", {text: lane}))});
  return [made("div", {css: "flow", children: [numbers(), picture, numbers()]})];
}

function showAccess(story, step) {
  const box = part("access"), moved = movedBy(step);
  if (step.what === "shuffle") {
    const alone = (step.from ?? []).filter((from, k) => from === lanesOf(step.mask)[k]).length;
    const kept = alone ? ` ${counted(alone, "lane")} ${alone === 1 ? "gets its" : "get their"} own value back.` : "";
    return box.replaceChildren(made("p", {text: `Each lane gets the value of another, without memory.${kept}`}), ...moved);
  }
  if (!step.at || (step.space !== "shared" && step.space !== "global"))
    return box.replaceChildren(made("p", {text: "This step touches neither shared nor global memory."}));
  if (step.space === "global") {
    const sectors = sectorsOf(step);
    const turns = step.what === "atomic" && step.sectors > sectors.length
      ? " (lanes that change the same place take turns, and each turn counts)" : "";
    return box.replaceChildren(made("p", {text: `${counted(step.sectors, "sector")} of 32 bytes${turns}:`}),
      made("div", {css: "sectors", children: sectors.map(([, lanes]) =>
        made("span", {text: lanes.length === 1 ? `lane ${lanes[0]}` : `lanes ${lanes[0]}–${lanes[lanes.length - 1]}`,
          title: counted(lanes.length, "lane")}))}), ...moved);
  }
  const banks = banksOf(step);
  const columns = banks.map((words, bank) => made("div", {css: "bank", title: `bank ${bank}: ${counted(words.length, "word")}`,
    children: [made("i", {text: bank}),
      ...words.map((one, k) => made("span", {css: k > 0 ? "more" : "", text: one.lanes[0],
        title: `lanes ${one.lanes.join(", ")}: ${story.nameOf(step, one.word * 4)}`}))]}));
  const busiest = banks.reduce((most, words, bank) => (words.length > banks[most].length ? bank : most), 0);
  const stack = made("div", {css: "stack", children: columns});
  // It may be wider than the screen: keys must be able to scroll it.
  stack.tabIndex = 0;
  stack.setAttribute("role", "region");
  stack.setAttribute("aria-label", "Words per bank");
  box.replaceChildren(
    made("p", {text: `${counted(step.passes, "pass")}, of which ${step.conflicts} are conflicts. Busiest: bank ${busiest}, `
      + `${counted(banks[busiest].length, "word")}.`}),
    stack,
    made("p", {text: "A column per bank, a box per word: what lies on another waits for it. The number is a lane."}),
    ...moved);
}

const timelineRow = 14;

/** Warps from top to bottom, steps from left to right, barriers as lines through all. */
function drawTimeline(story, canvas, width, height) {
  const colours = getComputedStyle(document.documentElement);
  const [text, bad, wait, active] = ["--text", "--bad", "--wait", "--active"].map((name) => colours.getPropertyValue(name));
  canvas.width = width;
  canvas.height = height;
  const pen = canvas.getContext("2d");
  const x = (k) => (k * width) / Math.max(1, story.steps.length);
  story.steps.forEach((step, k) => {
    if (step.what === "barrier") {
      pen.fillStyle = text;
      pen.fillRect(x(k), 0, Math.max(1, x(1) / 2), height);
      return;
    }
    pen.fillStyle = step.what === "fault" ? bad : step.conflicts ? wait : active;
    const tall = timelineRow - (step.conflicts ? 2 : step.at ? 5 : 10);
    pen.fillRect(x(k), 5 + step.warp * timelineRow + (timelineRow - tall) / 2, Math.max(1, x(1)), tall);
  });
  pen.strokeStyle = bad;
  for (const f of story.launch.findings) {
    for (const at of [f.step, f.other_step]) {
      if (at === undefined) continue;
      pen.strokeRect(x(at) - 2, 4 + story.steps[at].warp * timelineRow, Math.max(5, x(1) + 4), timelineRow);
    }
  }
}

/** Draws what the window's width and theme change; `showTimeline` only moves the frame in it. */
function layTimeline(story, jump) {
  const box = part("timeline");
  const canvas = box.querySelector("canvas") || document.createElement("canvas");
  const here = made("div", {css: "here"});
  box.replaceChildren(made("div", {css: "steps", children: [canvas, here]}),
    made("p", {text: "A row per warp. Low: arithmetic; higher: an access; "
      + "highest: with conflicts. A line through all: a barrier opens. A frame: a finding. Click to go there."}));
  drawTimeline(story, canvas, Math.max(200, box.clientWidth), story.warps * timelineRow + 10);
  canvas.setAttribute("role", "img");
  canvas.onclick = (event) => jump(Math.floor((event.offsetX / canvas.clientWidth) * story.steps.length));
  here.style.width = `max(3px, ${100 / Math.max(1, story.steps.length)}%)`;
}

function showTimeline(story, number) {
  const box = part("timeline");
  box.querySelector(".here").style.left = `${(100 * number) / Math.max(1, story.steps.length)}%`;
  box.querySelector("canvas").setAttribute("aria-label",
    `${story.warps} warps, ${story.steps.length} steps, now at ${number + 1}`);
}

/** Who the two accesses of a race are, and what does not order them. */
function orderOf(f) {
  const across = f.block !== undefined && f.block !== f.other_block;
  const other = f.other_step === undefined ? " The other access is not among the recorded steps." : "";
  if (!across) return `Threads ${f.other_thread} and ${f.thread}: no barrier orders these two accesses. They may come in either order.${other}`;
  return `Thread ${f.other_thread} of block ${f.other_block} and thread ${f.thread} of block ${f.block}: `
    + `nothing orders these two accesses, for blocks do not wait for each other. They may come in either order.${other}`;
}

function showFindings(story, number, jump) {
  const findings = story.launch.findings.map((f) => {
    const race = f.address !== undefined;
    const links = [["step", race ? "the access that gave it away" : "here"],
      ["other_step", race ? "the other access" : "the other barrier"]]
      .filter(([name]) => f[name] !== undefined).map(([name, text]) => {
        const button = made("button", {text: `${number === f[name] ? "▶ " : ""}Step ${f[name] + 1}: ${text}`});
        button.onclick = () => jump(f[name]);
        return button;
      });
    const order = race ? [made("p", {text: orderOf(f)})] : [];
    return made("div", {css: "finding", children: [made("h3", {text: `${f.kind}, line ${f.line}`}),
      made("p", {text: f.message}), ...order, ...(f.cure ? [made("p", {text: f.cure})] : []), ...links]});
  });
  part("findings").replaceChildren(...(findings.length ? findings : [made("p", {text: "The checks found nothing."})]));
}

function showSums(state) {
  const names = {instructions: "warp instructions", passes: "passes in shared memory", conflicts: "bank conflicts",
    sectors: "sectors of global memory", barriers: "barriers", shuffles: "shuffles"};
  part("sums").replaceChildren(made("dl", {children: Object.entries(names).flatMap(([key, text]) => {
    const value = made("dd", {text: state.sums[key]});
    value.id = `sum-${key}`;
    return [made("dt", {text}), value];
  })}));
}
