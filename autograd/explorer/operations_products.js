// Products of matrices: autograd/ops/matmul.cpp.
"use strict";

/** The outer axes of a product, and which matrix of each input belongs to each of its matrices. */
function productPlan(a, b) {
  const outer = stretchedShape(a.shape.slice(0, -2), b.shape.slice(0, -2));
  return {
    outer,
    fromA: stretchedPlaces(a.shape.slice(0, -2), outer),
    fromB: stretchedPlaces(b.shape.slice(0, -2), outer),
    m: a.shape[a.shape.length - 2],
    k: a.shape[a.shape.length - 1],
    n: b.shape[b.shape.length - 1],
  };
}

function product(a, b) {
  const {outer, fromA, fromB, m, k, n} = productPlan(a, b);
  const result = zeros([...outer, m, n]);
  for (let matrix = 0; matrix < fromA.length; ++matrix) {
    const [startA, startB] = [fromA[matrix] * m * k, fromB[matrix] * k * n];
    for (let i = 0; i < m; ++i) {
      for (let l = 0; l < k; ++l) {
        const left = a.data[startA + i * k + l];
        const row = startB + l * n;
        const to = (matrix * m + i) * n;
        for (let j = 0; j < n; ++j) result.data[to + j] += left * b.data[row + j];
      }
    }
  }
  return result;
}

function lastTwoSwapped(x) {
  return OPERATIONS.transpose.forward([x], {axis_a: -2, axis_b: -1});
}

function productBackward([a, b], grad) {
  return [summedTo(product(grad, lastTwoSwapped(b)), a.shape),
          summedTo(product(lastTwoSwapped(a), grad), b.shape)];
}

/** The places of the row of a and the column of b that meet in a cell of the product. */
function productReads(a, b, flat) {
  const {fromA, fromB, m, k, n} = productPlan(a, b);
  const matrix = Math.floor(flat / (m * n));
  const i = Math.floor(flat / n) % m;
  const j = flat % n;
  return {
    row: Array.from({length: k}, (_, l) => fromA[matrix] * m * k + i * k + l),
    column: Array.from({length: k}, (_, l) => fromB[matrix] * k * n + l * n + j),
  };
}

function productTerms(a, b, {row, column}) {
  return row.map((place, l) => {
    const [left, right] = [a.data[place], b.data[column[l]]];
    return {text: `${factor(left)}·${factor(right)}`, value: left * right};
  });
}

/** x [.., in] as matrices, so that a vector times a matrix works as well. */
function asMatrix(x) {
  return x.shape.length >= 2 ? x : {shape: [1, ...x.shape], data: x.data};
}

function linearForward([x, w, bias, residual]) {
  const y = product(asMatrix(x), w);
  const shape = [...x.shape.slice(0, -1), w.shape[1]];
  const sum = zipped({shape, data: y.data}, bias, (a, b) => a + b);
  return residual === undefined ? sum : zipped(sum, residual, (a, b) => a + b);
}

define({
  matmul: {
    formula: ([a, b]) => `${a} · ${b}`,
    rule: "G·bᵀ to a, aᵀ·G to b",
    forward: ([a, b]) => product(a, b),
    backward: (ins, out, grad) => productBackward(ins, grad),
    explain: ([a, b], out, flat) => {
      const reads = productReads(a, b, flat);
      return {text: "row of the first times column of the second",
              terms: productTerms(a, b, reads), reads: [[0, reads.row], [1, reads.column]]};
    },
  },
  linear: {
    formula: ([x, w, bias, residual]) => `${x} · ${w} + ${bias}` +
                                         (residual === undefined ? "" : ` + ${residual}`),
    rule: "G·wᵀ to x, xᵀ·G to w, sum of G over the rows to the bias",
    forward: linearForward,
    backward: ([x, w, bias, residual], out, grad) => {
      const rows = elementCount(x.shape) / w.shape[0];
      const flatX = {shape: [rows, w.shape[0]], data: x.data};
      const flatGrad = {shape: [rows, w.shape[1]], data: grad.data};
      const [gradX, gradW] = productBackward([flatX, w], flatGrad);
      const grads = [{shape: x.shape, data: gradX.data}, gradW, summedTo(flatGrad, bias.shape)];
      return residual === undefined ? grads : [...grads, grad];
    },
    explain: ([x, w, bias, residual], out, flat) => {
      const reads = productReads(asMatrix(x), w, flat);
      const column = flat % w.shape[1];
      const terms = productTerms(x, w, reads);
      terms.push({text: `${factor(bias.data[column])} (bias)`, value: bias.data[column]});
      const places = [[0, reads.row], [1, reads.column], [2, [column]]];
      if (residual !== undefined) {
        terms.push({text: `${factor(residual.data[flat])} (residual)`, value: residual.data[flat]});
        places.push([3, [flat]]);
      }
      return {text: "row times column, plus bias", terms, reads: places};
    },
  },
});
