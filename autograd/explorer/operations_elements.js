// Operations on pairs of elements, and on each element alone: autograd/ops/arithmetic.cpp and
// elementwise.cpp.
"use strict";

const half = (a, b) => (a === b ? 0.5 : 0);

define({
  add: pairwise("+", "G to both", (a, b) => a + b, () => 1, () => 1),
  subtract: pairwise(MINUS, "G and −G", (a, b) => a - b, () => 1, () => -1),
  multiply: pairwise("·", "G·b and G·a", (a, b) => a * b, (a, b) => b, (a) => a),
  divide: pairwise("/", "G/b and −G·a/b²", (a, b) => a / b, (a, b) => 1 / b,
                   (a, b) => -a / (b * b)),
  maximum: pairwise("max", "G to the larger, halves to equals", Math.max,
                    (a, b) => (a > b ? 1 : half(a, b)), (a, b) => (b > a ? 1 : half(a, b))),
  minimum: pairwise("min", "G to the smaller, halves to equals", Math.min,
                    (a, b) => (a < b ? 1 : half(a, b)), (a, b) => (b < a ? 1 : half(a, b))),
});

/** erf to double precision: the series near 0, a continued fraction far from it. */
function erf(x) {
  const size = Math.abs(x);
  if (size > 6) return Math.sign(x);
  if (size < 2.5) {
    let term = x;
    let sum = x;
    for (let n = 1; n < 60; ++n) {
      term *= -x * x / n;
      sum += term / (2 * n + 1);
    }
    return 2 / Math.sqrt(Math.PI) * sum;
  }
  let fraction = 0;
  for (let n = 60; n >= 1; --n) fraction = n / 2 / (size + fraction);
  return Math.sign(x) * (1 - Math.exp(-x * x) / Math.sqrt(Math.PI) / (size + fraction));
}

const sigmoidOf = (x) => 1 / (1 + Math.exp(-x));

const GELU_SCALE = Math.sqrt(2 / Math.PI);
const geluInner = (x) => GELU_SCALE * (x + 0.044715 * x * x * x);

function geluOf(x, {kind}) {
  return kind === "erf" ? x / 2 * (1 + erf(x / Math.SQRT2))
                        : x / 2 * (1 + Math.tanh(geluInner(x)));
}

function geluSlope(x, y, {kind}) {
  if (kind === "erf") {
    return (1 + erf(x / Math.SQRT2)) / 2 + x * Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI);
  }
  const t = Math.tanh(geluInner(x));
  return (1 + t) / 2 + x / 2 * (1 - t * t) * GELU_SCALE * (1 + 3 * 0.044715 * x * x);
}

function siluSlope(x) {
  const s = sigmoidOf(x);
  return s * (1 + x * (1 - s));
}

const called = (name) => (x) => `${name}(${x})`;
const calledOn = (name) => (value) => `${name}(${formatNumber(value)})`;

define({
  negate: elementwise((x) => MINUS + x, "−G", (x) => -x, () => -1, (x) => `${MINUS}(${factor(x)})`),
  pow: elementwise((x) => x + "ⁿ", "G·n·xⁿ⁻¹", (x, {exponent}) => x ** exponent,
                   (x, y, {exponent}) => (exponent === 0 ? 0 : exponent * x ** (exponent - 1)),
                   (x, {exponent}) => `${factor(x)} to the power ${formatNumber(exponent)}`),
  exp: elementwise((x) => "e^" + x, "G·y", Math.exp, (x, y) => y, (x) => `e^${formatNumber(x)}`),
  log: elementwise(called("ln"), "G/x", Math.log, (x) => 1 / x, calledOn("ln")),
  sqrt: elementwise((x) => "√" + x, "G/(2y)", Math.sqrt, (x, y) => 1 / (2 * y),
                    (x) => "√" + formatNumber(x)),
  abs: elementwise((x) => `|${x}|`, "G·sign(x)", Math.abs, (x) => Math.sign(x),
                   (x) => `|${formatNumber(x)}|`),
  tanh: elementwise(called("tanh"), "G·(1 − y²)", Math.tanh, (x, y) => 1 - y * y,
                    calledOn("tanh")),
  sigmoid: elementwise(called("sigmoid"), "G·y·(1 − y)", sigmoidOf, (x, y) => y * (1 - y),
                       (x) => `1/(1 + e^${factor(-x)})`),
  relu: elementwise(called("relu"), "G where x > 0, else 0", (x) => (x > 0 ? x : x <= 0 ? 0 : x),
                    (x) => (x <= 0 ? 0 : 1), (x) => `max(0, ${formatNumber(x)})`),
  silu: elementwise(called("silu"), "G·s(1 + x(1 − s)), s = sigmoid(x)",
                    (x) => x * sigmoidOf(x), siluSlope,
                    (x) => `${factor(x)} · sigmoid(${formatNumber(x)})`),
  gelu: elementwise(called("gelu"), "G · slope of gelu at x", geluOf, geluSlope,
                    (x) => `${factor(x)} · (share of a normal below ${formatNumber(x)})`),
  clamp: elementwise(called("clamp"), "G inside the limits, else 0",
                     (x, {low, high}) => Math.min(Math.max(x, low), high),
                     (x, y, {low, high}) => (x >= low && x <= high ? 1 : 0),
                     (x, {low, high}) => `${formatNumber(x)}, cut to ${formatNumber(low)} … ` +
                                         formatNumber(high)),
});

