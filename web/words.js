// The words of both languages: a typed sentence to ids, Korean pieces to letters, glosses and a written line.

// as words_of in translator.py: words, commas, numbers, and signs that are no punctuation
const WORD = /\p{L}+(?:['’]\p{L}+)*|,|\p{Nd}+|[^\s\p{P}\p{L}\p{Nd}]+/gu;
// as QUIET there: punctuation that is kept, or left out without a word
const QUIET = /,|(?<=\p{L})['’‐‑-](?=\p{L})|(?<![.?!])[.?!]\s*$/gu;
export const REGISTERS = ["polite", "formal", "plain"];

// How many letters must change, fall away, come in between, or change places with the next one (the edit distance)
export function distance(one, other) {
  const far = Array.from({ length: one.length + 1 }, (_, i) => [i]);
  far[0] = Array.from({ length: other.length + 1 }, (_, j) => j);
  for (let i = 1; i <= one.length; i++) for (let j = 1; j <= other.length; j++) {
    far[i][j] = Math.min(far[i - 1][j] + 1, far[i][j - 1] + 1, far[i - 1][j - 1] + (one[i - 1] !== other[j - 1]));
    const changed = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
    if (changed) far[i][j] = Math.min(far[i][j], far[i - 2][j - 2] + 1);
  }
  return far[one.length][other.length];
}

export class Words {
  constructor(content) {
    Object.assign(this, content);
    this.numbers = new Map(this.source.map((word, id) => [word, id]));
    this.english = this.source.filter(word => /^\p{L}/u.test(word));
  }
  // The words of an English sentence as the corpus writes them; `unknown` are those that it has not, and
  // `left` the signs that are left out, each once
  read(text) {
    const forms = word => [word, word.toLowerCase(), word[0].toUpperCase() + word.slice(1).toLowerCase()];
    const words = (text.replace(/n['’]t(?!\p{L})/gu, " not").match(WORD) ?? []).map(word => forms(word).find(form => this.numbers.has(form)) ?? word);
    return { words, unknown: [...new Set(words.filter(word => !this.numbers.has(word)))],
             left: [...new Set(text.replace(QUIET, " ").match(/\p{P}/gu))] };
  }
  get notKnown() { return `It knows ${this.english.length} English words, and not`; }
  leftOut(left) { return left.length ? `${this.notKnown} ${left.map(sign => `“${sign}”`).join(", ")}: left out.` : ""; }
  ids(words) { return words.map(word => this.numbers.get(word)); }
  replaced(text, word, other) { return text.replace(WORD, found => found === word ? other : found); }
  // Up to three words that are spelled like this one, the likest first
  near(word) {
    const far = this.english.map(other => [distance(word.toLowerCase(), other.toLowerCase()), other])
      .filter(([number]) => number < word.length && number <= Math.max(1, word.length / 3));
    return far.sort((a, b) => a[0] - b[0]).slice(0, 3).map(([, other]) => other);
  }
  // Up to eight words that begin so, the most frequent first
  offered(start) {
    const low = start.toLowerCase();
    return low ? this.english.filter(word => word.toLowerCase().startsWith(low)).slice(0, 8) : [];
  }
  // For each id of a translation its Hangul, its letters, and its gloss behind the piece before it
  pieces(ids) {
    return ids.map((id, t) => {
      const form = this.target[id], before = this.target[ids[t - 1]] ?? "";
      return { form, letters: this.letters[id], gloss: this.others[form]?.[before] ?? this.glosses[id] };
    });
  }
  // Pieces as Korean writes them: what begins with a hyphen joins to its left, and may change it
  line(ids) {
    return ids.map(id => this.target[id]).reduce((line, form, t, forms) => {
      if (!t || !form.startsWith("-")) return t ? `${line} ${form}` : form;
      const [cut, more] = this.joins[form]?.[forms[t - 1]] ?? [0, form.slice(1)];
      return line.slice(0, line.length - cut) + more;
    }, "");
  }
}
