// Attention maps: rows are queries, columns are keys, white is zero and dark is much.

const BLUES = [[255, 255, 255], [222, 235, 247], [198, 219, 239], [158, 202, 225], [107, 174, 214], [66, 146, 198],
               [33, 113, 181], [8, 81, 156], [8, 48, 107]];

export const make = (tag, properties = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties))
    if (name in made && !["list", "form"].includes(name)) made[name] = value; else made.setAttribute(name, value);
  made.append(...children.flat().filter(Boolean));    // what is not there may be named all the same
  return made;
};

// Red, green and blue of a weight from 0 to 1
export function colour(weight) {
  const place = weight * (BLUES.length - 1), low = Math.min(Math.floor(place), BLUES.length - 2);
  return BLUES[low].map((part, i) => Math.round(part + (place - low) * (BLUES[low + 1][i] - part)));
}

// Black or white, whichever reads better on the colour (relative luminance as in WCAG 2)
export function ink(rgb) {
  const [red, green, blue] = rgb.map(part => part > 10 ? ((part / 255 + 0.055) / 1.055) ** 2.4 : part / 255 / 12.92);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000" : "#fff";
}

// A small picture of a map, a pixel a weight
export function thumbnail(weights) {
  const canvas = make("canvas", { width: weights[0].length, height: weights.length, "aria-hidden": "true" });
  const pen = canvas.getContext("2d"), image = pen.createImageData(canvas.width, canvas.height);
  weights.flat().forEach((weight, i) => image.data.set([...colour(weight), 255], 4 * i));
  pen.putImageData(image, 0, 0);
  return canvas;
}

// A map as a table with numbers; rows and columns are labels. A weight of exactly 0 was hidden by a mask: it is hatched
export function table(weights, rows, columns, caption) {
  const cell = weight => {
    if (weight === 0) return make("td", { className: "hidden", title: "hidden" });
    const rgb = colour(weight), shown = weight < 0.005 ? "" : weight.toFixed(2).replace(/^0|\.00$/g, "");
    return make("td", { style: `background: rgb(${rgb}); color: ${ink(rgb)}` }, shown);
  };
  const heads = columns.map(words => make("th", { scope: "col" }, make("span", {}, words)));
  return make("table", { className: "weights" }, make("caption", {}, caption),
    make("thead", {}, make("tr", {}, make("td"), heads)),
    make("tbody", {}, weights.map((row, t) => make("tr", {}, make("th", { scope: "row" }, rows[t]), row.map(cell)))));
}

export const mean = maps => maps[0].map((row, t) => row.map((_, s) =>
  maps.reduce((sum, map) => sum + map[t][s], 0) / maps.length));
