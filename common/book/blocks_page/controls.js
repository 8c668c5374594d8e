"use strict";
// The sliders, the button, and the text next to the pictures.
{
  const loadsOf = [1, 2, 4, 8], bytesOf = [4, 8, 16], warpsMeasured = [...new Set(facts.in_flight.map(([warps]) => warps))].sort((a, b) => a - b);
  const chapter = (number) => facts.chapters.find((one) => one.number === number);
  const at = (number, block, count) => predict(launchesAt(chapter(number).counts[block], count));
  const chosen = () => ({number: Number(part("chapter").value), block: sizes[part("block").value], count: 2 ** part("count").value});
  const measuredOf = (number, block, count) => chapter(number).measured.find(([b, c]) => b === block && c === count)?.[2];
  let made = null, playing = null;

  function showTime() {
    const {number, block, count} = chosen();
    made = at(number, block, count);
    const first = made.first, measured = measuredOf(number, block, count);
    part("block-text").textContent = block;
    part("count-text").textContent = `2^${part("count").value} ${facts.type}s`;
    part("now").textContent = `Chapter ${number}, blocks of ${block}: predicted ${shown(made.us)} us`
      + `${measured === undefined ? "" : `, measured ${shown(measured)} us`}. Limited by ${limitOf(made)}. `
      + `${made.launches} ${made.launches === 1 ? "launch" : "launches"}, ${grouped(first.blocks)} blocks in the first.`;
    part("slots-text").textContent = `${grouped(first.capacity / machine.multiprocessors)} blocks fit into each of `
      + `${machine.multiprocessors} multiprocessors: they fill ${shown(first.waves)} times. Starting a block takes ${shown(startGap(first) * 1000)} ns; `
      + `alone it would live ${shown(first.life)} us.`;
    curve(part("curve"), {
      ticks: sizes, here: block, xName: "threads per block", yName: "us, logarithmic",
      model: sizes.map((size) => [size, at(number, size, count).us]),
      measured: sizes.map((size) => [size, measuredOf(number, size, count)]).filter(([, us]) => us !== undefined),
      says: `Time of chapter ${number} over the size of a block: `
        + sizes.map((size) => `${size}: ${shown(at(number, size, count).us)} us`).join(", "),
    });
    showTerms(made);
    showFrame();
    showFlight();
  }

  function showFrame() {
    showSlots(made.first, (part("time").value / 1000) * made.first.body);
  }

  function showFlight() {
    const {number, block} = chosen(), loads = loadsOf[part("loads").value], bytes = bytesOf[part("bytes").value];
    part("loads-text").textContent = loads;
    part("bytes-text").textContent = bytes;
    const resident = Math.min(facts.warps, (made.first.capacity / machine.multiprocessors) * Math.ceil(block / 32));
    // Uses the measured number of warps that is closest.
    const warps = warpsMeasured.reduce((best, one) => (Math.abs(one - resident) < Math.abs(best - resident) ? one : best));
    const inFlight = warps * 32 * loads * bytes;
    const needed = (machine.memory_gb_per_s * machine.memory_ns) / machine.multiprocessors;
    part("flight-text").textContent = `${warps} warps per multiprocessor, as blocks of ${block} give in chapter ${number}: `
      + `${grouped(inFlight)} bytes in flight. ${grouped(needed)} would be the best rate times the time that memory takes: `
      + `${shown(rateOf(warps, loads, bytes))} GB/s predicted of ${shown(machine.memory_gb_per_s)}.`;
    curve(part("flight"), {
      ticks: loadsOf, here: loads, xName: `loads of ${bytes} bytes per thread at once`, yName: "GB/s, logarithmic",
      model: loadsOf.map((one) => [one, rateOf(warps, one, bytes)]),
      measured: facts.in_flight.filter(([w, , b]) => w === warps && b === bytes).map(([, l, , rate]) => [l, rate]),
      says: `Rate over the loads per thread: ${loadsOf.map((one) => `${one}: ${shown(rateOf(warps, one, bytes))} GB/s`).join(", ")}`,
    });
  }

  /** Returns the need whose time has decreased the most, and by how much. */
  function fallen(before, after) {
    const [name, by] = Object.keys(after.terms).map((key) => [key, before.terms[key] - after.terms[key]])
      .reduce((a, b) => (b[1] > a[1] ? b : a));
    return `${name}: by ${shown(by)} us, alone. The whole goes from ${shown(before.us)} to ${shown(after.us)} us.`;
  }

  /** Returns questions with answers that the model computes. */
  function questions() {
    const n = 2 ** 26, falling = sizes.map((size) => [size, at(4, size, n)]).sort((a, b) => b[1].us - a[1].us);
    const [[slow, slowMade]] = falling, [good, goodMade] = falling[falling.length - 1];
    const pair = (a, b, block) => [at(a, block, n), at(b, block, n)];
    const [four, five] = pair(4, 5, 256), [fiveAt, six] = pair(5, 6, 1024), [sixAt, seven] = pair(6, 7, 256), [sevenAt, eight] = pair(7, 8, 256);
    return [
      [4, `Take 2^26 elements and move the size of a block. Which size is the slowest, and what does a larger block need less of?`,
        `${slow}: ${shown(slowMade.us)} us, limited by ${limitOf(slowMade)}; ${good} is the best with ${shown(goodMade.us)} us (${limitOf(goodMade)}).`],
      [5, `Blocks of 256: how much does a block's life alone shrink when the last warp needs no barriers, and how much the whole time?`,
        `The life from ${shown(four.first.life)} to ${shown(five.first.life)} us, the time from ${shown(four.us)} to ${shown(five.us)} us.`],
      [6, `Blocks of 1024 are the longest tree. Which need falls most when its loop is unrolled?`, fallen(fiveAt, six)],
      [7, `Blocks of 256: how many blocks does the first launch have in chapter 6 and in chapter 7, and what does that do to their starts?`,
        `${grouped(sixAt.first.blocks)} and ${grouped(seven.first.blocks)}: block starts alone take ${shown(sixAt.terms["block starts"])} and ${shown(seven.terms["block starts"])} us.`],
      [8, `Blocks of 256: memory needs as long in chapter 8 as in chapter 7. Which need falls most when loads are four times as wide?`,
        `${fallen(sevenAt, eight)} Memory alone takes ${shown(sevenAt.terms.memory)} and ${shown(eight.terms.memory)} us.`],
    ];
  }

  function play() {
    if (playing) return stop();
    if (Number(part("time").value) >= 1000) part("time").value = 0;
    part("play").textContent = "Stop";
    // If the reader prefers reduced motion, the animation jumps from tenth to tenth.
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    playing = setInterval(() => {
      part("time").value = Number(part("time").value) + (still ? 100 : 5);
      showFrame();
      if (Number(part("time").value) >= 1000) stop();
    }, still ? 600 : 30);
  }
  function stop() {
    clearInterval(playing);
    playing = null;
    part("play").textContent = "Play";
  }

  for (const one of facts.chapters) part("chapter").append(new Option(`${one.number}: ${one.title}`, one.number));
  part("covers").textContent = `How ${facts.type}s are summed on an ${machine.name}: ${machine.multiprocessors} multiprocessors, `
    + `${shown(machine.memory_gb_per_s)} GB/s, a trip to memory ${shown(machine.memory_ns)} ns.`;
  part("provenance").textContent = facts.source;
  /** Shows by how much predictions are wrong: in the median, in nine of ten cases, and at worst. */
  function errors(name, pairs) {
    const off = pairs.map(([made, measured]) => Math.abs(made / measured - 1)).sort((a, b) => a - b);
    const percent = (share) => `${Math.round(100 * off[Math.min(off.length - 1, Math.floor(share * off.length))])} %`;
    part(name).textContent = `${off.length} measured, off by ${percent(0.5)} in the median, by less than ${percent(0.9)} in nine of ten, `
      + `by ${percent(1)} at worst`;
  }
  errors("time-errors", facts.chapters.flatMap(({number, measured}) => measured.map(([size, count, us]) => [at(number, size, count).us, us])));
  errors("rate-errors", facts.in_flight.map(([warps, loads, bytes, rate]) => [rateOf(warps, loads, bytes), rate]));
  for (const [number, asked, answer] of questions()) {
    const details = document.createElement("details");
    details.append(Object.assign(document.createElement("summary"), {textContent: `Chapter ${number}. ${asked}`}),
      Object.assign(document.createElement("p"), {textContent: answer}));
    part("try").append(details);
  }
  for (const id of ["chapter", "block", "count"]) part(id).oninput = showTime;
  for (const id of ["loads", "bytes"]) part(id).oninput = showFlight;
  part("time").oninput = showFrame;
  part("play").onclick = play;
  addEventListener("resize", showTime);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showFrame);
  const wanted = Number(new URLSearchParams(location.hash.slice(1)).get("chapter"));
  if (chapter(wanted)) part("chapter").value = wanted;
  showTime();
  // A page in a frame from another file cannot be measured from outside, so this page reports its own height.
  if (parent !== window) {
    new ResizeObserver(() => parent.postMessage({tall: Math.ceil(document.documentElement.getBoundingClientRect().height)}, "*"))
      .observe(document.documentElement);
  }
}
