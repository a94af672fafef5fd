// Chapter 03: three logits that can be moved; the slope of the loss by a nudge, and share minus truth.

import { define, labelled } from "./live.js";
import { make } from "./maps.js";
import { softmax } from "./transformer.js";

const WORDS = ["barked", "slept", "the"], START = [2, 1, 0];

export const lossOf = (logits, came) => -Math.log(softmax(logits)[came]);
export const slopes = (logits, came) => softmax(logits).map((share, i) => share - (i === came));

// How much the loss moves when a logit is nudged, over the nudge
export const nudged = (logits, came, nudge = 0.001) => logits.map((_, place) => {
  const moved = logits.map((logit, i) => i === place ? logit + nudge : logit);
  return (lossOf(moved, came) - lossOf(logits, came)) / nudge;
});

// The logits after a step of size 1 against the slopes
export const stepped = (logits, came) => {
  const against = slopes(logits, came);
  return logits.map((logit, i) => logit - against[i]);
};

const signed = number => `${number < -0.005 ? "−" : "+"}${Math.abs(number).toFixed(2)}`;

export function finding(logits, came) {
  const share = softmax(logits)[came], told = slopes(logits, came).map(signed).join(", ");
  const start = `The loss is ${lossOf(logits, came).toFixed(3)}. The slopes are ${told}, and their sum is 0.`;
  return `${start} ${share > 0.95 ? `“${WORDS[came]}” has nearly all: hardly anything is left to move.`
    : share < 0.05 ? `“${WORDS[came]}” came and has next to nothing: its slope is near −1, and cannot be larger.`
      : `What “${WORDS[came]}” is to gain, the others are to lose, each by its share.`}`;
}

define("slopes", "Logits that move, and the slopes of their loss", element => {
  const inputs = START.map((logit, i) => make("input", { type: "range", min: -6, max: 6, step: 0.01, value: logit,
    "aria-label": `logit of ${WORDS[i]}` }));
  const came = make("select", {}, WORDS.map((word, value) => make("option", { value, selected: value === 1 }, word)));
  const said = make("p", { className: "said", role: "status" });
  const rows = WORDS.map((word, i) => {
    const cells = Array.from({ length: 5 }, () => make("td")), bar = make("td", { className: "bar" });
    const row = make("tr", {}, make("th", { scope: "row" }, word), make("td", {}, inputs[i]), cells, bar);
    return { row, cells, bar };
  });
  let logits = [...START];

  function draw() {
    const right = +came.value, shares = softmax(logits), slope = slopes(logits, right), measured = nudged(logits, right);
    rows.forEach(({ cells, bar }, i) => {
      const texts = [logits[i].toFixed(2).replace("-", "−"), shares[i].toFixed(2), i === right ? "1" : "0", signed(slope[i]), signed(measured[i])];
      cells.forEach((cell, place) => { cell.textContent = texts[place]; });
      const far = 50 * Math.abs(slope[i]);
      bar.replaceChildren(make("span", { className: slope[i] < 0 ? "less" : "more", style: `width: ${far}%` }));
    });
    said.textContent = finding(logits, right);
  }

  const take = next => {
    logits = next;
    inputs.forEach((input, i) => { input.value = logits[i]; });
    draw();
  };
  inputs.forEach((input, i) => input.addEventListener("input", () => {
    logits[i] = +input.value;
    draw();
  }));
  came.addEventListener("change", draw);
  const heads = ["word", "its logit", "", "share", "truth", "share − truth", "by a nudge", "down or up"];
  element.append(
    make("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "logits and slopes" },
      make("table", { className: "slopes" }, make("caption", {}, "Share minus truth, and the slope that a nudge finds"),
        make("thead", {}, make("tr", {}, heads.map(text => make(text ? "th" : "td", text ? { scope: "col" } : {}, text)))),
        make("tbody", {}, rows.map(({ row }) => row)))),
    make("div", { className: "controls" }, labelled("the word that came ", came),
      make("button", { type: "button", onclick: () => take(stepped(logits, +came.value)) }, "Take a step"),
      make("button", { type: "button", onclick: () => take([...START]) }, "Begin again")), said,
    make("p", { className: "caption" }, "The two columns of slopes agree, wherever you move a logit. Take some steps and watch all three "
      + "slopes shrink. Then let another word come."));
  draw();
});
