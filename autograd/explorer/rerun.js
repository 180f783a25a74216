// Computing a recording again in doubles: to prove it, and to change something in it.
"use strict";

const NO_CHANGES = {edits: [], silenced: [], noMask: false, noScale: false, swaps: []};

function hasChanges(changes) {
  return changes.edits.length > 0 || changes.silenced.length > 0 || changes.noMask ||
         changes.noScale || changes.swaps.length > 0;
}

/** A copy of x with the edits of its cells. */
function edited(x, edits) {
  if (edits.length === 0) return x;
  const result = {shape: x.shape, data: Float64Array.from(x.data)};
  for (const {flat, value} of edits) result.data[flat] = value;
  return result;
}

/** ids with two positions of their last axis exchanged, in every row. */
function swappedIds(ids, [a, b]) {
  const length = ids.shape[ids.shape.length - 1];
  const values = [...ids.values];
  for (let start = 0; start < values.length; start += length) {
    [values[start + a], values[start + b]] = [values[start + b], values[start + a]];
  }
  return {shape: ids.shape, values};
}

/** x [.., time, width] with two rows exchanged, for inputs that are no tokens. */
function swappedRows(x, [a, b]) {
  const result = {shape: x.shape, data: Float64Array.from(x.data)};
  const width = x.shape[x.shape.length - 1];
  const size = x.shape[x.shape.length - 2] * width;
  for (let start = 0; start < x.data.length; start += size) {
    for (let j = 0; j < width; ++j) {
      result.data[start + a * width + j] = x.data[start + b * width + j];
      result.data[start + b * width + j] = x.data[start + a * width + j];
    }
  }
  return result;
}

/** The embeddings of tokens, whose ids a swap exchanges. */
function tokenEmbeddings(recording) {
  const count = recording.tokens.length;
  return recording.operations.filter(({kind, attributes}) => {
    if (kind !== "embedding") return false;
    const {shape} = attributes.ids;
    return shape[shape.length - 1] === count;
  });
}

/** Constant inputs with a row for each token, where there are no embeddings. */
function tokenInputs(recording) {
  if (tokenEmbeddings(recording).length > 0) return [];
  return recording.tensors.filter(({role, shape}) => role === "constant" && shape.length >= 2 &&
                                  shape[shape.length - 2] === recording.tokens.length);
}

function changedAttributes(operation, changes, embeddings) {
  if (changes.swaps.length === 0 || !embeddings.has(operation.id)) return operation.attributes;
  const ids = changes.swaps.reduce(swappedIds, operation.attributes.ids);
  return {...operation.attributes, ids};
}

/** What an intervention puts in place of an operation's own result, or null. */
function replacement(operation, ins, changes, around) {
  if (changes.noMask && around.masks.has(operation.id)) return ins[0];
  if (changes.noScale && around.scales.has(operation.id)) return ins[0];
  return null;
}

/** Heads whose mixture an intervention sets to 0. */
function silence(value, operation, changes, sites) {
  const heads = changes.silenced
      .filter(({site}) => sites[site] && sites[site].mixture.id === operation.id)
      .map(({head}) => head);
  if (heads.length === 0) return value;
  const result = {shape: value.shape, data: Float64Array.from(value.data)};
  const size = elementCount(value.shape.slice(-2));
  for (const head of heads) result.data.fill(0, head * size, (head + 1) * size);
  return result;
}

/**
 * All values again, with changes. Returns {values, attributes, unknown}: an array of tensors by
 * number (recorded values where no operation made them), and what could not be computed.
 */
