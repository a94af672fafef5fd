// Questions from earlier chapters: the reader answers first, and then reads why. This device alone remembers the
// answers, and says when a question is due again. tools/practice.py writes the questions; without this file their
// folds hold the answers.

import { answerButtons, doorOf, keep, kept, make, page } from "./memory.js";

// --- When a question is due ---

const WAIT = [1, 1, 7, 30];    // days, by how often it was answered right in a row
const DAY = 24 * 60 * 60 * 1000;
const whole = number => Number.isInteger(number) && number >= 0;

// The day on this device, as 2026-12-02
export function day(time = Date.now()) {
  const now = new Date(time);
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map(part => String(part).padStart(2, "0")).join("-");
}

// What is remembered of a question: { given, right, row, wrong, last, on }; undefined if it was never answered
export function recordOf(id, { recalled } = kept()) {
  const record = recalled[id];
  const sound = typeof record?.given === "string" && typeof record.right === "boolean" && whole(record.row) && whole(record.wrong);
  return sound ? record : undefined;
}

// The day on which it is due; NaN if the day of the answer is no date
export const dueOn = ({ last, row }) => Date.parse(last) + DAY * WAIT[Math.min(row, WAIT.length - 1)];

export function isDue(record) {
  const now = Date.parse(day());
  return !(now < dueOn(record) && Date.parse(record.last) <= now);    // a day to come, or no day, is due
}

// The ids of all questions that are due, the oldest first
export function due() {
  const all = kept();
  const found = Object.keys(all.recalled).filter(id => recordOf(id, all) && isDue(all.recalled[id]));
  return found.sort((one, other) => (dueOn(all.recalled[one]) - dueOn(all.recalled[other])) || one.localeCompare(other));
}

// Whether this device has opened a chapter such as 03_learning: predicted, solved something, or read to its end
export function opened(chapter, { predicted, done, read } = kept()) {
  const begins = (names, start) => names.some(name => name.startsWith(start));
  return read[chapter] === true || begins(Object.keys(predicted), `${chapter}#`)
    || begins(Object.keys(done).filter(name => doorOf(done[name])), `${chapter.slice(0, 2)}-`);
}

// --- Whether an answer is right ---

// The numbers that a text can mean: 3/4, .75, 0,75; a comma may also part the thousands
function numbers(text) {
  const [, over, under = "1"] = /^([^/]+)(?:\/([^/]+))?$/.exec(text.replace(/[\s%]/g, "")) ?? [];
  return [over?.replaceAll(",", ""), over?.replace(",", ".")].filter(Boolean).map(part => Number(part) / Number(under));
}

const plain = {
  number: text => text.replace(/\s/g, ""),
  word: text => text.replace(/[^\p{L}\p{N}]+/gu, " ").replace(/^\s*(the|an?) /, "").trim(),
  shape: text => text.replace(/torch\.size/, "").replace(/([\da-z])\s*[x×*]\s*(?=[\da-z])/g, "$1,").match(/[\da-z_]+/g)?.join(",") ?? "",
  choice: text => text,
};

export function same(kind, one, other) {
  const [left, right] = [one, other].map(text => plain[kind](text.normalize("NFKC").toLowerCase().replace(/[−–]/g, "-")));
  if (left === right) return left !== "";
  return kind === "number" && numbers(left).some(a => numbers(right).some(b => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b))));
}

// --- A question becomes a form ---

const items = new Map();    // by id, those that stand on the page

export function build(root) {
  const id = root.id.replace("recall-", ""), { kind, from } = root.dataset;
  const question = root.querySelector("p"), fold = root.querySelector("details"), choices = root.querySelector(".recall-choices");
  question.id ||= `${root.id}-question`;
  const group = make("fieldset", { class: "predict-form", "aria-labelledby": question.id });
  const form = make("form", { class: "recall-form" }, group);
  const said = make("div", { class: "recall-said", role: "status" });
  const field = make("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-label": `Your answer: a ${kind}`,
    placeholder: kind === "shape" ? "a shape, as [2, 3]" : `a ${kind}` });
  const right = JSON.parse(root.dataset.right);
  if (kind === "number" && right.every(one => /^[\d.,]+$/.test(one))) field.inputMode = "decimal";    // these keys have no sign and no words
  const send = make("button", { type: "submit", class: "recall-send" }, "Answer");
  if (choices) answerButtons(choices.querySelector("p"), group);
  else group.append(make("div", { class: "recall-field" }, field, send));
  group.append(make("button", { type: "button", class: "predict-show", value: "" }, "I do not know"));
  (choices ?? fold).before(form, said);
  choices?.remove();
  const summary = fold.querySelector("summary");
  const item = { id, root, kind, from, form, field, said, fold, summary, label: summary.getAttribute("aria-label"),
    right, parts: [...fold.children].slice(1), buttons: [...form.querySelectorAll("button")] };
  form.addEventListener("submit", event => { event.preventDefault(); if (field.value.trim()) settle(item, field.value.trim()); });
  for (const one of item.buttons) if (one !== send) one.addEventListener("click", () => settle(item, one.value));
  items.set(id, item);
  drawItem(item);
  return item;
}

