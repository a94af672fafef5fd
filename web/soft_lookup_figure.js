// Chapter 02: every place of a plane is a query. Drag it, turn the temperature, and see weights and answer follow.

import { define, labelled, scrolling } from "./live.js";
import { make, table, thumbnail } from "./maps.js";
import { dot, softmax } from "./transformer.js";

const KEYS = ["computer", "dog", "cat"], VALUES = ["price", "kg", "legs"];
//                   animal pet bark young machine
export const keys = [[0, 0, 0, 0, 1], [1, 1, 1, 0, 0], [1, 1, 0, 0, 0]];
export const values = [[9, 4, 0], [2, 20, 4], [3, 5, 4]];
export const queryAt = (bark, machine) => [1, 1, bark, 1, machine];

const length = vector => Math.max(Math.sqrt(dot(vector, vector)), 1e-8);
export const cosine = (query, key) => dot(query, key) / (length(query) * length(key));    // 0 for a vector of zeros

// Weights [S] and answer [D] of one query [K], for key [S][K] and value [S][D]
export function lookup(query, key, value, temperature) {
  const weights = softmax(key.map(row => cosine(query, row) / temperature));
  const answer = value[0].map((_, d) => weights.reduce((sum, weight, s) => sum + weight * value[s][d], 0));
  return { weights, answer };
}

// --- The plane: bark from 0 to 1 to the right, machine from 0 to 2 upwards ---

const LEFT = 44, TOP = 10, WIDE = 280, HIGH = 240, ROWS = 24, COLUMNS = 28;
const x = bark => LEFT + WIDE * bark, y = machine => TOP + HIGH * (1 - machine / 2);
// Where two keys fit equally well: dog and cat, computer and cat, computer and dog
export const edges = [[[6 ** 0.5 - 2, 0], [6 ** 0.5 - 2, 2 ** 0.5]], [[0, 2 ** 0.5], [6 ** 0.5 - 2, 2 ** 0.5]],
                      [[6 ** 0.5 - 2, 2 ** 0.5], [1, 3 ** 0.5]]];
const svg = (tag, attributes, ...children) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};
const words = (text, across, down, more = {}) => svg("text", { x: across, y: down, "text-anchor": "middle", ...more }, text);

// The answers' prices over the whole plane: from white, 2, to grey, 9
function shades(temperature) {
  const rows = Array.from({ length: ROWS }, (_, i) => Array.from({ length: COLUMNS }, (_, j) => {
    const query = queryAt((j + 0.5) / COLUMNS, 2 - 2 * (i + 0.5) / ROWS);
    return (lookup(query, keys, values, temperature).answer[0] - 2) / 7 * 0.55;
  }));
  return thumbnail(rows).toDataURL();
}

function plane() {
  const picture = svg("image", { x: LEFT, y: TOP, width: WIDE, height: HIGH, preserveAspectRatio: "none", style: "filter: grayscale(1)" });
  const lines = edges.map(([[a, b], [c, d]]) => svg("line", { x1: x(a), y1: y(b), x2: x(c), y2: y(d), stroke: "#1a1a1a", "stroke-dasharray": "5 4" }));
  const names = [["computer", 0.5, 1.72], ["dog", 0.72, 0.7], ["cat", 0.22, 0.7]].map(([name, a, b]) =>
    words(`nearest: ${name}, ${values[KEYS.indexOf(name)][0]}`, x(a), y(b), { class: "halo" }));
  const ticks = [[0, 0], [1, 1]].map(([at, text]) => words(text, x(at), TOP + HIGH + 17)).concat(
    [0, 1, 2].map(at => words(at, LEFT - 10, y(at) + 4)), words("bark", x(0.5), TOP + HIGH + 17),
    words("machine", 0, 0, { transform: `translate(16 ${y(1)}) rotate(-90)` }));
  const places = [["kitten", 0, "start", 8], ["puppy", 1, "end", -8]].map(([name, at, anchor, aside]) =>
    words(name, x(at) + aside, y(0) - 8, { class: "halo", "text-anchor": anchor }));
  const query = svg("g", { class: "handle", style: "cursor: grab; touch-action: none" },
    svg("circle", { r: 22, fill: "transparent" }), svg("circle", { r: 9, fill: "#3299e3", stroke: "#1a1a1a", "stroke-width": 2 }));
  const drawing = svg("svg", { viewBox: "0 0 340 275", width: 340, "aria-hidden": "true" },
    picture, svg("rect", { x: LEFT, y: TOP, width: WIDE, height: HIGH, fill: "none", stroke: "#767676" }),
    ...lines, ...names, ...ticks, ...places, query);
  return { drawing, picture, query };
}

