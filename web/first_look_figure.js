// The trained Transformer on the front page: a line to type in, its Korean, and where it looks. Nothing is fetched
// before somebody types; until then the static picture of the first sentence stands below the line.

import { define, scrolling } from "./live.js";
import { make, mean, table } from "./maps.js";

export const SENTENCE = "the old man who saw Mina slept";
const PAUSE = 400, MOST = 24;    // milliseconds without a letter; words of a source
const TAG = "(polite)";    // the source's first word, which asks for polite Korean

let loaded;    // the modules, words and weights, once somebody has typed
const fetched = () => loaded ??= import("./translator.js").then(async ({ load, translate }) => ({ translate, ...await load() }));

// A sentence in Korean, in letters, and as a map; or what keeps it from being translated
export async function look(sentence) {
  const { translate, words, build } = await fetched();
  const { words: english, unknown, left } = words.read(sentence);
  if (!english.length) return { said: "Type an English sentence." };
  if (unknown.length) return { said: `${words.notKnown} “${unknown[0].slice(0, 40)}”. `
    + (words.near(unknown[0]).length ? `Perhaps ${words.near(unknown[0]).join(", ")}?` : "Dogs, cats, a teacher: try those.") };
  if (english.length > MOST) return { said: `Here it reads at most ${MOST} words.` };
  const kept = new Map(), model = build({}, kept), source = words.ids(["<polite>", ...english]);
  const ids = [...translate(model, source, { way: "greedy" }).ids], pieces = words.pieces(ids);
  kept.clear();
  model.forward(source, [words.target.indexOf("<bos>"), ...ids.slice(0, -1)]);
  const last = [...kept].filter(([name]) => name.startsWith(`decoder.${words.layers - 1}.cross`));
  return { korean: words.line(ids), letters: pieces.map(one => one.letters).join(" "), left: words.leftOut(left),
           columns: [TAG, ...english], rows: pieces.map(told), weights: mean(last.map(([, weights]) => weights)) };
}

// a content word says its meaning; what has a gloss in capitals is grammar
const told = ({ letters, gloss }) => `${letters} ${/^[A-Z.]+$/.test(gloss) ? "grammar" : gloss}`;

define("first-look", "A sentence in Korean, and where the Transformer looks", element => {
  const field = make("input", { id: "first-look", type: "text", value: SENTENCE, maxLength: 200, spellcheck: false,
                                autocomplete: "off", autocapitalize: "none" });
  const said = make("p", { role: "status" }), shown = make("div");
  let wait, latest = 0;
  const run = async () => {
    const mine = ++latest;
    clearTimeout(wait);
    if (!loaded) said.textContent = "It is fetched, once: 2.3 MB.";
    const found = await look(field.value).catch(error => {
      loaded = null;
      return { said: error instanceof TypeError ? "The weights could not be fetched. Are you online?" : error.message };
    });
    if (mine !== latest) return;
    said.textContent = found.said ?? "";
    if (found.said) return;
    said.append(make("span", { className: "korean", lang: "ko" }, found.korean),
                make("span", { className: "letters" }, found.letters), found.left);
    const map = scrolling(table(found.weights, found.rows, found.columns, "Dark: here it looks"), "attention map");
    map.classList.add("upright");
    shown.replaceChildren(map);
    element.classList.add("running");
  };
  const submit = event => { event.preventDefault(); run(); };
  element.append(
    make("form", { onsubmit: submit },
      make("label", { htmlFor: "first-look" }, "Change a word, and look again"),
      make("span", { className: "typed" }, field, make("button", {}, "Translate"))),
    said, shown);
  field.addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(run, PAUSE); });
});
