// Rows of a table, and losses: autograd/ops/embedding.cpp and loss.cpp.
"use strict";

define({
  embedding: {
    formula: ([table]) => `rows of ${table} by token`,
    rule: "rows of G added up by token",
    forward: ([table], {ids}) => {
      const width = table.shape[1];
      const result = zeros([...ids.shape, width]);
      ids.values.forEach((id, i) => {
        result.data.set(table.data.subarray(id * width, (id + 1) * width), i * width);
      });
      return result;
    },
    backward: ([table], out, grad, {ids}) => {
      const width = table.shape[1];
      const result = zeros(table.shape);
      ids.values.forEach((id, i) => {
        for (let j = 0; j < width; ++j) result.data[id * width + j] += grad.data[i * width + j];
      });
      return [result];
    },
    explain: ([table], out, flat, {ids}) => {
      const width = table.shape[1];
      const id = ids.values[Math.floor(flat / width)];
      return {text: `row ${id} of the table, column ${flat % width}`, terms: [],
              reads: [[0, [id * width + flat % width]]]};
    },
  },
});

/** What a row's classes should be: 1 for the target, or smoothed. Null where not counted. */
function wantedShare(target, classes, {ignore_index, label_smoothing}) {
  if (target === ignore_index) return null;
  return (which) => (which === target ? 1 - label_smoothing : 0) + label_smoothing / classes;
}

function crossEntropyRows(logits, attributes) {
  const classes = logits.shape[logits.shape.length - 1];
  const logP = logSoftmaxForward(logits, -1);
  const {targets} = attributes;
  const rows = [];
  targets.values.forEach((target, row) => {
    const wanted = wantedShare(target, classes, attributes);
    if (wanted === null) return;
    const places = Array.from({length: classes}, (_, i) => row * classes + i);
    const loss = -sumOver(places, (place) => {
      const share = wanted(place % classes);
      return share === 0 ? 0 : share * logP.data[place];
    });
    rows.push({row, target, places, wanted, loss});
  });
  return {rows, logP, classes};
}

define({
  cross_entropy: {
    formula: ([logits]) => `mean of −ln softmax(${logits})[target]`,
    rule: "(softmax − target) / number of positions",
    forward: ([logits], attributes) => {
      const {rows} = crossEntropyRows(logits, attributes);
      const sum = rows.reduce((total, {loss}) => total + loss, 0);
      return scalar(rows.length === 0 ? 0 : sum / rows.length);
    },
    backward: ([logits], out, grad, attributes) => {
      const {rows, logP, classes} = crossEntropyRows(logits, attributes);
      const result = zeros(logits.shape);
      for (const {places, wanted} of rows) {
        for (const place of places) {
          result.data[place] = grad.data[0] * (Math.exp(logP.data[place]) -
                                               wanted(place % classes)) / rows.length;
        }
      }
      return [result];
    },
    explain: ([logits], out, flat, attributes) => {
      const {rows} = crossEntropyRows(logits, attributes);
      return {
        text: `mean over ${rows.length} positions of −ln p(target)`,
        terms: rows.map(({loss, row, target}) => ({
          text: `${formatNumber(loss)} (position ${row}, target ${target})`, value: loss,
        })),
        reads: [[0, rows.map(({places, target}) => places[target])]],
      };
    },
  },
  mean_squared_error: {
    formula: ([a, b]) => `mean of (${a} − ${b})²`,
    rule: "G·2(a − b)/N, and its negative",
    forward: ([a, b]) => scalar(a.data.reduce((sum, value, i) => sum + (value - b.data[i]) ** 2, 0) /
                                a.data.length),
    backward: ([a, b], out, grad) => {
      const scale = grad.data[0] * 2 / a.data.length;
      const slope = zipped(a, b, (left, right) => scale * (left - right));
      return [slope, mapped(slope, (value) => -value)];
    },
    explain: ([a, b]) => ({
      text: `mean of ${a.data.length} squared differences`,
      terms: Array.from(a.data, (value, i) => ({
        text: `(${formatNumber(value)} − ${factor(b.data[i])})²`, value: (value - b.data[i]) ** 2,
      })),
      reads: [[0, Array.from(allPlaces(a.shape))], [1, Array.from(allPlaces(b.shape))]],
    }),
  },
});
