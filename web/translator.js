// <book-translator>: the book's trained Transformer answers in the page. Nothing is fetched before the reader asks;
// what the element holds from the start, text and a figure, stands where no script runs, and on paper.

import { attention, sinusoids, Transformer } from "./transformer.js";
import { beamSearch, BOS, EOS, decode, greedy, logProbabilities, sample, signed } from "./decoding.js";
import { readWeights } from "./weights.js";
import { REGISTERS, Words } from "./words.js";
import { make, mean, table, thumbnail } from "./maps.js";
import { EXAMPLES } from "./examples.js";

const HERE = new URL(".", import.meta.url);
const LONGEST = 300, MOST_WORDS = 48, MOST_PIECES = 100;    // letters and words of a source, pieces of a translation
const PAUSE = 110;    // milliseconds between two pieces
const HEAD = /(?:encoder\.[01]\.self|decoder\.[01]\.(?:self|cross))\.[0-3]/g;
const MEAN = "Cross-attention, the mean of all layers and heads";
const WAYS = { greedy: "greedy", beam: "beam search", sampled: "sampling" };
const KINDS = [["encoder", "self", "Encoder, self-attention", "English looks at English"],
               ["decoder", "self", "Decoder, self-attention", "Korean looks at the Korean before it"],
               ["decoder", "cross", "Cross-attention", "Korean looks at English"]];
const PLAIN = { sentence: EXAMPLES[0].sentence, register: "polite", way: "greedy", beamSize: 5, temperature: 1, seed: 1,
                ablated: [], positions: true, hidden: false };

