"use strict";
// Buttons, keys, the slider and the address: what moves the player.
{
  const recording = JSON.parse(part("recording").textContent);
  const asked = new Set(), score = {right: 0, asked: 0};
  let story = null, number = 0, question = null, moved = () => {};

  /** Says whether there is nothing to move. */
  const idle = () => story === null || story.steps.length === 0;

  function show() {
    const step = story.steps[number];
    const state = story.after(number + 1);
    part("slider").value = number;
    part("slider").setAttribute("aria-valuetext", `step ${number + 1} of ${story.steps.length}`);
    const findings = story.findingsAt(number).map((f) => ` Finding: ${f.kind}.`).join("");
    part("now").textContent = `Step ${number + 1} of ${story.steps.length}, line ${step.line}. ${inWords(story, step)}.${findings}`;
    showSource(recording, story, step);
    showLanes(state, step);
    showAccess(story, step);
    showShared(story, state, step);
    showTimeline(story, number);
    showFindings(story, number, jump);
    showSums(state);
    // In a frame whose text is its parent's the address belongs to nobody.
    if (location.protocol !== "about:") history.replaceState(null, "", `#launch=${part("launch").value}&step=${number + 1}`);
    moved();
  }

  function put(away) {
    if (question && away) asked.add(question.key);
    question = null;
    part("question").hidden = true;
  }

  /** Goes to a step, without questions. */
  function jump(to) {
    put(false);
    number = Math.max(0, Math.min(story.steps.length - 1, to));
    show();
  }

  /** Goes on to a step; stops in front of one that has a question. */
  function advance(to) {
    if (question) return part("answer").focus();
    const end = Math.max(0, Math.min(story.steps.length - 1, to));
    if (part("asks").checked) {
      for (let k = number + 1; k <= end; ++k) {
        const found = questionOf(story, k, asked);
        if (!found) continue;
        number = k - 1;
        show();
        return ask(found);
      }
    }
    jump(end);
  }

  function ask(found) {
    question = {...found, tries: 0};
    part("question-text").textContent = found.text;
    part("verdict").textContent = "";
    part("answer").value = "";
    part("question").hidden = false;
    part("answer").focus();
  }

  /** Counts an answer, as `make predictN` does, and tells a page that has this one in a frame. */
  function keepScore({kind}, result) {
    ++score.asked;
    if (result !== "wrong") ++score.right;
    part("score").textContent = `${score.right} of ${score.asked} answered right`;
    if (parent !== window) parent.postMessage({answered: kind, result}, "*");
  }

  part("question-form").onsubmit = (event) => {
    event.preventDefault();
    const verdict = judge(question, part("answer").value);
    part("verdict").textContent = verdict.words;
    if (!verdict.right) {
      if (!verdict.unread) ++question.tries;
      return part("answer").select();
    }
    keepScore(question, ["first", "second"][question.tries] ?? "wrong");
    const next = question.number;
    asked.add(question.key);
    question = null;
    // The verdict stays until the next move.
    number = next;
    show();
    part("forward").focus();
  };
  part("skip").onclick = () => {
    const shown = question;
    if (!shown) return put(false);
    keepScore(shown, "wrong");
    put(true);
    jump(shown.number);
    part("forward").focus();
  };

  /** The next step that a test holds for; the last where none does. */
  const next = (holds) => {
    const found = story.steps.findIndex((step, k) => k > number && holds(step, k));
    return found < 0 ? story.steps.length - 1 : found;
  };
  const moves = {
    first: () => jump(0),
    back: () => jump(number - 1),
    forward: () => advance(number + 1),
    line: () => {
      const here = story.steps[number];
      advance(next((step) => step.line !== here.line || step.warp !== here.warp));
    },
    barrier: () => advance(next((step) => step.what === "barrier")),
    finding: () => {
      const places = story.launch.findings.flatMap((f) => [f.other_step, f.step]).filter((at) => at !== undefined);
      places.sort((a, b) => a - b);
      if (places.length) return jump(places.find((at) => at > number) ?? places[0]);
      part("now").textContent = story.launch.findings.length
        ? "The findings below have no place among the recorded steps."
        : `The checks found nothing in this launch.${story.steps.some((step) => step.conflicts)
          ? " Bank conflicts are no findings, but costs: the highest bars of the timeline." : ""}`;
    },
    last: () => jump(story.steps.length - 1),
  };
  const keys = {ArrowRight: "forward", ArrowLeft: "back", Home: "first", End: "last", n: "line", b: "barrier", f: "finding"};
  for (const [id, move] of Object.entries(moves)) part(id).onclick = () => idle() || move();
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    // A field takes every key; the slider moves by arrows and the like, and knows no letters.
    const isLetter = event.key.length === 1;
    if (event.target.tagName === "INPUT" && !(isLetter && event.target === part("slider"))) return;
    const move = moves[keys[isLetter ? event.key.toLowerCase() : event.key]];
    if (!move || idle()) return;
    event.preventDefault();
    move();
  });
  // At most one picture for each that the screen shows, however fast the slider moves.
  let waiting = false;
  part("slider").oninput = () => {
    if (waiting || idle()) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      jump(Number(part("slider").value));
    });
  };
  const layAnew = () => {
    if (idle()) return;
    delete part("source").measures;
    layTimeline(story, jump);
    show();
  };
  addEventListener("resize", layAnew);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", layAnew);

  function open(which, at) {
    const launch = recording.launches[which];
    story = new Story(launch);
    number = 0;
    put(false);
    part("launch").value = which;
    part("slider").max = Math.max(0, launch.steps.length - 1);
    part("kernel").textContent = launch.kernel;
    const left = [launch.blocks_left_out && `${launch.blocks_left_out} more blocks`,
      launch.steps_left_out && `${launch.steps_left_out} more steps`].filter(Boolean).join(" and ");
    part("covers").textContent = `Grid ${launch.grid.join(" × ")}, blocks of ${launch.block.join(" × ")} threads. `
      + `Recorded: ${launch.steps.length} steps of ${launch.blocks_recorded} of the blocks.${left ? ` Left out: ${left}.` : ""}`;
    // What another launch has left there would be taken for this one's.
    for (const section of document.querySelectorAll("main section"))
      section.hidden = launch.steps.length === 0 && !section.querySelector("#findings");
    if (launch.steps.length) {
      layTimeline(story, jump);
      return jump(at);
    }
    part("now").textContent = "This launch has no recorded steps.";
    showFindings(story, 0, () => {});
  }
  /** Opens what the address names: #launch=0&step=17. */
  function follow() {
    const words = new URLSearchParams(location.hash.slice(1));
    const which = Number(words.get("launch")) || 0;
    open(Math.min(Math.max(which, 0), recording.launches.length - 1), (Number(words.get("step")) || 1) - 1);
  }

  recording.launches.forEach((launch, k) => {
    const name = launch.kernel.replace(/<.*|\(.*/, "").split(/[ :]/).pop();
    part("launch").append(new Option(`${k + 1}: ${name}`, k));
  });
  part("launch").onchange = () => open(Number(part("launch").value), 0);
  addEventListener("hashchange", follow);
  if (parent !== window) document.body.classList.add("framed");
  // For a page that shows two of these in step.
  window.player = {
    jump,
    open: (which) => open(which, 0),
    at: () => number,
    story: () => story,
    sources: () => recording.sources,
    launches: () => recording.launches.length,
    sums: (at = number) => ({...story.after(Math.min(at + 1, story.steps.length)).sums}),
    whenMoved: (act) => { moved = act; },
  };
  if (recording.version !== 1) part("now").textContent = `This page plays version 1 of recordings, not ${recording.version}.`;
  else if (recording.launches.length === 0) part("now").textContent = "No kernel was launched: there is nothing to play.";
  else follow();
}
