// Interventions change what is downstream, and nothing else.
"use strict";

const assert = require("assert");
const {load, recordingOf} = require("./load.js");

const {decodeRecording, rerun, changedRun, changedResults, cardsOf, timeline, OPERATIONS, NO_CHANGES,
       attentionSites, lossTensor, largestDifference, changeAt} =
    load("decodeRecording", "rerun", "changedRun", "changedResults", "cardsOf", "timeline",
         "OPERATIONS", "NO_CHANGES", "attentionSites", "lossTensor", "largestDifference", "changeAt");
const recording = recordingOf(decodeRecording);
const unchanged = rerun(recording).values;
const root = lossTensor(recording);
const sites = attentionSites(recording);

/** The operations whose results differ from the run without changes. */
function changedBy(changes) {
  const {values} = rerun(recording, {...NO_CHANGES, ...changes});
  return {values, ids: recording.operations.filter(({out}) =>
      largestDifference(values[out], unchanged[out]) > 1e-9).map(({id}) => id)};
}

// A number edited in the second block leaves everything before it as it was.
const {softmax, mixture} = sites[1];
const edit = changedBy({edits: [{tensor: softmax.out, flat: 0, value: 0.5}]});
assert.strictEqual(edit.ids[0], softmax.id);
assert.ok(edit.values[root].data[0] !== unchanged[root].data[0]);

// A silenced head gives zeros; the other heads' mixtures stay.
const {values} = changedBy({silenced: [{site: 1, head: 2}]});
const [heads, time, size] = recording.tensors[mixture.out].shape.slice(-3);
for (let head = 0; head < heads; ++head) {
  for (let i = 0; i < time * size; ++i) {
    const place = head * time * size + i;
    assert.strictEqual(values[mixture.out].data[place],
                       head === 2 ? 0 : unchanged[mixture.out].data[place]);
  }
}

// Without the mask position 0 looks ahead; with it, it does not.
const ahead = (weights) => weights.data.slice(1, 16).reduce((sum, weight) => sum + weight, 0);
assert.strictEqual(ahead(unchanged[sites[0].weights]), 0);
const unmasked = changedBy({noMask: true}).values[sites[0].weights];
assert.ok(ahead(unmasked) > 0.5);

// Without √d_k the scores are √12 times as large.
const unscaled = changedBy({noScale: true}).values[sites[0].scale.out];
const ratio = unscaled.data[0] / unchanged[sites[0].scale.out].data[0];
assert.ok(Math.abs(ratio - Math.sqrt(12)) < 1e-6, String(ratio));

// Two tokens swapped: the rows of the embedding change places, and twice is nothing.
const embedding = recording.operations.find(({kind}) => kind === "embedding");
const swapped = changedBy({swaps: [[0, 15]]}).values[embedding.out];
assert.strictEqual(swapped.data[0], unchanged[embedding.out].data[15 * 48]);
assert.strictEqual(changedBy({swaps: [[0, 15], [15, 0]]}).ids.length, 0);

// What is shown under a change is true: each operation's shown inputs give its shown result, but
// for the cells that the change sets, and those are named.
const ALL = {...NO_CHANGES, edits: [{tensor: softmax.out, flat: 0, value: 0.5}],
             silenced: [{site: 0, head: 1}], noMask: true, noScale: true, swaps: [[2, 5]]};
const changed = changedRun(recording, ALL);
for (const operation of recording.operations) {
  const ins = operation.in.map((id) => changed.values[id]);
  const result = OPERATIONS[operation.kind].forward(ins, changed.attributes[operation.id]);
  const shown = changed.values[operation.out];
  const fixed = new Map(changed.fixed[operation.id].map((cell) => [cell.flat, cell]));
  result.data.forEach((value, flat) => {
    const cell = fixed.get(flat);
    assert.strictEqual(shown.data[flat], cell === undefined ? value : cell.value,
                       `${operation.kind}, ${flat}: the equation is false`);
    assert.ok(cell === undefined || cell.why !== "");
  });
}
assert.strictEqual(changed.values[sites[0].scale.in[1]].data[0], 1);
assert.strictEqual(changeAt(recording, ALL, sites[0].scale), "√d_k removed");
assert.strictEqual(changeAt(recording, ALL, sites[0].mixture), "head silenced");

// The gradients shown under a change are slopes of the changed run's loss.
const lossWith = (tensor, flat, value) => rerun(recording, {
  ...ALL, edits: [...ALL.edits, {tensor, flat, value}]}).values[root].data[0];
for (const {id, value, grad} of recording.tensors.filter(({role}) => role === "parameter")) {
  if (grad === null) continue;
  const step = 1e-4;
  const slope = (lossWith(id, 7, value.data[7] + step) - lossWith(id, 7, value.data[7] - step)) /
                (2 * step);
  const shown = changed.grads[id].data[7];
  assert.ok(Math.abs(slope - shown) < 1e-7 + 1e-4 * Math.abs(slope), `${slope}, shown ${shown}`);
}

// On stage stand both, before and after, forward and backward.
for (const step of timeline(recording).filter(({phase}) => phase !== "optimizer")) {
  for (const {tensor, maps} of cardsOf(recording, step, changed)) {
    const [before, after] = ["grad", "grad-after"].map((kind) => maps.find((map) => map.kind === kind));
    assert.strictEqual(before === undefined, after === undefined, `${tensor.label}: one gradient only`);
    if (before === undefined) continue;
    assert.notStrictEqual(before.title, after.title);
    assert.notStrictEqual(before.x, after.x, `${tensor.label}: the recorded gradient, shown twice`);
  }
}

// However little the loss changes, it is among what changed; what stands before the change is not.
const weight = recording.tensors.find(({name}) => name.endsWith("weight"));
const small = changedRun(recording, {...NO_CHANGES, edits: [
  {tensor: weight.id, flat: 0, value: weight.value.data[0] + 1e-9}]});
for (const run of [small, changedRun(recording, {...NO_CHANGES, noScale: true})]) {
  const moved = changedResults(recording, rerun(recording), run).map(({operation}) => operation);
  assert.ok(moved.some(({out}) => out === root), "the loss is left out");
}
const late = changedResults(recording, rerun(recording), changedRun(recording, {
  ...NO_CHANGES, edits: [{tensor: softmax.out, flat: 0, value: 0.5}]}));
assert.strictEqual(late[0].operation.id, softmax.id);
console.log("edits, silenced heads, mask, scale and swaps behave");
