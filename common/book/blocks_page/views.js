"use strict";
// Draws the results of model.js. Each function fills one part of the page.
const part = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const sizes = [32, 64, 128, 256, 512, 1024];

/** Formats a value with three digits, as in the chapters' tables: 0.42, 7.31, 52.8, 1230. */
const shown = (value) => (value >= 1000 ? String(Math.round(value)) : value === 0 ? "0" : String(Number(value.toPrecision(3))));
const grouped = (value) => Math.round(value).toLocaleString("en").replaceAll(",", " ");

function drawn(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

/** Draws a curve of the model and the measured points, both as lists of [x, y]. An x is placed by its index in `ticks`.
 * */
function curve(box, {ticks, model, measured, here, xName, yName, says}) {
  // On a phone the picture is drawn narrower instead of being scaled down, so that letters keep their size.
  const width = box.clientWidth && box.clientWidth < 480 ? 340 : 560, height = 300, left = 66, bottom = 44, top = 26, right = 14;
  const all = [...model, ...measured].map(([, y]) => y);
  const low = Math.log10(Math.min(...all)) - 0.08, high = Math.log10(Math.max(...all)) + 0.08;
  const x = (value) => left + ((ticks.indexOf(value) + 0.5) * (width - left - right)) / ticks.length;
  const y = (value) => height - bottom - ((Math.log10(value) - low) / (high - low)) * (height - bottom - top);
  const picture = drawn("svg", {viewBox: `0 0 ${width} ${height}`, class: "curve", role: "img", "aria-label": says});
  picture.append(drawn("line", {class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom}),
    drawn("line", {class: "axis", x1: left, x2: left, y1: top, y2: height - bottom}),
    drawn("text", {x: (left + width) / 2, y: height - 6, "text-anchor": "middle"}, xName), drawn("text", {x: 4, y: 14}, yName));
  for (const tick of ticks) picture.append(drawn("text", {x: x(tick), y: height - bottom + 18, "text-anchor": "middle"}, tick));
  const [least, most] = [Math.min(...all), Math.max(...all)];
  for (const value of new Set([least, Math.sqrt(least * most), most]))
    picture.append(drawn("text", {x: left - 6, y: y(value) + 4, "text-anchor": "end"}, shown(value)));
  picture.append(drawn("line", {class: "here", x1: x(here), x2: x(here), y1: top, y2: height - bottom}));
  picture.append(drawn("polyline", {class: "model", points: model.map(([at, value]) => `${x(at)},${y(value)}`).join(" ")}));
  for (const [at, value] of measured) picture.append(drawn("circle", {class: "measured", cx: x(at), cy: y(value), r: 5}));
  const words = document.createElement("p");
  words.className = "faint";
  words.textContent = "Line: predicted. Rings: measured. Dashed line: position of the sliders.";
  box.replaceChildren(picture, words);
}

function showTerms(made) {
  const rows = [...Object.entries(made.terms).sort((a, b) => b[1] - a[1]), ["launches", made.launch]];
  const most = Math.max(...rows.map(([, us]) => us));
  const table = document.createElement("table");
  table.setAttribute("aria-label", "What each need would take alone");
  for (const [name, us] of rows) {
    const row = table.insertRow();
    row.append(Object.assign(document.createElement("th"), {textContent: name}));
    row.insertCell().textContent = `${shown(us)} us`;
    const bar = row.insertCell(), fill = document.createElement("span");
    bar.className = "bar";
    fill.style.width = `${(100 * us) / most}%`;
    bar.append(fill);
  }
  part("terms").replaceChildren(table);
}

/** Returns how many slots of a launch contain a block at this time. */
function busySlots(first, time) {
  let busy = 0;
  for (let slot = 0; slot < first.capacity; ++slot) if (isBusy(first, slot, time)) ++busy;
  return busy;
}

function showSlots(first, time) {
  const canvas = part("slots"), width = Math.max(300, canvas.clientWidth), height = 190;
  canvas.width = width;
  canvas.height = height;
  const colours = getComputedStyle(document.documentElement);
  const [active, rule] = ["--active", "--rule"].map((name) => colours.getPropertyValue(name));
  const pen = canvas.getContext("2d");
  const columns = machine.multiprocessors, rows = first.capacity / columns;
  const wide = width / columns, tall = height / rows;
  for (let slot = 0; slot < first.capacity; ++slot) {
    // Blocks are distributed over the SMs in turn (round-robin).
    const left = (slot % columns) * wide, top = height - (Math.floor(slot / columns) + 1) * tall;
    const inner = [left + 0.5, top + Math.min(0.5, tall / 8), Math.max(1, wide - 1), Math.max(1, tall - 1)];
    if (isBusy(first, slot, time)) {
      pen.fillStyle = active;
      pen.fillRect(...inner);
    } else if (tall >= 4) {
      pen.strokeStyle = rule;
      pen.strokeRect(...inner);
    }
  }
  const busy = busySlots(first, time);
  canvas.setAttribute("aria-label", `After ${shown(time)} us ${grouped(busy)} of ${grouped(first.capacity)} slots have a block`);
  part("time-text").textContent = `${shown(time)} of ${shown(first.body)} us: ${grouped(busy)} of ${grouped(first.capacity)} slots`;
}