function rerun(recording, changes = NO_CHANGES) {
  const sites = attentionSites(recording);
  const around = {
    masks: new Set(sites.flatMap(({masks}) => masks.map(({id}) => id))),
    scales: new Set(sites.flatMap(({scale}) => (scale === null ? [] : [scale.id]))),
  };
  const embeddings = new Set(tokenEmbeddings(recording).map(({id}) => id));
  const swappedInputs = new Set(tokenInputs(recording).map(({id}) => id));
  const editsOf = (id) => changes.edits.filter(({tensor}) => tensor === id);
  const values = recording.tensors.map(({id, value}) => {
    const moved = swappedInputs.has(id) ? changes.swaps.reduce(swappedRows, value) : value;
    return edited(moved, editsOf(id));
  });
  const attributes = [];
  const unknown = [];
  for (const operation of recording.operations) {
    const known = OPERATIONS[operation.kind];
    attributes[operation.id] = changedAttributes(operation, changes, embeddings);
    if (known === undefined) {
      unknown.push(operation);
      continue;
    }
    const ins = operation.in.map((id) => values[id]);
    const value = replacement(operation, ins, changes, around) ||
                  known.forward(ins, attributes[operation.id]);
    values[operation.out] = edited(silence(value, operation, changes, sites),
                                   editsOf(operation.out));
  }
  return {values, attributes, unknown};
}

/** The recorded backward again, from values: gradients by tensor number, and each step's. */
function rerunBackward(recording, {values, attributes}) {
  const grads = new Array(recording.tensors.length).fill(null);
  const contributions = [];
  for (const step of recording.backward) {
    const operation = recording.operations[step.operation];
    const known = OPERATIONS[operation.kind];
    const grad = grads[operation.out] || mapped(values[operation.out], () => 1);
    grads[operation.out] = grad;
    const ins = operation.in.map((id) => values[id]);
    const given = known === undefined
        ? [] : known.backward(ins, values[operation.out], grad, attributes[operation.id]);
    contributions.push(given);
    for (const {input} of step.contributions) {
      const id = operation.in[input];
      if (given[input] === undefined) continue;
      grads[id] = grads[id] === null ? given[input] : zipped(grads[id], given[input], (a, b) => a + b);
    }
  }
  return {grads, contributions};
}

/** A contribution as a tensor of its input's shape: a region stands in zeros. */
function wholeContribution(contribution, shape) {
  if (contribution.start === undefined) return contribution.tensor;
  const result = zeros(shape);
  const places = narrowedPlaces(shape, contribution.shape, contribution);
  places.forEach((place, i) => { result.data[place] = contribution.tensor.data[i]; });
  return result;
}

/** Largest differences between the recording and the page's own doubles, by operation. */
function recomputeAll(recording) {
  const rows = [];
  const unknown = new Set();
  const forward = recording.operations.map((operation) => {
    const known = OPERATIONS[operation.kind];
    if (known === undefined) {
      unknown.add(operation.kind);
      return null;
    }
    return known.forward(operation.in.map((id) => recording.tensors[id].value),
                         operation.attributes);
  });
  recording.operations.forEach((operation, id) => {
    if (forward[id] === null) return;
    const difference = largestDifference(forward[id], recording.tensors[operation.out].value);
    rows.push({direction: "forward", operation, difference});
  });
  for (const step of recording.backward) {
    const operation = recording.operations[step.operation];
    const known = OPERATIONS[operation.kind];
    const grad = recording.tensors[operation.out].grad;
    if (known === undefined || grad === null) continue;
    const ins = operation.in.map((id) => recording.tensors[id].value);
    const given = known.backward(ins, recording.tensors[operation.out].value, grad,
                                 operation.attributes);
    for (const contribution of step.contributions) {
      const whole = wholeContribution(contribution, ins[contribution.input].shape);
      rows.push({direction: "backward", operation,
                 difference: largestDifference(given[contribution.input], whole)});
    }
  }
  for (const {kind, tensor, after, grad, attributes} of recording.optimizer) {
    const move = OPTIMIZERS[kind];
    if (move === undefined) {
      unknown.add(kind);
      continue;
    }
    const before = recording.tensors[tensor].value;
    rows.push({direction: "optimizer", operation: {kind, id: tensor},
               difference: largestDifference(move.forward(before, grad, attributes), after)});
  }
  const largest = rows.reduce((max, {difference}) => Math.max(max, difference), 0);
  return {rows, largest, unknown: [...unknown]};
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
