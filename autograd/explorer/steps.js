// The recording as one line of steps: forward, loss, backward, optimizer.
"use strict";

const PHASES = {forward: "Forward", loss: "Loss", backward: "Backward", optimizer: "Optimizer"};

function timeline(recording) {
  const {operations, backward, optimizer, tensors} = recording;
  const root = lossTensor(recording);
  const steps = operations.map((operation) => ({
    phase: operation.out === root && backward.length > 0 ? "loss" : "forward",
    operation,
    scope: operation.scope,
    title: `${tensors[operation.out].label} = ${operation.kind}`,
  }));
  backward.forEach((step, number) => {
    const operation = operations[step.operation];
    steps.push({phase: "backward", operation, backward: number, scope: operation.scope,
                title: `${operation.kind} of ${tensors[operation.out].label}`});
  });
  optimizer.forEach((step, number) => {
    const name = tensors[step.tensor].label;
    const scope = name.includes(".") ? name.slice(0, name.lastIndexOf(".")) : "";
    steps.push({phase: "optimizer", optimizer: number, scope, title: `${step.kind}: ${name}`});
  });
  steps.forEach((step, id) => { step.id = id; });
  return steps;
}

/** Runs of steps of one phase and one module. */
function stepGroups(steps) {
  const groups = [];
  for (const step of steps) {
    const last = groups[groups.length - 1];
    if (last === undefined || last.phase !== step.phase || last.scope !== step.scope) {
      groups.push({phase: step.phase, scope: step.scope, steps: []});
    }
    groups[groups.length - 1].steps.push(step);
  }
  return groups;
}

/**
 * The tensors on stage at a step: {tensor, role, maps: [{title, data, isGrad}]}. `role` is
 * "input" or "output"; a map is a tensor of numbers. `after` holds values of a changed run.
 */
function cardsOf(recording, step, after) {
  if (step.phase === "optimizer") return optimizerCards(recording, step);
  const cards = [];
  const add = (id, role, input) => {
    const tensor = recording.tensors[id];
    cards.push({tensor, role, input, maps: mapsOf(recording, step, tensor, input, after)});
  };
  if (step.phase === "backward") add(step.operation.out, "output", -1);
  step.operation.in.forEach((id, input) => add(id, "input", input));
  if (step.phase !== "backward") add(step.operation.out, "output", -1);
  return cards;
}

function mapsOf(recording, step, tensor, input, after) {
  const maps = [{title: after ? "before" : "value", kind: "value", x: tensor.value}];
  if (after) maps.push({title: "after your change", kind: "after", x: after.values[tensor.id]});
  if (step.phase === "backward" && input >= 0) {
    const contribution = recording.backward[step.backward].contributions
        .find((each) => each.input === input);
    if (contribution !== undefined) {
      const title = tensor.contributions.length > 1 ? "this part of its gradient" : "its gradient";
      maps.push({title, kind: "grad", x: wholeContribution(contribution, tensor.shape)});
    }
  } else if (tensor.grad !== null) {
    const title = step.phase === "backward" ? "its gradient, G" : "gradient";
    maps.push({title, kind: "grad", x: tensor.grad});
  }
  return maps;
}

function optimizerCards(recording, step) {
  const {tensor, after, grad} = recording.optimizer[step.optimizer];
  const parameter = recording.tensors[tensor];
  const change = zipped(after, parameter.value, (a, b) => a - b);
  return [{tensor: parameter, role: "output", input: -1, maps: [
    {title: "before", kind: "value", x: parameter.value},
    {title: "gradient", kind: "grad", x: grad},
    {title: "after", kind: "after", x: after},
    {title: "change", kind: "change", x: change},
  ]}];
}
