// Chapters 07 and 08: where a trained model looks while it writes each piece, beside the gold links; and what models
// with and without attention make of the same sentence. tools/figure_data.py writes the data, from stored results.

import { define, fetched, labelled, near, scrolling } from "./live.js";
import { make, table } from "./maps.js";

export const heaviest = row => row.indexOf(Math.max(...row));
export const goldOf = (links, t) => links.filter(([, piece]) => piece === t).map(([word]) => word);
// The pieces that have a gold link
export const linked = links => [...new Set(links.map(([, t]) => t))].sort((a, b) => a - b);
// Of those, how many have their heaviest word among the linked ones (the hits of chapter 08)
export const hits = (weights, links) =>
  linked(links).filter(t => goldOf(links, t).includes(heaviest(weights[t]))).length;
// The weight that lies on linked words, all pieces together (the mass of chapter 08)
export const mass = (weights, links) => links.reduce((sum, [word, t]) => sum + weights[t][word], 0);
// Rows are kept as text, in ten-thousandths
export const read = rows => rows.map(row => row.split(" ").map(part => part / 10000));

// The piece whose linked word is furthest off the diagonal: there order differs most between the languages
export const furthest = (links, words, pieces) =>
  links.map(([word, t]) => [Math.abs((t + 0.5) / pieces - (word + 0.5) / words), t]).sort((a, b) => b[0] - a[0])[0][1];

const percent = share => `${Math.round(100 * share)} %`;

// What one row says, in words
export function finding({ source, pieces, links }, weights, t) {
  const [letters, gloss] = pieces[t], top = heaviest(weights[t]), gold = goldOf(links, t);
  const start = `To write ${letters} (${gloss}) it puts ${percent(weights[t][top])} of its weight on “${source[top]}”`;
  const named = gold.map(word => `“${source[word]}”`).join(" and ");
  return !gold.length ? `${start}. This piece has no gold link.` : gold.includes(top) ? `${start}: a gold link.`
    : `${start}. The gold link is ${named}, with ${percent(gold.reduce((sum, word) => sum + weights[t][word], 0))}.`;
}

// Hits and mass of the whole sentence, in words
export function summary({ links }, weights) {
  const count = linked(links).length;
  return `In this sentence ${count} pieces have a gold link. For ${hits(weights, links)} of them the heaviest word is `
    + `a linked one, and ${percent(mass(weights, links) / count)} of their weight lies on linked words.`;
}

// The map: a column for each word, gold links framed, the chosen row marked; choose(t) is called by a click on a row
function map({ source, pieces, links }, weights, chosen, choose) {
  const seen = weights.map(row => row.map(weight => weight || 1e-9));    // small, and not hidden by a mask
  const made = table(seen, pieces.map(part => part.join(" ")), source, "");
  made.caption.remove();
  for (const [word, t] of links) made.tBodies[0].rows[t].cells[word + 1].classList.add("marked");
  [...made.tBodies[0].rows].forEach((row, t) => {
    row.classList.toggle("chosen", t === chosen);
    row.addEventListener("click", () => choose(t));
  });
  return made;
}

// What the models in `names` write, and the content words that they find: here, and on average at each length
function written({ written, right, size }, { sizes, content }, names) {
  const known = Object.keys(names), here = n => sizes[n] === size ? "here" : "";
  const line = (title, text, lost = []) => make("li", {}, make("b", {}, title),
    lost.length ? `, lost: ${lost.join(", ")}` : "", make("span", { lang: "ko" }, text));
  const rows = known.map(name => {
    const { text, content: [found, all], lost } = written[name];
    return line(`${names[name]}: ${found} of ${all}`, text, lost);
  });
  return [make("p", {}, "What each writes by itself, with the content words found in it, wherever they stand:"),
    make("ul", {}, line("the right one", right), rows),
    make("p", {}, "Content words found, of 100, by words of the sentence; between the lines: lengths as here."),
    scrolling(make("table", { className: "lengths" }, make("thead", {}, make("tr", {}, make("td"),
      sizes.map((name, n) => make("th", { scope: "col", className: here(n) }, name)))),
    make("tbody", {}, known.map(name => make("tr", {}, make("th", { scope: "row" }, names[name]),
      content[name].map((share, n) => make("td", { className: here(n) }, share.toFixed(0))))))),
    "Content words by length")];
}

// Fills the element: `names` are titles of models, `hint` says what to try, start(data) is the place of a sentence
export async function draw(element, names, hint, start) {
  await near(element);
  const data = await fetched("alignment.json"), { sentences, sizes } = data;
  const option = n => make("option", { value: n }, sentences[n].source.join(" "));
  const sentence = make("select", {}, sizes.map(size => make("optgroup", { label: `${size} words` },
    sentences.map((_, n) => n).filter(n => sentences[n].size === size).map(option))));
  sentence.value = start(data);
  const scores = Object.keys(names).filter(name => name in sentences[0].weights);
  const score = make("select", {}, scores.map(name => make("option", { value: name }, names[name])));
  const piece = make("input", { type: "range", min: 1, step: 1 }), shown = make("output");
  const region = scrolling("", "Attention map: rows are Korean pieces, columns English words");
  region.classList.add("upright");
  const said = make("p", { className: "said", role: "status" }), whole = make("p");
  const made = make("div", { className: "written" });

  function row(t = piece.value - 1) {
    const now = sentences[sentence.value], weights = read(now.weights[score.value]);
    piece.value = t + 1;
    shown.value = `${now.pieces[t].join(" ")}, ${t + 1} of ${now.pieces.length}`;
    piece.setAttribute("aria-valuetext", shown.value);
    const drawn = map(now, weights, t, row), dark = drawn.tBodies[0].rows[t].cells[heaviest(weights[t]) + 1];
    region.replaceChildren(drawn);
    region.scrollLeft = dark.offsetLeft - region.clientWidth / 2;    // where the map is larger than its box
    region.scrollTop = dark.offsetTop - region.clientHeight / 2;
    said.textContent = finding(now, weights, t);
    whole.textContent = summary(now, weights);
  }
  function anew() {
    const now = sentences[sentence.value];
    piece.max = now.pieces.length;
    made.replaceChildren(...written(now, data, names));
    row(furthest(now.links, now.source.length, now.pieces.length));
  }
  piece.addEventListener("input", () => row());
  score.addEventListener("change", () => row());
  sentence.addEventListener("change", anew);
  element.append(make("div", { className: "controls" }, labelled("sentence", sentence),
    scores.length > 1 && labelled("score", score), labelled("piece", piece, shown)), region, said, whole, made,
    make("p", { className: "caption" }, "Rows are the pieces of the right translation, which the model reads as in "
      + "training; columns are the English words. Light is little and dark is much, from 0 to 1. Red frames are gold "
      + `links. Choose a row with the slider, or in the map. ${hint}`));
  anew();
  requestAnimationFrame(() => row());    // now it has a size, and can scroll
}

define("alignment", "Where a translator looks", element => draw(element,
  { dot: "with attention", rnn: "without, chapter 06" },
  "Then take longer sentences, and watch the lower table: what does the model without attention lose?",
  data => data.start));
