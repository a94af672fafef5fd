// The page "Where am I": what this device remembers, what is due, and both as a file. tools/practice.py puts all
// questions into the page, hidden.

import { KINDS, doorOf, forget, kept, keepAll, make, nameOf } from "./memory.js";
import { build, day, drawItems, due, dueOn, isDue, recordOf } from "./recall.js";

const article = document.querySelector("article.bd-article");
const part = name => article.querySelector(`#practice-${name}`);
const roots = new Map([...article.querySelectorAll(".recall")].map(root => [root.id.replace("recall-", ""), root]));
article.querySelector(".practice-needs").hidden = true;
for (const one of article.querySelectorAll(".practice-part")) {
  one.prepend(make("h2", {}, one.dataset.title));
  one.hidden = false;
}

// --- What is due ---

const none = make("p", { class: "practice-none" });
part("due").append(none);
const asked = new Set();    // what stands there stays, once it is answered

function drawDue() {
  for (const id of due()) {
    if (asked.has(id) || !roots.has(id)) continue;
    asked.add(id);
    none.before(roots.get(id));
    build(roots.get(id));
  }
  const all = kept(), ids = Object.keys(all.recalled).filter(id => roots.has(id) && recordOf(id, all));
  const next = Math.min(...ids.map(id => dueOn(recordOf(id, all))));
  none.textContent = ids.some(id => isDue(recordOf(id, all))) ? ""
    : !ids.length ? "You have not answered a recall yet. They stand at the end of each chapter from 02 on."
    : `Nothing more is due today. The next question is due on ${new Date(next).toLocaleDateString("en", { timeZone: "UTC", day: "numeric", month: "long" })}.`;
  none.hidden = !none.textContent;
}

// --- Chapter by chapter ---

const chapters = [...document.querySelectorAll('nav.bd-links a.reference[href*="notebooks/"]')].map(link => ({
  name: nameOf(link.pathname), link, number: nameOf(link.pathname).slice(0, 2) }));
const puzzles = JSON.parse(part("chapters").dataset.puzzles ?? "{}");    // by chapter, the exercise of its puzzle
const table = make("div", { class: "practice-table", tabindex: "0", role: "region", "aria-label": "Chapter by chapter" });
part("chapters").append(table);

// The exercises of a chapter, each with its door. A puzzle may have been solved before puzzles ticked their exercise
function solved({ done, ordered, filled }, name, number) {
  const own = puzzles[number], key = `${name}#lines-${number}`, begun = filled[key] ?? ordered[key];
  const before = own && done[own] === undefined && begun && { [own]: ordered[key]?.solved === true ? "order" : "begun" };
  return Object.entries({ ...done, ...before }).map(([exercise, how]) => [exercise, how === "begun" ? how : doorOf(how)])
    .filter(([exercise, door]) => exercise.startsWith(`${number}-`) && door)
    .map(([exercise, door]) => `${exercise.slice(3)} (${door})`).sort().join(", ");
}

