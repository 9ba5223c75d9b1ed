// SPDX-License-Identifier: GPL-3.0-or-later
// What every page can do: search its items, leave out tones, copy code, and open everything for the printer.
"use strict";
(() => {
  const all = (selector, below = document) => [...below.querySelectorAll(selector)];
  const finder = document.querySelector("[data-finder]");

  if (finder) {
    const items = all("[data-item]").map((node) => ({
      node, text: node.textContent.toLowerCase(), tone: node.dataset.tone || "",
    }));
    const groups = all("[data-group]");
    const search = finder.querySelector("[data-search]");
    const switches = all("[data-tone-switch]", finder);
    const left = finder.querySelector("[data-left]");
    const choose = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const off = new Set(switches.filter((box) => !box.checked).map((box) => box.value));
      let count = 0;
      for (const { node, text, tone } of items) {
        const shown = !off.has(tone) && words.every((word) => text.includes(word));
        node.hidden = !shown;
        count += shown;
      }
      for (const group of groups) {
        group.hidden = Boolean(group.querySelector("[data-item]")) && !group.querySelector("[data-item]:not([hidden])");
      }
      // What a search has found is shown, and printed, as a whole.
      all("[data-fold]").forEach((node) => { node.open = words.length > 0; });
      document.body.classList.toggle("searched", words.length > 0);
      left.textContent = words.length || off.size ? `${count} of ${items.length} shown` : "";
    };
    finder.addEventListener("input", choose);
    finder.addEventListener("submit", (event) => event.preventDefault());
    choose();
  }

  document.addEventListener("click", async (event) => {
    const button = event.target.closest(".copy");
    if (!button) return;
    const code = button.parentElement.querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      // A file opened from disk may have no clipboard; then the text is at least selected.
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });

  // A link to what lies in a closed part opens it.
  const open = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
    if (target) target.scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();

  addEventListener("beforeprint", () => all("details").forEach((node) => { node.open = true; }));
})();
