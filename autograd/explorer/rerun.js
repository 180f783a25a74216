// Computing a recording again in doubles: to prove it, and to change something in it.
"use strict";

/**
 * A run, as the views read it: {values, attributes, made, fixed, grads, contributions, unknown}.
 * values and grads go by tensor, attributes by operation. made[operation] is what it computed, and
 * fixed[operation] the cells of it that a change then set; contributions[step][input] is what a
 * backward step gave to an input.
 */
function recordedRun(recording) {
  return {
    values: recording.tensors.map(({value}) => value),
    attributes: recording.operations.map(({attributes}) => attributes),
    made: recording.operations.map(({out}) => recording.tensors[out].value),
    fixed: recording.operations.map(() => []),
    grads: recording.tensors.map(({grad}) => grad),
    contributions: recording.backward.map(({operation, contributions}) => {
      const given = [];
      for (const contribution of contributions) {
        const input = recording.tensors[recording.operations[operation].in[contribution.input]];
        given[contribution.input] = wholeContribution(contribution, input.shape);
      }
      return given;
    }),
    unknown: [],
  };
}

/**
 * The values again, with changes. What could not be computed is in `unknown`; of it, values are
 * the recorded ones.
 */
function rerun(recording, changes = NO_CHANGES) {
  const run = {
    values: startingValues(recording, changes),
    attributes: changedAttributes(recording, changes),
    made: recording.operations.map(({out}) => recording.tensors[out].value),
    fixed: recording.operations.map((operation) => fixedCells(recording, changes, operation)),
    unknown: [],
  };
  for (const operation of recording.operations) {
    const known = OPERATIONS[operation.kind];
    if (known === undefined) {
      run.unknown.push(operation);
      continue;
    }
    const ins = operation.in.map((id) => run.values[id]);
    const value = known.forward(ins, run.attributes[operation.id]);
    run.made[operation.id] = value;
    run.values[operation.out] = withFixed(value, run.fixed[operation.id]);
  }
  return run;
}

/** The whole run again, with changes: values and gradients. */
function changedRun(recording, changes) {
  const run = rerun(recording, changes);
  return {...run, ...rerunBackward(recording, run)};
}

/** Through a cell that a change set, no gradient flows to what it was computed from. */
function gradientThrough(grad, cells) {
  return withFixed(grad, cells.map(({flat}) => ({flat, value: 0})));
}

/** The recorded backward again: gradients by tensor number, and each step's. */
function rerunBackward(recording, {values, attributes, made, fixed}) {
  const grads = new Array(recording.tensors.length).fill(null);
  const contributions = [];
  for (const step of recording.backward) {
    const operation = recording.operations[step.operation];
    const known = OPERATIONS[operation.kind];
    const grad = grads[operation.out] || mapped(values[operation.out], () => 1);
    grads[operation.out] = grad;
    const ins = operation.in.map((id) => values[id]);
    const given = known === undefined ? [] : known.backward(
        ins, made[operation.id], gradientThrough(grad, fixed[operation.id]),
        attributes[operation.id]);
    contributions.push(given);
    for (const {input} of step.contributions) {
      const id = operation.in[input];
      if (given[input] === undefined) continue;
      grads[id] = grads[id] === null ? given[input] : zipped(grads[id], given[input], (a, b) => a + b);
    }
  }
  return {grads, contributions};
}

/**
 * The results that a change moved, in order: {operation, difference}. Both runs are computed in
 * doubles, so that what does not depend on the change is equal to the last digit. The loss is
 * always there.
 */
function changedResults(recording, before, after) {
  const root = lossTensor(recording);
  return recording.operations
      .map((operation) => ({
        operation,
        difference: largestDifference(after.values[operation.out], before.values[operation.out]),
      }))
      .filter(({operation, difference}) => difference > 0 || operation.out === root);
}

/** A contribution as a tensor of its input's shape: a region stands in zeros. */
function wholeContribution(contribution, shape) {
  if (contribution.start === undefined) return contribution.tensor;
  const result = zeros(shape);
  const places = narrowedPlaces(shape, contribution.shape, contribution);
  places.forEach((place, i) => { result.data[place] = contribution.tensor.data[i]; });
  return result;
}

/** The tensor that backward started from: the loss. */
function lossTensor(recording) {
  if (recording.backward.length > 0) {
    const root = recording.operations[recording.backward[0].operation];
    return root.out;
  }
  const loss = recording.operations.find(({kind}) => kind === "cross_entropy");
  return loss === undefined ? null : loss.out;
}
