// A button next to each piece of code that copies it as one would type it: of a session the commands, of a kernel with
// marks its lines, of a diff what is there afterwards. And frames as tall as their pages.

function textToCopy(code) {
  const copy = code.cloneNode(true);
  for (const gone of copy.querySelectorAll(".mark, .removed")) gone.remove();
  const lines = copy.textContent.replace(/\n+$/, "").split("\n");
  const commands = lines.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
  return (commands.length > 0 ? commands : lines).join("\n") + "\n";
}

function addCopyButtons() {
  if (!navigator.clipboard) return;
  for (const box of document.querySelectorAll(".contents .highlight")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", () => {
      navigator.clipboard.writeText(textToCopy(box.querySelector("pre")))
        .then(() => { button.textContent = "Copied"; }, () => { button.textContent = "Not copied"; })
        .then(() => setTimeout(() => { button.textContent = "Copy"; }, 1500));
    });
    box.append(button);
  }
}

// A frame whose page says how tall it is gets that height, so that nothing in it is cut off.
addEventListener("message", (event) => {
  const tall = event.data && event.data.tall;
  if (!Number.isFinite(tall)) return;
  for (const frame of document.querySelectorAll("iframe.player"))
    if (frame.contentWindow === event.source) frame.style.height = `${Math.min(tall + 8, 6000)}px`;
});

document.addEventListener("DOMContentLoaded", addCopyButtons);
