// A Predict waits for the reader's choice: until then the output that settles it is veiled,
// and all text from its verdict down to the next heading, which may hold another Predict. Exercises get a tick. This device alone remembers both.
// tools/predicts.py marks the places. Without this file nothing is veiled.

import { answerButtons, doorOf, forget, keep, kept, make, page } from "./memory.js";

const article = document.querySelector("article.bd-article");

// --- A box: each answer becomes a button ---

function build(root) {
  const [question, answers] = root.querySelectorAll("blockquote > div > p, blockquote > p");
  question.id ||= `${root.id}-question`;
  const form = make("fieldset", { class: "predict-form", "aria-labelledby": question.id });
  const said = make("p", { class: "predict-said", role: "status" });
  answerButtons(answers, form);
  const show = answers ? "Show without a prediction" : "Show the answer";
  form.append(make("button", { type: "button", class: "predict-show", value: "" }, show));
  const again = make("button", { type: "button", class: "predict-again" }, "Try again");
  question.after(form, said, again);
  const link = make("a", { href: `#${root.id}` }, answers ? "you predict" : "you ask");
  const all = make("button", { type: "button", class: "predict-all" }, "Show all of this page");
  all.addEventListener("click", () => boxes.filter(one => chosen(one) === undefined).forEach(one => settle(one, "")));
  const note = make("p", { class: "predict-note" }, "What follows, down to the next heading, is veiled until ", link, ". ", all);
  const box = { key: `${page}#${root.id}`, right: root.dataset.answer, form, said, again, note, veiled: [],
    buttons: [...form.querySelectorAll("button")] };
  for (const one of box.buttons) one.addEventListener("click", () => choose(box, one.value));
  again.addEventListener("click", () => { box.later = ""; draw(); box.buttons[0].focus(); });
  return box;
}

const boxes = [];
for (const part of article.querySelectorAll(".predict, .tag_settles, .verdict")) {
  if (part.matches(".predict")) boxes.push(build(part));
  else if (part.matches(".verdict, .tag_hide-input")) boxes.at(-1).veiled.push(part);
  else boxes.at(-1).veiled.push(...part.querySelectorAll(":scope > .cell_output"));
}
for (const { veiled, note } of boxes) {
  veiled[0].before(note);
  veiled[0].classList.add("overleaf");    // on paper
}

// --- What a choice does ---

// the letter; "" if the answer was shown without one; undefined while the box waits
function chosen({ key, buttons }) {
  const choice = kept().predicted[key]?.choice;
  return buttons.some(one => one.value === choice) ? choice : undefined;
}

function settle(box, choice) {
  keep("predicted", box.key, choice ? { choice, held: choice === box.right } : { choice });
  draw();
}

// The first choice is kept; of a later one only this page knows: "" while the box waits for it
function choose(box, letter) {
  if (box.later === "") { box.later = letter; draw(); } else chosen(box) ?? settle(box, letter);
}

function drawBox(box) {
  const { right, note, said, again, veiled, buttons } = box, first = chosen(box), settled = first !== undefined;
  if (!settled) delete box.later;    // all was forgotten
  const choice = box.later ?? first, marked = Boolean(choice), open = !settled || box.later === "";
  for (const part of veiled) part.hidden = settled ? false : "until-found";    // find-in-page looks there too
  note.hidden = settled;
  for (const one of buttons) {
    const closed = one.value ? !open : settled;
    one.disabled = closed && one !== document.activeElement;    // disabled, it would lose the focus
    one.setAttribute("aria-disabled", closed);
    one.classList.toggle("chosen", marked && one.value === choice);
    one.classList.toggle("right", !open && one.value === right && right !== "");
  }
  again.hidden = !marked || choice === right;
  const counts = `Your first prediction (${first}) stays the one that counts.`;
  const result = choice === right ? "held" : `did not hold; it is (${right})`;
  said.textContent = !settled ? "" : box.later === "" ? `Choose again. ${counts}` : !choice ? "Shown. The text goes on below."
    : `Your ${box.later ? "new " : ""}prediction (${choice}) ${result}. ${box.later ? counts : "The text goes on below."}`;
}

// --- Exercises done, chapters read, and the line at the page's end ---

const ticks = [], BY = { written: "", blanks: ", by its three blanks", order: ", by its lines in order" };
for (const section of article.querySelectorAll('section[id^="exercise-"]')) {
  const name = /^exercise-(\w+-\d+)/.exec(section.id)?.[1], heading = section.querySelector("h2, h3");
  if (!name || !heading) continue;
  const tick = make("input", { type: "checkbox", autocomplete: "off", "aria-label": `Exercise ${name.toUpperCase()} done` });
  tick.addEventListener("change", () => { keep("done", name, tick.checked && "written"); draw(); });
  const solved = make("pre", { class: "solved-here" });    // in the place of the check's output, "not solved yet"
  section.querySelector(".tag_exercise-check > .cell_output")?.append(solved);
  ticks.push([name, tick, solved]);
  const line = heading.nextElementSibling?.matches("p") ? heading.nextElementSibling : heading;
  line.append(make("label", { class: "exercise-done" }, tick, " done"));
}

