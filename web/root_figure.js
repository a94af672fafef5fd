// Chapter 09: one query, ten keys, all drawn at random. Their width grows, with the root and without.

import { define, labelled } from "./live.js";
import { make, table } from "./maps.js";
import { dot, softmax } from "./transformer.js";

export const WIDTHS = [4, 16, 64, 256, 1024], QUERIES = 60, KEYS = 10;

// Numbers of mean 0 and standard deviation 1, the same for the same seed (mulberry32, then Box and Muller)
export function normals(seed) {
  const even = () => {
    seed = seed + 0x6d2b79f5 | 0;
    let bits = Math.imul(seed ^ seed >>> 15, seed | 1);
    bits ^= bits + Math.imul(bits ^ bits >>> 7, bits | 61);
    return ((bits ^ bits >>> 14) >>> 0) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(1 - even())) * Math.cos(2 * Math.PI * even());
}

// Dot products of each query with its keys: [QUERIES][KEYS]
export function products(width, seed) {
  const one = normals(seed * 7919 + width), vector = () => Float64Array.from({ length: width }, one);
  return Array.from({ length: QUERIES }, () => {
    const query = vector();
    return Array.from({ length: KEYS }, () => dot(query, vector()));
  });
}

// How much the weights move with the scores: the length of the Jacobian of the softmax
export const slope = weights => Math.hypot(...weights.flatMap((w, i) => weights.map((v, j) => w * ((i === j) - v))));
export const median = numbers => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
export const deviation = numbers => Math.sqrt(numbers.reduce((sum, one) => sum + one ** 2, 0) / numbers.length);

// Of all queries: the middle one's largest weight, and the middle slope by the dot products
export function measured(rows, root) {
  const weights = rows.map(row => softmax(row.map(score => score / root)));
  return { largest: median(weights.map(row => Math.max(...row))), slope: median(weights.map(row => slope(row) / root)) };
}

const small = number => number < 1e-4 ? "below 0.0001" : number.toFixed(4);

export function finding(rows, width) {
  const root = Math.sqrt(width), [plain, divided] = [1, root].map(one => measured(rows, one));
  return `The ${rows.length * KEYS} scores have the standard deviation ${deviation(rows.flat()).toFixed(1)}; the root of ${width} is ${root}. `
    + `Undivided, the best key of the middle query takes ${plain.largest.toFixed(2)}, and the middle slope is ${small(plain.slope)}. `
    + `Divided, it takes ${divided.largest.toFixed(2)}, and the slope is ${small(divided.slope)}.`;
}

define("root", "Scores of random queries and keys, with the root and without", element => {
  const width = make("input", { type: "range", min: 0, max: WIDTHS.length - 1, step: 1, value: 3 }), shown = make("span", { className: "shown", "aria-hidden": "true" });
  const maps = make("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "weights" });
  const said = make("p", { className: "said", role: "status" });
  let seed = 3;

  function draw() {
    const K = WIDTHS[width.value], root = Math.sqrt(K), rows = products(K, seed);
    const names = rows[0].map((_, s) => `key ${s}`), parts = [1, root].map(one => softmax(rows[0].map(score => score / one)));
    shown.textContent = K;
    width.setAttribute("aria-valuetext", `${K} numbers`);
    maps.replaceChildren(table(parts, ["undivided", `divided by ${root}`], names, `Weights of one query, ${K} numbers wide`));
    said.textContent = finding(rows, K);
  }

  width.addEventListener("input", draw);
  element.append(
    make("div", { className: "controls" }, labelled("width of query and key", width, shown),
      make("button", { type: "button", onclick: () => { seed++; draw(); } }, "Draw others")),
    maps, said,
    make("p", { className: "caption" }, `One of ${QUERIES} random queries, with its ${KEYS} keys. Dark blue is much. Make query and key wider: the upper `
      + "row shrinks to one key, and the lower row stays as it is."));
  draw();
});
