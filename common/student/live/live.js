"use strict";
// Shows each update from the server. Everything in an update is inserted as text.
{
  const part = (name) => document.getElementById(name);
  const KINDS = {error: "Error", warning: "Warning", finding: "Finding", cost: "Cost"};
  const GOOD = ["done"], NEUTRAL = ["not started", "not tested", "still testing"];
  let noted = "", played = 0;

  /** Marks a section if its contents belong to an older version of the file. */
  function age(section, piece, round) {
    section.querySelector(".age").hidden = !piece || piece.of === round;
  }

  function showVerdict(shown) {
    const {verdict, profile, round} = shown;
    age(part("of-verdict"), verdict, round);
    if (!verdict) return;
    part("verdict").textContent = verdict.word;
    part("verdict").className = GOOD.includes(verdict.word) ? "good" : NEUTRAL.includes(verdict.word) ? "" : "bad";
    part("goal").textContent = verdict.more;
    part("time").textContent = profile && profile.of === round ? profile.time : "";
  }

  /** Returns a new element with a class and a text. */
  function element(name, kind, text) {
    const made = document.createElement(name);
    made.className = kind;
    made.textContent = text;
    return made;
  }

  /** Shows the file with each note below its line. If it has changed, scrolls to the first error or finding. */
  function showSource({source, notes}) {
    const now = JSON.stringify([source, notes]);
    if (now === noted) return;
    noted = now;
    const at = part("source").scrollTop;
    const rows = source.flatMap((text, k) => {
      const here = notes.filter((note) => note.line === k + 1);
      const row = element("div", here.length ? "line noted" : "line", "");
      row.append(element("b", "", k + 1), element("code", "", text));
      return [row, ...here.map((note) => element("p", `note ${note.kind}`, `${KINDS[note.kind]}, line ${note.line}: ${note.words}`))];
    });
    part("source").replaceChildren(...rows);
    part("source").scrollTop = at;
    const grave = notes.filter((note) => note.kind === "error" || note.kind === "finding");
    const lines = [...new Set(grave.map((note) => note.line))].sort((a, b) => a - b);
    part("at-lines").textContent = lines.length ? `Look at line ${lines.join(", ")}.` : "";
    const first = part("source").querySelector(".error, .finding");
    if (first) part("source").scrollTop = first.offsetTop - part("source").offsetTop - part("source").clientHeight / 2;
  }

  function showTexts({compiler, test, profile, round}) {
    const said = compiler && compiler.of === round ? compiler.text : "";
    part("of-compiler").hidden = said === "";
    part("compiler").textContent = said;
    for (const [name, piece] of [["test", test], ["profile", profile]]) {
      age(part(`of-${name}`), piece, round);
      if (piece) part(name).textContent = piece.text;
    }
  }

  /** Loads the player for a new version. It stays at the same step, and keeps the choice whether to ask questions. */
  function showPlayer({player, round}) {
    age(part("of-player"), player, round);
    if (!player || player.of === played) return;
    played = player.of;
    const frame = part("player");
    part("no-player").textContent = player.text;
    frame.hidden = !player.there;
    if (!player.there) return;
    const before = frame.contentDocument?.getElementById("asks");
    const asks = before ? before.checked : true;
    const step = before ? frame.contentWindow.location.hash : "";
    frame.onload = () => {
      const box = frame.contentDocument?.getElementById("asks");
      if (box) box.checked = asks;
    };
    frame.src = `player?${played}${step}`;
  }

  function show(shown) {
    part("title").textContent = `Chapter ${shown.chapter}: ${shown.title}`;
    document.title = `${shown.verdict ? shown.verdict.word : "…"} – chapter ${shown.chapter}`;
    part("file").textContent = shown.file;
    part("command").textContent = `make live${shown.chapter}`;
    const words = {building: "building …", running: "running …", ready: "done.",
      unread: "the file cannot be read."}[shown.stage];
    part("stage").textContent = shown.saved ? `Saved at ${shown.saved}: ${words}` : words;
    showVerdict(shown);
    showSource(shown);
    showTexts(shown);
    showPlayer(shown);
  }

  // Answers that are given in the player count as predictions. Messages are accepted only from the player's frame.
  addEventListener("message", (event) => {
    if (event.source !== part("player").contentWindow || event.origin !== location.origin) return;
    const {answered, result} = event.data || {};
    if (answered && result) fetch(`answered/${answered}/${result}`, {method: "POST"}).catch(() => {});
  });

  const news = new EventSource("events");
  const lost = (is) => { part("lost").hidden = !is; };
  news.onopen = () => lost(false);
  // The browser reconnects without further code.
  news.onerror = () => lost(true);
  news.onmessage = (event) => show(JSON.parse(event.data));
  news.addEventListener("end", () => {
    news.close();
    lost(true);
  });
}