function drawChapters() {
  const all = kept(), of = (good, made) => made.length ? `${good.length} of ${made.length}` : "–";
  const rows = chapters.map(({ name, link, number }) => {
    const predicts = Object.entries(all.predicted).filter(([key, one]) => key.startsWith(`${name}#`) && typeof one?.held === "boolean");
    const recalls = Object.keys(all.recalled).filter(id => id.startsWith(`${number}-`)).map(id => recordOf(id, all)).filter(Boolean);
    const sections = Array.isArray(all.read[name]) ? all.read[name].length : 0;
    const read = all.read[name] === true ? " (read)" : sections ? ` (${sections} section${sections > 1 ? "s" : ""} read)` : "";
    return { link, read, cells: [of(predicts.filter(([, one]) => one.held), predicts),
      of(recalls.filter(one => one.right), recalls), solved(all, name, number) || "–"] };
  }).filter(({ read, cells }) => read || cells.some(text => text !== "–"));
  const head = ["Chapter", "Predicts", "Recalls", "Exercises"];
  table.replaceChildren(rows.length ? make("table", { class: "table" },
    make("thead", {}, make("tr", {}, ...head.map(text => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...rows.map(({ link, read, cells }) => make("tr", {},
      make("th", { scope: "row" }, make("a", { href: link.href }, link.textContent.trim()), read),
      ...cells.map(text => make("td", {}, String(text)))))))
    : make("p", {}, "This device remembers nothing yet."));
}

// --- What was wrong twice ---

const list = make("ul", {});
part("twice").append(list);

function drawTwice() {
  const all = kept(), ids = [...roots.keys()].filter(id => recordOf(id, all)?.wrong >= 2);
  list.replaceChildren(...ids.map(id => make("li", {}, ...[...roots.get(id).querySelector(".recall-place p").childNodes].map(node => node.cloneNode(true)),
    ` Wrong ${recordOf(id, all).wrong} times.`)));
  part("twice").hidden = !ids.length;
}

// --- As a file ---

const LARGEST = 1e6;    // bytes; a reader who has done everything fills a tenth of it
const save = make("button", { type: "button" }, "Export"), load = make("input", { type: "file", accept: ".json,application/json", id: "practice-import" });
const told = make("p", { role: "status" }), clear = make("button", { type: "button" }, "Forget all of it");
part("file").append(make("p", { class: "practice-buttons" }, save, make("label", { for: load.id }, "Import ", load), clear), told);
clear.addEventListener("click", forget);

save.addEventListener("click", () => {
  const text = JSON.stringify({ softdict: "practice", ...kept() }, null, 1);
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "application/json" })), download: `softdict-practice-${day()}.json` });
  link.click();
  URL.revokeObjectURL(link.href);
});

load.addEventListener("change", async () => {
  const [file] = load.files;
  if (!file) return;
  try {
    if (file.size > LARGEST) throw new Error("it is too large");
    told.textContent = joined(JSON.parse(await file.text()));
  } catch (error) {
    told.textContent = `${file.name} was not imported: ${error instanceof SyntaxError ? "it is no JSON" : error.message}.`;
  }
  load.value = "";
  dispatchEvent(new Event("storage"));
});

// Joins what a file holds with what is remembered, and says what came; raises for any other file
function joined(given) {
  const isOurs = given?.softdict === "practice", solved = given instanceof Object && !Array.isArray(given)
    ? Object.keys(given).filter(key => /^[\dC]\d-\d+$/.test(key) && Number.isInteger(given[key])) : [];
  if (!isOurs && !solved.length) throw new Error("it holds neither an export of this page nor a progress.json with exercises");
  const all = kept(), more = isOurs ? given : { done: Object.fromEntries(solved.map(key => [key, true])) };
  let count = 0;
  for (const kind of KINDS) for (const [name, value] of Object.entries(more[kind] instanceof Object ? more[kind] : {})) {
    const mine = all[kind][name];
    const isNewer = kind === "recalled" ? isLater(recordOf(name, { recalled: { [name]: value } }), recordOf(name, all))
      : kind === "done" ? doorOf(value) && !doorOf(mine)
      : kind === "read" ? value === true && mine !== true
      : value instanceof Object && (!(mine instanceof Object) || value.solved === true && !mine.solved);
    if (!isNewer) continue;
    all[kind][name] = value;
    count += 1;
  }
  keepAll(all);
  return count ? `Imported: ${count} ${count === 1 ? "entry is" : "entries are"} new here.` : "Nothing in the file is new here.";
}

const isLater = (given, mine) => given && (!mine || given.last > mine.last);

// --- All of it ---

function draw() {
  drawDue();
  drawItems();
  drawChapters();
  drawTwice();
}

draw();
addEventListener("storage", draw);
addEventListener("pageshow", event => event.persisted && draw());
