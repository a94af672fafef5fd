// The recall of a chapter: only what this device has opened is asked, and what is due waits at the top of the page.

import { kept, make, page } from "./memory.js";
import { all, build, drawItems, due, opened, place, recordOf, settled } from "./recall.js";

const article = document.querySelector("article.bd-article"), MOST = 3;
const own = [...article.querySelectorAll(".recall")].map(build);

// --- At the chapter's end ---

const others = [];    // they stand in for questions of chapters that were not opened
const note = make("p", { class: "recall-note", hidden: "" },
  "Questions about chapters that this device has not opened are left out here. ");
const anyway = make("button", { type: "button", class: "predict-all" }, "Ask them all the same");
let asked = false;
note.append(anyway);
anyway.addEventListener("click", () => { asked = true; draw(); });
own.at(-1)?.root.after(note);

function draw() {
  for (const { root, from } of own) root.hidden = !asked && !opened(from);
  for (const { root, from, missing } of others) root.hidden = asked || !opened(from) || !missing.hidden;
  note.hidden = !own.some(one => one.root.hidden);
  drawItems();
  drawTop();
}

// Other questions about earlier chapters that were opened: those that this page has asked, or nobody yet
async function fill() {
  const free = own.map(({ root }) => root).filter(root => root.hidden), memory = kept();
  if (!free.length || !Object.values(memory).some(kind => Object.keys(kind).length)) return;
  const turn = ["next", "third", "eighth"];
  const rank = ({ id }) => [recordOf(id, memory) ? 0 : 1, turn.indexOf(id.slice(3)), -id.slice(0, 2)];
  const found = [...await all()].map(([id, root]) => ({ id, root, from: root.dataset.from }))
    .filter(({ id, from }) => from < page && opened(from, memory) && !own.some(one => one.id === id)
      && (!recordOf(id, memory) || recordOf(id, memory).on === page))
    .sort((one, other) => rank(one).reduce((sign, part, k) => sign || part - rank(other)[k], 0));
  found.slice(0, free.length).forEach(({ root }, index) => {
    root.classList.add("other");
    const missing = free[index], other = place(root, missing), number = missing.querySelector("p > strong").textContent;
    other.root.querySelector("p").prepend(make("strong", {}, number), " ");
    others.push({ ...other, missing });
  });
  draw();
}

if (own.length) new IntersectionObserver(([{ isIntersecting }], watch) => {
  if (!isIntersecting) return;
  watch.disconnect();
  fill().catch(error => console.warn("No other questions:", error));
}, { rootMargin: "800px" }).observe(own[0].root.parentElement);

// --- At the top: what was answered here or elsewhere, and is due ---

const waiting = due().filter(id => !own.some(one => one.id === id) && recordOf(id).on !== page).slice(0, MOST);
const head = make("summary", {}), end = make("p", { class: "recall-note" }, "All that is due stands on the page ",
  make("a", { href: "../book/practice.html" }, "Where am I"), ".");
const top = make("details", { class: "recall-due" }, head, end), placed = [];
if (waiting.length) article.querySelector("h1").after(top);
top.addEventListener("toggle", async () => {
  if (!top.open || placed.length) return;
  try {
    const found = await all();
    if (!placed.length) placed.push(...waiting.filter(id => found.has(id)).map(id => place(found.get(id), end)));
  } catch (error) {
    end.prepend("The questions could not be fetched. ");
  }
  drawTop();
});

function drawTop() {
  const left = placed.length ? placed.filter(one => !settled(one)).length : waiting.length;
  head.textContent = left ? `Due today: ${left} ${left === 1 ? "question" : "questions"}` : "Answered for today";
}

draw();
addEventListener("storage", draw);
addEventListener("pageshow", event => event.persisted && draw());