// The answer that counts now, or undefined while the question waits
export function settled({ id }) {
  const record = recordOf(id);
  return record && !isDue(record) ? record : undefined;
}

function settle(item, given) {
  if (settled(item)) return;
  const { row = 0, wrong = 0 } = recordOf(item.id) ?? {};
  const right = item.right.some(one => same(item.kind, one, given));
  keep("recalled", item.id, { given, right, row: right ? row + 1 : 0, wrong: wrong + !right, last: day(), on: page });
  dispatchEvent(new Event("storage"));    // all that stands on the page is drawn anew
}

function drawItem(item) {
  const { kind, right, form, field, said, fold, summary, parts, buttons, label } = item, record = settled(item);
  for (const one of buttons) {
    one.disabled = Boolean(record) && one !== document.activeElement;    // disabled, it would lose the focus
    one.setAttribute("aria-disabled", Boolean(record));
    one.classList.toggle("chosen", record?.given === one.value && one.value !== "");
    one.classList.toggle("right", Boolean(record) && kind === "choice" && right.includes(one.value));
  }
  field.readOnly = Boolean(record);
  const state = JSON.stringify(record) ?? "";
  if (item.state === state) return;    // what was said is not said again
  item.state = state;
  field.value = record?.given ?? "";
  close(item);
  fold.hidden = !record;
  form.classList.toggle("settled", Boolean(record));
  if (!record) return;
  const isOther = part => part.matches(".recall-why") && !(!record.right && same(kind, part.dataset.answer, record.given));
  const others = parts.filter(isOther);
  said.append(make("p", {}, make("strong", {}, record.right ? "Right." : record.given ? "Not right." : "Here it is.")),
    ...parts.filter(part => part.matches(".recall-why") && !isOther(part)), ...parts.filter(part => !part.matches(".recall-why")));
  fold.hidden = !others.length;
  const words = kind === "choice" ? "Why the other answers are wrong" : "Other answers that tempt";
  summary.textContent = words;
  summary.setAttribute("aria-label", label.replace(/^Answer/, words));
}

// All that was said goes back into the fold, in its order
function close({ said, fold, summary, parts, label }) {
  said.replaceChildren();
  fold.append(...parts);
  if (!fold.closest(".printed-answers")) summary.textContent = "Answer";    // there page.js has named it
  summary.setAttribute("aria-label", label);
}

export const drawItems = () => items.forEach(drawItem);

// For paper every fold holds its whole answer, also those that page.js moves
addEventListener("beforeprint", () => items.forEach(item => { close(item); item.fold.hidden = false; }));
addEventListener("afterprint", () => items.forEach(item => { item.state = undefined; drawItem(item); }));

// --- The questions of other pages: the page "Where am I" holds them all ---

const address = new URL("../book/practice.html", import.meta.url);
let fetched;

// All questions as elements, by id, ready to be put into this page
export function all() {
  return fetched ??= (async () => {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(`${address} could not be fetched (${answer.status})`);
    const other = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = [...other.querySelectorAll(".recall")].map(root => document.importNode(root, true));
    for (const link of found.flatMap(root => [...root.querySelectorAll("a[href]")])) link.href = new URL(link.getAttribute("href"), address);
    if (!window.MathJax) for (const script of other.querySelectorAll("script")) {    // a page without a formula of its own
      if (!/mathjax/i.test(script.src + script.textContent)) continue;
      const source = script.getAttribute("src");
      document.head.append(make("script", source ? { src: new URL(source, address) } : {}, source ? "" : script.textContent));
    }
    return new Map(found.map(root => [root.id.replace("recall-", ""), root]));
  })();
}

// Puts a fetched question before a place of this page
export function place(root, before) {
  before.before(root);
  window.MathJax?.startup?.promise?.then(() => window.MathJax.typesetPromise([root]));
  return build(root);
}
