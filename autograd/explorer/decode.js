// From the page's three inert blocks to a recording whose tensors are arrays.
"use strict";

function bytesOfBase64(text) {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Little-endian float32, on any machine. */
function floatsOfBytes(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const floats = new Float32Array(bytes.byteLength / 4);
  for (let i = 0; i < floats.length; ++i) floats[i] = view.getFloat32(4 * i, true);
  return floats;
}

/** JSON has no infinities: they are texts there. */
function decodedNumber(value) {
  const texts = {inf: Infinity, "-inf": -Infinity, nan: NaN};
  return typeof value === "string" && value in texts ? texts[value] : value;
}

function tensorAt(pool, shape, offset) {
  return {shape, data: pool.subarray(offset, offset + elementCount(shape))};
}

function decodedAttributes(attributes, pool) {
  const decoded = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && typeof value === "object" && "offset" in value) {
      decoded[name] = tensorAt(pool, value.shape, value.offset);
    } else {
      decoded[name] = decodedNumber(value);
    }
  }
  return decoded;
}

function decodedTensors(head, pool) {
  return head.tensors.map((tensor, id) => ({
    id,
    name: tensor.name,
    label: tensor.name,
    role: tensor.role,
    shape: tensor.shape,
    value: tensorAt(pool, tensor.shape, tensor.offset),
    grad: "grad" in tensor ? tensorAt(pool, tensor.shape, tensor.grad) : null,
    producer: null,
    consumers: [],
    contributions: [],
  }));
}

function decodedBackward(head, pool) {
  return head.backward.map((step) => ({
    operation: step.operation,
    contributions: step.contributions.map((contribution) => ({
      ...contribution,
      tensor: tensorAt(pool, contribution.shape, contribution.offset),
    })),
  }));
}

function decodedSteps(head, pool) {
  return head.optimizer.map((step) => {
    const shape = head.tensors[step.tensor].shape;
    return {
      kind: step.kind,
      tensor: step.tensor,
      after: tensorAt(pool, shape, step.after),
      grad: tensorAt(pool, shape, step.grad),
      attributes: decodedAttributes(step.attributes, pool),
    };
  });
}

/** Attention weights by training step: weights(stepNumber, site) has the site's shape. */
function decodedSnapshots(head, bytes) {
  const {steps, shapes} = head.snapshots;
  const counts = shapes.map(elementCount);
  const perStep = counts.reduce((sum, count) => sum + count, 0);
  const weights = (stepNumber, site) => {
    const start = stepNumber * perStep + counts.slice(0, site).reduce((a, b) => a + b, 0);
    const part = bytes.subarray(start, start + counts[site]);
    return {shape: shapes[site], data: Float64Array.from(part, (byte) => byte / 255)};
  };
  return {steps, shapes, weights};
}

/** Who made a tensor, who reads it, and through which backward steps its gradient came. */
function linkTensors(recording) {
  const {tensors, operations, backward} = recording;
  for (const operation of operations) {
    tensors[operation.out].producer = operation.id;
    operation.in.forEach((id) => tensors[id].consumers.push(operation.id));
  }
  backward.forEach((step, number) => {
    const operation = operations[step.operation];
    for (const contribution of step.contributions) {
      tensors[operation.in[contribution.input]].contributions.push({step: number, contribution});
    }
  });
}

function decodeRecording(headText, poolText, snapshotText) {
  const head = JSON.parse(headText);
  const pool = floatsOfBytes(bytesOfBase64(poolText));
  const recording = {
    title: head.title,
    configuration: head.configuration,
    tokens: head.tokens.map((token) => token.text),
    classes: head.classes.map((label) => label.text),
    sources: head.sources,
    curve: {steps: head.curve.steps, losses: head.curve.losses.map(decodedNumber)},
    tensors: decodedTensors(head, pool),
    operations: head.operations.map((operation, id) => ({
      ...operation, id, attributes: decodedAttributes(operation.attributes, pool),
    })),
    backward: decodedBackward(head, pool),
    optimizer: decodedSteps(head, pool),
    snapshots: decodedSnapshots(head, bytesOfBase64(snapshotText)),
  };
  linkTensors(recording);
  nameTensors(recording);
  return recording;
}
