// Names for results: those that the source gives them, as in `const Variable scores = matmul(…)`.
"use strict";

function sourceLine(recording, operation) {
  const text = recording.sources[operation.file];
  return text === undefined ? "" : text.split("\n")[operation.line - 1] || "";
}

/** "scores" for `const Variable scores = …;`, else nothing. */
function assignedName(line) {
  const match = /(?:^|\s|&)(?:Variable|Tensor|auto)\s+(\w+)\s*=[^=]/.exec(line) ||
                /^\s*(\w+)\s*=[^=]/.exec(line);
  return match === null ? "" : match[1].replace(/_$/, "");
}

/** Whether the next operation stands elsewhere: of several in one line the last makes its name. */
function isLastOfLine(operations, operation) {
  const next = operations[operation.id + 1];
  return next === undefined || next.file !== operation.file || next.line !== operation.line ||
         next.scope !== operation.scope;
}

function isLastOfScope(operations, operation) {
  const next = operations[operation.id + 1];
  return operation.scope !== "" &&
         (next === undefined || !(next.scope + ".").startsWith(operation.scope + "."));
}

const NAMES_BY_KIND = {
  transpose: (input) => input + "ᵀ",
  permute: (input) => input + " permuted",
  reshape: (input) => input + " reshaped",
  view: (input) => input + " reshaped",
  narrow: (input) => input + "[…]",
};

function resultName(recording, operation) {
  const {operations, tensors} = recording;
  if (isLastOfLine(operations, operation)) {
    const assigned = assignedName(sourceLine(recording, operation));
    if (assigned !== "") return assigned;
  }
  if (isLastOfScope(operations, operation)) return operation.scope.split(".").pop();
  const byKind = NAMES_BY_KIND[operation.kind];
  return byKind ? byKind(tensors[operation.in[0]].label) : operation.kind;
}

/** The number that scores are divided by is called √d_k where it is that. */
function nameScale(recording, scale) {
  const product = operationBefore(recording, scale);
  if (product === null || product.kind !== "matmul") return;
  const root = Math.sqrt(recording.tensors[product.in[0]].shape.slice(-1)[0]);
  const constant = recording.tensors[scale.in[1]];
  const isNear = (value) => Math.abs(constant.value.data[0] - value) < 1e-5 * value;
  if (scale.kind === "divide" && isNear(root)) constant.called = "√d_k";
  if (scale.kind === "multiply" && isNear(1 / root)) constant.called = "1/√d_k";
}

/** q, kᵀ, k and v by their places in attention, where the source has no names of its own for them. */
function nameInputs(recording, {softmax, mixture, scale}) {
  const {operations, tensors} = recording;
  const give = (id, label) => {
    const {producer, name} = tensors[id];
    if (name !== "" || producer === null) return;
    const made = operations[producer];
    const isNamed = isLastOfLine(operations, made) && assignedName(sourceLine(recording, made)) !== "";
    if (!isNamed) tensors[id].label = label;
  };
  const product = operationBefore(recording, scale === null ? softmax : scale);
  if (product === null || product.kind !== "matmul") return;
  const turned = operationBefore(recording, {in: [product.in[1]]});
  give(product.in[0], "q");
  give(product.in[1], turned !== null && turned.kind === "transpose" ? "kᵀ" : "k");
  if (turned !== null && turned.kind === "transpose") give(turned.in[0], "k");
  give(mixture.in[1], "v");
}

/** Attention's own names, also where it is spelled out over several functions. */
function nameAttention(recording) {
  const give = (id, label) => {
    if (recording.tensors[id].name === "") recording.tensors[id].label = label;
  };
  for (const site of attentionSites(recording)) {
    const {softmax, scale} = site;
    give(softmax.out, "weights");
    nameInputs(recording, site);
    if (scale === null) continue;
    give(scale.in[0], "scores");
    give(scale.out, "scaled");
    nameScale(recording, scale);
  }
}

/** A number in the program's text, as the 2 of x / 2. */
function isBareConstant(tensor) {
  return tensor.name === "" && tensor.producer === null && tensor.shape.length === 0;
}

/** What a tensor is called in a run: a bare constant by its number, which a change may move. */
function labelIn(run, tensor) {
  return isBareConstant(tensor) ? formatNumber(run.values[tensor.id].data[0]) : tensor.label;
}

function nameTensors(recording) {
  for (const tensor of recording.tensors) {
    tensor.called = isBareConstant(tensor) ? "constant" : tensor.name;
    if (tensor.label === "" && tensor.producer === null) {
      tensor.label = isBareConstant(tensor) ? formatNumber(tensor.value.data[0]) : "input";
    }
  }
  for (const operation of recording.operations) {
    const result = recording.tensors[operation.out];
    if (result.label === "") result.label = resultName(recording, operation);
  }
  for (const operation of recording.operations) {
    const logits = recording.tensors[operation.in[0]];
    if (operation.kind === "cross_entropy" && logits.name === "") logits.label = "logits";
    const result = recording.tensors[operation.out];
    if (result.label === "cross_entropy") result.label = "loss";
  }
  nameAttention(recording);
}
