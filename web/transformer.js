// The book's Transformer in plain JavaScript: the page of chapter 14, part by part and name by name.
//
// One sentence at a time, so there are no batches and no pads. x is a list of words, each a Float32Array as wide as
// the model: x [T][D]. A mask is a function: allowed(t, s) is true where query t may look at key s.

// lookup.py, attention.py

export const dot = (a, b) => a.reduce((sum, number, i) => sum + number * b[i], 0);
const add = (x, y) => x.map((row, t) => row.map((number, i) => number + y[t][i]));

export function softmax(scores) {
  const most = Math.max(...scores);
  if (most === -Infinity) return scores.map(() => 0);    // a row with nothing allowed
  const powers = scores.map(score => Math.exp(score - most));    // the largest first: exp overflows
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map(power => power / sum);
}

// Weighted average of values; weights say how well each key answers the query. query [T][K], key and value [S][K];
// returns context [T][K] and weights [T][S]
export function attention(query, key, value, allowed = () => true) {
  const root = Math.sqrt(query[0].length);
  const weights = query.map((q, t) => softmax(key.map((k, s) => allowed(t, s) ? dot(q, k) / root : -Infinity)));
  const context = weights.map(row => value[0].map((_, i) =>
    row.reduce((sum, weight, s) => sum + weight * value[s][i], 0)));
  return { context, weights };
}

// layers.py; `at(name)` gives the numbers of a weight [out][in] or bias [out] as one Float32Array

class Linear {
  constructor(at) { this.weight = at("weight"); this.bias = at("bias"); }
  forward(x) {
    const { weight, bias } = this;
    return x.map(row => {
      const made = bias.slice();
      for (let i = 0, place = 0; i < made.length; i++) {
        let sum = bias[i];
        for (let j = 0; j < row.length; j++) sum += weight[place++] * row[j];
        made[i] = sum;
      }
      return made;
    });
  }
}

class LayerNorm {
  constructor(at) { this.weight = at("weight"); this.bias = at("bias"); }
  forward(x) {
    return x.map(row => {
      const mean = row.reduce((a, b) => a + b, 0) / row.length;
      const variance = row.reduce((sum, number) => sum + (number - mean) ** 2, 0) / row.length;
      return row.map((number, i) => (number - mean) / Math.sqrt(variance + 1e-5) * this.weight[i] + this.bias[i]);
    });
  }
}

class FeedForward {
  constructor(at) { this.up = new Linear(part(at, "up")); this.down = new Linear(part(at, "down")); }
  forward(x) { return this.down.forward(this.up.forward(x).map(row => row.map(number => Math.max(number, 0)))); }
}