// What a link carries, and nothing else of it: each part is checked, and stands in for itself if it is none of ours
export function readLink(fragment) {
  const given = new URLSearchParams(fragment.replace(/^#/, "").slice(0, 2000));
  const among = (name, known) => known.includes(given.get(name)) ? given.get(name) : PLAIN[name];
  const number = (name, least, most) => {
    const value = given.has(name) ? Number(given.get(name)) : NaN;
    return Number.isFinite(value) ? Math.min(Math.max(value, least), most) : PLAIN[name];
  };
  if (!given.has("sentence")) return null;
  return {
    sentence: given.get("sentence").replace(/\p{C}/gu, " ").slice(0, LONGEST), register: among("register", REGISTERS),
    way: among("way", Object.keys(WAYS)), beamSize: Math.round(number("beamSize", 1, 10)),
    temperature: number("temperature", 0.1, 2), seed: Math.round(number("seed", 1, 1e6)),
    // links made earlier say "silenced"
    ablated: [...new Set((given.get("ablated") ?? given.get("silenced"))?.match(HEAD))],
    positions: given.get("positions") !== "off", hidden: given.get("hidden") === "on",
  };
}

export function writeLink(state) {
  const parts = { sentence: state.sentence, register: state.register, way: state.way };
  if (state.way === "beam") parts.beamSize = state.beamSize;
  if (state.way === "sampled") Object.assign(parts, { temperature: state.temperature, seed: state.seed });
  if (state.ablated.length) parts.ablated = state.ablated.join(" ");
  if (!state.positions) parts.positions = "off";
  if (state.hidden) parts.hidden = "on";
  return `#${new URLSearchParams(parts)}`;
}

// Numbers from 0 to 1 that a seed decides (mulberry32, by Tommy Ettinger)
export const chance = seed => () => {
  seed = seed + 0x6D2B79F5 | 0;
  let t = Math.imul(seed ^ seed >>> 15, seed | 1);
  t ^= t + Math.imul(t ^ t >>> 7, t | 61);
  return ((t ^ t >>> 14) >>> 0) / 2 ** 32;
};

// The bytes of a file; told(share) says how much has come
async function download(address, size, told) {
  const answer = await fetch(address);
  const name = address.pathname.split("/").at(-1);
  if (!answer.ok) throw new Error(`${name} could not be fetched (${answer.status}). Try again later.`);
  if (!size) return new Uint8Array(await answer.arrayBuffer());
  const parts = [], reader = answer.body.getReader();
  for (let got = 0, { value, done } = await reader.read(); !done; { value, done } = await reader.read()) {
    parts.push(value);
    told((got += value.length) / size);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

// Words, and a function that makes the model with parts ablated or taken away: build(state, kept), where `kept` is a
// Map that gets the weights [T][S] of each head by its name
export async function load(told = () => {}, base = HERE) {
  const content = JSON.parse(new TextDecoder().decode(await download(new URL("words.json", base))));
  const bytes = await download(new URL(content.weights, base), content.bytes, told);
  const weights = readWeights(bytes.buffer, content.checksum);
  const at = name => {
    if (!weights.has(name)) throw new Error(`The file of weights is damaged: ${name} is missing. Load the page again.`);
    return weights.get(name).numbers;
  };
  const build = ({ ablated = [], positions = true } = {}, kept) => new Transformer(at, {
    ...content,
    positions: positions ? sinusoids : (_, width) => new Float32Array(width),
    attend(query, key, value, allowed, name) {
      const { context, weights } = attention(query, key, value, allowed);
      kept?.set(name, weights);
      return { weights, context: ablated.includes(name) ? context.map(row => row.fill(0)) : context };
    },
  });
  return { words: new Words(content), build };
}

// One translation in the way of a state: a generator of ids, and for a beam of nothing but its hypotheses
export function translate(model, source, state) {
  const allowed = state.hidden ? (_, s) => s > 0 : undefined;
  if (state.way === "beam") {
    const found = beamSearch(model, source, state.beamSize, 0.6, allowed);
    return { ids: found[0].ids, found };
  }
  const choose = state.way === "sampled" ? sample(state.temperature, chance(state.seed)) : greedy;
  return { ids: decode(model, source, choose, allowed) };
}

const percent = share => share >= 0.9995 ? "100 %" : share < 0.001 ? "< .1 %" : `${(100 * share).toFixed(1)} %`;
const touched = () => matchMedia("(pointer: coarse)").matches;    // where a focused field calls a keyboard over the answer
const korean = words => make("span", { lang: "ko" }, words);
const span = (className, words) => make("span", { className }, words);
const quiet = (...words) => make("p", { className: "quiet" }, ...words);
const button = (words, onclick, more = {}) => make("button", { type: "button", onclick, ...more }, words);

class BookTranslator extends HTMLElement {
  connectedCallback() {
    if (this.live) return;
    this.state = readLink(location.hash) ?? { ...PLAIN };
    this.live = make("div", { className: "live" });
    this.prepend(this.live);
    this.start();
    addEventListener("hashchange", () => this.followLink());
  }

  followLink() {
    const state = readLink(location.hash);
    if (!state) return;
    this.state = state;
    if (this.words) this.show(); else this.start();
  }

  start(problem = null) {
    this.status = make("p", { role: "status" });
    this.live.replaceChildren(make("div", {},
      readLink(location.hash) && make("p", {}, `The link brings a sentence: “${this.state.sentence}”`),
      button("Run it in this page", () => this.fetch(), { className: "first" }),
      quiet("It fetches 2.3 MB from this site, once. What you type stays on your device."),
      problem && make("p", { role: "alert" }, problem), this.status));
  }

  async fetch() {
    this.live.querySelector("button").disabled = true;
    const bar = make("progress", { max: 1, value: 0, "aria-label": "loaded" });
    this.status.replaceChildren("Loading ", bar);
    try {
      Object.assign(this, await load(share => { bar.value = share; }));
    } catch (error) {
      this.start(error instanceof TypeError ? "The weights could not be fetched. Are you online?" : error.message);
      this.live.querySelector("button").focus();
      return;
    }
    this.classList.add("running");
    this.draw();
    this.show();
    if (!touched()) this.field.focus();
  }

  // The form: drawn once. What depends on the state is set by `show`

  draw() {
    const group = (title, ...parts) => make("fieldset", {}, make("legend", {}, title), ...parts);
    const input = (type, change, more) => make("input", { type, ...more, onchange: event => change(event.target) });
    const radios = (name, known) => Object.entries(known).map(([value, words]) => make("label", {},
      input("radio", () => this.set({ [name]: value }), { name: `translator-${name}`, value }), ` ${words}`));
    const check = (words, change) => make("label", {}, input("checkbox", box => change(box.checked)), ` ${words}`);
    this.offers = make("ul", {
      role: "listbox", id: "translator-offers", hidden: true, "aria-label": "Words that it knows" });
    this.field = make("input", {
      id: "translator-sentence", type: "text", maxLength: LONGEST, spellcheck: false, autocomplete: "off",
      autocapitalize: "none", role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false",
      "aria-controls": "translator-offers",
      oninput: () => this.offer(), onkeydown: event => this.key(event), onblur: () => this.open(false) });
    this.beamSize = input("number", box => this.set({ beamSize: Number(box.value) }), { min: 1, max: 10 });
    this.temperature = input("range", box => this.set({ temperature: Number(box.value) }),
      { min: 0.1, max: 2, step: 0.1 });
    this.degrees = make("output");
    this.more = {
      beam: make("label", {}, "beam size ", this.beamSize),
      sampled: make("span", { className: "more" }, make("label", {}, "temperature ", this.temperature), this.degrees,
                    button("Draw again", () => this.set({ seed: this.state.seed + 1 }))) };
    this.positions = check("take the positions away", on => this.set({ positions: !on }));
    this.first = check("hide the source's first word", on => this.set({ hidden: on }));
    this.silent = make("p", { className: "quiet" });
    this.problem = make("div", { role: "alert" });
    this.status = make("p", { role: "status", className: "told" });
    this.result = make("div", { className: "result" });
    const examples = EXAMPLES.map(({ note, ...example }) => make("li", {},
      button(example.sentence, () => {
        this.set({ ...PLAIN, ...example }, note);
        ready.open = false;
        ready.firstChild.focus();
        (touched() ? ready : this.live).scrollIntoView();    // all in sight, or at least the answer
      }), make("p", {}, note)));
    const ready = make("details", { className: "ready" },
      make("summary", {}, `${EXAMPLES.length} sentences that show something`), make("ul", {}, examples));
    const submit = event => {
      event.preventDefault();
      this.open(false);
      this.set({ sentence: this.field.value });
      if (touched()) this.field.blur();
      this.live.scrollIntoView();
    };
    this.live.replaceChildren(
      make("form", { onsubmit: submit },
        make("label", { htmlFor: "translator-sentence" }, "An English sentence"),
        make("div", { className: "typed" }, this.field, make("button", { className: "first" }, "Translate"), this.offers),
        this.problem,
        make("div", { className: "choices" },
          group("Register", ...radios("register", Object.fromEntries(REGISTERS.map(name => [name, name])))),
          group("Decoding", ...radios("way", WAYS), this.more.beam, this.more.sampled),
          group("Break it", this.positions, this.first, this.silent))),
      ready, this.status, this.result);
  }

  set(change, note = null) {
    this.state = { ...this.state, sentence: this.field.value, ...change };    // what is typed is not lost
    this.note = note;
    this.show();
  }

  // Words offered while one types: those that begin as the word before the caret does

  typed() {
    const { value, selectionStart } = this.field;
    const [, before, start] = value.slice(0, selectionStart).match(/^(.*?)(\p{L}*)$/su);
    return { before, start, rest: value.slice(selectionStart).replace(/^\p{L}+/u, "").trimStart() };
  }

  offer() {
    const { start } = this.typed(), offered = this.words.offered(start).filter(word => word !== start);
    this.offers.replaceChildren(...offered.map((word, i) => make("li", {
      role: "option", id: `translator-offer-${i}`, "aria-selected": "false",
      onmousedown: event => { event.preventDefault(); this.take(word); } }, word)));
    this.open(offered.length > 0);
  }

  open(on) {
    this.offers.hidden = !on;
    this.field.setAttribute("aria-expanded", String(on));
    this.field.removeAttribute("aria-activedescendant");
  }

  take(word) {
    const { before, rest } = this.typed(), end = before.length + word.length + 1;
    this.field.value = `${before}${word} ${rest}`;
    this.field.setSelectionRange(end, end);
    this.open(false);
  }

  key(event) {
    const items = this.offers.hidden ? [] : [...this.offers.children], step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const now = items.findIndex(item => item.getAttribute("aria-selected") === "true");
    if (!items.length || !step && event.key !== "Escape" && !(event.key === "Enter" && now >= 0)) return;
    event.preventDefault();
    if (event.key === "Enter") return this.take(items[now].textContent);
    if (event.key === "Escape") return this.open(false);
    const next = now < 0 && step < 0 ? items.length - 1 : (now + step + items.length) % items.length;
    items.forEach((item, i) => item.setAttribute("aria-selected", String(i === next)));
    this.field.setAttribute("aria-activedescendant", items[next].id);
  }

  // The state on the page, and its translation below, word by word

  async show() {
    const { state, words } = this, run = this.run = {};
    this.field.value = state.sentence;
    for (const name of ["register", "way"])
      this.live.querySelector(`[name=translator-${name}][value=${state[name]}]`).checked = true;
    for (const [way, part] of Object.entries(this.more)) part.hidden = way !== state.way;
    state.beamSize = Math.min(Math.max(Math.round(state.beamSize) || 5, 1), 10);
    this.beamSize.value = state.beamSize;
    this.temperature.value = state.temperature;
    this.degrees.value = state.temperature.toFixed(1);
    this.positions.firstChild.checked = !state.positions;
    this.first.firstChild.checked = state.hidden;
    const speak = button("let all speak", () => {
      this.set({ ablated: [] });
      if (!touched()) this.field.focus();
    });
    this.silent.replaceChildren(...state.ablated.length
      ? [`silent: ${state.ablated.map(nameOf).join("; ")} `, speak] : ["To silence a head, choose its map below."]);
    const source = this.read(state.sentence);
    this.result.replaceChildren();
    this.result.setAttribute("aria-busy", "false");
    this.status.textContent = "";
    if (!source) return;
    const kept = new Map(), model = this.build(state, kept), { ids, found } = translate(model, source.ids, state);
    const line = make("p", { className: "line" }), pieces = make("ol", { className: "pieces" });
    this.result.setAttribute("aria-busy", "true");
    this.result.replaceChildren(make("div", {}, this.note && make("p", { className: "note" }, this.note), line, pieces));
    // only a new sentence is written slowly enough to watch
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const so = [], slow = !still && !found && state.sentence !== this.last;
    this.last = state.sentence;
    for (const id of ids) {
      if (so.push(id) > 1 && slow) await new Promise(resolve => setTimeout(resolve, PAUSE));
      if (run !== this.run) return;    // the reader has asked for another
      line.replaceChildren(korean(words.line(so)));
      pieces.append(make("li", {}, piece(words.pieces(so).at(-1))));
    }
    this.finish(source, found ? ids : so, found, model, kept);
  }

  // Words and ids of a typed sentence; or nothing, and the reason on the page
  read(sentence) {
    const { words, unknown, left } = this.words.read(sentence), tagged = [`<${this.state.register}>`, ...words];
    const say = (...parts) => this.problem.replaceChildren(...parts.length ? [make("p", {}, ...parts)] : []);
    say();
    if (!words.length) return void say("Type an English sentence.");
    if (unknown.length) {
      const named = unknown.slice(0, 5).flatMap(word => {
        const near = this.words.near(word).map(other => button(other, () => {
          this.set({ sentence: this.words.replaced(sentence, word, other) });
          if (!touched()) this.field.focus();
        }));
        return [" ", `“${word.slice(0, 40)}”`, ...near.length ? [": perhaps ", ...near.flatMap(one => [one, " "])] : [". "]];
      });
      return void say(this.words.notKnown, ...named);
    }
    const many = `The sentence has ${words.length} words`;
    if (words.length > MOST_WORDS) return void say(`${many}; here it reads at most ${MOST_WORDS}.`);
    const most = this.words.maxSourceLength;
    const long = words.length > most && `${many}, and the model was trained on at most ${most}.`;
    const notes = [this.words.leftOut(left), long].filter(Boolean);
    if (notes.length) say(notes.join(" "));
    return { words: tagged, ids: this.words.ids(tagged) };
  }

  // All that is told of a translation once it is written: every step's likeliest words, and every head's map
  finish(source, ids, found, model, kept) {
    const { state, words } = this, allowed = state.hidden ? (_, s) => s > 0 : undefined;
    kept.clear();
    const steps = [...ids, EOS].slice(0, MOST_PIECES), target = [BOS, ...ids].slice(0, MOST_PIECES);
    const logs = model.forward(source.ids, target, allowed).map(logProbabilities);
    const told = words.pieces(steps), step = make("div", { className: "step" });
    const choose = t => {
      [...list.querySelectorAll("button")].forEach((one, i) => one.setAttribute("aria-pressed", String(i === t)));
      step.replaceChildren(...this.likeliest(logs[t], steps, t));
      this.mark(t);
    };
    const list = make("ol", { className: "pieces", "aria-label": "The translation, piece by piece" },
      told.map((one, t) => make("li", {}, button(piece(one), () => choose(t), { "aria-pressed": "false" }))));
    const letters = words.pieces(ids).map(one => one.letters).join(" "), line = words.line(ids);
    this.result.replaceChildren(make("div", {},
      this.note && make("p", { className: "note" }, this.note),
      make("p", { className: "line" }, korean(line), span("letters", letters)),
      list, this.compare(source, ids), found && this.beams(found, source, model, kept, ids),
      step, this.heads(kept, source.words, told, line),
      quiet(make("a", { className: "share", href: writeLink(state) }, "A link to this sentence and these settings"))));
    choose(0);
    this.result.setAttribute("aria-busy", "false");
    this.status.textContent = `Written: ${letters}`;
    if (this.focused) this.result.querySelector(this.focused)?.focus();    // where the reader was
    this.focused = null;
  }

  // The row of the chosen step, where the map is one of the decoder
  mark(t = this.step) {
    this.step = t;
    const rows = this.result.querySelectorAll(".large.decoder tbody tr");
    rows.forEach((row, i) => row.classList.toggle("chosen", i === t));
  }

  likeliest(logs, steps, t) {
    const order = logs.map((log, id) => [log, id]).sort((a, b) => b[0] - a[0]);
    const place = order.findIndex(([, id]) => id === steps[t]);    // what was drawn is shown, unlikely or not
    const rows = order.filter((_, n) => n < 5 || n === place).map(([log, id]) => {
      const share = Math.exp(log), { form, letters, gloss } = this.words.pieces([...steps.slice(0, t), id]).at(-1);
      const bar = make("span", { className: "bar", style: `--share: ${share}` });
      return make("li", { className: id === steps[t] ? "taken" : "" },
        korean(form), span("", letters), span("gloss", gloss), bar, span("share", percent(share)));
    });
    const more = place < 5 ? "" : `, and number ${place + 1}, which it wrote`;
    const title = `Step ${t + 1} of ${steps.length}: the five likeliest${more}`;
    return [make("h3", {}, title), make("ol", { className: "likeliest" }, rows)];
  }

  // What the model writes when nothing is broken, if something is
  compare({ ids: source }, ids) {
    const { state, words } = this;
    if (state.positions && !state.hidden && !state.ablated.length) return null;
    const whole = [...translate(this.build(), source, { ...state, hidden: false }).ids], told = words.pieces(whole);
    const [letters, glosses] = ["letters", "gloss"].map(name => told.map(one => one[name]).join(" "));
    return make("p", { className: "whole" }, whole.join() === ids.join() ? "The whole model writes the same." : [
      "The whole model writes ", korean(words.line(whole)), span("letters", `${letters} (${glosses})`)]);
  }

  beams(found, source, model, kept, ids) {
    const items = found.map(one => {
      const told = `log p ${signed(one.logProbability)}, score ${signed(one.score)}`;
      const glosses = this.words.pieces(one.ids).map(part => part.gloss).join(" ");
      return make("li", {}, button([korean(this.words.line(one.ids)), span("letters", glosses), span("share", told)], () => {
        this.focused = ".beams [aria-pressed=true]";
        this.finish(source, one.ids, found, model, kept);
      }, { "aria-pressed": String(one.ids === ids) }));
    });
    return make("div", { className: "beams" },
      make("h3", {}, `The ${found.length} best of the beam`), make("ol", {}, items));
  }

  // Every head of every layer: small pictures to choose from, and the chosen one as a table
  heads(kept, english, told, line) {
    const large = make("div", { className: "large" });
    const reads = ["<bos>", ...told.slice(0, -1).map(one => one.letters)], writes = told.map(one => one.letters);
    const all = [...kept.keys()].filter(name => name.includes(".cross.")), pictures = [];
    const show = (name, chosen) => {
      pictures.forEach(one => one.setAttribute("aria-pressed", String(one === chosen)));
      const [stack, , kind] = name.split(".");
      const weights = name === "mean" ? mean(all.map(one => kept.get(one))) : kept.get(name);
      const rows = stack === "encoder" ? english : reads.map((word, t) => [`${word} `, make("b", {}, `→ ${writes[t]}`)]);
      const columns = kind === "self" && stack === "decoder" ? reads : english;
      const silence = event => {
        const others = this.state.ablated.filter(one => one !== name);
        [this.shown, this.focused] = [name, ".silence input"];
        this.set({ ablated: event.target.checked ? [...others, name] : others });
      };
      const checked = this.state.ablated.includes(name);
      large.replaceChildren(make("div", {},
        make("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "attention map" },
          table(weights, rows, columns, name === "mean" ? MEAN : nameOf(name))),
        name !== "mean" && [make("label", { className: "silence" },
          make("input", { type: "checkbox", checked, onchange: silence }), " silence this head"),
          quiet("It writes: ", korean(line))]));
      large.className = stack === "encoder" ? "large" : "large decoder";
      this.mark();
    };
    const picture = (name, words, inside, more = {}) => {
      const one = button(inside, () => { this.shown = name; show(name, one); }, {
        "aria-pressed": "false", title: words, ...more,
        className: this.state.ablated.includes(name) ? "silent" : "" });
      one.dataset.name = name;
      pictures.push(one);
      return one;
    };
    const groups = KINDS.map(([stack, kind, title, looks]) => {
      const mine = [...kept].filter(([name]) => name.startsWith(stack) && name.includes(`.${kind}.`));
      return make("div", {}, make("h4", {}, title), quiet(looks), make("div", { className: "pictures" },
        mine.map(([name, weights]) => picture(name, nameOf(name), thumbnail(weights), { "aria-label": nameOf(name) }))));
    });
    groups[2].append(picture("mean", MEAN, `the mean of all ${all.length}`));
    const section = make("div", { className: "heads" }, make("h3", {}, "Where every head looks"),
      quiet("Rows are queries, columns are keys. Below, each row of pictures is a layer and each column a head, counted " +
        "from 0. A row of a decoder's map has read the first word and writes the second."),
      make("div", { className: "groups" }, groups), large);
    const chosen = pictures.find(one => one.dataset.name === this.shown) ?? pictures.at(-1);
    show(chosen.dataset.name, chosen);
    return section;
  }
}

const nameOf = name => {
  const [stack, layer, kind, head] = name.split(".");
  return `${stack}, layer ${layer}, ${kind === "self" ? "self" : "cross"}-attention, head ${head}`;
};

const piece = ({ form, letters, gloss }) => [korean(form), span("", letters), span("gloss", gloss)];

if (!customElements.get("book-translator")) customElements.define("book-translator", BookTranslator);
