// Lines in order: the lines of a function, shuffled, wrong ones among them. They are placed
// by tap or key; the first one that stands wrongly is named, and why.

import { LETTERS, make } from "./memory.js";

// --- Which line stands wrongly ---

// The fault of an order, a list of numbers of lines: `at` is the place of the first wrong
// line, and `why` a sentence; with no wrong line `at` is the length of the order, and `left`
// counts the lines that are missing. Of several right orders the one it follows longest counts.
export function judge(puzzle, placed) {
  const found = puzzle.orders.map(order => fault(puzzle, order, placed));
  return found.reduce((best, one) => one.at > best.at ? one : best);
}

function fault({ lines, free }, order, placed) {
  const isFree = (one, other) => free.some(([a, b]) => a === one && b === other || a === other && b === one);
  const right = Object.fromEntries(lines.filter(one => !one.says).map(one => [one.place, one]));
  const code = place => right[place].text.split("\n")[0];
  const before = [], open = [];    // places: of all lines so far, and of the blocks around
  for (const [at, number] of placed.entries()) {
    const line = lines[number];
    if (line.says) return { at, why: `It does not belong. ${line.says}` };
    const earlier = order.slice(0, order.indexOf(line.place));
    const missing = earlier.filter(one => !isFree(one, line.place) && !before.includes(one));
    const name = line.needs.find(name => missing.some(one => right[one].makes.includes(name))
      && !before.some(one => right[one].makes.includes(name)));
    const later = placed.slice(at).some(one => lines[one].makes?.includes(name));
    if (name) return { at, why: `It needs ${name}, which ${later ? "a later line makes" : "no line above it makes"}.` };
    const last = right[before.at(-1)];
    if (last?.opens && line.parent !== last.place)
      return { at, why: `It stands too early: ${code(last.place)} first needs a line inside.` };
    if (missing.length) return { at, why: "It stands too early: a line that comes before it "
      + `${missing.some(one => placed.some(other => lines[other].place === one)) ? "stands below" : "is not placed"}.` };
    while (open.length && open.at(-1) !== line.parent) open.pop();
    if (line.parent !== null && !open.length)
      return { at, why: `It stands too late: the lines inside ${code(line.parent)} have ended.` };
    before.push(line.place);
    if (line.opens) open.push(line.place);
  }
  return { at: placed.length, why: "", left: order.length - placed.length };
}

// --- On the page ---

const finger = matchMedia("(pointer: coarse)");

// One door of puzzle.js, which keeps under `placed` the letters of the lines that are placed
export function order(puzzle, { record, solved, change, check }) {
  const { lines, name } = puzzle;
  const placedList = make("ol", { class: "order-placed", "aria-label": `Your order of ${name}` });
  const tray = make("ul", { class: "order-tray", "aria-label": "Lines that are not placed" });
  const trayName = make("p", { class: "order-name" });
  const how = make("p", { class: "order-how" }, "Tap a line to place it, and tap it again to take it back. "
    + "A placed line moves by its arrows, on the screen or on a keyboard.");
  const items = lines.map((line, number) => item(line, number));
  let placed = [], wrong = null;    // numbers of lines; the one that a check has named

  function item({ text, indent }, number) {
    const letter = LETTERS[number];
    const code = make("code", { style: `padding-left: ${indent}ch` }, text);
    const line = make("button", { type: "button", class: "order-line" }, make("b", {}, letter), " ", code);
    const arrow = (way, sign) => {
      const one = make("button", { type: "button", class: "order-move", tabindex: "-1", "aria-label": `Move line ${letter} ${way}` }, sign);
      one.addEventListener("click", () => tapped(number, () => move(number, way === "up" ? -1 : 1)));
      return one;
    };
    const up = arrow("up", "↑"), down = arrow("down", "↓"), whole = make("li", {}, line, up, down);
    line.addEventListener("click", () => tapped(number, () => placed.includes(number) ? take(number) : place(number)));
    line.addEventListener("keydown", event => {
      const way = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!way || !placed.includes(number)) return;
      event.preventDefault();
      move(number, way);
    });
    return { whole, line, up, down };
  }

  const letter = number => LETTERS[number];

  // What has the focus after a tap stands where the tapped line stood: the finger is still there
  function tapped(number, act) {
    const top = one => one.getBoundingClientRect().top, before = top(items[number].whole);
    act();
    const now = document.activeElement.closest(".order li");
    if (now && finger.matches) scrollBy({ top: top(now) - before, behavior: "instant" });
  }

  function place(number) {
    if (solved()) return;
    const waiting = [...tray.children].indexOf(items[number].whole);
    put([...placed, number], `Line ${letter(number)} is placed, number ${placed.length + 1}.`);
    const next = tray.children[Math.min(waiting, tray.children.length - 1)];
    (next?.querySelector(".order-line") ?? check).focus({ preventScroll: true });
  }

  function take(number) {
    if (solved()) return;
    const at = placed.indexOf(number);
    put(placed.filter(one => one !== number), `Line ${letter(number)} is taken back.`);
    items[placed[Math.min(at, placed.length - 1)] ?? number].line.focus({ preventScroll: true });
  }

  function move(number, way) {
    const at = placed.indexOf(number), to = at + way;
    if (solved() || to < 0 || to >= placed.length) return;
    const order = placed.toSpliced(at, 1).toSpliced(to, 0, number);
    put(order, `Line ${letter(number)} is number ${to + 1} of ${order.length}.`);
    items[number].line.focus({ preventScroll: finger.matches });
  }

  function put(order, words) {
    wrong = null;
    change({ placed: order.map(letter).join("") }, words);
  }

  function judged() {
    const { at, why, left } = judge(puzzle, placed);
    wrong = why ? placed[at] : null;
    return { why: why && `Number ${at + 1}, line ${letter(placed[at])}: ${why}`,
      left: !left ? "" : left === 1 ? "One line is missing." : `${left} lines are missing.` };
  }

  function drawPart() {
    placed = [...new Set([...record().placed ?? ""].map(one => LETTERS.indexOf(one)))].filter(one => one >= 0 && one < lines.length);
    const rest = lines.map((_, number) => number).filter(number => !placed.includes(number));
    fill(placedList, placed);
    fill(tray, rest);
    for (const [number, { line, up, down }] of items.entries()) {
      const at = placed.indexOf(number), still = at < 0 || solved();
      up.hidden = down.hidden = still;
      up.disabled = at === 0;
      down.disabled = at === placed.length - 1;
      line.classList.toggle("wrong", number === wrong);
      line.setAttribute("aria-disabled", solved());
    }
    trayName.textContent = solved() ? "Left out" : "Not placed";
    trayName.hidden = !rest.length;
  }

  function fill(list, numbers) {
    const wanted = numbers.map(number => items[number].whole);
    if (wanted.some((one, at) => list.children[at] !== one) || list.children.length !== wanted.length)
      list.replaceChildren(...wanted);
  }

  return { above: [how, make("pre", { class: "order-head" }, make("code", {}, puzzle.head)), placedList], below: [trayName, tray],
    judge: judged, drawPart, done: `In order. That is ${name}.`, begun: () => placed.length > 0,
    empty: () => { put([], ""); tray.querySelector(".order-line").focus({ preventScroll: true }); } };
}
