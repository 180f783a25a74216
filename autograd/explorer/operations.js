// What the page knows of each operation. Each entry has
//   formula(names)                    how it is written
//   forward(ins, attributes)          the result, in doubles
//   backward(ins, out, grad, attr.)   the inputs' gradients (null: none), G being the result's
//   rule                              the same in words of mathematics
//   explain(ins, out, flat, attr.)    how one cell of the result came about:
//       {text, terms: [{text, value}], reads: [[input, places]]}
// An operation that is missing here is shown, but not recomputed.
"use strict";

const OPERATIONS = {};

/** Adds the operations of one kind of mathematics. */
function define(entries) {
  Object.assign(OPERATIONS, entries);
}

/** One input, each element alone: y = f(x), dy/dx = slope(x, y). */
function elementwise(formula, rule, f, slope, text) {
  return {
    formula: ([x]) => formula(x),
    rule,
    forward: ([x], attributes) => mapped(x, (value) => f(value, attributes)),
    backward: ([x], out, grad, attributes) => [{
      shape: x.shape,
      data: grad.data.map((g, i) => g * slope(x.data[i], out.data[i], attributes)),
    }],
    explain: ([x], out, flat, attributes) => ({
      text: text(x.data[flat], attributes),
      terms: [],
      reads: [[0, [flat]]],
    }),
  };
}

/** Two inputs that stretch to one shape: y = f(a, b). */
function pairwise(symbol, rule, f, slopeA, slopeB) {
  const slopes = [slopeA, slopeB];
  return {
    formula: ([a, b]) => (/\w/.test(symbol) ? `${symbol}(${a}, ${b})` : `${a} ${symbol} ${b}`),
    rule,
    forward: ([a, b]) => zipped(a, b, f),
    backward: (ins, out, grad) => ins.map((input, which) => {
      const places = ins.map((each) => stretchedPlaces(each.shape, out.shape));
      const whole = zeros(out.shape);
      for (let i = 0; i < whole.data.length; ++i) {
        const [a, b] = ins.map((each, k) => each.data[places[k][i]]);
        whole.data[i] = grad.data[i] * slopes[which](a, b);
      }
      return summedTo(whole, input.shape);
    }),
    explain: (ins, out, flat) => {
      const places = ins.map((input) => stretchedPlace(input.shape, out.shape, flat));
      const [a, b] = ins.map((input, i) => input.data[places[i]]);
      const text = /\w/.test(symbol) ? `${symbol}(${formatNumber(a)}, ${formatNumber(b)})`
                                     : `${formatNumber(a)} ${symbol} ${factor(b)}`;
      return {text, terms: [], reads: places.map((place, i) => [i, [place]])};
    },
  };
}

/** A result whose cells are cells of the input: from(out flat) gives the place of origin. */
function moving(formula, rule, shapeOf, placesOf) {
  return {
    formula: ([x], attributes) => formula(x, attributes),
    rule,
    forward: ([x], attributes) => {
      const shape = shapeOf(x.shape, attributes);
      const places = placesOf(x.shape, shape, attributes);
      return {shape, data: Float64Array.from(places, (place) => x.data[place])};
    },
    backward: ([x], out, grad, attributes) => {
      const result = zeros(x.shape);
      const places = placesOf(x.shape, out.shape, attributes);
      places.forEach((place, i) => { result.data[place] += grad.data[i]; });
      return [result];
    },
    explain: ([x], out, flat, attributes) => {
      const place = placesOf(x.shape, out.shape, attributes)[flat];
      const from = formatShape(indexOf(x.shape, place));
      return {text: `the cell ${from} of the input, moved`, terms: [], reads: [[0, [place]]]};
    },
  };
}
