// Operations along an axis: softmax, normalization, sums and maxima, rotary positions.
"use strict";

function softmaxRow(x, places, result) {
  let largest = -Infinity;
  for (const place of places) {
    if (Number.isNaN(x.data[place]) || x.data[place] > largest) largest = x.data[place];
  }
  if (largest === -Infinity) return;  // everything masked: zeros
  let sum = 0;
  for (const place of places) sum += result.data[place] = Math.exp(x.data[place] - largest);
  for (const place of places) result.data[place] /= sum;
}

function softmaxForward(x, axis) {
  const result = zeros(x.shape);
  forEachRow(x.shape, axis, (places) => softmaxRow(x, places, result));
  return result;
}

function logSoftmaxForward(x, axis) {
  const result = zeros(x.shape);
  forEachRow(x.shape, axis, (places) => {
    const largest = Math.max(...places.map((place) => x.data[place]));
    const sum = places.reduce((total, place) => total + Math.exp(x.data[place] - largest), 0);
    for (const place of places) result.data[place] = x.data[place] - largest - Math.log(sum);
  });
  return result;
}

/** grads of a row from f(places) → for each place. */
function rowwise(shape, axis, f) {
  const result = zeros(shape);
  forEachRow(shape, axis, (places) => {
    f(places).forEach((value, i) => { result.data[places[i]] = value; });
  });
  return result;
}

const sumOver = (places, f) => places.reduce((total, place) => total + f(place), 0);

define({
  softmax: {
    formula: ([x]) => `softmax(${x}): each row e^x / Σ e^x`,
    rule: "y · (G − Σ G·y)",
    forward: ([x], {axis}) => softmaxForward(x, axis),
    backward: (ins, y, grad, {axis}) => [rowwise(y.shape, axis, (places) => {
      const mean = sumOver(places, (place) => grad.data[place] * y.data[place]);
      return places.map((place) => y.data[place] * (grad.data[place] - mean));
    })],
    explain: ([x], out, flat, {axis}) => {
      const places = rowThrough(x.shape, axis, flat);
      const largest = Math.max(...places.map((place) => x.data[place]));
      const terms = places.map((place) => ({
        text: `e^${factor(x.data[place] - largest)}`, value: Math.exp(x.data[place] - largest),
      }));
      return {text: `e^${factor(x.data[flat] - largest)} / (the sum below over its row), every x ` +
                    `less the row's largest, ${formatNumber(largest)}, so that e^x stays small:`,
              terms, reads: [[0, places]]};
    },
  },
  log_softmax: {
    formula: ([x]) => `ln softmax(${x})`,
    rule: "G − softmax(x) · Σ G",
    forward: ([x], {axis}) => logSoftmaxForward(x, axis),
    backward: (ins, y, grad, {axis}) => [rowwise(y.shape, axis, (places) => {
      const sum = sumOver(places, (place) => grad.data[place]);
      return places.map((place) => grad.data[place] - Math.exp(y.data[place]) * sum);
    })],
    explain: ([x], out, flat, {axis}) => ({
      text: `${formatNumber(x.data[flat])} minus the logarithm of Σ e^x over its row`,
      terms: [], reads: [[0, rowThrough(x.shape, axis, flat)]],
    }),
  },
});

/** Mean (of x, or 0 for rms_norm) and 1/√(variance + ε) of a row. */
function rowScale(x, places, epsilon, isCentered) {
  const mean = isCentered ? sumOver(places, (place) => x.data[place]) / places.length : 0;
  const variance = sumOver(places, (place) => (x.data[place] - mean) ** 2) / places.length;
  return {mean, inverse: 1 / Math.sqrt(variance + epsilon)};
}

function normalizing(name, isCentered, rule) {
  const normal = (x, epsilon) => rowwise(x.shape, -1, (places) => {
    const {mean, inverse} = rowScale(x, places, epsilon, isCentered);
    return places.map((place) => (x.data[place] - mean) * inverse);
  });
  return {
    formula: ([x, gain, bias]) => `${name}(${x}) · ${gain}` +
                                  (bias === undefined ? "" : ` + ${bias}`),
    rule,
    forward: ([x, gain, bias], {epsilon}) => {
      const scaled = zipped(normal(x, epsilon), gain, (a, b) => a * b);
      return bias === undefined ? scaled : zipped(scaled, bias, (a, b) => a + b);
    },
    backward: ([x, gain, bias], out, grad, {epsilon}) => {
      const n = normal(x, epsilon);
      const h = zipped(grad, gain, (a, b) => a * b);
      const gradX = rowwise(x.shape, -1, (places) => {
        const {inverse} = rowScale(x, places, epsilon, isCentered);
        const size = places.length;
        const mean = isCentered ? sumOver(places, (place) => h.data[place]) / size : 0;
        const along = sumOver(places, (place) => h.data[place] * n.data[place]) / size;
        return places.map((place) => (h.data[place] - mean - n.data[place] * along) * inverse);
      });
      const grads = [gradX, summedTo(zipped(grad, n, (a, b) => a * b), gain.shape)];
      return bias === undefined ? grads : [...grads, summedTo(grad, bias.shape)];
    },
    explain: ([x, gain, bias], out, flat, {epsilon}) => {
      const places = rowThrough(x.shape, -1, flat);
      const {mean, inverse} = rowScale(x, places, epsilon, isCentered);
      const column = flat % places.length;
      const offset = bias === undefined ? "" : ` + ${factor(bias.data[column])}`;
      const centered = isCentered ? `(${formatNumber(x.data[flat])} − ${factor(mean)})`
                                  : factor(x.data[flat]);
      return {text: `${centered} / ${formatNumber(1 / inverse)} · ` +
                    `${factor(gain.data[column])}${offset}`,
              terms: [], reads: [[0, places], [1, [column]], [2, [column]]]
                                    .slice(0, bias === undefined ? 2 : 3)};
    },
  };
}

