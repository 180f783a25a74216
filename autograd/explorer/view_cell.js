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
  return tensor.shape.length === 0 ? tensor.label
                                   : `${tensor.label}[${indexOf(tensor.shape, flat).join(", ")}]`;
}

function explanationParts(app, card, flat) {
  const {operation} = app.step();
  const known = OPERATIONS[operation.kind];
  const {tensor} = card;
  const values = app.values();
  const value = values[tensor.id].data[flat];
  if (known === undefined) {
    return [element("p", {}, `The page does not know the operation ${operation.kind}.`)];
  }
  const ins = operation.in.map((id) => values[id]);
  const why = known.explain(ins, values[operation.out], flat, app.attributes(operation));
  const parts = [element("p", {class: "equation"}, `${indexText(tensor, flat)} = `,
                         element("b", {}, formatFully(value))),
                 element("p", {}, `= ${why.text}`)];
  if (why.terms.length > 0) parts.push(termList(why));
  return parts;
}

/** Where a tensor's gradient at a place came from: one line for each use of it. */
function gradientParts(app, tensor, flat) {
  const {recording} = app;
  if (tensor.grad === null) return [element("p", {class: "quiet"}, "No gradient was recorded.")];
  const parts = [element("h3", {}, "Gradient"), element("p", {class: "equation"},
      `∂loss/∂${indexText(tensor, flat)} = `, element("b", {}, formatFully(tensor.grad.data[flat])))];
  if (tensor.contributions.length === 0) {
    parts.push(element("p", {}, "Backward starts here: the loss moves as itself."));
    return parts;
  }
  const list = element("ul", {class: "contributions"});
  for (const {step, contribution} of tensor.contributions) {
    const operation = recording.operations[recording.backward[step].operation];
    const whole = wholeContribution(contribution, tensor.shape);
    const target = app.steps.find((each) => each.backward === step);
    list.append(element("li", {}, `${formatNumber(whole.data[flat])} through `,
        button(`${operation.kind} of ${recording.tensors[operation.out].label}`,
               () => app.go({step: target.id, card: operation.in.indexOf(tensor.id) + 1}),
               {class: "link"})));
  }
  const count = tensor.contributions.length;
  parts.push(element("p", {}, count === 1 ? "It came:" : `It is the sum of ${count}, one for each use:`),
             list);
  return parts;
}

function backwardParts(app, card, flat) {
  const step = app.step();
  const {operation} = step;
  const {recording} = app;
  const map = card.maps.find(({kind}) => kind === "grad");
  if (card.input < 0 || map === undefined) return [];
  const ins = operation.in.map((id) => recording.tensors[id].value);
  const out = recording.tensors[operation.out];
  const why = explainGradient(operation, ins, out.value, out.grad, card.input, flat, map.x);
  const parts = [
    element("p", {class: "equation"}, `What ${indexText(card.tensor, flat)} gets here = `,
            element("b", {}, formatFully(map.x.data[flat]))),
    element("p", {}, `= ${why.text}`),
  ];
  if (why.terms.length > 0) parts.push(termList(why));
  return parts;
}

function optimizerParts(app, card, flat) {
  const {kind, after, attributes} = app.recording.optimizer[app.step().optimizer];
  const known = OPTIMIZERS[kind];
  const before = card.tensor.value.data[flat];
  return [
    element("p", {class: "equation"}, `${indexText(card.tensor, flat)} ← `,
            element("b", {}, formatFully(after.data[flat]))),
    element("p", {}, known ? `= ${known.explain(before, flat, attributes)}` : kind),
    element("p", {}, `It moved by ${formatNumber(after.data[flat] - before)}.`),
  ];
}

function producerParts(app, tensor, flat) {
  const parts = [element("p", {class: "equation"}, `${indexText(tensor, flat)} = `,
                         element("b", {}, formatFully(app.values()[tensor.id].data[flat])))];
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
  if (app.after !== null) {
    parts.push(element("p", {class: "before-after"},
        `Recorded ${formatFully(card.tensor.value.data[flat])}, after your change ` +
        `${formatFully(app.after.values[card.tensor.id].data[flat])}.`));
  }
  return [...parts, ...gradientParts(app, card.tensor, flat), editParts(app, card.tensor, flat)];
}

/** "row 'the' (3), column 5": where the selected cell is. */
function placeText(app, tensor, matrix) {
  const [row, column] = app.cellIn(matrix);
  const labels = axisLabels(app.recording, tensor);
  const head = matrix.count > 1 ? `, matrix ${app.state.head % matrix.count + 1}` : "";
  const rowText = labels.rows === null ? row : `'${labels.rows[row]}' (${row})`;
  const columnText = labels.columns === null ? column : `'${labels.columns[column]}' (${column})`;
  return `${tensor.label}: row ${rowText}, column ${columnText}${head}`;
}

function editParts(app, tensor, flat) {
  return button("Change this number …", () => app.go({view: "change"}, "view"), {class: "link"});
}
