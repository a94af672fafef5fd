// <live-beam>: a beam search drawn as a tree, step by step (chapter 17).
//
// A writer is a table: `next` says, for each beginning ("3 7": words 3 and 7), which words may come next and log p of
// each, as far as a beam up to 5 wide can take them. Word 0 is the end. tools/figure_data.py writes these tables.

import { normalised, signed } from "./decoding.js";
import { define, fetched, labelled, near, scrolling } from "./live.js";
import { make } from "./maps.js";

// A beam search. Each step has `boxes`, the 2 * width best continuations, the best first: { words, log, total, state },
// where state is "kept", "ended" or "pruned"; and `found`, the best that have ended by then. The `found` beside the
// steps holds what has not ended by the longest length, too: { words, total, length, score }
export function search(next, width, penalty, longest) {
  const scored = (words, total, length) => ({ words, total, length, score: normalised(total, length, penalty) });
  const steps = [];
  let going = [{ words: [], total: 0 }], found = [];
  for (let length = 1; length <= longest && going.length; length++) {
    const longer = going.flatMap(({ words, total }) => (next[words.join(" ")] ?? []).map(([word, log]) =>
      ({ words: [...words, word], log, total: total + log }))).sort((a, b) => b.total - a.total).slice(0, 2 * width);
    const ends = ({ words }) => words.at(-1) === 0;
    const ended = longer.slice(0, width).filter(ends);
    going = longer.filter(one => !ends(one)).slice(0, width);
    found = [...found, ...ended.map(({ words, total }) => scored(words.slice(0, -1), total, length))]
      .sort((a, b) => b.score - a.score).slice(0, width);
    const state = one => ended.includes(one) ? "ended" : going.includes(one) ? "kept" : "pruned";
    steps.push({ boxes: longer.map(one => ({ ...one, state: state(one) })), found });
    // log p can only fall, the penalty only grow: the best that may still come
    const top = going[0]?.total ?? -Infinity;
    const most = Math.max(...[length + 1, longest].map(end => normalised(top, end, penalty)));
    if (found.length === width && found.at(-1).score >= most) return { steps, found };
  }
  const cut = going.map(({ words, total }) => scored(words, total, longest));
  return { steps, found: [...found, ...cut].slice(0, width) };
}

// A row for each box of each step, such that no two lines cross: below each other as their beginnings are
export function rows(steps) {
  let before = new Map([["", 0]]);
  return steps.map(({ boxes }) => {
    const parent = one => before.get(one.words.slice(0, -1).join(" "));
    const order = boxes.map((_, n) => n).sort((a, b) => parent(boxes[a]) - parent(boxes[b]) || a - b);
    const places = boxes.map((_, n) => order.indexOf(n));
    before = new Map(boxes.map((one, n) => [one.words.join(" "), places[n]]));
    return places;
  });
}

const [GAP, TALL, SPACE] = [60, 52, 8];    // pixels: the room between two columns, a box, the room between two rows
// How wide the boxes of a tree are: its longest word fits
const widest = (steps, words) => Math.max(92, ...steps.flatMap(({ boxes }) =>
  boxes.map(one => 12 + 9 * words[one.words.at(-1)][0].length)));
