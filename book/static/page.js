// A formula that is wider than the page can be scrolled from the keyboard.
"use strict";

addEventListener("load", () => window.MathJax?.startup?.promise?.then(() => {
  for (const formula of document.querySelectorAll("mjx-container[display=true]")) {
    if (formula.scrollWidth > formula.clientWidth) formula.tabIndex = 0;
  }
}));

// On a phone a tap opens code that is wider than the screen: turned, the screen holds its 88 columns.

document.addEventListener("click", event => {
  const code = event.target.closest?.(".bd-article pre");
  if (!code || code.scrollWidth <= code.clientWidth || !matchMedia("(pointer: coarse)").matches || String(getSelection())) return;
  const whole = document.createElement("dialog"), close = document.createElement("button"), copy = code.cloneNode(true);
  whole.className = "whole-code highlight";
  whole.setAttribute("aria-label", "Code, as wide as the screen");
  close.textContent = "Back to the page";
  copy.style.setProperty("--columns", Math.max(...code.textContent.split("\n").map(line => line.length)));
  whole.append(close, copy);
  close.addEventListener("click", () => whole.close());
  whole.addEventListener("close", () => whole.remove());
  document.body.append(whole);
  whole.showModal();
});

// "Report a mistake" and "Ask": the issue names the section that the reader has before their eyes.

document.addEventListener("click", event => {
  const link = event.target.closest("a.report, a.ask, a.btn-source-issues-button");
  if (!link) return;
  const heads = [...document.querySelectorAll("article.bd-article :is(h1, h2, h3)")];
  const head = heads.filter(one => one.getBoundingClientRect().top < innerHeight / 2).at(-1) ?? heads[0];
  const words = head.firstChild.textContent.trim(), place = head.closest("section")?.id ?? "";
  const address = new URL(link.href);
  const isAsked = link.classList.contains("ask");
  address.searchParams.set("title", `${isAsked ? "Question: " : ""}${heads[0].firstChild.textContent.trim()}: ${words}`);
  address.searchParams.set("body", `${location.origin}${location.pathname}#${place}\n\n${isAsked ? "My question: " : "What is wrong: "}`);
  link.href = address.href;
});

// Who comes back goes on: the first page's first button leads behind the last chapter that was read to its end.

addEventListener("DOMContentLoaded", () => {
  const onward = document.querySelector("article.bd-article a.button.first");
  if (!onward) return;
  let read;
  try { read = JSON.parse(localStorage.getItem("softdict"))?.read; } catch { /* blocked, or rubbish */ }
  const chapters = [...document.querySelectorAll('nav.bd-links a[href*="notebooks/"]')];
  const last = chapters.findLastIndex(({ pathname }) => read?.[pathname.split("/").at(-1).replace(/\.html$/, "")] === true);
  const next = chapters[last + 1];
  if (last >= 0 && next) {
    onward.textContent = `Go on with ${next.textContent.trim()}`;
    onward.href = next.href;
  }
});

// On paper every fold is open: hints and answers stand at the end of the chapter, and go back afterwards.

let moved = [];

addEventListener("beforeprint", () => {
  const folds = [...document.querySelectorAll("article.bd-article details > summary[aria-label]")].map(one => one.parentElement);
  if (!folds.length || moved.length) return;
  const last = document.createElement("section");
  last.className = "printed-answers";
  last.append(Object.assign(document.createElement("h2"), { textContent: "Hints and answers" }));
  for (const fold of folds) {
    const place = document.createComment("");
    fold.before(place);
    moved.push([fold, place, fold.firstElementChild.textContent]);
    fold.firstElementChild.textContent = fold.firstElementChild.getAttribute("aria-label").replace(/^(\w+), (.)(.*)$/, (_, kind, first, rest) => `${first.toUpperCase()}${rest}: ${kind.toLowerCase()}`);
    last.append(fold);
  }
  document.querySelector("article.bd-article > section").append(last);
});

addEventListener("afterprint", () => {
  for (const [fold, place, words] of moved) {
    fold.firstElementChild.textContent = words;
    place.replaceWith(fold);
  }
  document.querySelector(".printed-answers")?.remove();
  moved = [];
});
