// The proof: each recorded operation computed again from its recorded inputs, and a weight nudged.
"use strict";

const PROOF_LIMIT = 1e-4;  // what single precision and another order of sums may make

function forwardRows(recording) {
  return recording.operations.filter(({kind}) => kind in OPERATIONS).map((operation) => {
    const ins = operation.in.map((id) => recording.tensors[id].value);
    const value = OPERATIONS[operation.kind].forward(ins, operation.attributes);
    return {direction: "forward", operation,
            difference: largestDifference(value, recording.tensors[operation.out].value)};
  });
}

/** One row for each backward step: the largest difference among all that it gave. */
function backwardRows(recording) {
  const rows = [];
  for (const step of recording.backward) {
    const operation = recording.operations[step.operation];
    const out = recording.tensors[operation.out];
    if (!(operation.kind in OPERATIONS) || out.grad === null) continue;
    const ins = operation.in.map((id) => recording.tensors[id].value);
    const given = OPERATIONS[operation.kind].backward(ins, out.value, out.grad,
                                                      operation.attributes);
    const differences = step.contributions.map((contribution) => largestDifference(
        given[contribution.input],
        wholeContribution(contribution, ins[contribution.input].shape)));
    rows.push({direction: "backward", operation, difference: Math.max(...differences)});
  }
  return rows;
}

function optimizerRows(recording) {
  return recording.optimizer.filter(isKnownStep).map(({kind, tensor, after, grad, attributes}) => {
    const moved = OPTIMIZERS[kind].forward(recording.tensors[tensor].value, grad, attributes);
    return {direction: "optimizer", operation: {kind, id: tensor},
            difference: largestDifference(moved, after)};
  });
}

/** Largest differences between the recording and the page's own doubles, by operation. */
function recomputeAll(recording) {
  const rows = [...forwardRows(recording), ...backwardRows(recording), ...optimizerRows(recording)];
  const unknown = new Set([
    ...recording.operations.map(({kind}) => kind).filter((kind) => !(kind in OPERATIONS)),
    ...recording.optimizer.filter((step) => !isKnownStep(step))
        .map(({kind, tensor}) => `${kind} of ${recording.tensors[tensor].label}`),
  ]);
  const largest = rows.reduce((max, {difference}) => Math.max(max, difference), 0);
  return {rows, largest, unknown: [...unknown]};
}

/** Moves one number by a step: the loss's change beside gradient · step. */
function nudge(recording, tensor, flat, step) {
  const root = lossTensor(recording);
  if (root === null || recording.tensors[tensor].grad === null) return null;
  const value = recording.tensors[tensor].value.data[flat];
  const lossAt = (moved) => {
    const {values} = rerun(recording, {...NO_CHANGES, edits: [{tensor, flat, value: moved}]});
    return values[root].data.reduce((sum, each) => sum + each, 0);
  };
  const before = lossAt(value);
  const after = lossAt(value + step);
  const gradient = recording.tensors[tensor].grad.data[flat];
  return {before, after, change: after - before, gradient, predicted: gradient * step};
}