// --- The figure ---

const few = number => number.toFixed(2), share = weight => few(weight).replace(/^0/, "");
const range = (min, max, step, value) => make("input", { type: "range", min, max, step, value });

define("soft-lookup", "A soft lookup with a query that moves", element => {
  const bark = range(0, 1, 0.01, 0.5), machine = range(0, 2, 0.02, 1.2), heat = range(-2, 1, 0.05, -1);
  const shown = [bark, machine, heat].map(() => make("span", { className: "shown", "aria-hidden": "true" }));
  const { drawing, picture, query } = plane(), map = scrolling("", "weights and answers"), said = make("p", { className: "said", role: "status" });
  let painted;

  function draw() {
    const temperature = 10 ** heat.value, mine = queryAt(+bark.value, +machine.value);
    const found = [[1, 1, 1, 1, 0], keys[2], mine].map(one => lookup(one, keys, values, temperature));
    query.setAttribute("transform", `translate(${x(+bark.value)} ${y(+machine.value)})`);
    if (painted !== temperature) picture.setAttribute("href", shades(painted = temperature));
    [bark.value, machine.value, temperature].forEach((number, i) => { shown[i].textContent = few(+number); });
    heat.setAttribute("aria-valuetext", few(temperature));
    const weights = table(found.map(one => one.weights), ["puppy", "cat", "yours"], KEYS, `Weights and answers at temperature ${few(temperature)}`);
    weights.querySelectorAll("th").forEach((head, i) => (head.firstElementChild ?? head).classList.add(i < 3 ? "key" : "query"));
    weights.tHead.rows[0].append(...VALUES.map(name => make("th", { scope: "col" }, make("span", { className: "value" }, name))));
    [...weights.tBodies[0].rows].forEach((row, i) =>
      row.append(...found[i].answer.map(number => make("td", { className: "answer" }, few(number)))));
    map.replaceChildren(weights);
    said.textContent = finding(found[2]);
  }

  function moved(event) {
    const box = drawing.getBoundingClientRect(), scale = 340 / box.width;
    bark.value = ((event.clientX - box.left) * scale - LEFT) / WIDE;
    machine.value = 2 - 2 * ((event.clientY - box.top) * scale - TOP) / HIGH;
    draw();
  }
  drawing.addEventListener("pointerdown", event => { drawing.setPointerCapture(event.pointerId); moved(event); });
  drawing.addEventListener("pointermove", event => drawing.hasPointerCapture(event.pointerId) && moved(event));
  for (const input of [bark, machine, heat]) input.addEventListener("input", draw);
  element.append(
    make("div", { className: "panels" }, make("div", {}, drawing), make("div", { className: "beside" },
      make("div", { className: "controls" }, labelled("bark", bark, shown[0]), labelled("machine", machine, shown[1]),
        labelled("temperature", heat, shown[2])), map, said)),
    make("p", { className: "caption" }, "The weights of three queries. Each row is a query and adds up to 1; dark blue is much, "
      + "white is nothing. In the plane every place is a query: a young pet animal with some bark and some machine. The darker "
      + "the place, the higher its price; dashed lines part the areas of the nearest keys. Drag the circle across a line, and "
      + "the price slides. Then lower the temperature: the slope becomes a step."));
  draw();
});

// The sentence below the table
export function finding({ weights, answer }) {
  const order = weights.map((weight, s) => [weight, KEYS[s]]).sort(([a], [b]) => b - a);
  const told = order.map(([weight, name], i) => `${share(weight)} ${i ? "" : "of its weight "}on ${name}`).join(", ");
  const most = order[0][0], spread = most - order[2][0];
  return `Your query puts ${told}, and costs ${few(answer[0])}. ` + (
    most > 0.98 ? `The nearest key, ${order[0][1]}, takes nearly all: this is a dictionary again.`
      : spread < 0.05 ? "All keys count nearly alike: the price is close to the mean, 4.67."
        : "The answer mixes the prices of the keys.");
}
