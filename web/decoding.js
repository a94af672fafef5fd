// From the model to sentences, as decoding.py does it: greedy, sampling, beam search (chapter 17).

import { softmax } from "./transformer.js";

export const [PAD, UNK, BOS, EOS] = [0, 1, 2, 3];

// Scores with minus infinity for the two words that are never written
const without = logits => logits.map((score, id) => id === PAD || id === BOS ? -Infinity : score);
const largest = scores => scores.reduce((best, score, id) => score > scores[best] ? id : best, 0);

// log p of every word after some logits [V], those two left out
export function logProbabilities(logits) {
  const scores = without(logits), most = Math.max(...scores);
  const rest = Math.log(scores.reduce((sum, score) => sum + Math.exp(score - most), 0));
  return Array.from(scores, score => score - most - rest);
}

export const greedy = logits => largest(without(logits));

// A word drawn by its probability; temperature below 1 sharpens; random() gives numbers from 0 to 1
export const sample = (temperature, random) => logits => {
  let left = random();
  const shares = softmax(Array.from(without(logits), score => score / temperature));
  const drawn = shares.findIndex(share => (left -= share) < 0);
  return drawn < 0 ? largest(shares) : drawn;    // rounded: nothing was left to draw
};

// One id after the other, up to EOS (which is not given) or `maxLength` words; choose(logits) says which
export function* decode(model, source, choose, allowed, maxLength = 100) {
  let state = model.start(source, allowed), logits, last = BOS;
  for (let length = 0; length < maxLength; length++) {
    ({ logits, state } = model.step(last, state));
    last = choose(logits);
    if (last === EOS) return;
    yield last;
  }
}

// log p over a penalty that grows with the length, EOS counted: Wu et al. 2016, equation 14
export const normalised = (logProbability, length, lengthPenalty) =>
  logProbability / ((5 + length) / 6) ** lengthPenalty;

// A log p or a score as text, and none as −0.00
export const signed = number => (Math.abs(number) < 0.005 ? 0 : number).toFixed(2).replace("-", "−");

// The best translations that a beam search finds, the best first: { ids, logProbability, score }
export function beamSearch(model, source, beamSize = 5, lengthPenalty = 0.6, allowed = undefined, maxLength = 100) {
  const hypothesis = ({ ids, total }, length) =>
    ({ ids, logProbability: total, score: normalised(total, length, lengthPenalty) });
  let going = [{ ids: [], total: 0, state: model.start(source, allowed) }], found = [];
  for (let length = 1; length <= maxLength; length++) {
    const longer = going.flatMap(({ ids, total, state }) => {
      const made = model.step(ids.at(-1) ?? BOS, state);
      return logProbabilities(made.logits).map((log, id) => ({ ids, id, total: total + log, state: made.state }));
    }).sort((a, b) => b.total - a.total).slice(0, 2 * beamSize).filter(one => one.total > -Infinity);
    found.push(...longer.slice(0, beamSize).filter(one => one.id === EOS).map(one => hypothesis(one, length)));
    found = found.sort((a, b) => b.score - a.score).slice(0, beamSize);
    going = longer.filter(one => one.id !== EOS).slice(0, beamSize)
      .map(({ ids, id, total, state }) => ({ ids: [...ids, id], total, state }));
    // log p can only fall, the penalty only grow: the best that may still come
    const top = going[0]?.total ?? -Infinity;
    const most = Math.max(...[length + 1, maxLength].map(end => normalised(top, end, lengthPenalty)));
    if (found.length === beamSize && found.at(-1).score >= most) return found;
  }
  return [...found, ...going.map(one => hypothesis(one, maxLength))].slice(0, beamSize);
}