// --- Three blanks, or lines in order ---

const puzzles = [];
for (const place of article.querySelectorAll(".lines")) import("./puzzle.js").then(({ build }) => puzzles.push(build(place)));

const told = make("p", {}), button = make("button", { type: "button" }, "Forget all of it");
const more = make("p", {}, make("a", { href: "../book/practice.html" }, "Where am I?"), " · ", button);
const end = make("div", { class: "predict-end" }, told, more);
button.addEventListener("click", forget);
article.append(end);

// A chapter is read when most of its sections were in view long enough, without a veil; exercises, and what Going further
// holds, are left out.

const SHARE = 0.75, WORDS = 15;    // of the sections; a second
const sections = [...article.querySelectorAll(":scope > section > section[id]")];
const further = sections.findIndex(({ id }) => id === "going-further");
const road = sections.slice(0, further < 0 ? undefined : further).filter(({ id }) => !id.startsWith("exercise-"));
const inView = new Set(), seconds = new Map();
const watch = new IntersectionObserver(changes => {
  for (const { target, isIntersecting } of changes) inView[isIntersecting ? "add" : "delete"](target);
}, { rootMargin: "-20% 0px" });
for (const section of road) watch.observe(section);

setInterval(() => {
  const known = kept().read[page];
  if (known === true || document.hidden) return;
  const before = Array.isArray(known) ? known : [];
  const open = [...inView].filter(one => !boxes.some(({ veiled }) => veiled.some(part => part.hidden && one.contains(part))));
  for (const one of open) seconds.set(one, (seconds.get(one) ?? 0) + 1);
  const long = open.filter(one => !before.includes(one.id) && seconds.get(one) * WORDS >= one.innerText.split(/\s+/).length);
  if (!long.length) return;
  for (const one of long) seconds.delete(one);
  const done = [...before, ...long.map(({ id }) => id)];
  keep("read", page, road.filter(({ id }) => done.includes(id)).length >= SHARE * road.length || done);
  dispatchEvent(new Event("storage"));    // the sidebar is drawn anew, too
}, 1000);

function draw() {
  boxes.forEach(drawBox);
  puzzles.forEach(drawPuzzle => drawPuzzle());
  const { predicted, recalled, ordered, filled, done, read } = kept();
  const made = Object.entries(predicted).filter(([, one]) => typeof one?.held === "boolean");
  const here = made.filter(([name]) => boxes.some(({ key }) => key === name));
  const of = (made, isRight) => `${made.filter(isRight).length} of ${made.length}`, held = ([, one]) => one.held;
  const recalls = Object.keys(recalled).filter(id => typeof recalled[id]?.right === "boolean");
  const begun = [...new Set([ordered, filled].flatMap(Object.keys))];
  told.textContent = `Predictions that held: ${of(here, held)} on this page, ${of(made, held)} in the book. Recalls that were `
    + `right: ${of(recalls, id => recalled[id].right)}. Blanks or orders solved: `
    + `${of(begun, key => ordered[key]?.solved === true || filled[key]?.solved === true)}. Chapters read: `
    + `${Object.values(read).filter(one => one === true).length}. Exercises done: ${Object.values(done).filter(doorOf).length}. `
    + "This device alone remembers it.";
  for (const [name, tick, solved] of ticks) {
    const door = doorOf(done[name]);
    tick.checked = Boolean(door);
    solved.textContent = tick.checked ? `${name.toUpperCase()} is done${BY[door]}.` : "";
  }
}

// --- What leads into veiled text unveils it: find-in-page, an address, a hit of the search ---

function uncover(target) {
  const closed = boxes.filter(({ veiled }) => veiled.some(part => part.hidden && part.contains(target)));
  for (const box of closed) settle(box, "");
  return closed.length > 0;
}

function arrive() {
  let name = location.hash.slice(1);
  try { name = decodeURIComponent(name); } catch { /* a stray % */ }
  const place = document.getElementById(name);
  const target = (place ?? article).querySelector("mark:not(:is(h1, h2, h3) mark)") ?? place;
  if (uncover(target)) target.scrollIntoView();
}

draw();
addEventListener("DOMContentLoaded", arrive);    // the search has marked its hit by then
addEventListener("hashchange", arrive);
addEventListener("storage", draw);    // another tab
addEventListener("pageshow", event => event.persisted && draw());    // back to a page as it was left
article.addEventListener("beforematch", event => uncover(event.target));
