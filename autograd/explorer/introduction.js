// What the run is about, in a line: what went in, what came out, what was wanted.
"use strict";

const MOST_INTRODUCED = 24;  // tokens; more would not be read

/** The class with the largest logit at each position. */
function answersOf(x) {
  const classes = x.shape[x.shape.length - 1];
  return Array.from({length: x.data.length / classes}, (_, row) => {
    let best = 0;
    for (let i = 1; i < classes; ++i) {
      if (x.data[row * classes + i] > x.data[row * classes + best]) best = i;
    }
    return best;
  });
}

function lossOperation(recording) {
  return recording.operations.find(({kind}) => kind === "cross_entropy");
}

function logitsTensor(recording) {
  const loss = lossOperation(recording);
  return loss === undefined ? null : recording.tensors[loss.in[0]];
}

function className(recording, label) {
  const {classes} = recording;
  return classes[label] === undefined ? String(label) : classes[label];
}

/** The targets by name; "–" where a position is not counted. */
function targetNames(recording) {
  const {targets, ignore_index: ignored} = lossOperation(recording).attributes;
  return targets.values.map((target) => (target === ignored ? "–" : className(recording, target)));
}

/** {tokens, answers, targets}: lists of names, empty where the recording has none. */
function introductionOf(recording) {
  const {tokens} = recording;
  const logits = logitsTensor(recording);
  if (logits === null) return {tokens, answers: [], targets: []};
  return {tokens, targets: targetNames(recording),
          answers: answersOf(logits.value).map((label) => className(recording, label))};
}
