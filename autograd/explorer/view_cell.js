// The cell inspector: how one number came about, and where its gradient came from.
"use strict";

const MOST_TERMS = 64;  // more would not be read

/** Terms of a sum; of very many, the largest. */
function termList({terms, join = " + "}) {
  const shown = terms.length <= MOST_TERMS
      ? terms : [...terms].sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
                          .slice(0, MOST_TERMS / 2);
  const largest = Math.max(...terms.map(({value}) => Math.abs(value)));
  const list = element("p", {class: "terms"});
  shown.forEach(({text, value}, i) => {
    if (i > 0) list.append(join);
    const isLargest = Math.abs(value) === largest && largest > 0 && terms.length > 1;
    list.append(element(isLargest ? "strong" : "span", {}, text));
  });
  if (shown.length < terms.length) {
    const rest = terms.reduce((sum, {value}) => sum + value, 0) -
                 shown.reduce((sum, {value}) => sum + value, 0);
    list.append(`${join}${terms.length - shown.length} smaller ones: ${formatNumber(rest)}`);
  }
  return list;
}

function indexText(tensor, flat) {
  if (isBareConstant(tensor)) return tensor.called;
  return tensor.shape.length === 0 ? tensor.label
                                   : `${tensor.label}[${indexOf(tensor.shape, flat).join(", ")}]`;
}

function equation(left, value) {
  return element("p", {class: "equation"}, `${left} = `, element("b", {}, formatFully(value)));
}

/** "= 3 / 1 (√d_k removed)", and the terms of a sum. */
function reasonParts({text, terms, join}, note) {
  return [element("p", {}, `= ${text}${note === "" ? "" : ` (${note})`}`),
          ...(terms.length > 0 ? [termList({terms, join})] : [])];
}

function explanationParts(app, card, flat) {
  const {operation} = app.step();
  const known = OPERATIONS[operation.kind];
  const {values, made, attributes, fixed} = app.run();
  const parts = [equation(indexText(card.tensor, flat), values[card.tensor.id].data[flat])];
  const cell = fixed[operation.id].find((each) => each.flat === flat);
  if (cell !== undefined) return [...parts, element("p", {}, `Not computed: ${cell.why}.`)];
  if (known === undefined) {
    return [element("p", {}, `The page does not know the operation ${operation.kind}.`)];
  }
  const ins = operation.in.map((id) => values[id]);
  const why = known.explain(ins, made[operation.id], flat, attributes[operation.id]);
  return [...parts, ...reasonParts(why, changeAt(app.recording, app.state.changes, operation))];
}

/** "Recorded 5.657, after your change 1.", where there is a change. */
function beforeAfter(app, recorded, changed) {
  if (app.after === null) return null;
  return element("p", {class: "before-after"}, `Recorded ${formatFully(recorded)}, after your change ` +
                                               `${formatFully(changed)}.`);
}

/** One use of a tensor: what its gradient gets through it. */
function contributionItem(app, tensor, flat, {step, contribution}) {
  const {recording} = app;
  const operation = recording.operations[recording.backward[step].operation];
  const whole = app.run().contributions[step][contribution.input];
  const target = app.steps.find((each) => each.backward === step);
  return element("li", {}, `${whole ? formatNumber(whole.data[flat]) : "what is not known"} through `,
      button(`${operation.kind} of ${recording.tensors[operation.out].label}`,
             () => app.go({step: target.id, card: contribution.input + 1}), {class: "link"}));
}

/** Where a tensor's gradient at a place came from: one line for each use of it. */
function gradientParts(app, tensor, flat) {
  const grad = app.run().grads[tensor.id];
  if (tensor.grad === null) return [element("p", {class: "quiet"}, "No gradient was recorded.")];
  const root = app.recording.tensors[lossTensor(app.recording)].label;
  const name = `∂${root}/∂${indexText(tensor, flat)}`;
  if (grad === null) {
    return [equation(`${name} of the recorded run`, tensor.grad.data[flat]),
            element("p", {}, "After your change it is not known: the page does not know an operation.")];
  }
  const parts = [element("h3", {}, "Gradient"), equation(name, grad.data[flat]),
                 beforeAfter(app, tensor.grad.data[flat], grad.data[flat])];
  const count = tensor.contributions.length;
  if (count === 0) {
    return [...parts, element("p", {}, "Backward starts here, with 1.")];
  }
  return [...parts,
          element("p", {}, count === 1 ? "It came:" : `It is the sum of ${count}, one for each use:`),
          element("ul", {class: "contributions"},
                  tensor.contributions.map((use) => contributionItem(app, tensor, flat, use)))];
}