// The positions' sines and cosines: sin, cos, sin, cos, ...
export function sinusoids(position, width) {
  return Float32Array.from({ length: width }, (_, i) => {
    const angle = position / 10000 ** ((i - i % 2) / width);
    return i % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}

// heads.py

const splitHeads = (x, heads) => Array.from({ length: heads }, (_, h) =>
  x.map(row => row.subarray(h * row.length / heads, (h + 1) * row.length / heads)));    // [H][T][K]
const mergeHeads = parts => parts[0].map((_, t) => Float32Array.from(parts.flatMap(part => [...part[t]])));    // [T][D]

class MultiHeadAttention {
  constructor(at, config, name) {
    for (const kind of ["query", "key", "value", "out"]) this[kind] = new Linear(part(at, kind));
    Object.assign(this, config, { name });
  }
  keysAndValues(source) {
    const [key, value] = [this.key, this.value].map(linear => splitHeads(linear.forward(source), this.heads));
    return { key, value };
  }
  attendTo(x, { key, value }, allowed) {
    const queries = splitHeads(this.query.forward(x), this.heads);
    const contexts = queries.map((query, h) =>
      this.attend(query, key[h], value[h], allowed, `${this.name}.${h}`).context);
    return this.out.forward(mergeHeads(contexts));
  }
  forward(x, source, allowed) { return this.attendTo(x, this.keysAndValues(source), allowed); }
}

// transformer.py

class EncoderLayer {
  constructor(at, config, name) {
    this.selfAttention = new MultiHeadAttention(part(at, "self_attention"), config, `${name}.self`);
    this.feedForward = new FeedForward(part(at, "feed_forward"));
    [this.norm1, this.norm2] = [1, 2].map(number => new LayerNorm(part(at, `norm${number}`)));
  }
  forward(x, allowed) {
    const normal = this.norm1.forward(x);
    x = add(x, this.selfAttention.forward(normal, normal, allowed));
    return add(x, this.feedForward.forward(this.norm2.forward(x)));
  }
}

class DecoderLayer {
  constructor(at, config, name) {
    this.selfAttention = new MultiHeadAttention(part(at, "self_attention"), config, `${name}.self`);
    this.crossAttention = new MultiHeadAttention(part(at, "cross_attention"), config, `${name}.cross`);
    this.feedForward = new FeedForward(part(at, "feed_forward"));
    [this.norm1, this.norm2, this.norm3] = [1, 2, 3].map(number => new LayerNorm(part(at, `norm${number}`)));
  }
  forward(x, memory, allowed, memoryAllowed) {
    const normal = this.norm1.forward(x);
    x = add(x, this.selfAttention.forward(normal, normal, allowed));
    x = add(x, this.crossAttention.forward(this.norm2.forward(x), memory, memoryAllowed));
    return add(x, this.feedForward.forward(this.norm3.forward(x)));
  }
  // `forward` for the newest word: past holds the keys and values of the rest, memory those of the source
  step(x, past, memory, memoryAllowed) {
    const normal = this.norm1.forward(x);
    const all = behind(past, this.selfAttention.keysAndValues(normal));
    x = add(x, this.selfAttention.attendTo(normal, all));
    x = add(x, this.crossAttention.attendTo(this.norm2.forward(x), memory, memoryAllowed));
    return { x: add(x, this.feedForward.forward(this.norm3.forward(x))), past: all };
  }
}

const behind = (past, { key, value }) => past    // new lists: a beginning may go on in several ways
  ? { key: past.key.map((rows, h) => [...rows, ...key[h]]), value: past.value.map((rows, h) => [...rows, ...value[h]]) }
  : { key, value };

class Embedding {
  constructor(at, config) { this.table = at("table.weight"); Object.assign(this, config); }
  forward(ids, first = 0) {
    return ids.map((id, t) => {
      const row = this.table.slice(id * this.width, (id + 1) * this.width), code = this.positions(first + t, this.width);
      return row.map((number, i) => number * Math.sqrt(this.width) + code[i]);
    });
  }
}

const layersOf = (Layer, at, config, name) => Array.from({ length: config.layers }, (_, number) =>
  new Layer(part(at, `layers.${number}`), config, `${name}.${number}`));
const part = (at, name) => rest => at(`${name}.${rest}`);

export class Transformer {
  // at(name) gives the numbers of a weight; config: width, heads, layers, and what may be exchanged from outside:
  // attend(query, key, value, allowed, name) and positions(position, width)
  constructor(at, config) {
    config = { attend: attention, positions: sinusoids, ...config };
    for (const [name, Layer] of [["encoder", EncoderLayer], ["decoder", DecoderLayer]]) {
      this[name] = {
        embedding: new Embedding(part(at, `${name}.embedding`), config),
        layers: layersOf(Layer, part(at, name), config, name),
        norm: new LayerNorm(part(at, `${name}.norm`)),
      };
    }
    // tied: the generator's matrix is the table of the target's embedding
    this.generator = new Linear(kind => kind === "weight" ? this.decoder.embedding.table : at("generator.bias"));
  }
  encode(source, allowed) {
    let x = this.encoder.embedding.forward(source);
    for (const layer of this.encoder.layers) x = layer.forward(x, allowed);
    return this.encoder.norm.forward(x);
  }
  decode(target, memory, memoryAllowed) {
    const causal = (t, s) => s <= t;
    let x = this.decoder.embedding.forward(target);
    for (const layer of this.decoder.layers) x = layer.forward(x, memory, causal, memoryAllowed);
    return this.decoder.norm.forward(x);
  }
  // Scores of every target word: source and target are lists of ids; returns logits [T][V]
  forward(source, target, allowed) {
    return this.generator.forward(this.decode(target, this.encode(source, allowed), allowed));
  }
  // Word by word: `start` reads the source, and each `step` gives the scores of the next word and a new state
  start(source, allowed) {
    const read = this.encode(source, allowed);
    const memory = this.decoder.layers.map(layer => layer.crossAttention.keysAndValues(read));
    return { length: 0, past: [], memory, allowed };
  }
  step(id, { length, past, memory, allowed }) {
    let x = this.decoder.embedding.forward([id], length);
    const kept = this.decoder.layers.map((layer, number) => {
      const made = layer.step(x, past[number], memory[number], allowed);
      x = made.x;
      return made.past;
    });
    const [logits] = this.generator.forward(this.decoder.norm.forward(x));
    return { logits, state: { length: length + 1, past: kept, memory, allowed } };
  }
}
