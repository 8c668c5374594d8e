"use strict";
// Everything that moves the player: buttons, keys, the slider and the address.
{
  const recording = JSON.parse(part("recording").textContent);
  const asked = new Set(), score = {right: 0, asked: 0};
  let story = null, places = null, number = 0, question = null, playing = null, moved = () => {};

  /** Returns true if there is nothing to move. */
  const idle = () => story === null || story.steps.length === 0;

  /** Describes the step in one sentence, whose parts have different styles. */
  function showNow(step) {
    const findings = story.findingsAt(number).map((f) => ` Finding: ${f.kind}.`).join("");
    const next = story.steps[number + 1];
    const opens = next?.what === "barrier" ? ` No lane is missing: ${barrierOf(next)} opens next.` : "";
    part("now").replaceChildren(made("b", {text: `Step ${number + 1} of ${story.steps.length}, line ${step.line}. `}),
      made("span", {text: `${inWords(story, step)}.${opens}`}), made("span", {css: "found", text: findings}));
  }

  function show() {
    const step = story.steps[number];
    const state = story.after(number + 1);
    part("slider").value = number;
    part("slider").setAttribute("aria-valuetext", `step ${number + 1} of ${story.steps.length}`);
    showNow(step);
    showSource(recording, story, number);
    showLanes(story, state, number);
    showShared(story, state, number);
    showAccess(story, step);
    showTimeline(story, number);
    showFindings(story, number, jump);
    showSums(state);
    // In a srcdoc frame, the address belongs to the parent page, so it isn't changed.
    if (location.protocol !== "about:") history.replaceState(null, "", `#launch=${part("launch").value}&step=${number + 1}`);
    moved();
  }

  function put(away) {
    if (question && away) asked.add(question.key);
    question = null;
    part("question").hidden = true;
  }

  /** Jumps to a step, without questions. */
  function jump(to) {
    put(false);
    part("begins").hidden = true;
    number = Math.max(0, Math.min(story.steps.length - 1, to));
    show();
  }

  /** Advances to a step, but stops before a step that has a question. */
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
    pause();
    question = {...found, tries: 0};
    part("question-text").textContent = found.text;
    part("verdict").textContent = "";
    part("answer").value = "";
    part("question").hidden = false;
    part("answer").focus();
  }

  /** Counts an answer as `make predictN` does, and reports it to the parent page if this page is in a frame. */
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
    // The verdict is shown until the next move.
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

  function pause() {
    clearInterval(playing);
    playing = null;
    part("play").setAttribute("aria-pressed", "false");
    part("play-text").textContent = "Play";
  }
  /** Moves from step to step automatically, until the end or a question. */
  function play() {
    if (playing !== null) return pause();
    if (question) return part("answer").focus();
    if (number === story.steps.length - 1) jump(0);
    part("play").setAttribute("aria-pressed", "true");
    part("play-text").textContent = "Pause";
    playing = setInterval(() => {
      advance(number + 1);
      if (number === story.steps.length - 1) pause();
    }, 1000 / Number(part("speed").value));
  }

  /** Returns the next step of this kind, or the last step if there is none. */
  const next = (kind) => places[kind].find((at) => at > number) ?? story.steps.length - 1;
  const moves = {
    first: () => jump(0),
    back: () => jump(number - 1),
    play,
    forward: () => advance(number + 1),
    line: () => {
      const here = story.steps[number];
      const found = story.steps.findIndex((step, k) => k > number && (step.line !== here.line || step.warp !== here.warp));
      advance(found < 0 ? story.steps.length - 1 : found);
    },
    barrier: () => jump(next("barrier")),
    divergence: () => jump(next("divergence")),
    conflict: () => {
      if (places.conflict.length) return jump(places.conflict.find((at) => at > number) ?? places.conflict[0]);
      part("now").textContent = "No access in this launch has a bank conflict.";
    },
    finding: () => {
      if (places.finding.length) return jump(places.finding.find((at) => at > number) ?? places.finding[0]);
      part("now").textContent = story.launch.findings.length
        ? "The findings below have no place among the recorded steps."
        : `The checks found nothing in this launch.${places.conflict.length
          ? " Bank conflicts are costs, not findings: they are the highest bars of the timeline." : ""}`;
    },
    last: () => jump(story.steps.length - 1),
  };
  const keys = {ArrowRight: "forward", ArrowLeft: "back", Home: "first", End: "last", " ": "play", n: "line", b: "barrier",
    d: "divergence", c: "conflict", f: "finding"};
  for (const [id, move] of Object.entries(moves)) {
    part(id).onclick = () => {
      if (id !== "play") pause();
      if (!idle()) move();
    };
  }
  part("speed").onchange = () => {
    if (playing === null) return;
    pause();
    play();
  };
  part("help").onclick = () => part("keys").showModal();
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT" || part("keys").open) return;
    // A text field takes all keys. The slider takes arrows and similar keys, but no letters. Space presses a button.
    const isLetter = event.key.length === 1 && event.key !== " ", tag = event.target.tagName;
    if (tag === "INPUT" && event.target.type !== "checkbox" && !(isLetter && event.target === part("slider"))) return;
    if (event.key === " " && ["BUTTON", "SUMMARY", "INPUT"].includes(tag)) return;
    if (event.key === "?") {
      event.preventDefault();
      return part("keys").showModal();
    }
    const name = keys[isLetter ? event.key.toLowerCase() : event.key];
    if (!name || idle() || part(name).hidden) return;
    event.preventDefault();
    if (name !== "play") pause();
    moves[name]();
  });
  // Draws the page at most once per frame, however fast the slider moves.
  let waiting = false;
  part("slider").oninput = () => {
    if (waiting || idle()) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      pause();
      jump(Number(part("slider").value));
    });
  };
  const layAnew = () => {
    if (idle()) return;
    delete part("source").measures;
    delete part("source").line;
    layTimeline(story, jump);
    show();
  };
  addEventListener("resize", layAnew);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", layAnew);

  /** Opens a launch at a step. If no step is given, opens it at the first one worth a look, and displays the reason. */
  function open(which, at) {
    const launch = recording.launches[which];
    story = new Story(launch);
    places = placesOf(launch);
    number = 0;
    pause();
    put(false);
    part("launch").value = which;
    part("slider").max = Math.max(0, launch.steps.length - 1);
    part("title").textContent = titleOf(launch);
    document.title = titleOf(launch);
    part("kernel").textContent = launch.kernel;
    for (const kind of ["barrier", "divergence", "conflict", "finding"])
      part(kind).hidden = kind === "finding" ? launch.findings.length === 0 : places[kind].length === 0;
    const left = [launch.blocks_left_out && `${launch.blocks_left_out} more blocks`,
      launch.steps_left_out && `${launch.steps_left_out} more steps`].filter(Boolean).join(" and ");
    part("covers").textContent = `Grid ${launch.grid.join(" × ")}, blocks of ${launch.block.join(" × ")} threads. `
      + `Recorded: ${launch.steps.length} steps of ${launch.blocks_recorded} of the blocks.${left ? ` Left out: ${left}.` : ""}`;
    // Hides the sections of a launch without steps. Otherwise they would still show the previous launch.
    for (const section of document.querySelectorAll("main section, #time")) section.hidden = launch.steps.length === 0;
    part("begins").hidden = true;
    document.body.classList.toggle("faulty", launch.findings.length > 0);
    if (launch.steps.length === 0) {
      part("now").textContent = "This launch has no recorded steps.";
      return showFindings(story, 0, () => {});
    }
    layTimeline(story, jump);
    const beginning = at === undefined ? beginningOf(places) : null;
    jump(at ?? beginning?.at ?? 0);
    if (!beginning || beginning.at === 0) return;
    part("begins").hidden = false;
    part("begins-text").textContent = `It opens at the first ${beginning.name} of this block.`;
  }
  part("from-start").onclick = () => {
    jump(0);
    part("forward").focus();
  };

  /** Opens the launch and step in the address: #launch=0&step=17. */
  function follow() {
    const words = new URLSearchParams(location.hash.slice(1));
    const which = Number(words.get("launch")) || 0, step = Number(words.get("step"));
    open(Math.min(Math.max(which, 0), recording.launches.length - 1), words.has("step") ? (step || 1) - 1 : undefined);
  }

  recording.launches.forEach((launch, k) => {
    part("launch").append(new Option(`${k + 1}: ${nameOfKernel(launch.kernel)}`, k));
  });
  part("launches").hidden = recording.launches.length < 2;
  part("launch").onchange = () => open(Number(part("launch").value));
  addEventListener("hashchange", follow);
  if (parent !== window) document.body.classList.add("framed");
  // The interface for a page that shows two players side by side.
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
  if (recording.version === 1 && recording.launches.length > 0) {
    follow();
  } else {
    for (const section of document.querySelectorAll("main section, #time, nav")) section.hidden = true;
    part("now").textContent = recording.version === 1 ? "No kernel was launched: there is nothing to play."
      : `This page plays version 1 of recordings, not ${recording.version}.`;
  }
}
