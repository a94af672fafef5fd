// Chapter 23: pairs are written one after another; what softmax attention, the sum and the delta rule answer, side by side.

import { define, labelled, scrolling } from "./live.js";
import { colour, ink, make } from "./maps.js";
import { dot, softmax } from "./transformer.js";

// Keys of length 1; those of dog and puppy have the product 0.6
export const KEYS = { dog: [1, 0, 0], puppy: [0.6, 0.8, 0], cat: [0, 0, 1] };
// What the buttons write: a name, with price and kilograms
export const PAIRS = [["cat", [3, 5]], ["dog", [2, 20]], ["puppy", [5, 4]], ["dog", [4, 30]]].map(
  ([name, value]) => ({ name, key: KEYS[name], value }));
const MOST = 6, NUMBERS = ["price", "kg"], START = [0, 1, 3, 2];

export const empty = () => Array.from({ length: 3 }, () => NUMBERS.map(() => 0));
export const read = (memory, query) => memory[0].map((_, d) => dot(query, memory.map(row => row[d])));

// A memory [K][D] with one pair more: by a strength of 1 all that it does not know yet; or the value as it is
export function write(memory, { key, value }, strength, delta) {
  const known = read(memory, key), news = value.map((number, d) => delta ? strength * (number - known[d]) : number);
  return memory.map((row, k) => row.map((number, d) => number + key[k] * news[d]));
}
export const sum = pairs => pairs.reduce((memory, pair) => write(memory, pair, 1, false), empty());
export const delta = (pairs, strength) => pairs.reduce((memory, pair) => write(memory, pair, strength, true), empty());

// How much of each pair's value is in an answer: of softmax attention at temperature 0.1, of the sum, of the delta rule
export function shares(pairs, query, strength) {
  const products = pairs.map(({ key }) => dot(query, key));
  // the delta rule is linear in the values: a value of 1 here, and of 0 in all other pairs, is answered with its share
  const alone = pairs.map((_, i) => read(delta(pairs.map((pair, j) => ({ ...pair, value: [+(i === j), 0] })), strength), query)[0]);
  return { softmax: pairs.length ? softmax(products.map(product => product / 0.1)) : [], sum: products, "delta rule": alone };
}
// The three answers [D]
export function answers(pairs, query, strength) {
  const { softmax: soft } = shares(pairs, query, strength);
  return { softmax: NUMBERS.map((_, d) => soft.reduce((total, share, i) => total + share * pairs[i].value[d], 0)),
    sum: read(sum(pairs), query), "delta rule": read(delta(pairs, strength), query) };
}

// At most two digits behind the point, and no zero that is negative
const few = number => (+(number + Math.sign(number) * 1e-9).toFixed(2) || 0).toString().replace("-", "−");
const told = row => `(${row.map(few).join(", ")})`;

export function finding(pairs, name, strength) {
  if (!pairs.length) return "Nothing is written yet, so there is nothing to read.";
  const own = pairs.filter(pair => pair.name === name), parts = shares(pairs, KEYS[name], strength);
  const from = kind => pairs.reduce((total, pair, i) => total + (pair.name === name ? 0 : Math.abs(parts[kind][i])), 0);
  const start = own.length ? `The ${name} is written ${["", "once", "twice"][own.length] ?? `${own.length} times`}, last with ${told(own.at(-1).value)}. `
    : `The ${name} is not written: all that is answered comes from other keys. `;
  const many = own.length > 1 ? "Softmax attention gives about the mean of its values, and the sum adds them up. " : "";
  const [a, b] = ["sum", "delta rule"].map(from);
  return start + many + (a < 0.005 && b < 0.005 ? "No other key disturbs the two memories."
    : `Crosstalk: shares of other keys have a size of ${few(a)} in the sum, and of ${few(b)} in the delta rule.`);
}

