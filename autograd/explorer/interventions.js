// What a person may change in a recorded run, and what then stands in place of what was recorded.
"use strict";

const NO_CHANGES = {edits: [], silenced: [], noMask: false, noScale: false, swaps: []};

function hasChanges(changes) {
  return changes.edits.length > 0 || changes.silenced.length > 0 || changes.noMask ||
         changes.noScale || changes.swaps.length > 0;
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

/** The constants that the scores are divided by, or multiplied with. */
function scaleConstants(recording) {
  return new Set(attentionSites(recording)
      .flatMap(({scale}) => (scale === null ? [] : [scale.in[1]])));
}

/** What a run with changes starts from: each tensor's value, before any operation. */
function startingValues(recording, changes) {
  const swapped = new Set(tokenInputs(recording).map(({id}) => id));
  const removed = changes.noScale ? scaleConstants(recording) : new Set();
  return recording.tensors.map(({id, value}) => {
    if (removed.has(id)) return scalar(1);
    const moved = swapped.has(id) ? changes.swaps.reduce(swappedRows, value) : value;
    return withFixed(moved, editsOf(changes, id));
  });
}

/** The operations' attributes with changes: swapped ids, masks that mask nothing. */
function changedAttributes(recording, changes) {
  const embeddings = new Set(tokenEmbeddings(recording).map(({id}) => id));
  const masks = new Set(attentionSites(recording).flatMap((site) => site.masks.map(({id}) => id)));
  return recording.operations.map(({id, attributes}) => {
    if (changes.noMask && masks.has(id)) return {...attributes, mask: zeros(attributes.mask.shape)};
    if (changes.swaps.length === 0 || !embeddings.has(id)) return attributes;
    return {...attributes, ids: changes.swaps.reduce(swappedIds, attributes.ids)};
  });
}

function editsOf(changes, id) {
  return changes.edits.filter(({tensor}) => tensor === id);
}

/** The cells of an operation's result that a change sets: [{flat, value, why}]. */
function fixedCells(recording, changes, operation) {
  const size = elementCount(recording.tensors[operation.out].shape.slice(-2));
  const sites = attentionSites(recording);
  const heads = changes.silenced
      .filter(({site}) => sites[site] && sites[site].mixture.id === operation.id);
  const silent = heads.flatMap(({head}) => Array.from({length: size}, (_, i) =>
      ({flat: head * size + i, value: 0, why: "this head is silenced"})));
  const edits = editsOf(changes, operation.out).map((edit) => ({...edit, why: "you set it"}));
  return [...silent, ...edits];
}

/** A copy of x with cells set to what a change says. */
function withFixed(x, cells) {
  if (cells.length === 0) return x;
  const result = {shape: x.shape, data: Float64Array.from(x.data)};
  for (const {flat, value} of cells) result.data[flat] = value;
  return result;
}

/** What a change does at an operation, in words; "" where it does nothing of its own. */
function changeAt(recording, changes, operation) {
  const sites = attentionSites(recording);
  const texts = [];
  if (changes.noScale && sites.some(({scale}) => scale !== null && scale.id === operation.id)) {
    texts.push("√d_k removed");
  }
  if (changes.noMask && sites.some(({masks}) => masks.some(({id}) => id === operation.id))) {
    texts.push("mask removed");
  }
  const whys = fixedCells(recording, changes, operation).map(({why}) => why);
  if (whys.includes("this head is silenced")) texts.push("head silenced");
  if (whys.includes("you set it")) texts.push("numbers set by you");
  if (changes.swaps.length > 0 && tokenEmbeddings(recording).some(({id}) => id === operation.id)) {
    texts.push("tokens swapped");
  }
  return texts.join(", ");
}