const left = (t, wide) => 12 + t * (wide + GAP) + GAP;    // where the boxes of a step begin
const NS = "http://www.w3.org/2000/svg";
const svg = (tag, attributes, ...children) => {
  const made = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

// The tree up to a step as a drawing; `first` is the best translation so far
export function tree(steps, shown, first, words) {
  const places = rows(steps), tall = Math.max(...places.map(row => row.length)) * (TALL + SPACE);
  const each = widest(steps, words), wide = left(steps.length, each) - GAP + 12;
  const middle = (t, row) => (row + 0.5) * tall / places[t].length, best = first && `${[...first.words, 0].join(" ")} `;
  const [lines, frames] = [[], []];
  let before = new Map([["", { x: 12, y: tall / 2 }]]);    // where each beginning's box ends
  steps.slice(0, shown).forEach(({ boxes }, t) => {
    const ends = new Map();
    boxes.forEach(({ words: ids, log, total, state }, n) => {
      const key = ids.join(" "), from = before.get(ids.slice(0, -1).join(" "));
      const x = left(t, each), y = middle(t, places[t][n]);
      const on = y + (from.y - y) * 22 / GAP;    // the line's height where log p stands, near its box: there lines are far apart
      const name = best?.startsWith(`${key} `) ? `${state} first` : state, [word, gloss] = words[ids.at(-1)];
      const frame = inset => svg("rect", { x: x + inset, y: y - TALL / 2 + inset, rx: 4,
        width: each - 2 * inset, height: TALL - 2 * inset });
      const line = (kind, down, told) => svg("text", { class: kind, x: x + each / 2, y: y + down }, told);
      lines.push(svg("path", { class: name, d: `M${from.x} ${from.y}L${x} ${y}` }));
      frames.push(svg("g", { class: name }, svg("text", { class: "log", x: x - 22, y: on + 4.5 }, signed(log)),
        frame(0), ...state === "ended" ? [frame(3)] : [], ...gloss
          ? [line("word", -11, word), line("gloss", 4, gloss), line("sum", 20, signed(total))]
          : [line("word", -4, word), line("sum", 14, signed(total))]));
      ends.set(key, { x: x + each, y });
    });
    before = ends;
  });
  return svg("svg", { viewBox: `0 0 ${wide} ${tall}`, width: wide, height: tall, "aria-hidden": true },
    ...lines, ...frames, svg("circle", { cx: 9, cy: tall / 2, r: 4 }));
}

const text = ({ words }, now) => words.map(word => now.words[word][0]).join(" ") || "nothing";

// What is to be seen after a step, in words
export function finding(now, steps, shown, greedy) {
  if (!shown) return "Step 0: nothing is written yet.";
  const { boxes, found: [best] } = steps[shown - 1], of = state => boxes.filter(one => one.state === state);
  const named = one => `${now.words[one.words.at(-1)][0]} (${signed(one.total)})`;
  const told = [`Step ${shown} of ${steps.length} keeps ${of("kept").map(named).join(", ") || "nothing"}.`];
  for (const state of ["pruned", "ended"]) if (of(state).length) told.push(`${of(state).length} ${state}.`);
  if (shown === steps.length && of("kept").length) told.push("The search ends: what goes on cannot come among the best.");
  if (!best) return [...told, "No translation is whole."].join(" ");
  const judged = text(best, now) === now.right ? ", and is right" : ", and is wrong";
  const right = now.right && shown === steps.length ? judged : "";
  told.push(`The best so far has log p ${signed(best.total)}${right}.`, text(best, now) === text(greedy, now)
    ? "Greedy writes the same." : `Greedy writes another, with ${signed(greedy.total)}.`);
  return told.join(" ");
}

define("beam", "A beam search, step by step", async element => {
  await near(element);
  const { longest, sentences } = await fetched("beam.json");
  const slider = (max, step, value) => make("input", { type: "range", min: 0, max, step, value });
  const sentence = make("select", {}, sentences.map(({ name }, n) => make("option", { value: n }, name)));
  const sliders = { width: slider(5, 1, 2), penalty: slider(1, 0.1, 0), step: slider(1, 1, 1) }, shows = {};
  for (const name in sliders) shows[name] = make("output");
  sliders.width.min = 1;
  const region = scrolling("", "The tree of the search");
  const said = make("p", { className: "said", role: "status" }), best = make("ol", { className: "best" });

  function draw(anew = true) {
    const now = sentences[sentence.value], width = +sliders.width.value, penalty = +sliders.penalty.value;
    const { steps } = search(now.next, width, penalty, longest), greedy = search(now.next, 1, 0, longest).found[0];
    if (anew) {
      sliders.step.max = steps.length;    // first: the value cannot pass it
      sliders.step.value = steps.length;
    }
    const shown = Number(sliders.step.value), whole = steps[shown - 1]?.found ?? [];
    shows.width.value = width === 1 ? "1, greedy" : width;
    shows.penalty.value = penalty === 0 ? "0, plain sum" : penalty;
    shows.step.value = `${shown} of ${steps.length}`;
    region.replaceChildren(tree(steps, shown, whole[0], now.words));
    best.replaceChildren(...whole.map(one => make("li", {},
      make("b", {}, text(one, now).replaceAll("-", "\u2011")),    // a hyphen at which no line breaks
      ` log p ${signed(one.total)}, length ${one.length}, score ${signed(one.score)}`)));
    said.textContent = finding(now, steps, shown, greedy);
  }
  for (const name in sliders) sliders[name].addEventListener("input", () => draw(name !== "step"));
  sliders.step.addEventListener("input", () => {    // what was drawn last is seen
    const last = region.querySelector("g:last-of-type rect")?.getBBox();
    region.scrollLeft = last ? last.x + last.width + GAP - region.clientWidth : 0;
  });
  sentence.addEventListener("change", () => { draw(); region.scrollLeft = 0; });
  element.append(make("div", { className: "controls" }, labelled("sentence", sentence),
    labelled("beam size", sliders.width, shows.width), labelled("length penalty", sliders.penalty, shows.penalty),
    labelled("step", sliders.step, shows.step)), region, said,
    make("p", {}, "What is whole by then, the best score first:"), best,
    make("p", { className: "caption" }, "Each column is a step. On a line stands log p of the word, in a box the sum "
      + "so far. Solid boxes are kept, dotted ones pruned; a double frame has ended, and the thick line leads to the "
      + "best. The length penalty waits for the section Short translations win, below. Try a beam of one, which is greedy. "
      + "Then choose another sentence, and find the step at which greedy loses the best."));
  draw();
});
