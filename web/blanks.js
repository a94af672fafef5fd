// Three blanks in a function: each is filled with one of its pieces, by tap or key. The first that is wrong is named, and why.

import { LETTERS, make } from "./memory.js";

// One door of puzzle.js, which keeps under `given` a letter for each blank, "-" for an empty one
export function blanks({ gaps, blanks, name }, { record, solved, change }) {
  const code = make("code", {}), none = "-".repeat(blanks.length);
  let given = none, wrong = null;    // the number of the blank that a check has named

  const groups = blanks.map((pieces, number) => {
    const buttons = pieces.map(({ text }, at) => {
      const one = make("button", { type: "button", class: "order-line" }, make("b", {}, LETTERS[at]), " ", make("code", {}, text));
      one.addEventListener("click", () => fill(number, LETTERS[at]));
      return one;
    });
    const title = make("p", { class: "order-name", id: `blank-${number + 1}` }, `Blank ${number + 1}`);
    return { buttons, whole: make("div", { class: "order-pieces", role: "group", "aria-labelledby": title.id }, title, ...buttons) };
  });

  function fill(number, letter) {
    if (solved()) return;
    const taken = given[number] === letter;
    put([...given].with(number, taken ? "-" : letter).join(""),
      taken ? `Blank ${number + 1} is empty again.` : `Piece ${letter} is in blank ${number + 1}.`);
  }

  function put(pieces, words) {
    wrong = null;
    change({ given: pieces }, words);
  }

  const piece = number => blanks[number][LETTERS.indexOf(given[number])];

  function judge() {
    const bad = blanks.findIndex((_, number) => piece(number)?.says), empty = [...given].filter(one => one === "-").length;
    wrong = bad < 0 ? null : bad;
    return { why: bad < 0 ? "" : `Blank ${bad + 1}, piece ${given[bad]}: ${piece(bad).says}`,
      left: !empty ? "" : empty === 1 ? "One blank is empty." : `${empty} blanks are empty.` };
  }

  function drawPart() {
    const stored = String(record().given ?? "");
    given = blanks.map((pieces, number) => LETTERS.slice(0, pieces.length).includes(stored[number] || "-") ? stored[number] : "-").join("");
    code.replaceChildren(...gaps.split(/__(\d)__/).map((part, at) => at % 2 === 0 ? part
      : make("mark", { class: part - 1 === wrong ? "wrong" : "" }, piece(part - 1)?.text ?? `__${part}__`)));
    for (const [number, { buttons }] of groups.entries()) for (const [at, button] of buttons.entries()) {
      button.setAttribute("aria-pressed", given[number] === LETTERS[at]);
      button.setAttribute("aria-disabled", solved());
      button.classList.toggle("wrong", number === wrong && given[number] === LETTERS[at]);
    }
  }

  return { above: [make("pre", { class: "order-head" }, code), ...groups.map(({ whole }) => whole)], below: [], judge, drawPart,
    empty: () => { put(none, ""); groups[0].buttons[0].focus({ preventScroll: true }); },
    done: `All three are right. That is ${name}.`, begun: () => given !== none };
}
