"use strict";
// Two players that move together. Each is the page of one recording, in a frame. This page only controls them and shows
// their sums side by side.
{
  const part = (id) => document.getElementById(id);
  const names = ["A", "B"];
  const asked = new Set();
  const sums = {instructions: "warp instructions", passes: "passes in shared memory", conflicts: "bank conflicts",
    sectors: "sectors of global memory", barriers: "barriers", shuffles: "shuffles"};
  let panes = [], question = null;

  /** Returns the steps at which barriers open. */
  const barriersOf = (pane) => pane.story().steps.flatMap((step, k) => (step.what === "barrier" ? [k] : []));
  const lastOf = (pane) => Math.max(0, pane.story().steps.length - 1);
  /** Returns the number of barriers that a kernel has passed. */
  const passed = (pane) => barriersOf(pane).filter((k) => k <= pane.at()).length;
  const nextBarrier = (pane) => barriersOf(pane).find((k) => k > pane.at()) ?? lastOf(pane);

  function show() {
    const states = panes.map((pane) => pane.sums());
    const cell = (tag, text) => Object.assign(document.createElement(tag), {textContent: text});
    const row = (...cells) => {
      const made = document.createElement("tr");
      made.append(...cells);
      return made;
    };
    const table = document.createElement("table");
    table.setAttribute("aria-label", "Sums of both kernels up to here");
    table.append(row(cell("th", ""), ...names.map((name) => cell("th", name)), cell("th", "B − A")),
      ...Object.entries(sums).map(([key, text]) => {
        const [a, b] = states.map((state) => state[key]);
        const values = [a, b].map((value, k) => Object.assign(cell("td", value), {id: `${key}-${names[k]}`}));
        return row(cell("th", text), ...values, cell("td", b > a ? `+${b - a}` : b < a ? `−${a - b}` : "="));
      }));
    part("sums").replaceChildren(table);
    part("slider").value = Math.max(...panes.map(passed));
    part("now").textContent = panes.map((pane, k) =>
      `${names[k]}: step ${pane.at() + 1} of ${lastOf(pane) + 1}, barriers passed: ${passed(pane)}`).join(". ") + ".";
  }

  /** Moves each kernel to the step that `to` returns for it. */
  function move(to) {
    const places = panes.map(to);
    question = null;
    part("question").hidden = true;
    panes.forEach((pane, k) => pane.jump(places[k]));
    show();
  }

  /** Returns a question to ask before both kernels move to these steps, or null: which one will have fewer
   * instructions, conflicts or sectors? Each of these sums is asked about only once. */
  function questionOf(places) {
    const now = panes.map((pane) => pane.sums());
    const then = panes.map((pane, k) => pane.sums(places[k]));
    for (const key of ["instructions", "conflicts", "sectors"]) {
      const [a, b] = names.map((_, k) => then[k][key] - now[k][key]);
      if (asked.has(key) || a === b) continue;
      return {key, places, answer: a < b ? "A" : "B", text: `To the next barrier of each: which one has fewer ${sums[key]}?`,
        why: `A has ${a}, B has ${b}.`};
    }
    return null;
  }

  function toBarrier() {
    if (question) return part("question").querySelector("button").focus();
    const places = panes.map(nextBarrier);
    question = part("asks").checked ? questionOf(places) : null;
    part("verdict").textContent = "";
    if (!question) return move((_, k) => places[k]);
    part("question-text").textContent = question.text;
    part("question").hidden = false;
    part("question").querySelector("button").focus();
  }

  for (const button of part("question").querySelectorAll("button")) {
    button.onclick = () => {
      const {key, places, answer, why} = question;
      asked.add(key);
      part("verdict").textContent = `${button.dataset.answer === answer ? "Right" : "That's not it"}. ${why}`;
      move((_, k) => places[k]);
      part("barrier").focus();
    };
  }

  const moves = {
    first: () => move(() => 0),
    back: () => move((pane) => pane.at() - 1),
    forward: () => move((pane) => pane.at() + 1),
    barrier: toBarrier,
    last: () => move(lastOf),
  };
  const keys = {ArrowRight: "forward", ArrowLeft: "back", Home: "first", End: "last", b: "barrier"};
  for (const [id, act] of Object.entries(moves)) part(id).onclick = () => panes.length && act();
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || ["INPUT", "SELECT"].includes(event.target.tagName)) return;
    const act = moves[keys[event.key.length === 1 ? event.key.toLowerCase() : event.key]];
    if (!act || !panes.length) return;
    event.preventDefault();
    act();
  });
  // Moves from barrier to barrier, so that both are at the same place of the algorithm. The kernel with fewer barriers
  // ends first.
  part("slider").oninput = () => {
    const count = Number(part("slider").value);
    move((pane) => (count === 0 ? 0 : barriersOf(pane)[count - 1] ?? lastOf(pane)));
  };

  function open(which) {
    panes.forEach((pane) => pane.open(Math.min(which, pane.launches() - 1)));
    part("slider").max = Math.max(...panes.map((pane) => barriersOf(pane).length)) + 1;
    panes.forEach((pane, k) => {
      const step = pane.story().steps[0];
      const file = step && pane.sources()[step.source] ? `, ${pane.sources()[step.source].file}` : "";
      part(`h-${names[k]}`).textContent = `${names[k]}: ${pane.story().launch.kernel.replace(/<.*|\(.*/, "").split(/[ :]/).pop()}${file}`;
    });
    show();
  }

  /** Starts after both frames have loaded. */
  function begin() {
    panes = names.map((name) => part(name).contentWindow.player);
    const most = Math.max(...panes.map((pane) => pane.launches()));
    for (let k = 0; k < most; ++k) part("launch").append(new Option(`${k + 1}`, k));
    part("launch").onchange = () => open(Number(part("launch").value));
    panes.forEach((pane) => pane.whenMoved(show));
    open(0);
  }

  const page = JSON.parse(part("player").textContent);
  let left = names.length;
  names.forEach((name) => {
    const recording = `<script type="application/json" id="recording">${part(`recording-${name}`).textContent}</${"script"}>`;
    part(name).onload = () => --left === 0 && begin();
    // The replacement is a function, because in a string `$` would have a special meaning, and a recording may contain
    // it.
    part(name).srcdoc = page.replace("<!-- recording -->", () => recording);
  });
}
