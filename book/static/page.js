// A formula that is wider than the page can be scrolled from the keyboard. Terms and quoted functions are explained where one points at them.
"use strict";

addEventListener("load", () => window.MathJax?.startup?.promise?.then(() => {
  for (const formula of document.querySelectorAll("mjx-container[display=true]")) {
    if (formula.scrollWidth > formula.clientWidth) formula.tabIndex = 0;
  }
}));

// A note at the end of a line of code may drop below it, which book.css asks for on a phone; what is copied stays as it was.

addEventListener("DOMContentLoaded", () => {
  for (const note of document.querySelectorAll(".bd-article div.highlight .c1")) {
    const gap = note.previousSibling;
    if (!/^ +$/.test(gap?.data)) continue;
    const space = document.createElement("span");
    space.className = "before-note";
    gap.replaceWith(space);
    space.append(gap, document.createElement("wbr"));
    note.classList.add("end-note");
  }
});

// The copy buttons are one stop of the tab key, at the code in view; from there the arrows lead on. So are the sections' reports.

addEventListener("keydown", event => {
  for (const kind of [".copybtn", "a.report-here"]) {
    const all = [...document.querySelectorAll(kind)], at = all.indexOf(document.activeElement);
    if (event.key === "Tab") {
      const stop = all[at] ?? all.find(one => one.checkVisibility() && one.getBoundingClientRect().top >= 0);
      for (const one of all) one.tabIndex = one === stop ? 0 : -1;
    }
    const ahead = event.key === "ArrowDown" ? all.slice(at + 1) : event.key === "ArrowUp" ? all.slice(0, at).reverse() : [];
    const next = at >= 0 && ahead.find(one => one.checkVisibility());
    if (!next) continue;
    event.preventDefault();
    next.focus();
    return;
  }
});

// On a phone a tap opens code and output that is wider than the screen, and every figure: turned, the screen holds 88 columns.

const FIGURES = ".bd-article a[href$='.svg']:has(> img)";

document.addEventListener("click", event => {
  const code = event.target.closest?.(".bd-article pre"), figure = event.target.closest?.(FIGURES)?.querySelector("img");
  const isWide = code && !event.target.closest("a") && code.scrollWidth > code.clientWidth;
  if (!figure && !isWide || !matchMedia("(pointer: coarse)").matches || String(getSelection())) return;
  event.preventDefault();
  const whole = document.createElement("dialog"), close = document.createElement("button"), copy = (figure ?? code).cloneNode(true);
  whole.className = figure ? "whole" : "whole highlight";
  whole.setAttribute("aria-label", `${figure ? "Figure" : code.closest(".cell_output") ? "Output" : "Code"}, as wide as the screen`);
  close.textContent = "Back to the page";
  if (!figure) copy.style.setProperty("--columns", Math.max(...code.textContent.split("\n").map(line => line.length)));
  whole.append(close, copy);
  close.addEventListener("click", () => whole.close());
  whole.addEventListener("close", () => whole.remove());
  document.body.append(whole);
  whole.showModal();
});

// A figure that is wider than its box has a shade at each edge behind which more follows; book.css draws it.

