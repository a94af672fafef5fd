// The search of the book. What you type is compared, as you type, with the titles of the
// pages, the terms of the glossary, and the headings and text of all sections.
// tools/search.py writes the index; it is loaded when a field is first used.
"use strict";

(() => {
const root = document.documentElement.dataset.content_root;
const COMMON = new Set(["a", "an", "and", "exercise", "how", "in", "is", "of", "the", "to", "what"]);

const LONGEST = 200;    // letters of a query: a link may hold any number
const words = text => text.normalize("NFKC").toLowerCase().match(/[\dc]\d-\d+|[\p{L}\p{N}]+/gu) ?? [];
const stem = word => word.length > 3 ? word.replace(/(?<!s)s$/, "") : word;
const squeezed = text => words(text).map(stem).join("");
const spaced = text => ` ${words(text).join(" ")}`;
const count = (text, part) => text.split(part).length - 1;

// --- The index ---

let index;

function load() {
  return index ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${root}_static/search-index.js`;
    script.onload = () => resolve(prepare(bookIndex));
    script.onerror = () => reject(new Error("the search index could not be loaded"));
    document.head.append(script);
  });
}

function prepare({ pages, sections, terms }) {
  const known = new Map();    // each word of the book, with how often it stands there
  const hear = (text, weight) => words(text).forEach(word => known.set(word, (known.get(word) ?? 0) + weight));
  const kept = sections.map(([page, anchor, heading, text]) => {
    hear(heading, 100);
    hear(text, 1);
    const [file, title] = pages[page];
    return { file, title, anchor, heading, text, head: spaced(heading), body: spaced(text) };
  });
  const entries = terms.map(([names, anchor, place, text]) => {
    names.forEach(name => hear(name, 1000));
    return { names, squeezed: names.map(squeezed), anchor, place, text };
  });
  return { sections: kept, terms: entries, known };
}

// --- A query ---

// how many letters must be added, left out, exchanged or swapped with their neighbour
function distance(one, other) {
  let before, last = [], row = [...Array(other.length + 1).keys()];
  for (let i = 1; i <= one.length; i++) {
    [before, last, row] = [last, row, [i]];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1];
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (swapped) row[j] = Math.min(row[j], before[j - 2] + 1);
    }
  }
  return row[other.length];
}

// the word itself if the book knows it or a longer one, else the nearest that it knows
function spelled(word, known) {
  const few = word.length < 7 ? 1 : 2;
  let best = word, least = few + 1, weight = 0;
  for (const [other, times] of known) {
    if (other.startsWith(stem(word))) return word;
    if (Math.abs(other.length - word.length) > few) continue;
    const far = distance(word, other);
    if (far < least || far === least && times > weight) [best, least, weight] = [other, far, times];
  }
  return best;
}

function scoreOf(section, asked, phrase) {
  const { title, heading, head, body } = section;
  const isPage = heading === title;
  let score = 0;
  const parts = isPage ? [title.split(/[:·]/).at(-1), ...title.split(/[:·,]| and /)] : [];
  if (parts.some(part => squeezed(part) === squeezed(phrase))) score += 220;
  if (head.includes(` ${phrase}`)) score += isPage ? 80 : 45;
  score += 2 * Math.min(count(body, ` ${phrase}`), 8);
  for (const word of asked) {
    const found = ` ${stem(word)}`;
    if (head.includes(found)) score += isPage ? 12 : 8;
    else if (body.includes(found)) score += Math.min(count(body, found), 6) / 2;
    else score = (score - 6) / 4;    // not all that was asked for is here
  }
  return score;
}

// the sections that fit, best first, and the query as it was understood
async function search(typed) {
  const query = typed.slice(0, LONGEST);
  const { sections, terms, known } = await load();
  const whole = squeezed(query);
  const isTerm = terms.some(term => term.squeezed.some(name => name.startsWith(whole)));
  const given = words(query);
  const asked = isTerm ? given : given.map(word => spelled(word, known));
  const understood = asked.join(" "), phrase = understood.replace(/(?<=\w{3}[^s])s$/, "");
  const weighed = asked.filter(word => !COMMON.has(word));
  const found = new Map();
  const add = (section, score, find) => {
    const key = `${section.file}#${section.anchor}`;
    const hit = found.get(key);
    if (score > 0 && (!hit || hit.score < score)) found.set(key, { ...section, score, find });
  };
  if (!whole) return { hits: [], understood };
  const glossary = sections.find(({ file }) => file.endsWith("glossary.html"));
  for (const section of sections) add(section, scoreOf(section, weighed, phrase), understood);
  for (const term of terms) {
    const scores = term.squeezed.map(name => name === squeezed(understood) ? 200
      : whole.length > 2 && name.startsWith(squeezed(understood)) ? 45 : 0);
    const score = Math.max(...scores), name = term.names[scores.indexOf(score)];
    if (!score) continue;
    const find = /\p{Script=Hangul}/u.test(name) ? term.names[0] : name;
    const at = sections.find(({ file, anchor }) => `${file}#${anchor}` === term.place);
    add(at, score + (found.get(term.place)?.score ?? 0) / 10, find);
    add({ ...glossary, anchor: term.anchor, heading: term.names[0], text: term.text }, score - 1, find);
    found.delete(`${glossary.file}#${glossary.anchor}`);    // the entry says it better than the page
  }
  const hits = [...found.values()].sort((one, other) => other.score - one.score);
  return { hits, understood: understood === given.join(" ") ? "" : understood };
}

// --- What is shown ---

const escape = text => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// finds the words in a row, whatever stands between them, or each for itself
function pattern(text, together = true) {
  const parts = words(text).filter(word => together || !COMMON.has(word)).map(word => escape(stem(word)));
  if (!parts.length) return /(?!)/g;    // nothing is asked for, and nothing is found
  const gap = together ? "[^\\p{L}\\p{N}]*" : "|";
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${parts.join(gap)})[\\p{L}\\p{N}]*`, "giu");
}

// the text with what was found marked
function marked(text, wanted) {
  const part = document.createDocumentFragment();
  let end = 0;
  for (const match of text.matchAll(wanted)) {
    const mark = document.createElement("mark");
    mark.textContent = match[0];
    part.append(text.slice(end, match.index), mark);
    end = match.index + match[0].length;
  }
  part.append(text.slice(end));
  return part;
}

function excerpt({ text, find }) {
  const wanted = [pattern(find), pattern(find, false)].find(one => text.search(one) >= 0);
  const at = wanted ? text.search(wanted) : 0;
  const start = at < 60 ? 0 : text.indexOf(" ", at - 50) + 1;
  return marked(text.slice(start, start + 150), wanted ?? /(?!)/g);
}

function row(hit) {
  const item = document.createElement("li"), link = document.createElement("a");
  const where = document.createElement("span"), text = document.createElement("span");
  link.href = `${root}${hit.file}?find=${encodeURIComponent(hit.find)}#${hit.anchor}`;
  where.className = "where";
  where.textContent = hit.heading === hit.title ? hit.title : `${hit.title} › ${hit.heading}`;
  text.append(excerpt(hit));
  link.append(where, text);
  item.append(link);
  return item;
}

