// Chapter 10: where each number goes when words are split into heads, rightly and by view alone; and back.

import { define, labelled } from "./live.js";
import { make } from "./maps.js";

const WORDS = ["the", "dog", "bit", "Mina"], T = WORDS.length, D = 4;
export const named = WORDS.map((_, t) => Array.from({ length: D }, (_, i) => 100 * t + i));    // 203: word 2, number 3

const rows = (line, size) => Array.from({ length: line.length / size }, (_, r) => line.slice(r * size, (r + 1) * size));
// x [T][D] in H heads: [H][T][K]
export const split = (x, heads) => Array.from({ length: heads }, (_, h) =>
  x.map(row => row.slice(h * row.length / heads, (h + 1) * row.length / heads)));
export const viewed = (x, heads) => rows(rows(x.flat(), x[0].length / heads), x.length);    // the brackets alone
// Back to [T][D]: swapped, then joined; or as `reshape` does it
export const merged = parts => parts[0].map((_, t) => parts.flatMap(part => part[t]));
export const reshaped = parts => rows(parts.flat(2), parts.length * parts[0][0].length);

const text = number => String(number).padStart(3, "0");
const wordsOf = block => [...new Set(block.flat().map(number => WORDS[Math.floor(number / 100)]))].map(word => `“${word}”`);
const placeOf = (parts, number) => {
  const head = parts.findIndex(part => part.flat().includes(number));
  return [head, parts[head].findIndex(row => row.includes(number))];
};
const listed = words => words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words[0];

export function finding(number, heads, back) {
  const [head, row] = placeOf(split(named, heads), number), wrong = viewed(named, heads), [other, line] = placeOf(wrong, number);
  const start = `${text(number)} is number ${number % 100} of “${WORDS[Math.floor(number / 100)]}”. View, then transpose: head ${head}, row ${row}. `
    + `View alone: head ${other}, row ${line}. `;
  if (back) return start + (heads === 1 ? "With one head both ways join alike." : "Swapped and joined, every word has its numbers again. "
    + `By reshape alone, row 0 holds numbers of ${listed(wordsOf([reshaped(split(named, heads))[0]]))}.`);
  return start + (heads === 1 ? "With one head both are the words." : `There head ${other} holds numbers of ${listed(wordsOf(wrong[other]))} alone.`);
}

define("split", "Where each number goes when words are split into heads", element => {
  const heads = make("select", {}, [1, 2, 4].map(value => make("option", { value, selected: value === 2 }, `${value}`)));
  const back = make("input", { type: "checkbox" }), said = make("p", { className: "said", role: "status" });
  const panels = make("div", { className: "panels numbers" });
  let chosen = 203;

  // Blocks of numbers under a title; in the first one each number is a button
  function blocks(title, parts, names, pressed) {
    const cell = number => {
      const odd = Math.floor(number % 100 / (D / heads.value)) % 2, marked = number === chosen ? " marked" : "";
      const inside = pressed ? make("button", { type: "button", "aria-pressed": String(number === chosen),
        onclick: () => { chosen = number; draw(number); } }, text(number)) : text(number);
      return make("td", { className: `${odd ? "odd" : "even"}${marked}` }, inside);
    };
    return make("div", {}, make("p", { className: "heading" }, title), parts.map((block, h) => make("table", { className: "block" },
      names && make("caption", {}, `head ${h}`),
      make("tbody", {}, block.map((row, t) => make("tr", {}, !names && make("th", { scope: "row" }, WORDS[t]), row.map(cell)))))));
  }

  function draw(focused) {
    const H = +heads.value, right = split(named, H);
    panels.replaceChildren(blocks("the words", [named], false, true), ...back.checked
      ? [blocks("heads", right, true), blocks("swapped and joined", [merged(right)]), blocks("reshape alone", [reshaped(right)])]
      : [blocks("view, then transpose", right, true), blocks("view alone", viewed(named, H), true)]);
    said.textContent = finding(chosen, H, back.checked);
    if (focused !== undefined) panels.querySelector("[aria-pressed=true]").focus();
  }

  for (const input of [heads, back]) input.addEventListener("change", () => draw());
  element.append(panels, make("div", { className: "controls" }, labelled("heads ", heads), labelled(back, "join them again")), said,
    make("p", { className: "caption" }, "203 is word 2, number 3. With two heads, blue and slanted are the numbers that head 0 should get. Choose a "
      + "number of the words, and follow it into the heads. Then join the heads again, both ways."));
  draw();
});
