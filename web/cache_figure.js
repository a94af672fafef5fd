// Chapter 18: six words, written one at a time, with everything read again and with a cache.

import { define, labelled } from "./live.js";
import { make, table } from "./maps.js";
import { attention } from "./transformer.js";

// The vectors of the words; each is its own query, key and value, as in the chapter
export const X = [[1, 0], [0, 1], [1, 1], [1, -1], [0.5, 1], [-1, 0.5]];

// Causal attention on the first `step` words: context [step][2] and weights [step][step]
export const whole = step => attention(X.slice(0, step), X.slice(0, step), X.slice(0, step), (t, s) => s <= t);
// The newest word alone: the cache holds keys and values of those before it
export function newest(step) {
  const cache = { key: X.slice(0, step - 1), value: X.slice(0, step - 1) }, x = X[step - 1];
  return attention([x], [...cache.key, x], [...cache.value, x]);
}

const sum = (upTo, count) => Array.from({ length: upTo }, (_, t) => count(t + 1)).reduce((a, b) => a + b, 0);
// What is made at a step, and in all steps up to it
export const counts = step => ({
  again: { keys: step, scores: step ** 2, allKeys: sum(step, t => t), allScores: sum(step, t => t ** 2) },
  cached: { keys: 1, scores: step, allKeys: step, allScores: sum(step, t => t) } });

const many = (number, what) => `${number} ${what}${number > 1 ? "s" : ""}`;

export function finding(step) {
  const { again, cached } = counts(step), answer = newest(step).context[0].map(number => (number + 1e-9).toFixed(3).replace("-", "−"));
  return `Step ${step}. Reading everything again makes ${many(again.keys, "key")} and ${many(again.scores, "score")}; with the cache `
    + `${many(cached.keys, "key")} and ${many(cached.scores, "score")}. So far ${many(again.allKeys, "key")} against ${cached.allKeys}, and `
    + `${many(again.allScores, "score")} against ${cached.allScores}. Both give the newest word the answer (${answer.join(", ")}).`;
}

define("cache", "A cache that fills word by word", element => {
  const steps = make("input", { type: "range", min: 1, max: X.length, step: 1, value: 4 }), shown = make("span", { className: "shown", "aria-hidden": "true" });
  const maps = make("div", { className: "panels" }), said = make("p", { className: "said", role: "status" });
  const next = make("button", { type: "button", onclick: () => { steps.value = steps.value % X.length + 1; draw(); } }, "Next word");

  // Weights by words; what is made at this step is outlined, and so are the names of the keys that are made
  function map(rows, firstRow, firstKey, step, caption) {
    const names = Array.from({ length: step }, (_, s) => s + 1);
    const made = table(rows, names.slice(firstRow), names, caption);
    [...made.tHead.rows[0].cells].slice(1 + firstKey).forEach(head => head.classList.add("made"));
    [...made.tBodies[0].rows].forEach(row => [...row.cells].slice(1).forEach(cell => cell.classList.add("marked")));
    return make("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": caption }, made);
  }

  function draw() {
    const step = +steps.value;
    shown.textContent = step;
    maps.replaceChildren(map(whole(step).weights, 0, 0, step, "Everything again"),
      map(newest(step).weights, step - 1, step - 1, step, "With the cache"));
    said.textContent = finding(step);
  }

  steps.addEventListener("input", draw);
  element.append(make("div", { className: "controls" }, labelled("words so far", steps, shown), next), maps, said,
    make("p", { className: "caption" }, "Rows are queries, columns are keys. Every square is a weight whose score is made at this step; the striped ones are "
      + "made, and then hidden by the mask. A key whose number is outlined is made anew. Go on word by word: the first map grows in both "
      + "directions, and the second stays a row."));
  draw();
});
