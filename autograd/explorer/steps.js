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
 * The tensors on stage at a step: {tensor, role, input, maps: [{title, kind, x}]}. `role` is "input"
 * or "output". `after` is a changed run, or null: with it each map stands before and after.
 */
function cardsOf(recording, step, after) {
  if (step.phase === "optimizer") return optimizerCards(recording, step);
  const cards = [];
  const add = (id, role, input) => {
    const tensor = recording.tensors[id];
    const maps = [...valueMaps(tensor, after), ...gradientMaps(recording, step, tensor, input, after)];
    cards.push({tensor, role, input, maps});
  };
  if (step.phase === "backward") add(step.operation.out, "output", -1);
  step.operation.in.forEach((id, input) => add(id, "input", input));
  if (step.phase !== "backward") add(step.operation.out, "output", -1);
  return cards;
}

function valueMaps(tensor, after) {
  if (after === null) return [{title: "value", kind: "value", x: tensor.value}];
  return [{title: "value before", kind: "value", x: tensor.value},
          {title: "value after", kind: "after", x: after.values[tensor.id]}];
}

/** The gradient that a step is about: in backward, of an input, the part that it gives. */
function gradientMaps(recording, step, tensor, input, after) {
  const isPart = step.phase === "backward" && input >= 0;
  let x = tensor.grad;
  if (isPart) {
    const contribution = recording.backward[step.backward].contributions
        .find((each) => each.input === input);
    x = contribution === undefined ? null : wholeContribution(contribution, tensor.shape);
  }
  if (x === null) return [];
  const title = isPart && tensor.contributions.length > 1 ? "this part of its gradient"
      : isPart ? "its gradient" : step.phase === "backward" ? "its gradient, G" : "gradient";
  if (after === null) return [{title, kind: "grad", x}];
  const changed = isPart ? after.contributions[step.backward][input] : after.grads[tensor.id];
  if (!changed) return [{title: `${title} of the recorded run`, kind: "grad", x}];
  return [{title: `${title}, before`, kind: "grad", x},
          {title: `${title}, after`, kind: "grad-after", x: changed}];
}

function isGradient({kind}) {
  return kind.startsWith("grad");
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
