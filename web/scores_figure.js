// Chapter 08: the figure of chapter 07 with two scores, of which one puts much of its weight beside the gold words.

import { draw } from "./alignment_figure.js";
import { define } from "./live.js";

define("scores", "Where translators with two scores look", element => draw(element,
  { scaled: "scaled dot product", dot: "dot product", rnn: "no attention, chapter 06" },
  "Then change the score: the heaviest words stay, mostly, and the weight moves.",
  ({ sentences }) => sentences.findIndex(({ size }) => size === "21-24")));