addEventListener("DOMContentLoaded", () => {
  const shade = box => {
    box.classList.toggle("more-left", box.scrollLeft > 1);
    box.classList.toggle("more-right", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
  };
  const sizes = new ResizeObserver(changes => changes.forEach(({ target }) => shade(target.closest("a"))));
  for (const box of document.querySelectorAll(FIGURES)) {
    for (const one of [box, box.firstElementChild]) sizes.observe(one);
    box.addEventListener("scroll", () => shade(box));
  }
});

// The drawer of contents closes once a place of the page is chosen in it.

document.addEventListener("click", event => event.target.closest?.("dialog[open] a[href^='#']")?.closest("dialog").close());

// A pointer, the focus or a first tap on a term opens its meaning; on the name of a function that the page quotes, its first lines and the way to it.

addEventListener("DOMContentLoaded", () => {
  const terms = JSON.parse(document.getElementById("terms")?.textContent ?? "{}"), functions = quotedFunctions();
  const note = document.createElement("div");
  let shown = null, timer, touch = false;
  note.className = "meaning";
  note.id = "meaning";
  note.setAttribute("role", "tooltip");
  note.hidden = true;
  (document.querySelector("main") ?? document.body).append(note);
  const ours = event => event.target.closest?.('.bd-article a[href*="glossary.html#term-"], .bd-article a.quoted-name');
  const hide = () => {
    shown?.removeAttribute("aria-describedby");
    shown = null;
    note.hidden = true;
  };
  const show = link => {
    const name = decodeURIComponent(link.hash.slice(1)), meaning = terms[name], quoted = functions[name];
    clearTimeout(timer);
    if (link === shown) return;
    hide();
    if (!meaning && !quoted) return;
    note.replaceChildren(...quoted ?? [meaning]);
    note.hidden = false;
    const at = link.getClientRects()[0], space = document.documentElement.clientWidth - note.offsetWidth - 8;
    const above = at.bottom + note.offsetHeight + 8 > innerHeight && at.top > note.offsetHeight;
    const { left, top } = (note.offsetParent ?? document.body).getBoundingClientRect();
    note.style.left = `${Math.max(8, Math.min(at.left, space)) - left}px`;
    note.style.top = `${(above ? at.top - note.offsetHeight : at.bottom) - top}px`;
    shown = link;
    link.setAttribute("aria-describedby", "meaning");
  };
  const later = (act, time) => {
    clearTimeout(timer);
    timer = setTimeout(act, time);
  };
  document.addEventListener("pointerdown", event => {
    touch = event.pointerType === "touch";
    if (shown && !note.contains(event.target) && ours(event) !== shown) hide();
  });
  document.addEventListener("pointerover", event => {
    if (event.pointerType !== "mouse") return;
    const link = ours(event);
    if (link) later(() => show(link), 150);
    else if (note.contains(event.target)) clearTimeout(timer);
    else later(hide, 200);
  });
  note.addEventListener("click", event => event.target.closest("a") && hide());
  document.addEventListener("focusin", event => {
    const link = ours(event);
    if (link?.matches(":focus-visible")) show(link);
  });
  document.addEventListener("focusout", event => ours(event) && !note.contains(event.relatedTarget) && later(hide, 200));
  document.addEventListener("keydown", event => event.key === "Escape" && hide());
  document.addEventListener("click", event => {    // the second tap goes there
    const link = ours(event);
    if (!link || !touch || link === shown) return;
    show(link);
    if (link === shown) event.preventDefault();
  });
});

// The first time that a section names a function whose code the page quotes, the name leads to it. Returns what to show of each:
// its first lines, of a class the signature, and a link to its line in the repository, or else to the quote.

function quotedFunctions() {
  const found = {}, make = (name, what) => Object.assign(document.createElement(name), what);
  for (const code of document.querySelectorAll(".bd-article :is(div.highlight-python, div.highlight-ipython3) pre")) {
    const text = code.textContent;
    if (!text.startsWith("# src/")) continue;
    const known = JSON.parse(code.querySelector("[data-defined]")?.dataset.defined ?? "{}"), file = code.querySelector(".c1 > a");    // tools/online.py
    for (const [lines, name] of text.matchAll(/^(?:def|class) (\w+)[^]*?:\n(?: +(?:"""[^]*?"""\n))?/gm)) {
      const place = `quoted-${name}`, [line, signature] = known[name] ?? [];
      if (found[place]) continue;
      const shown = [text.split("\n")[0], lines.trimEnd(), signature].filter(Boolean).join("\n");
      const way = file && line ? { href: `${file.href.split("#")[0]}#L${line}`, textContent: "The line in the repository" }
        : { href: `#${place}`, textContent: "The code on this page" };
      found[place] = [make("pre", { textContent: shown }), make("a", way)];
      code.insertAdjacentHTML("beforebegin", `<span id="${place}"></span>`);
    }
  }
  for (const section of document.querySelectorAll(".bd-article section")) {
    const named = new Set();
    for (const code of section.querySelectorAll(":scope > p code, .verdict > p code")) {
      if (code.closest("section") !== section) continue;
      const name = code.textContent.replace(/\(\)$/, ""), place = `quoted-${name}`;
      if (!found[place] || named.has(name) || code.closest("a")) continue;
      named.add(name);
      const link = make("a", { className: "quoted-name", href: `#${place}` });
      code.replaceWith(link);
      link.append(code);
    }
  }
  return found;
}

// Where the page's foot offers a report, each section does. As a headerlink the word is left out of headings, searches and paper.

addEventListener("DOMContentLoaded", () => {
  const foot = document.querySelector("a.report");
  for (const head of foot ? document.querySelectorAll("article.bd-article section > :is(h2, h3)") : []) {
    const link = document.createElement("a");
    Object.assign(link, { className: "headerlink report-here", href: foot.href, textContent: "Report" });
    link.setAttribute("aria-label", "Report this section");
    head.append(link);
  }
});

// "Report a mistake" and "Ask": the issue names what the reader has before their eyes, section, cell and version; "Report" at a heading names its section.

document.addEventListener("click", event => {
  const link = event.target.closest("a.report, a.report-here, a.ask, a.btn-source-issues-button");
  if (!link) return;
  const words = one => [...one.childNodes].filter(part => !part.matches?.(".headerlink")).map(part => part.textContent).join("").trim();
  const before = [...document.querySelectorAll("article.bd-article :is(h1, h2, h3, .cell_input pre)")].filter(one => one.getBoundingClientRect().top < innerHeight / 2);
  const title = document.querySelector("article.bd-article h1"), own = link.closest("h2, h3");
  const head = own ?? before.filter(one => !one.matches("pre")).at(-1) ?? title, section = head.closest("section");
  const near = own ? section.querySelector(".cell_input pre") : before.at(-1);
  const cell = near?.matches("pre") ? `\n${own ? "Above" : "Below"} the cell that begins: ${near.textContent.trim().split("\n")[0]}` : "";
  const address = new URL(link.href), { version } = document.querySelector("a.report")?.dataset ?? {};
  const isAsked = link.classList.contains("ask");
  address.searchParams.set("title", `${isAsked ? "Question: " : ""}${words(title)}: ${words(head)}`);
  address.searchParams.set("body", `${location.origin}${location.pathname}#${section?.id ?? ""}${cell}${
    version ? `\nVersion ${version}` : ""}\n\n${isAsked ? "My question: " : "What is wrong: "}`);
  link.href = address.href;
});

// Who comes back sees which chapters are read, and how many, and goes on at the section read last, or behind a chapter that was read to its end.

addEventListener("DOMContentLoaded", () => {
  const nav = document.querySelector("nav.bd-links"), button = document.querySelector("article.bd-article a.button.first");
  if (!nav) return;
  const nameOf = link => /\/notebooks\/([^/]+?)(?:\.html)?$/.exec(new URL(link.getAttribute("href"), location).pathname)?.[1];
  const chapters = [...nav.querySelectorAll("a[href]")].filter(nameOf);
  const link = Object.assign(document.createElement("a"), { className: "onward" });
  nav.prepend(link);
  const sum = Object.assign(document.createElement("p"), { className: "aside sum" });
  const begin = button && { textContent: button.textContent, href: button.href };
  const listed = document.querySelectorAll("nav.road ~ details li a"), drawn = [];
  for (const one of document.querySelectorAll("nav.road a")) {    // a drawing, which CSS adds no words to
    const texts = [...one.querySelectorAll("text")], words = texts.map(text => text.textContent).join(" ");
    const tick = document.createElementNS("http://www.w3.org/2000/svg", "tspan");
    texts[1].append(tick);
    drawn.push([one, tick, words]);
  }
  const draw = () => {
    let read;
    try { read = JSON.parse(localStorage.getItem("softdict"))?.read; } catch { /* blocked, or rubbish */ }
    const isRead = one => read?.[nameOf(one)] === true;
    for (const one of [...chapters, ...listed]) one.classList.toggle("read", isRead(one));
    for (const [one, tick, words] of drawn) {
      tick.textContent = isRead(one) ? " ✓" : "";
      one.ariaLabel = isRead(one) ? `${words}, read` : null;
    }
    const known = chapters.map(one => read?.[nameOf(one)]);
    const last = known.findLastIndex(one => one === true || Array.isArray(one) && one.length);    // true: to its end
    const next = last >= 0 && chapters[last + (known[last] === true)];
    const place = next && { textContent: `Go on with ${next.textContent.trim()}`,
      href: next.href.split("#")[0] + (known[last] === true ? "" : `#${known[last].at(-1)}`) };
    Object.assign(link, place);
    link.hidden = !next || link.pathname === location.pathname;
    if (!button) return;
    Object.assign(button, place || begin);
    const done = chapters.filter(isRead), name = done.at(-1)?.textContent.trim();
    sum.textContent = done.length > 1 ? `You have read ${done.length} chapters, the last of them ${name}.` : `You have read one chapter, ${name}.`;
    if (name) button.parentElement.after(sum);
    else sum.remove();
  };
  draw();
  addEventListener("storage", draw);    // another tab, or a script of this page
  addEventListener("pageshow", event => event.persisted && draw());
});

// On paper every fold is open: hints and answers stand at the end of the chapter, and go back afterwards.

let moved = [];

function moveFolds() {
  const folds = [...document.querySelectorAll("article.bd-article details > summary[aria-label]")].map(one => one.parentElement);
  if (!folds.length || moved.length) return;
  const last = document.createElement("section");
  last.className = "printed-answers";
  last.append(Object.assign(document.createElement("h2"), { textContent: "Hints and answers" }));
  for (const fold of folds) {
    const place = document.createComment("");
    fold.before(place);
    moved.push([fold, place, fold.firstElementChild.textContent]);
    fold.firstElementChild.textContent = fold.firstElementChild.getAttribute("aria-label").replace(/^([^,]+), (.)(.*)$/, (_, kind, first, rest) => `${first.toUpperCase()}${rest}: ${kind.toLowerCase()}`);
    last.append(fold);
  }
  document.querySelector("article.bd-article > section").append(last);
}

// Behind what recall.js does then: on a window listeners run in the order in which they came, captured or not.
addEventListener("DOMContentLoaded", () => addEventListener("beforeprint", moveFolds));

addEventListener("afterprint", () => {
  for (const [fold, place, words] of moved) {
    fold.firstElementChild.textContent = words;
    place.replaceWith(fold);
  }
  document.querySelector(".printed-answers")?.remove();
  moved = [];
});

// The contents mark the section at hand after a jump and a fast scroll, too: the theme marks only headings that it sees go by.

addEventListener("DOMContentLoaded", () => {
  const nav = document.getElementById("pst-page-toc-nav");
  if (!nav) return;
  const links = [...nav.querySelectorAll("a[href^='#']")], entries = nav.querySelectorAll(".toc-entry");
  const heads = links.map(one => document.getElementById(decodeURIComponent(one.hash.slice(1)))?.querySelector("h1, h2, h3, h4"));
  let chosen = -1000;
  addEventListener("hashchange", () => { chosen = performance.now(); });
  const mark = () => {
    if (performance.now() - chosen < 1000) return;    // what was chosen is marked, at a page's end too
    const at = heads.findLastIndex(one => one?.checkVisibility() && one.getBoundingClientRect().top < 0.3 * innerHeight);
    for (const one of links) {
      one.classList.toggle("active", one === links[at]);
      if (one === links[at]) one.ariaCurrent = "true";
      else one.removeAttribute("aria-current");
    }
    for (const one of entries) one.classList.toggle("active", at >= 0 && one.contains(links[at]));
  };
  addEventListener("scroll", () => requestAnimationFrame(() => requestAnimationFrame(mark)), { passive: true });    // behind the theme
});

// The sidebar shows where one is: the theme opens it where it was left.

addEventListener("load", () => {
  const bar = document.querySelector(".bd-sidebar-primary"), here = bar?.querySelector("nav.bd-links li.current.active > a");
  if (!here || bar.scrollHeight <= bar.clientHeight) return;
  const { top, bottom } = here.getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) bar.scrollTop += top - innerHeight / 2;
});
