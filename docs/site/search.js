// Search without a server: search_index.js holds a title, an address and the words of every page.
"use strict";
(function () {
  const field = document.getElementById("find"), list = document.getElementById("found");
  const folder = field.dataset.folder;
  const lower = window.searchIndex.map((page) => ({ page: page, title: page.t.toLowerCase(), text: page.x.toLowerCase() }));

  // Pages that hold all words; a word in the title counts more, and a guide or lesson more than the reference.
  function find(words) {
    const found = [];
    for (const one of lower) {
      let score = one.page.g ? 2 : 0;
      for (const word of words) {
        if (one.title.includes(word)) score += 10;
        else if (one.text.includes(word)) score += 1;
        else { score = -1; break; }
      }
      if (score >= 0) found.push([score, one.page]);
    }
    return found.sort((a, b) => b[0] - a[0] || a[1].t.localeCompare(b[1].t)).slice(0, 12);
  }

  function show() {
    const words = field.value.toLowerCase().split(/\s+/).filter((word) => word.length > 1);
    list.replaceChildren();
    list.hidden = words.length === 0;
    if (list.hidden) return;
    for (const [, page] of find(words)) {
      const link = document.createElement("a");
      link.href = folder + page.u;
      link.textContent = page.t;
      list.appendChild(link);
    }
    if (!list.firstChild) list.textContent = "Nothing found.";
  }

  field.addEventListener("input", show);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && list.querySelector("a")) location.href = list.querySelector("a").href;
    if (event.key === "Escape") { field.value = ""; show(); }
  });
  document.addEventListener("click", (event) => { if (!event.target.closest(".search")) list.hidden = true; });
})();
