/* Tables that are wider than the page become smaller, then wrap, then a list of rows. */
(() => {
  const STEPS = ["is-small", "is-wrapped", "is-list"];

  const nameCells = (table) => {
    const names = [...table.querySelectorAll("thead th")].map((x) => x.textContent.trim());
    for (const row of table.querySelectorAll("tbody tr")) {
      [...row.children].forEach((cell, k) => {
        const text = cell.textContent.trim();
        cell.dataset.name = names[k] ?? "";
        cell.classList.toggle("is-empty", text === "");
        cell.classList.toggle("is-number", /^[-+]?\d[\d.,]*( %)?$/.test(text));
      });
    }
  };

  const fit = (table) => {
    const box = table.parentElement;
    table.classList.remove(...STEPS);
    for (const step of STEPS) {
      if (box.scrollWidth <= box.clientWidth + 1) return;
      table.classList.add(step);
    }
  };

  const fitAll = () => document.querySelectorAll(".bd-article table.table").forEach(fit);

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".bd-article table.table").forEach(nameCells);
    fitAll();
    addEventListener("resize", fitAll);
    document.fonts?.ready.then(fitAll);
  });
})();
