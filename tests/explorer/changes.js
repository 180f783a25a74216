// Interventions change what is downstream, and nothing else.
"use strict";

const assert = require("assert");
const {load, recordingOf} = require("./load.js");

const {decodeRecording, rerun, NO_CHANGES, attentionSites, lossTensor, largestDifference} =
    load("decodeRecording", "rerun", "NO_CHANGES", "attentionSites", "lossTensor",
         "largestDifference");
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
console.log("edits, silenced heads, mask, scale and swaps behave");
