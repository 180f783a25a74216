// The proof panel: the page computes everything again, and moves a weight to see what happens.
"use strict";

/** One line for each kind of operation and direction. */
function proofRows({rows}) {
  const byKind = new Map();
  for (const {direction, operation, difference} of rows) {
    const key = `${direction} ${operation.kind}`;
    const entry = byKind.get(key) || {direction, kind: operation.kind, count: 0, largest: 0};
    entry.count += 1;
    entry.largest = Math.max(entry.largest, difference);
    byKind.set(key, entry);
  }
  return [...byKind.values()];
}

function table(heads, rows) {
  return element("div", {class: "scroll"}, element("table", {},
      element("thead", {}, element("tr", {}, heads.map((head) => element("th", {scope: "col"}, head)))),
      element("tbody", {}, rows.map((row) => element("tr", {}, row.map((cell) => element("td", {}, cell)))))));
}

const PROOF_LIMIT_TEXT = `the ${formatNumber(PROOF_LIMIT)} that single precision may make`;

function recomputeParts(app) {
  if (app.proof === null) return [];
  const {largest, unknown} = app.proof;
  const rows = proofRows(app.proof).map(({direction, kind, count, largest: difference}) =>
      [direction, kind, String(count), formatNumber(difference)]);
  const missing = unknown.map((kind) => ["", kind, "", "not recomputed"]);
  return [
    element("p", {class: "result"}, `Largest difference: `, element("b", {}, formatNumber(largest)),
            largest <= PROOF_LIMIT ? `, less than ${PROOF_LIMIT_TEXT}: the recording is what these ` +
                                     "formulas give."
                                   : `, more than ${PROOF_LIMIT_TEXT}: too much!`),
    table(["", "operation", "times", "largest difference"], [...rows, ...missing]),
  ];
}

/** The parameter cell to nudge: the selected one, or the one with the largest gradient. */
function nudgePlace(app) {
  const card = app.cards()[app.selectedCard()];
  if (card.tensor.role === "parameter" && card.tensor.grad !== null) {
    const matrix = matrixOf(card.tensor.value, app.state.head);
    return {tensor: card.tensor, flat: matrix.flat(...app.cellIn(matrix))};
  }
  let best = null;
  for (const tensor of app.recording.tensors) {
    if (tensor.role !== "parameter" || tensor.grad === null) continue;
    tensor.grad.data.forEach((gradient, flat) => {
      if (best === null || Math.abs(gradient) > Math.abs(best.tensor.grad.data[best.flat])) {
        best = {tensor, flat};
      }
    });
  }
  return best;
}

function nudgeParts(app) {
  const place = nudgePlace(app);
  if (place === null) return [element("p", {}, "There are no gradients in this recording.")];
  const {tensor, flat} = place;
  const rows = [0.1, 0.01, 0.001].map((step) => {
    const {change, predicted} = nudge(app.recording, tensor.id, flat, step);
    const ratio = predicted === 0 ? "–" : formatNumber(change / predicted, 4);
    return [formatNumber(step), formatDigits(change, 3), formatDigits(predicted, 3), ratio];
  });
  return [
    element("p", {}, `The weight ${indexText(tensor, flat)} = ${formatNumber(tensor.value.data[flat])} ` +
                     `has the gradient ${formatDigits(tensor.grad.data[flat], 3)}:`),
    table(["step", "loss changes by", "gradient · step", "ratio"], rows),
    element("p", {class: "quiet"}, "Another weight: select a cell of a parameter on the stage."),
  ];
}

function renderProof(app) {
  return [
    element("h3", {}, "Recompute"),
    element("p", {}, "Runs every recorded operation again, here, in double precision, from its " +
                     "recorded inputs: forward, backward and optimizer."),
    button("Recompute", () => {
      app.proof = recomputeAll(app.recording);
      app.go({}, "view");
    }, {id: "recompute", class: "main"}),
    ...recomputeParts(app),
    element("h3", {}, "Nudge"),
    element("p", {}, "Moves one weight of the recorded run by a step and computes the loss again. It " +
                     "moves by about gradient · step; the smaller the step, the closer."),
    button(app.nudged ? "Nudge again" : "Nudge", () => {
      app.nudged = true;
      app.go({}, "view");
    }, {id: "nudge", class: "main"}),
    ...(app.nudged ? nudgeParts(app) : []),
  ];
}
