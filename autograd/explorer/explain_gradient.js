// How one cell of an input's gradient came about from the result's gradient G.
"use strict";

/** Terms of a sum of products: places[i] of x times places[i] of y. */
function pairTerms(x, placesX, y, placesY) {
  return placesX.map((place, i) => {
    const [left, right] = [x.data[place], y.data[placesY[i]]];
    return {text: `${factor(left)}·${factor(right)}`, value: left * right};
  });
}

function productGradient([a, b], grad, input, flat) {
  const other = input === 0 ? lastTwoSwapped(b) : lastTwoSwapped(a);
  const [left, right] = input === 0 ? [grad, other] : [other, grad];
  const whole = stretchedShape(left.shape.slice(0, -2), right.shape.slice(0, -2));
  const own = input === 0 ? a : b;
  if (elementCount(whole) !== elementCount(own.shape.slice(0, -2))) {
    return {text: "sum over all matrices that this one multiplied", terms: []};
  }
  const {row, column} = productReads(left, right, flat);
  return {text: input === 0 ? "row of G times row of the second" : "column of the first times " +
                                                                   "column of G",
          terms: pairTerms(left, row, right, column)};
}

const GRADIENT_TEXTS = {
  matmul: (ins, out, grad, input, flat) => productGradient(ins, grad, input, flat),
  linear: ([x, w, bias, residual], out, grad, input, flat) => {
    const rows = elementCount(x.shape) / w.shape[0];
    const flatX = {shape: [rows, w.shape[0]], data: x.data};
    const flatGrad = {shape: [rows, w.shape[1]], data: grad.data};
    if (input < 2) return productGradient([flatX, w], flatGrad, input, flat);
    if (input === 3) return {text: "G, unchanged", terms: []};
    const column = Array.from({length: rows}, (_, row) => row * w.shape[1] + flat);
    return {text: "sum of G over the rows",
            terms: column.map((place) => ({text: factor(grad.data[place]), value: grad.data[place]}))};
  },
  softmax: (ins, y, grad, input, flat, {axis}) => {
    const places = rowThrough(y.shape, axis, flat);
    return {text: `${formatNumber(y.data[flat])} · (${formatNumber(grad.data[flat])} − ΣG·y), ` +
                  "with ΣG·y the sum of", terms: pairTerms(grad, places, y, places)};
  },
};

/** For results of the input's own shape: G times a slope, which is their ratio. */
function slopeText(grad, contribution, flat) {
  const [g, value] = [grad.data[flat], contribution.data[flat]];
  if (g === 0) return "G is 0 here";
  return `G · slope = ${factor(g)} · ${factor(value / g)}`;
}

/** {text, terms} of a cell of the gradient that a backward step gives to one input. */
function explainGradient(operation, ins, out, grad, input, flat, contribution) {
  const own = GRADIENT_TEXTS[operation.kind];
  if (own !== undefined) return own(ins, out, grad, input, flat, operation.attributes);
  const known = OPERATIONS[operation.kind];
  const rule = known === undefined ? "" : known.rule;
  const isSameShape = formatShape(ins[input].shape) === formatShape(out.shape);
  return {text: isSameShape ? slopeText(grad, contribution, flat) : rule, terms: []};
}
