// What predict.js, recall.js, puzzle.js and practice.js share: the page's name, elements, and what this device remembers.

const KEY = "softdict";
export const KINDS = ["predicted", "done", "read", "recalled", "ordered", "filled"];
const DOORS = ["written", "blanks", "order"];

// How an exercise was solved, if it was; true is a tick of before there were doors, or of a notebook
export const doorOf = done => done === true ? "written" : DOORS.find(door => door === done);

export const LETTERS = "abcdefghijklmnop";    // of lines and pieces
export const nameOf = path => path.split("/").at(-1).replace(/\.html$/, "");
export const page = nameOf(location.pathname);

export function make(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// Puts a paragraph's answers, "(a) one (b) two", into a form as buttons
export function answerButtons(paragraph, form) {
  let button = form;
  for (const node of [...paragraph?.childNodes ?? []]) {
    const letter = node.nodeType === Node.TEXT_NODE && /^\s*\(([a-f])\) /.exec(node.data)?.[1];
    if (letter) form.append(button = make("button", { type: "button", class: "predict-answer", value: letter }));
    if (node.nodeName !== "BR") button.append(node);
  }
  paragraph?.remove();
}

let memory = null;    // what cannot be stored lasts as long as the page

// All that is remembered: for each kind an object, whatever lies in the store
export function kept() {
  let all;
  try { all = JSON.parse(memory ?? localStorage.getItem(KEY)); } catch { /* blocked, or rubbish */ }
  return Object.fromEntries(KINDS.map(kind => [kind, all?.[kind] instanceof Object ? all[kind] : {}]));
}

export function keepAll(all) {
  const text = JSON.stringify(all);
  try { localStorage.setItem(KEY, text); } catch { memory = text; }
}

export function keep(kind, name, value) {
  const all = kept();
  all[kind][name] = value;
  keepAll(all);
}

// Asks first; then every script of the page draws itself anew, as after a change in another tab
export function forget() {
  if (!confirm("Forget all that you predicted, recalled, filled, put in order and solved, and the chapters that you read?")) return;
  memory = null;
  try { localStorage.removeItem(KEY); } catch { /* nothing is there */ }
  dispatchEvent(new Event("storage"));
}
