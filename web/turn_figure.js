// Chapter 12: a query and a key at two positions, moved together and apart, in three codes.

import { define, labelled } from "./live.js";
import { make } from "./maps.js";
import { dot, sinusoids } from "./transformer.js";

const QUERY = [2, 0], KEY = [1, 0], LEFT = [3, 1], WIDTH = 8;
// Two words for the sum of word and code: any numbers will do
export const [x, y] = [0.4, 1.7].map(start => Array.from({ length: WIDTH }, (_, i) => Math.sin(start + 2.1 * i)));

// A pair turned by 30 degrees for each position
export function rotate([a, b], position) {
  const angle = position * Math.PI / 6;
  return [a * Math.cos(angle) - b * Math.sin(angle), a * Math.sin(angle) + b * Math.cos(angle)];
}

const added = (word, position) => { const code = sinusoids(position, WIDTH); return word.map((number, i) => number + code[i]); };
// The score of a query at position t and a key at position s
export const SCORES = {
  "turned (rotary)": (t, s) => dot(rotate(QUERY, t), rotate(KEY, s)),
  "sinusoids alone": (t, s) => dot(sinusoids(t, WIDTH), sinusoids(s, WIDTH)),
  "words plus sinusoids": (t, s) => dot(added(x, t), added(y, s)),
};

export function finding(t, s) {
  const told = `On the left the query stands ${LEFT[0] - LEFT[1]} places after the key, on the right ${t - s}.`;
  const same = Object.entries(SCORES).filter(([, score]) => Math.abs(score(t, s) - score(...LEFT)) < 1e-5).map(([name]) => name);
  if (t - s !== LEFT[0] - LEFT[1]) return `${told} Another distance, and other scores.`;
  return t === LEFT[0] ? `${told} The positions are the same, and so is every score.`
    : `${told} Both moved together, and these scores stay: ${same.join(", ")}.`;
}

const svg = (tag, attributes, ...children) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

// Two hands from the middle of a circle each; their positions stand at the tips
function hands(t, s) {
  const at = ([a, b], far = 1) => [120 + 44 * a * far, 120 - 44 * b * far];
  const hand = (vector, position, colour, mark) => {
    const tip = rotate(vector, position), [across, down] = at(tip), long = Math.hypot(...vector), [left, low] = at(tip, 1 + 0.32 / long);
    return [svg("circle", { cx: 120, cy: 120, r: 44 * long, class: "way", "stroke-dasharray": "2 3" }),
            svg("line", { x1: 120, y1: 120, x2: across, y2: down, stroke: colour, "stroke-width": 2 }),
            mark === "round" ? svg("circle", { cx: across, cy: down, r: 5, fill: colour })
              : svg("rect", { x: across - 5, y: down - 5, width: 10, height: 10, fill: colour }),
            svg("text", { x: left, y: low + 4, "text-anchor": "middle", class: "halo" }, position)];
  };
  return svg("svg", { viewBox: "0 0 240 240", width: 220, "aria-hidden": "true" },
    ...hand(QUERY, t, "#3299e3", "round"), ...hand(KEY, s, "#db3f24", "square"));
}

define("turn", "A query and a key that turn with their positions", element => {
  const slider = (min, max, value) => make("input", { type: "range", min, max, step: 1, value });
  const both = slider(0, 40, 6), apart = slider(0, 8, 2), shown = [make("span", { className: "shown", "aria-hidden": "true" }), make("span", { className: "shown", "aria-hidden": "true" })];
  const said = make("p", { className: "said", role: "status" }), drawings = make("div", { className: "panels" }), box = make("div");

  function draw() {
    const s = +both.value, t = s + +apart.value;
    [shown[0].textContent, shown[1].textContent] = [s, t - s];
    drawings.replaceChildren(...[LEFT, [t, s]].map(([one, other]) => make("div", {}, hands(one, other),
      make("p", {}, make("span", { className: "query" }, `query at ${one}`), " ", make("span", { className: "key" }, `key at ${other}`)))));
    box.replaceChildren(make("table", { className: "turns" }, make("caption", {}, "Scores"),
      make("thead", {}, make("tr", {}, make("td"), ["left", "right"].map(side => make("th", { scope: "col" }, side)))),
      make("tbody", {}, Object.entries(SCORES).map(([name, score]) => make("tr", {}, make("th", { scope: "row" }, name),
        [score(...LEFT), score(t, s)].map(number => make("td", {}, (number + 1e-9).toFixed(4).replace("-", "−"))))))));
    said.textContent = finding(t, s);
  }

  for (const input of [both, apart]) input.addEventListener("input", draw);
  element.append(drawings,
    make("div", { className: "controls" }, labelled("move both: key at", both, shown[0]), labelled("move apart: distance", apart, shown[1])),
    box, said,
    make("p", { className: "caption" }, "The left side stays. Move both words on the right: the hands turn, the angle between them stays, and with it the "
      + "score. Sinusoids alone do the same. In the last row words are added to them, and their products with the codes change. Then move the words apart."));
  draw();
});