/** Two sources by a condition that stretches: 1 picks the first. */
function chosen(condition, shape, whenTrue, whenFalse) {
  const places = stretchedPlaces(condition.shape, shape);
  const result = zeros(shape);
  for (let i = 0; i < result.data.length; ++i) {
    result.data[i] = condition.data[places[i]] !== 0 ? whenTrue(i) : whenFalse(i);
  }
  return result;
}

define({
  masked_fill: {
    formula: ([x], {value}) => `${x}, and ${formatNumber(value)} where masked`,
    rule: "G where not masked, else 0",
    forward: ([x], {mask, value}) => chosen(mask, x.shape, () => value, (i) => x.data[i]),
    backward: ([x], out, grad, {mask}) => [chosen(mask, x.shape, () => 0, (i) => grad.data[i])],
    explain: ([x], out, flat, {mask, value}) => {
      const isMasked = mask.data[stretchedPlace(mask.shape, x.shape, flat)] !== 0;
      const text = isMasked ? `masked: ${formatNumber(value)} instead of ` +
                              formatNumber(x.data[flat])
                            : `not masked: ${formatNumber(x.data[flat])} stays`;
      return {text, terms: [], reads: [[0, [flat]]]};
    },
  },
  where: {
    formula: ([a, b]) => `${a} where the condition holds, else ${b}`,
    rule: "G to what was chosen",
    forward: ([a, b], {condition}) => {
      const shape = stretchedShape(condition.shape, stretchedShape(a.shape, b.shape));
      const [fromA, fromB] = [stretched(a, shape), stretched(b, shape)];
      return chosen(condition, shape, (i) => fromA.data[i], (i) => fromB.data[i]);
    },
    backward: ([a, b], out, grad, {condition}) => [
      summedTo(chosen(condition, out.shape, (i) => grad.data[i], () => 0), a.shape),
      summedTo(chosen(condition, out.shape, () => 0, (i) => grad.data[i]), b.shape),
    ],
    explain: (ins, out, flat, {condition}) => {
      const holds = condition.data[stretchedPlace(condition.shape, out.shape, flat)] !== 0;
      const which = holds ? 0 : 1;
      const place = stretchedPlace(ins[which].shape, out.shape, flat);
      return {text: holds ? "the condition holds: the first" : "it does not hold: the second",
              terms: [], reads: [[which, [place]]]};
    },
  },
  dropout: {
    formula: ([x]) => `${x} · dropout mask`,
    rule: "G · dropout mask",
    forward: ([x], {scale}) => zipped(x, scale, (a, b) => a * b),
    backward: (ins, out, grad, {scale}) => [zipped(grad, scale, (a, b) => a * b)],
    explain: ([x], out, flat, {scale}) => ({
      text: scale.data[flat] === 0 ? `${formatNumber(x.data[flat])}, dropped`
                                   : `${factor(x.data[flat])}·${formatNumber(scale.data[flat])}`,
      terms: [], reads: [[0, [flat]]],
    }),
  },
});