define({
  layer_norm: normalizing("norm", true, "(H − mean H − n·mean(H·n))/σ, with H = G·gain; " +
                                        "Σ G·n to the gain; Σ G to the bias"),
  rms_norm: normalizing("rms norm", false, "(H − n·mean(H·n))/rms, with H = G·gain; " +
                                           "Σ G·n to the gain"),
});

/** The places of a reduction's groups: result place → places of x. */
function groupsOf(shape, {axes}) {
  const reduced = new Set((axes.length === 0 ? shape.map((_, axis) => axis) : axes)
                              .map((axis) => frontAxis(axis, shape.length)));
  const kept = shape.map((size, axis) => (reduced.has(axis) ? 1 : size));
  const groups = Array.from({length: elementCount(kept)}, () => []);
  stretchedPlaces(kept, shape).forEach((group, place) => groups[group].push(place));
  return {groups, kept, reduced};
}

function reducing(formula, rule, f, slopes, explained, join = " + ") {
  return {
    formula: ([x]) => formula(x),
    rule,
    forward: ([x], attributes) => {
      const {groups, kept, reduced} = groupsOf(x.shape, attributes);
      const shape = attributes.keep ? kept : kept.filter((_, axis) => !reduced.has(axis));
      return {shape, data: Float64Array.from(groups, (places) => f(x, places))};
    },
    backward: ([x], out, grad, attributes) => {
      const result = zeros(x.shape);
      groupsOf(x.shape, attributes).groups.forEach((places, group) => {
        slopes(x, places).forEach((slope, i) => {
          result.data[places[i]] = slope * grad.data[group];
        });
      });
      return [result];
    },
    explain: ([x], out, flat, attributes) => {
      const places = groupsOf(x.shape, attributes).groups[flat];
      return {text: explained(places.length), reads: [[0, places]], join,
              terms: places.map((place) => ({text: factor(x.data[place]), value: x.data[place]}))};
    },
  };
}

const meanOf = (x, places) => sumOver(places, (place) => x.data[place]) / places.length;
const varianceOf = (x, places) => {
  const mean = meanOf(x, places);
  return sumOver(places, (place) => (x.data[place] - mean) ** 2) / places.length;
};
const largestOf = (x, places) => places.reduce(
    (largest, place) => (Number.isNaN(largest) || largest >= x.data[place] ? largest
                                                                           : x.data[place]),
    -Infinity);

define({
  sum: reducing((x) => `Σ ${x}`, "G to every summed element",
                (x, places) => sumOver(places, (place) => x.data[place]),
                (x, places) => places.map(() => 1), (count) => `sum of ${count}`),
  mean: reducing((x) => `mean of ${x}`, "G/N", meanOf,
                 (x, places) => places.map(() => 1 / places.length),
                 (count) => `mean of ${count}: 1/${count} of`),
  var: reducing((x) => `variance of ${x}`, "G·2(x − mean)/N", varianceOf,
                (x, places) => {
                  const mean = meanOf(x, places);
                  return places.map((place) => 2 * (x.data[place] - mean) / places.length);
                }, (count) => `mean squared distance to the mean of these ${count}`, ", "),
  max: reducing((x) => `max ${x}`, "G to the first of the largest", largestOf,
                (x, places) => {
                  const first = places.findIndex((place) => x.data[place] === largestOf(x, places));
                  return places.map((_, i) => (i === first ? 1 : 0));
                }, (count) => `the largest of ${count}`, ", "),
});

/** Each pair (2i, 2i+1) of position p turned by the angle (start + p) / base^(2i/size). */
function turned(x, {base, start}, direction) {
  const size = x.shape[x.shape.length - 1];
  const time = x.shape[x.shape.length - 2];
  const result = zeros(x.shape);
  for (let flat = 0; flat < x.data.length; flat += 2) {
    const position = start + Math.floor(flat / size) % time;
    const angle = direction * position / base ** ((flat % size) / size);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    result.data[flat] = x.data[flat] * cos - x.data[flat + 1] * sin;
    result.data[flat + 1] = x.data[flat] * sin + x.data[flat + 1] * cos;
  }
  return result;
}

define({
  rotary: {
    formula: ([x]) => `${x}, each pair turned by its position`,
    rule: "G turned back",
    forward: ([x], attributes) => turned(x, attributes, 1),
    backward: (ins, out, grad, attributes) => [turned(grad, attributes, -1)],
    explain: (ins, out, flat) => ({
      text: "a pair of numbers turned by an angle that grows with the position",
      terms: [], reads: [[0, [flat - flat % 2, flat - flat % 2 + 1]]],
    }),
  },
});