function backwardParts(app, card, flat) {
  const {operation} = app.step();
  const maps = card.maps.filter(isGradient);
  if (card.input < 0 || maps.length === 0) return [];
  const {x} = maps[maps.length - 1];
  const {values, made, attributes, grads, fixed} = app.run();
  const {out, id} = operation;
  if (!grads[out]) return [];
  const why = explainGradient({...operation, attributes: attributes[id]},
                              operation.in.map((input) => values[input]), made[id],
                              gradientThrough(grads[out], fixed[id]), card.input, flat, x);
  return [equation(`What ${indexText(card.tensor, flat)} gets here`, x.data[flat]),
          ...reasonParts(why, changeAt(app.recording, app.state.changes, operation)),
          beforeAfter(app, maps[0].x.data[flat], x.data[flat])];
}

function optimizerParts(app, card, flat) {
  const move = app.recording.optimizer[app.step().optimizer];
  const {kind, after, attributes} = move;
  const before = card.tensor.value.data[flat];
  return [
    element("p", {class: "equation"}, `${indexText(card.tensor, flat)} ← `,
            element("b", {}, formatFully(after.data[flat]))),
    element("p", {}, isKnownStep(move) ? `= ${OPTIMIZERS[kind].explain(before, flat, attributes)}`
                                        : "The optimizer's moments of so large a parameter are not recorded."),
    element("p", {}, `It moved by ${formatNumber(after.data[flat] - before)}.`),
  ];
}

function producerParts(app, tensor, flat) {
  const parts = [equation(indexText(tensor, flat), app.run().values[tensor.id].data[flat])];
  if (tensor.producer === null) {
    parts.push(element("p", {}, tensor.role === "parameter" ? "A parameter: training moves it."
                                                            : "A constant: it was given."));
  } else {
    const operation = app.recording.operations[tensor.producer];
    parts.push(element("p", {}, "Made by ",
        button(`op ${tensor.producer + 1}, ${operation.kind}`,
               () => app.go({step: tensor.producer, card: -1}), {class: "link"}), "."));
  }
  return parts;
}

function renderCell(app) {
  const card = app.cards()[app.selectedCard()];
  const matrix = matrixOf(card.tensor.value, app.state.head);
  if (matrix.rows * matrix.columns === 0) return [element("p", {}, "This tensor is empty.")];
  const flat = matrix.flat(...app.cellIn(matrix));
  const {phase} = app.step();
  const parts = [element("p", {class: "quiet"}, placeText(app, card.tensor, matrix))];
  if (phase === "optimizer") return [...parts, ...optimizerParts(app, card, flat)];
  if (phase === "backward") parts.push(...backwardParts(app, card, flat));
  else if (card.role === "output") parts.push(...explanationParts(app, card, flat));
  else parts.push(...producerParts(app, card.tensor, flat));
  parts.push(beforeAfter(app, card.tensor.value.data[flat],
                         app.run().values[card.tensor.id].data[flat]));
  return [...parts, ...gradientParts(app, card.tensor, flat), editParts(app, card.tensor, flat)];
}

/** "scores: position 3 (token 9), position 12 (token 3)": where the selected cell is. */
function placeText(app, tensor, matrix) {
  const head = matrix.count > 1 ? `, matrix ${app.state.head % matrix.count + 1}` : "";
  return `${tensor.label}: ${cellPlace(app.recording, tensor, ...app.cellIn(matrix))}${head}`;
}

function editParts(app, tensor, flat) {
  return button("Change this number …", () => app.go({view: "change"}, "view"), {class: "link"});
}
