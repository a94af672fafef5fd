// The search of the book. What you type is compared, as you type, with the titles of the
// pages, the terms of the glossary, and the headings and text of all sections.
// tools/search.py writes the index; it is loaded when a field is first used.
"use strict";

(() => {
const root = document.documentElement.dataset.content_root;
// words of a question that say nothing of what it is about
const COMMON = new Set(("a about am an and are as at be between by can difference do does for from get good happens "
  + "has have how i if in instead into is it like make many mean means much my need not of on one or plain should so solution "
  + "solve than that the there they this to use used versus vs was we what when where which who why will with work works you your").split(" "));

const LONGEST = 200;    // letters of a query: a link may hold any number
const words = text => text.normalize("NFKC").toLowerCase().match(/[\dc]\d-\d+|[\p{L}\p{N}]+/gu) ?? [];
// what a word begins with in all its forms: quer for queries, pad for padding, normal for normalization
const stem = word => word.length < 4 ? word : word.replace(/(?<!s)s$/, "").replace(/(?:ie|y)$/, "")
  .replace(/(?<=\w{4})i[sz](?:ation|ed?|ing)$|(?<=\w{3})(?:ing|ed?)$|(?<=\w{5})ion$/, "").replace(/([b-df-hj-np-rtv-z])\1$/, "$1");
const squeezed = text => words(text).map(stem).join("");
const sum = numbers => [...numbers].reduce((one, other) => one + other, 0);

// what readers say, and what the book says
const ALSO = new Map([["sqrt", "root"], ["sequence", "sentence"], ["divide", "division"]].map(pair => pair.map(stem)));

// "exercise 2.1" asks for 02-1, and "c1.3" for C1-3
const numbered = query => query.replace(/(?<![\d.-]|[a-z])(c?)(\d{1,2})[-.](\d+)(?![\d.-])/gi,
  (_, c, chapter, number) => `${c || chapter.length > 1 ? c : "0"}${chapter}-${number}`);

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

function counted(text) {
  const counts = new Map();
  for (const word of words(text)) counts.set(stem(word), (counts.get(stem(word)) ?? 0) + 1);
  return counts;
}

function prepare({ pages, sections, terms }) {
  const known = new Map();    // each word of the book, with how often it stands there
  const hear = (text, weight) => words(text).forEach(word => known.set(word, (known.get(word) ?? 0) + weight));
  const shown = pages.map(([file, title]) => ({ file, title, words: counted(title), counts: new Map(),
    names: [title.split(/[:·]/).at(-1), ...title.split(/[:·,]| and /)].map(part => squeezed(part.replace(/^\s*the /i, ""))) }));
  const holding = new Map();    // how many sections hold a stem
  const kept = sections.map(([number, anchor, heading, prose, code, asked = ""]) => {
    const text = `${prose} ${code}`.trim();
    hear(heading, 100);
    hear(text, 1);
    const page = shown[number], counts = counted(`${heading} ${prose}`);
    for (const [part, times] of counted(code)) counts.set(part, (counts.get(part) ?? 0) + times / 4);
    const body = ` ${words(text).map(stem).join(" ")} `;
    for (const [part, times] of counts) {
      page.counts.set(part, (page.counts.get(part) ?? 0) + times);
      holding.set(part, (holding.get(part) ?? 0) + 1);
    }
    return { page, file: page.file, title: page.title, anchor, heading, text, body, counts, head: counted(heading), asked, length: sum(counts.values()) };
  });
  const entries = terms.map(([names, anchor, place, text]) => {
    names.forEach(name => hear(name, 1000));
    return { names, squeezed: names.map(squeezed), anchor, place, text, head: counted(names.join(" ")), counts: counted(text) };
  });
  const mean = sum(kept.map(({ length }) => length)) / kept.length;
  const stems = new Set([...known.keys()].map(stem));
  const telling = told => new Set(words(told).filter(word => !COMMON.has(word)).map(stem).filter(part => stems.has(part)));
  for (const section of kept) section.questions = [section.heading, ...section.asked.split("||")].filter(Boolean).map(telling);
  return { sections: kept, terms: entries, known, holding, mean, stems };
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

// the word itself if the book knows it or a longer one, else the nearest that it knows; "" if
// there is none, or if the word is too short for a guess
function spelled(word, { known, stems }) {
  const isLatin = /^[a-z\d-]+$/.test(word), few = word.length < 7 ? 1 : 2;
  if (stems.has(stem(word)) || [...known.keys()].some(other => other.startsWith(word))) return word;
  let best = "", least = few + 1, weight = 0;
  if (word.length < (isLatin ? 5 : 4)) return best;
  for (const [other, times] of known) {
    if (Math.abs(other.length - word.length) > few) continue;
    const far = distance(word, other);
    if (far < least || far === least && times > weight) [best, least, weight] = [other, far, times];
  }
  return best;
}

// what is looked for: each word with the stems that it may stand for, and how rare they are
function weighed(asked, { stems, holding, sections }) {
  const telling = asked.filter(word => !COMMON.has(word));
  const letters = telling.filter(word => /^[a-z]$/.test(word)).length;
  return [...new Set(telling.length ? telling : asked)].map(word => {
    const fitting = stems.has(stem(word)) ? [stem(word)] : [...stems].filter(other => other.startsWith(word));
    if (ALSO.has(stem(word))) fitting.push(ALSO.get(stem(word)));
    const most = Math.max(1, ...fitting.map(part => holding.get(part) ?? 0));
    return { word, fitting, rare: Math.log(1 + sections.length / most) * (word.length > 1 || letters > 1 ? 1 : 0.1) };
  });
}

// pages that a learner does not ask for stand below chapters, and so do the ends of a chapter
const QUIET = /book\/(?:bibliography|glossary|live|model_card|questions|teaching|from_syllabus)/;
const ENDS = /^(?:.*package.*|how-we-know|quiz|recap|sources|what-is-still-missing)$/;
const ANSWERS = /book\/asked\//;
const TEACHERS = /^(?:class|course|distribut|grad|hour|lectur|rubric|student|syllab|teach)/;

const times = (counts, fitting) => sum(fitting.map(part => counts.get(part) ?? 0));

function scoreOf(section, wanted, phrase, mean) {
  const { page, heading, title, anchor, body, counts, head, length, file } = section;
  const isAnswer = ANSWERS.test(file);
  if (isAnswer && (!section.text || heading === title)) return 0;
  const answer = isAnswer ? scoreOfAnswer(section, wanted, mean) : 0;
  let own = 0, whole = 0, met = 0, all = 0;
  for (const { fitting, rare } of wanted) {
    const here = times(counts, fitting), there = times(page.counts, fitting);
    own += rare * (here / (here + 1 + 0.5 * length / mean) + (times(head, fitting) ? 0.8 : 0) + (times(page.words, fitting) ? 0.6 : 0));
    whole += 1.3 * rare * there / (there + 12);
    if (here) met += rare;
    all += rare;
  }
  if (!met) return answer;
  const isPage = heading === title, asked = phrase.replaceAll(" ", "");
  const called = !isPage ? 0 : page.names.includes(asked.replace(/^the/, "")) ? 220
    : 0.4 * sum(wanted.filter(({ fitting }) => page.names.includes(fitting[0])).map(({ rare }) => rare * rare)) / all;
  if (squeezed(heading).includes(asked)) own += 1.5 * all;
  else if (phrase.includes(" ") && body.includes(` ${phrase} `)) own += all;
  // "tensor shapes" asks for "Tensors and their shapes"; the heading of an answer is weighed as a question
  else if (!isAnswer && wanted.length > 1 && wanted.every(({ fitting }) => times(head, fitting))) own += 0.5 * all;
  const isAside = ENDS.test(anchor) || anchor.startsWith("exercise") && !/exerci|\d-\d/.test(phrase);
  const isQuiet = QUIET.test(file) && !wanted.some(({ word }) => TEACHERS.test(word));
  const usual = called + (own * (met / all) ** 3 * (isAside ? 0.7 : anchor === "in-short" ? 1.25 : 1) + whole) * (isQuiet ? 0.35 : 1);
  // the more words, the more it is a question, and the less a term; one word is a term
  const better = Math.max(answer, usual * (wanted.length > 4 ? 1.1 : wanted.length > 3 ? 0.9 : 0.4));
  return isAnswer ? better * (wanted.length > 1 ? 1 : 0.2) : usual;
}

// an answer is found by its question, in our words or in the asker's; for a bare term it
// stands below the chapters
function scoreOfAnswer({ counts, head, length, questions }, wanted, mean) {
  const isIn = ({ fitting }, question) => fitting.some(part => question.has(part));
  const rarity = some => sum(some.map(({ rare }) => rare)), all = rarity(wanted);
  const own = sum(wanted.map(({ fitting, rare }) => {
    const here = times(counts, fitting);
    return rare * (here / (here + 1 + 0.5 * length / mean) + (times(head, fitting) ? 0.8 : 0));
  }));
  const met = rarity(wanted.filter(one => times(counts, one.fitting) || questions.some(question => isIn(one, question))));
  const alike = Math.max(...questions.map(question => {
    const both = wanted.filter(one => isIn(one, question));
    return rarity(both) * (both.length / Math.max(1, question.size)) ** 3;
  }));
  return own * (met / all) ** 2 * (wanted.length > 3 ? 0.8 : 0.35) + 1.5 * alike;
}

// how well the words of a term and of its definition fit
function fit(term, wanted) {
  let own = 0, met = 0, all = 0;
  for (const { fitting, rare } of wanted) {
    const isNamed = times(term.head, fitting) > 0;
    if (isNamed || times(term.counts, fitting)) [own, met] = [own + rare * (isNamed ? 1 : 0.5), met + rare];
    all += rare;
  }
  return own * (met / all) ** 3;
}

// the sections that fit, best first, and the query as it was understood
async function search(typed) {
  const query = numbered(typed.slice(0, LONGEST));
  const book = await load(), { sections, terms, mean } = book;
  const whole = squeezed(query);
  const isTerm = terms.some(term => term.squeezed.some(name => name.startsWith(whole)));
  const given = words(query);
  const asked = isTerm ? given : given.map(word => COMMON.has(word) ? word : spelled(word, book)).filter(Boolean);
  const understood = asked.join(" "), phrase = asked.map(stem).join(" ");
  if (!phrase) return { hits: [], understood: "" };
  const wanted = weighed(asked, book);
  const found = new Map();
  const add = (section, score, find) => {
    const key = `${section.file}#${section.anchor}`;
    const hit = found.get(key);
    if (score > 0) found.set(key, { ...section, score: score + (hit?.score ?? 0), find: hit && hit.score > score ? hit.find : find });
  };
  for (const section of sections) add(section, scoreOf(section, wanted, phrase, mean), understood);
  const glossary = sections.find(({ file }) => file.endsWith("glossary.html"));
  for (const { term, name, score } of named(terms, asked, wanted)) {
    const find = /\p{Script=Hangul}/u.test(name) ? term.names[0] : name;
    add(sections.find(({ file, anchor }) => `${file}#${anchor}` === term.place), score, find);
    add({ ...glossary, anchor: term.anchor, heading: term.names[0], text: term.text }, score === 200 ? score - 1 : score / 2, find);
    found.delete(`${glossary.file}#${glossary.anchor}`);    // the entry says it better than the page
  }
  const hits = [...found.values()].sort((one, other) => other.score - one.score);
  return { hits, understood: understood === given.join(" ") ? "" : understood };
}

// the terms that a query names, each with a name and a score: 200 if it asks for nothing else
function named(terms, asked, wanted) {
  const telling = asked.filter(word => wanted.some(one => one.word === word));
  const runs = new Map();    // what stands together in the query, with its words
  asked.forEach((_, from) => asked.slice(from, from + 5).forEach((_, more) =>
    runs.set(squeezed(asked.slice(from, from + more + 1).join(" ")), asked.slice(from, from + more + 1))));
  const whole = squeezed(asked.join(" ")), all = sum(wanted.map(({ rare }) => rare));
  const hits = [];
  for (const term of terms) {
    const best = { term, name: term.names[0], score: fit(term, wanted), run: [] };
    term.squeezed.forEach((name, i) => {
      const run = runs.get(name) ?? [], isAll = run.length && telling.every(word => run.includes(word));
      const rare = sum(wanted.filter(({ word }) => run.includes(word)).map(({ rare }) => rare));
      const score = name === whole || isAll ? 200 : rare ? 0.8 * rare : whole.length > 2 && name.startsWith(whole) ? 4 : 0;
      if (score > best.score) Object.assign(best, { name: term.names[i], score, run });
    });
    if (best.score > 0) hits.push(best);
  }
  const within = (one, other) => one.run.length && one.run.length < other.run.length && one.run.every(word => other.run.includes(word));
  return hits.filter(one => !hits.some(other => within(one, other)));
}

// --- What is shown ---

const escape = text => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// finds the words in a row, whatever stands between them, or each for itself
function pattern(text, together = true) {
  const parts = words(text).filter(word => together || !COMMON.has(word)).map(word => escape(word.length > 3 ? word.replace(/(?<!s)s$/, "") : word)
    + (/^[a-z]{1,2}$/.test(word) ? "(?![\\p{L}\\p{N}])" : ""));    // d is no dot
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
    mark.className = "found";
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
  const end = start + 150 < text.length ? text.lastIndexOf(" ", start + 150) : text.length;
  return marked(text.slice(start, end > start ? end : start + 150), wanted ?? /(?!)/g);
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
    if (!index) said.textContent = "Loading the search …";
    const { hits, understood } = await search(field.value).catch(error => ({ hits: [], understood: error.message }));
    if (mine !== latest) return;    // more was typed meanwhile
    const shown = Math.min(hits.length, most), places = `${shown} ${shown === 1 ? "place" : "places"}, best first`;
    said.textContent = !hits.length ? "Nothing in the book fits. The glossary lists its terms."
      : understood ? `The book does not know all of it. ${places}, for “${understood}”:` : `${places}:`;
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
  const marks = [...article.querySelectorAll("mark.found")];
  const inside = marks.filter(mark => place?.contains(mark) && !mark.closest("h1, h2, h3"));
  // the word that stands there least often says most
  const often = counted(inside.map(mark => mark.textContent).join(" "));
  const rarity = mark => Math.min(...words(mark.textContent).map(word => often.get(stem(word))));
  const heading = section?.querySelector("h1, h2, h3, h4")?.textContent ?? "";
  const first = inside.length && heading.search(pattern(find)) < 0 ? inside.reduce((one, other) => rarity(other) < rarity(one) ? other : one) : section ?? marks[0];
  for (let fold = first.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  // a section may be taller than the screen
  const scroll = () => first.scrollIntoView({ block: first === section ? "start" : "center", behavior: "instant" });
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
