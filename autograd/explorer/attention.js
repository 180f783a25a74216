// Where a recording attends: softmax over scores, and what stands around it.
"use strict";

/** The operation that made an operation's first input, if there is one. */
function operationBefore(recording, operation) {
  const producer = recording.tensors[operation.in[0]].producer;
  return producer === null ? null : recording.operations[producer];
}

/** The product weights · v that reads an operation's result, dropout in between allowed. */
function mixtureAfter(recording, operation) {
  for (const id of recording.tensors[operation.out].consumers) {
    const consumer = recording.operations[id];
    if (consumer.kind === "matmul" && consumer.in[0] === operation.out) return consumer;
    if (consumer.kind === "dropout") return mixtureAfter(recording, consumer);
  }
  return null;
}

function isMasking(operation) {
  return operation.kind === "masked_fill" && operation.attributes.value === -Infinity;
}

function isScaling(recording, operation) {
  if (operation.kind !== "divide" && operation.kind !== "multiply") return false;
  const by = recording.tensors[operation.in[1]];
  return by.role === "constant" && by.shape.length === 0;
}

/** One entry for each attention: its operations, and how many heads it has. */
function attentionSites(recording) {
  const sites = [];
  for (const softmax of recording.operations) {
    const mixture = softmax.kind === "softmax" ? mixtureAfter(recording, softmax) : null;
    if (mixture === null) continue;
    const site = {softmax, mixture, masks: [], scale: null, scope: softmax.scope,
                  squares: [softmax.out, softmax.in[0]]};  // tensors with a cell for each weight
    let before = operationBefore(recording, softmax);
    while (before !== null && before.kind !== "matmul") {
      if (isMasking(before)) site.masks.push(before);
      if (isScaling(recording, before)) site.scale = before;
      site.squares.push(before.in[0]);
      before = operationBefore(recording, before);
    }
    const {shape} = recording.tensors[softmax.out];
    site.weights = softmax.out;
    site.headCount = shape.length >= 3 ? elementCount(shape.slice(0, -2)) : 1;
    sites.push(site);
  }
  return sites;
}
