"use strict";
// Draws memory at a step: the banks of shared memory, the lanes that conflict in them, sectors, and the moved values.

/** Returns the words of shared memory that a step touches. */
function touchedBy(step) {
  const touched = new Set();
  if (step.space !== "shared") return touched;
  lanesOf(step.mask).forEach((_, k) => {
    for (let byte = 0; byte < step.bytes; byte += 4) touched.add(Math.floor((step.at[k] + byte) / 4));
  });
  return touched;
}

/** Describes the cost of an access to shared memory, and the lanes that conflict: "Lanes 0 and 16 meet in bank 0." */
function meetingOf(story, step, banks) {
  const worst = banks.reduce((most, words, bank) => (words.length > banks[most].length ? bank : most), 0);
  const passes = counted(step.passes, "pass");
  if (!step.conflicts) return `${passes}, and no conflict: no two lanes that are served together access different words of a bank.`;
  const cost = `${passes}, of which ${step.conflicts} ${step.conflicts === 1 ? "is a conflict" : "are conflicts"}.`;
  const crowded = banks.filter((words) => words.length === banks[worst].length).length;
  const meet = banks[worst].map((one) => `${rangesOf(one.lanes)} (${story.nameOf(step, one.word * 4)})`);
  return `${cost} In bank ${worst} ${meet.slice(0, -1).join(", ")} and ${meet[meet.length - 1]} meet`
    + `${crowded > 1 ? `; in ${counted(crowded - 1, "other bank")} it is the same` : ""}.`;
}

/** Returns the heading of a bank: a stack of the lanes that access its words, and the bank's number. */
function bankHead(story, step, words, bank) {
  return made("div", {css: "bank", title: `bank ${bank}: ${counted(words.length, "word")}`, children: [
    ...words.map((one, k) => made("span", {css: k > 0 ? "more" : "", text: one.lanes[0],
      title: `${rangesOf(one.lanes)}: ${story.nameOf(step, one.word * 4)}`})).reverse(),
    made("i", {text: bank})]});
}

/** Returns the tooltip of a word: its number and the name of the variable in it. */
function titleOfWord(story, word) {
  const at = word * 4;
  const variable = story.launch.variables.find((v) => v.space === "shared" && v.begin <= at && at < v.end);
  return `word ${word}${variable ? `: ${variable.name}[${Math.floor((at - variable.begin) / variable.element_bytes)}]` : ""}`;
}

/** Returns the largest number of words that a single access touches in one bank, over the whole launch. The headings
 * reserve room for that many, up to 4, so their height doesn't change from step to step. */
function highestStack(story) {
  story.highest ??= story.steps.reduce((most, step) => (step.space === "shared"
    ? Math.max(most, ...banksOf(step).map((words) => words.length)) : most), 1);
  return story.highest;
}

const usesShared = (story) => (story.shares ??= story.steps.some((step) => step.space === "shared"));

const mostRows = 64;

/** Formats a number for a narrow cell, in which a long number may be broken between groups of three digits. */
function inGroups(text) {
  const groups = text.match(/^-?\d{6,}$/) ? text.replace(/\B(?=(\d{3})+$)/g, " ").split(" ") : [text];
  return groups.flatMap((digits, k) => (k > 0 ? [made("wbr"), digits] : [digits]));
}

/** Creates the table of shared memory, with this number of rows. */
function layShared(box, story, rows) {
  const cells = Array.from({length: rows * 32}, (_, word) => made("td", {title: titleOfWord(story, word)}));
  const head = made("tr", {children: [made("th", {text: "bank"}), ...Array.from({length: 32}, () => made("th"))]});
  const body = Array.from({length: rows}, (_, row) => {
    const name = made("th", {text: `word ${row * 32}`});
    name.scope = "row";
    return made("tr", {children: [name, ...cells.slice(row * 32, row * 32 + 32)]});
  });
  const note = made("p"), says = made("p", {css: "says"});
  box.replaceChildren(says, made("table", {label: "Shared memory: rows of 32 banks", children: [head, ...body]}),
    keyOf([["active", "touched by this step"], ["meets", "waits for the lane below it"], ["", "not touched; blank: nothing written yet"]]),
    note);
  // Tooltips need a mouse, so a click or a touch also shows the contents of a word.
  cells.forEach((cell) => {
    cell.onclick = () => { says.textContent = `${cell.title} ${cell.textContent ? `is ${cell.textContent}` : "is not written yet"}.`; };
  });
  box.laid = {story, cells, heads: [...head.children].slice(1), says, note, rows};
  box.classList.toggle("many", rows > 8);
  box.style.setProperty("--stack", `${1.1 + 0.9 * Math.min(highestStack(story), 4)}rem`);
}

