// The central function of a chapter is one exercise with three doors: written, its three blanks filled, its lines put in
// order. The last two stand here, above one panel; either ticks the exercise. tools/shuffled.py makes the puzzle; without
// this file its lists and folds stand.

import { blanks } from "./blanks.js";
import { doorOf, keep, kept, make, page } from "./memory.js";
import { order } from "./order.js";

// A door's name, where memory.js keeps it, and what builds it
const DOORS = [["blanks", "filled", "Fill three blanks", blanks], ["order", "ordered", "Put the lines in order", order]];

// Puts the puzzle in the place of its lists; returns a function that draws what is remembered
export function build(root) {
  const puzzle = JSON.parse(root.dataset.puzzle), key = `${page}#${root.id}`;
  const words = root.querySelectorAll("p:has(+ .highlight-text)");    // of the order, then of the blanks
  const doors = DOORS.map(([door, kind, title, fill], at) => {
    const record = () => kept()[kind][key] instanceof Object ? kept()[kind][key] : {};
    const solved = () => record().solved === true;
    const said = make("p", { class: "order-said", role: "status" });
    const check = make("button", { type: "button", class: "order-check" }, `Check the ${door}`);
    const again = make("button", { type: "button", class: "order-again" }, "Start again");
    const part = make("div", { class: `order-door door-${door}` }, make("p", {}, words[1 - at].textContent));

    function remember(more) {
      keep(kind, key, { ...record(), ...more });
      draw();
    }

    function change(more, text) {
      remember({ ...more, solved: false });
      said.textContent = text;
    }

    const { above, below, judge, empty, done, begun, drawPart } = fill(puzzle, { record, solved, change, check });
    part.append(...above, said, make("p", { class: "order-acts" }, check, again), ...below);
    check.addEventListener("click", () => {
      const { why, left } = judge(), { tries = 0, held } = record(), right = !why && !left;
      remember({ tries: tries + 1, ...(right ? { solved: true, held: held ?? tries === 0 } : {}) });
      said.textContent = why || (left ? `All is right so far. ${left}` : done);
      if (right) tick(door);
      said.scrollIntoView({ block: "nearest", behavior: "instant" });    // the panel may have shrunk
    });
    again.addEventListener("click", empty);

    function draw() {
      drawPart();
      part.classList.toggle("solved", solved());
      check.hidden = solved() || !begun();
      again.hidden = !begun();
      if (solved() && !said.textContent) said.textContent = done;
    }

    const tab = make("button", { type: "button", class: "order-tab" }, title);
    tab.addEventListener("click", () => show(door));
    return { door, part, tab, draw, solved, begun };
  });

  // The exercise is done by the door that came first
  function tick(door) {
    if (doorOf(kept().done[puzzle.exercise])) return;
    keep("done", puzzle.exercise, door);
    dispatchEvent(new Event("storage"));    // all that stands on the page is drawn anew
  }

  function show(name) {
    for (const { door, part, tab } of doors) {
      part.hidden = door !== name;
      tab.setAttribute("aria-pressed", door === name);
    }
  }

  const tabs = make("div", { class: "order-tabs", role: "group", "aria-label": "Two ways to solve it" }, ...doors.map(({ tab }) => tab));
  root.querySelector(".highlight-text").after(make("div", { class: "order" }, tabs, ...doors.map(({ part }) => part)));
  root.classList.add("live");
  const draw = () => doors.forEach(one => one.draw());
  draw();
  const begun = doors.find(one => one.begun()), solved = doors.find(one => one.solved());
  show((solved ?? begun ?? doors[0]).door);
  root.querySelector("details").open ||= Boolean(begun);
  if (solved && kept().done[puzzle.exercise] === undefined) tick(solved.door);    // solved before puzzles ticked
  return draw;
}
