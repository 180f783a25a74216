// Every operation of a recording, computed again in doubles: within 1e-4, forward and backward.
"use strict";

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const {load, recordingOf} = require("./load.js");

const LARGEST = 1e-4;

const {decodeRecording, recomputeAll, nudge, OPERATIONS, lossTensor, rerun, rerunBackward,
       largestDifference} = load("decodeRecording", "recomputeAll", "nudge", "OPERATIONS",
                                 "lossTensor", "rerun", "rerunBackward", "largestDifference");

/** The kinds that autograd/ops/ records. */
function kindsOfTheLibrary() {
  const folder = path.join(__dirname, "../../autograd/ops");
  const code = fs.readdirSync(folder).map((name) => fs.readFileSync(path.join(folder, name), "utf8"));
  return new Set([...code.join("\n").matchAll(/record\(\s*"(\w+)"/g)].map((match) => match[1]));
}

// Operations that do several steps at once. Traces use the spelled-out forms instead.
const FUSED = new Set(["packed_attention", "scaled_dot_product_attention"]);

const recording = recordingOf(decodeRecording);
const {rows, largest, unknown} = recomputeAll(recording);
// Of large parameters the optimizer's moments are not recorded.
const own = process.argv[3] === "--unknown" ? process.argv[4] : "";  // the program's own operation
assert.strictEqual(unknown.filter((name) => !name.startsWith("adam of ")).join(), own);
assert.ok(rows.length > 0 && rows.length + unknown.length >= recording.operations.length);
for (const {direction, operation, difference} of rows) {
  assert.ok(difference <= LARGEST, `${direction} of ${operation.kind}: ${difference}`);
}

if (own !== "") process.exit(0);  // what comes after it cannot be computed from the leaves

// The whole run from its leaves: differences add up, and stay small.
const whole = rerun(recording);
const root = lossTensor(recording);
assert.ok(largestDifference(whole.values[root], recording.tensors[root].value) < LARGEST);
const {grads} = rerunBackward(recording, whole);
for (const tensor of recording.tensors) {
  if (tensor.grad === null || grads[tensor.id] === null) continue;
  const difference = largestDifference(grads[tensor.id], tensor.grad);
  assert.ok(difference < LARGEST, `gradient of ${tensor.label}: ${difference}`);
}

// A weight moved a little moves the loss by gradient · step.
const parameters = recording.tensors.filter(({role, grad}) => role === "parameter" && grad !== null);
for (const tensor of parameters.slice(0, 8)) {
  const {change, predicted} = nudge(recording, tensor.id, 0, 1e-5);
  assert.ok(Math.abs(change - predicted) < 1e-9 + 1e-2 * Math.abs(predicted),
            `${tensor.label}: ${change} for ${predicted}`);
}

if (process.argv.includes("--every-operation")) {
  const recorded = new Set(recording.operations.map(({kind}) => kind));
  for (const kind of kindsOfTheLibrary()) {
    if (FUSED.has(kind)) continue;
    assert.ok(kind in OPERATIONS, `the page does not know ${kind}`);
    assert.ok(recorded.has(kind), `recordings.cpp does not use ${kind}`);
  }
}
console.log(`${rows.length} results recomputed, largest difference ${largest.toExponential(1)}`);