function showShared(story, state, number) {
  const box = part("shared"), step = story.steps[number], isHere = step.space === "shared";
  // If the kernel uses no shared memory, the panel is hidden.
  box.parentElement.hidden = !usesShared(story);
  if (state.shared.size === 0 && !isHere) {
    box.laid = undefined;
    return box.replaceChildren(made("p", {css: "says", text: "Nothing is written there yet."}));
  }
  let highest = 0, unwritten = false;
  for (const [at, value] of state.shared) {
    highest = Math.max(highest, at);
    unwritten ||= value === "?";
  }
  const rows = Math.min(mostRows, Math.floor(highest / 128) + 1);
  if (!box.laid || box.laid.story !== story || box.laid.rows < rows || (box.laid.rows !== rows && state.shared.size < 64)) {
    layShared(box, story, rows);
  }
  const {cells, heads, says, note} = box.laid, touched = touchedBy(step);
  cells.forEach((cell, word) => {
    const value = state.shared.get(word * 4), text = value === undefined ? "" : String(value);
    if (cell.textContent !== text) cell.replaceChildren(...inGroups(text));
    const css = touched.has(word) ? "touched" : "";
    if (cell.className !== css) cell.className = css;
    cell.removeAttribute("data-race");
  });
  for (const f of story.findingsAt(number))
    if (isHere && f.address !== undefined) cells[Math.floor(f.address / 4)]?.setAttribute("data-race", "");
  const banks = isHere ? banksOf(step) : Array.from({length: 32}, () => []);
  heads.forEach((head, bank) => head.replaceChildren(bankHead(story, step, banks[bank], bank)));
  says.textContent = isHere ? meetingOf(story, step, banks) : "This step does not touch it.";
  note.textContent = unwritten ? "?: read before it was written" : "";
}

/** Returns table rows with the values of each lane; for a shuffle, also lines from source lanes to destination lanes.
 * */
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
  // The table may be wider than the screen, so it must be possible to scroll it with the keyboard.
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  const half = step.what === "shuffle" && !step.values
    ? [made("p", {text: "This shuffle moves one half of a longer value, so its value is not shown."})] : [];
  return [...flowOf(step, lanes), box, ...half];
}

/** Returns a line for each value of a shuffle, from the source lane above to the destination lane below. */
function flowOf(step, lanes) {
  if (!step.from) return [];
  const picture = drawn("svg", {viewBox: `0 0 ${WARP} 8`, preserveAspectRatio: "none", role: "img",
    "aria-label": "Lines from the lane that gives to the lane that gets"});
  lanes.forEach((lane, k) => {
    const own = step.from[k] === lane;
    picture.append(drawn("line", {x1: step.from[k] + 0.5, y1: 0, x2: lane + 0.5, y2: 8, class: own ? "own" : ""}));
  });
  const numbers = () => made("div", {css: "numbers", children: Array.from({length: WARP}, (_, lane) => made("i", {text: lane}))});
  return [made("div", {css: "flow", children: [numbers(), picture, numbers()]})];
}

/** Shows what this step moves: values or sectors of global memory. If it moves nothing, the panel is hidden. */
function showAccess(story, step) {
  const box = part("access"), moved = movedBy(step);
  const isGlobal = step.at && step.space === "global";
  const shown = [];
  if (step.what === "shuffle") {
    const alone = (step.from ?? []).filter((from, k) => from === lanesOf(step.mask)[k]).length;
    const kept = alone ? ` ${counted(alone, "lane")} ${alone === 1 ? "gets its" : "get their"} own value back.` : "";
    shown.push(made("p", {text: `Each lane gets the value of another, without memory.${kept}`}));
  } else if (isGlobal) {
    const sectors = sectorsOf(step);
    const turns = step.what === "atomic" && step.sectors > sectors.length
      ? " (lanes that change the same address are served one after the other, and each time counts)" : "";
    shown.push(made("p", {text: `${counted(step.sectors, "sector")} of 32 bytes${turns}:`}),
      made("div", {css: "sectors", children: sectors.map(([, lanes]) =>
        made("span", {text: lanes.length === 1 ? `lane ${lanes[0]}` : `lanes ${lanes[0]}–${lanes[lanes.length - 1]}`,
          title: counted(lanes.length, "lane")}))}));
  }
  shown.push(...moved);
  part("h-access").textContent = step.what === "shuffle" ? "Values that change lanes"
    : isGlobal ? "Global memory: sectors and values" : "Values of this access";
  box.parentElement.hidden = shown.length === 0;
  box.replaceChildren(...shown);
}