function attach(form, most) {
  const field = form.querySelector("input[type=search]");
  const said = document.createElement("p"), list = document.createElement("ol");
  said.className = "search-said";
  said.setAttribute("role", "status");
  list.className = "search-hits";
  form.after(said, list);
  let latest = 0;
  const show = async () => {
    const mine = ++latest;
    if (!field.value.trim()) return void (said.textContent = "", list.replaceChildren());
    const { hits, understood } = await search(field.value).catch(error => ({ hits: [], understood: error.message }));
    if (mine !== latest) return;    // more was typed meanwhile
    said.textContent = !hits.length ? "Nothing in the book fits. The glossary lists its terms."
      : understood ? `The book does not know that word. This is what it has for “${understood}”:` : "";
    list.replaceChildren(...hits.slice(0, most).map(row));
  };
  field.addEventListener("input", show);
  form.parentElement.addEventListener("keydown", event => {
    const links = [field, ...list.querySelectorAll("a")], at = links.indexOf(document.activeElement);
    const next = links[at + { ArrowDown: 1, ArrowUp: -1 }[event.key]];
    if (at >= 0 && next) {
      event.preventDefault();
      next.focus();
    }
  });
  return { field, show };
}

// --- On arrival ---

// marks what was searched for, and scrolls to the first place in the section that was chosen
function arrive(find) {
  let name = location.hash.slice(1);
  try { name = decodeURIComponent(name); } catch { /* a stray % */ }
  const section = document.getElementById(name);
  const article = document.querySelector("article.bd-article");
  const place = section?.matches("dt") ? section.nextElementSibling : section;
  const texts = [];
  const walk = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) if (!walk.currentNode.parentElement.closest("script, style, .headerlink, .math")) texts.push(walk.currentNode);
  const wanted = [pattern(find), pattern(find, false)].find(one => texts.some(({ data }) => data.search(one) >= 0));
  if (!wanted) return;
  texts.filter(({ data }) => data.search(wanted) >= 0).forEach(text => text.replaceWith(marked(text.data, wanted)));
  const marks = [...article.querySelectorAll("mark")];
  const first = marks.find(mark => place?.contains(mark) && !mark.closest("h1, h2, h3")) ?? section ?? marks[0];
  for (let fold = first.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  const scroll = () => first.scrollIntoView({ block: "center", behavior: "instant" });
  addEventListener("load", () => {
    setTimeout(scroll);
    window.MathJax?.startup?.promise?.then(() => setTimeout(scroll));    // formulas move what is below
  });
  addEventListener("keydown", event => {
    if (event.key === "Escape") marks.forEach(mark => mark.replaceWith(...mark.childNodes));
  });
}

const asked = new URLSearchParams(location.search);
for (const form of document.querySelectorAll("form.bd-search")) {
  const page = form.closest(".bd-search-container");
  const { field, show } = attach(form, page ? 30 : 8);
  if (page) {
    field.value = asked.get("q") ?? "";
    field.focus();
    show();
  }
}
if (asked.has("find")) arrive(asked.get("find").slice(0, LONGEST));
window.bookSearch = search;    // for the tests
})();