// A table; each number is shaded by its size over `full`, or over that of its column
function numbers(caption, heads, names, rows, full) {
  const cell = (number, d) => {
    const rgb = colour(Math.min(1, Math.abs(number) / (full?.[d] ?? 1)) * 0.8);
    return make("td", { style: `background: rgb(${rgb}); color: ${ink(rgb)}` }, few(number));
  };
  return make("table", { className: "weights written" }, make("caption", {}, caption),
    make("thead", {}, make("tr", {}, make("td"), heads.map(head => make("th", { scope: "col" }, make("span", {}, head))))),
    make("tbody", {}, rows.map((row, i) => make("tr", {}, make("th", { scope: "row" }, make("span", {}, names[i])), row.map(cell)))));
}
const signed = (table, column, row) => {    // the signs of keys and values
  table.querySelectorAll('th[scope="col"] span').forEach(one => column && one.classList.add(column));
  table.querySelectorAll('th[scope="row"] span').forEach((one, i) => row(i) && one.classList.add(row(i)));
  return table;
};

define("written", "Pairs that are written into a memory, and what it answers", element => {
  const query = make("select", {}, Object.keys(KEYS).map(name => make("option", { value: name }, name)));
  const strength = make("input", { type: "range", min: 0, max: 1, step: 0.1, value: 1 }), shown = make("span", { className: "shown", "aria-hidden": "true" });
  const list = scrolling("", "the list of pairs"), memories = make("div", { className: "panels" }), found = scrolling("", "answers");
  const said = make("p", { className: "said", role: "status" });
  let pairs = START.map(i => PAIRS[i]);

  const take = next => {
    pairs = next;
    draw();
  };
  const buttons = PAIRS.map(pair => make("button", { type: "button", onclick: () => take([...pairs, pair]) }, `Write ${pair.name} ${told(pair.value)}`));

  function draw() {
    const name = query.value, by = +strength.value, key = KEYS[name], full = NUMBERS.map((_, d) => Math.max(...PAIRS.map(pair => pair.value[d])));
    const parts = shares(pairs, key, by), all = answers(pairs, key, by), matrices = { sum: sum(pairs), "delta rule": delta(pairs, by) };
    shown.textContent = by.toFixed(1);
    buttons.forEach(button => { button.disabled = pairs.length >= MOST; });
    const rows = [0, 1, 2].map(k => pairs.map(pair => pair.key[k])), below = NUMBERS.map((_, d) => pairs.map(pair => pair.value[d]));
    const pairTable = numbers("The pairs, oldest first", pairs.map(pair => pair.name), ["key 0", "key 1", "key 2"], rows);
    below.forEach((row, d) => pairTable.tBodies[0].append(...numbers("", [], [NUMBERS[d]], [row], row.map(() => full[d])).tBodies[0].rows));
    const shareTable = numbers(`Shares in the answer for ${name}`, pairs.map(pair => pair.name), Object.keys(parts), Object.values(parts));
    [...shareTable.tBodies[0].rows].forEach(row => pairs.forEach((pair, i) => pair.name !== name && row.cells[i + 1].classList.add("marked")));
    list.replaceChildren(signed(pairTable, "", i => i < 3 ? "key" : "value"), shareTable);
    memories.replaceChildren(...Object.entries(matrices).map(([kind, matrix]) =>
      make("div", {}, signed(numbers(`Memory, ${kind}`, NUMBERS, ["key 0", "key 1", "key 2"], matrix, full), "value", () => "key"))));
    const last = pairs.findLast(pair => pair.name === name), rowsFound = Object.entries(last ? { ...all, "its last value": last.value } : all);
    found.replaceChildren(numbers(`Answers for ${name}`, NUMBERS, rowsFound.map(([kind]) => kind), rowsFound.map(([, row]) => row), full));
    said.textContent = finding(pairs, name, by);
  }

  query.addEventListener("change", draw);
  strength.addEventListener("input", draw);
  element.append(
    make("div", { className: "controls" }, buttons, make("button", { type: "button", onclick: () => take(pairs.slice(0, -1)) }, "Take the last back"),
      make("button", { type: "button", onclick: () => take([]) }, "Begin empty")),
    make("div", { className: "controls" }, labelled("read with the key of ", query), labelled("write strength of the delta rule", strength, shown)),
    make("div", { className: "panels" }, list, make("div", {}, memories, found)), said,
    make("p", { className: "caption" }, "Each column of the list is a pair; the keys of dog and puppy have the product 0.6. Outlined shares come from other keys: crosstalk. "
      + "Write the dog twice, then the puppy, and read the dog."));
  draw();
});
