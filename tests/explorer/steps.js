// The address keeps the state; steps forth and back lead to the same place; explanations exist.
"use strict";

const assert = require("assert");
const {load, recordingOf} = require("./load.js");

const api = load("decodeRecording", "timeline", "stepGroups", "stateOf", "addressOf", "cardsOf",
                 "OPERATIONS", "firstState", "formatCell", "formatDigits", "attentionSites", "elementCount");
const recording = recordingOf(api.decodeRecording);
const steps = api.timeline(recording);

// Phases come in order, and each step belongs to exactly one group.
const phases = steps.map(({phase}) => phase).filter((phase, i, all) => phase !== all[i - 1]);
assert.deepStrictEqual([...phases], ["forward", "loss", "backward", "optimizer"]);
assert.strictEqual(api.stepGroups(steps).reduce((sum, group) => sum + group.steps.length, 0),
                   steps.length);

const copy = (value) => JSON.parse(JSON.stringify(value));

// k steps forth and k back: what is on stage is what it was.
const onStage = (step) => JSON.stringify(api.cardsOf(recording, steps[step], null).map(
    ({tensor, role, maps}) => [tensor.label, role, maps.map(({title, x}) => [title, [...x.data]])]));
const seen = steps.map((_, step) => onStage(step));
for (let step = steps.length - 1; step >= 0; --step) assert.strictEqual(onStage(step), seen[step]);

// The address gives back the state, whatever it is.
const state = {
  ...api.firstState(), step: 12, card: 1, cell: [3, 5], head: 2, view: "attention", grad: false,
  difference: true, site: 1, look: [2, 4],
  changes: {edits: [{tensor: 1, flat: 7, value: -0.25}], silenced: [{site: 1, head: 3}],
            noMask: true, noScale: true, swaps: [[0, 15]]},
};
const address = api.addressOf(state);
assert.deepStrictEqual(copy(api.stateOf(address, recording, steps.length)), copy(state));
assert.ok(address.includes("op=13&") && address.includes("cell=3,5") && address.includes("head=2"));

// Nonsense in the address does no harm.
for (const nonsense of ["", "#op=0", "#op=1e9&cell=a,b&head=-1&view=<b>", "#op=2&edit=9999:0:1;x",
                        "#silence=9:9&swap=0:99&t=77", "#cell=1,2,3&site=5&tensor=-4"]) {
  const read = api.stateOf(nonsense, recording, steps.length);
  assert.ok(read.step >= 0 && read.step < steps.length);
  assert.strictEqual(read.changes.edits.length + read.changes.silenced.length +
                     read.changes.swaps.length, 0);
}

// The terms of an explanation add up to the cell that they explain.
for (const {kind, in: inputs, out, attributes} of recording.operations) {
  if (kind !== "matmul" && kind !== "linear") continue;
  const ins = inputs.map((id) => recording.tensors[id].value);
  const result = recording.tensors[out].value;
  for (const flat of [0, Math.floor(result.data.length / 2), result.data.length - 1]) {
    const {terms} = api.OPERATIONS[kind].explain(ins, result, flat, attributes);
    const sum = terms.reduce((total, {value}) => total + value, 0);
    assert.ok(Math.abs(sum - result.data[flat]) < 1e-4, `${kind}: ${sum} for ${result.data[flat]}`);
  }
}

// A number that rounds to 0 has no sign; digits count from the first that is not 0.
assert.strictEqual(api.formatCell(-0.001, 1), "0.00");
assert.strictEqual(api.formatCell(-0.01, 1), "−0.01");
assert.strictEqual(api.formatDigits(-0.00015234, 3), "−0.000152");

// Two blocks of four heads, masked and scaled, are found.
const sites = api.attentionSites(recording);
assert.strictEqual(sites.length, 2);
for (const site of sites) {
  assert.strictEqual(site.headCount, 4);
  assert.strictEqual(site.masks.length, 1);
  assert.ok(site.scale !== null);
}
console.log(`${steps.length} steps, each the same on the way back`);
