// A button beside each piece of code that copies it as one would type it: of a session the commands, of a kernel with marks
// its lines, of a diff what is there afterwards.

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

document.addEventListener("DOMContentLoaded", addCopyButtons);
