// Chapter 11: masks switched on and off, and what each new word then depends on, through one layer or several.

import { define, labelled } from "./live.js";
import { make, table } from "./maps.js";
import { attention } from "./transformer.js";

export const WORDS = ["the", "dog", "barked", ".", "pad", "pad"], REAL = 4;
// A vector for each word [T][D]; both pads have the same
export const x = WORDS.map((_, t) => [0, 1, 2, 3].map(i => Math.sin(2.4 * Math.min(t, REAL) + 1.9 * i + 0.3) / 2));

// May query t look at key s? `ahead` is the diagonal: tril(ahead)
export const allowedBy = ({ padding, causal, ahead }) => (t, s) => (!padding || s < REAL) && (!causal || s <= t + ahead);

// New words [T][D]: each layer adds what attention finds, with queries, keys and values that are the words themselves
export function through(layers, x, allowed) {
  for (let layer = 0; layer < layers; layer++) {
    const { context } = attention(x, x, x, allowed);
    x = x.map((row, t) => row.map((number, i) => number + context[t][i]));
  }
  return x;
}

// How far each new word (row) moves when one word (column) is changed [T][T]
export function moves(layers, x, allowed) {
  const before = through(layers, x, allowed);
  const columns = x.map((_, s) => {
    const changed = x.map((row, t) => t === s ? row.map((number, i) => number + (i % 2 ? -0.5 : 0.5)) : row);
    return through(layers, changed, allowed).map((row, t) => Math.hypot(...row.map((number, i) => number - before[t][i])));
  });
  return x.map((_, t) => columns.map(column => column[t]));
}

// Pairs (t, s) with t < s where new word t moves: what no causal model may have
export const leaks = moved => moved.flatMap((row, t) => row.flatMap((far, s) => t < s && far > 1e-9 ? [[t, s]] : []));

// What the outlined squares mean, in a sentence or two
export function finding(moved, { causal }) {
  const found = leaks(moved), pads = moved.slice(0, REAL).flatMap(row => row.slice(REAL)).some(far => far > 1e-9);
  const far = Math.max(...found.map(([t, s]) => s - t)), start = `${found.length} outlined squares: `;
  const order = !found.length ? "No square is outlined: no word depends on a later one, and a writer may learn with this mask."
    : !causal ? `${start}words see what comes later. A reader may, a writer may not.`
      : `${start}this mask leaks. A word depends on what comes up to ${far} place${far > 1 ? "s" : ""} later.`;
  return `${order} ${pads ? "Pads reach words: the words move with the length of a neighbour." : "No pad reaches a word."}`;
}

// A table of shares of the largest entry; leaks are outlined
function map(moved, caption) {
  const most = Math.max(...moved.flat());
  const made = table(moved.map(row => row.map(far => far / most)), WORDS, WORDS, caption);
  for (const [t, s] of leaks(moved)) made.tBodies[0].rows[t].cells[s + 1].classList.add("marked");
  return made;
}

const SHOWN = [["causal, two layers", { padding: false, causal: true, ahead: 0, layers: 2 }],
               ["one ahead, one layer", { padding: false, causal: true, ahead: 1, layers: 1 }],
               ["one ahead, two layers", { padding: false, causal: true, ahead: 1, layers: 2 }]];

define("mask", "Masks that can be switched, and their leaks", element => {
  const box = () => make("input", { type: "checkbox" });
  const padding = box(), causal = box(), ahead = box();
  const layers = make("select", {}, [1, 2, 3].map(count => make("option", { value: count }, `${count}`)));
  const looks = make("div"), reach = make("div"), said = make("p", { className: "said", role: "status" });
  const buttons = SHOWN.map(([title, state]) => make("button", { type: "button", onclick: () => take(state) }, title));

  function take(state) {
    [padding.checked, causal.checked, ahead.checked, layers.value] = [state.padding, state.causal, state.ahead, state.layers];
    draw();
  }

  function draw() {
    const state = { padding: padding.checked, causal: causal.checked, ahead: +ahead.checked, layers: +layers.value };
    const allowed = allowedBy(state), moved = moves(state.layers, x, allowed);
    ahead.disabled = !state.causal;
    SHOWN.forEach(([, shown], i) =>
      buttons[i].setAttribute("aria-pressed", Object.keys(shown).every(name => shown[name] === state[name])));
    looks.replaceChildren(table(attention(x, x, x, allowed).weights, WORDS, WORDS, "Weights of the first layer"));
    reach.replaceChildren(map(moved, `Dependence after ${state.layers} layer${state.layers > 1 ? "s" : ""}`));
    said.textContent = finding(moved, state);
  }

  for (const input of [padding, causal, ahead, layers]) input.addEventListener("change", draw);
  element.append(
    make("div", { className: "panels small upright" }, SHOWN.map(([title, state], i) => make("div", {}, buttons[i],
      map(moves(state.layers, x, allowedBy(state)), title)))),
    make("div", { className: "controls" }, labelled(padding, "padding mask"), labelled(causal, "causal mask"),
      labelled(ahead, "one ahead: tril(1)"), labelled("layers ", layers)),
    make("div", { className: "panels upright" }, looks, reach), said,
    make("p", { className: "caption" }, "How much each new word (row) depends on each word (column), as a share of the largest in "
      + "its table. Hatched: not at all. Outlined: what no causal model may have. Press the name of a small table to take its masks. "
      + "Count the outlined squares as you add a layer. Then switch the padding mask on: which of them go?"));
  take(SHOWN[2][1]);
});
