// A file of weights as the book keeps them: safetensors of 16-bit numbers.
//
// 8 bytes: the length of the header. The header, as JSON: for each name its dtype, shape and place. Then the numbers.

const damaged = what => new Error(`The file of weights is damaged: ${what}. Load the page again.`);

// All 65,536 numbers of 16 bits as numbers of 32: a sign, 5 bits of exponent, 10 behind the point
const HALVES = () => Float32Array.from({ length: 65536 }, (_, bits) => {
  const sign = bits >> 15 ? -1 : 1, exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * fraction / 1024);
});

// The checksum Adler-32 (RFC 1950): any flipped bit changes it
export function adler32(bytes) {
  let a = 1, b = 0;
  for (let start = 0; start < bytes.length; start += 3800) {    // so many before b leaves the 32 bits
    for (const byte of bytes.subarray(start, start + 3800)) b += a += byte;
    a %= 65521;
    b %= 65521;
  }
  return b * 65536 + a;
}

// The tensors of a file: a Map from each name to { shape, numbers }, numbers being a Float32Array. Throws an Error of
// one sentence for a file that is cut short or not what it says it is
export function readWeights(buffer, checksum) {
  if (checksum !== undefined && adler32(new Uint8Array(buffer)) !== checksum) throw damaged("its checksum differs");
  const view = new DataView(buffer);
  const size = buffer.byteLength < 8 ? Infinity : Number(view.getBigUint64(0, true)), start = 8 + size;
  if (start > buffer.byteLength) throw damaged("it ends within its header");
  let header;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(buffer, 8, size));
    header = Object.entries(JSON.parse(text));
  } catch {
    throw damaged("its header is no JSON");
  }
  const halves = HALVES(), weights = new Map();
  for (const [name, entry] of header.filter(([name]) => name !== "__metadata__")) {
    const { dtype, shape, data_offsets: [from, to] = [] } = entry ?? {};
    if (dtype !== "F16") throw damaged(`${name} is no tensor of 16-bit numbers`);
    const whole = Array.isArray(shape) && [from, to, ...shape].every(number => Number.isSafeInteger(number) && number >= 0);
    if (!whole || to - from !== 2 * shape.reduce((a, b) => a * b, 1) || start + to > buffer.byteLength)
      throw damaged(`${name} has not its place in it`);
    const length = (to - from) / 2, place = start + from;
    const numbers = Float32Array.from({ length }, (_, i) => halves[view.getUint16(place + 2 * i, true)]);
    if (!numbers.every(Number.isFinite)) throw damaged(`${name} holds what is no number`);
    weights.set(name, { shape, numbers });
  }
  return weights;
}
