// The stage: inputs → formula with shapes → output, each tensor with its gradient.
"use strict";

/** What a step computes, as mathematics. */
function stepFormula(recording, step) {
  if (step.phase === "optimizer") {
    const {kind} = recording.optimizer[step.optimizer];
    return OPTIMIZERS[kind] ? "w ← " + OPTIMIZERS[kind].formula : kind;
  }
  const {operation} = step;
  const known = OPERATIONS[operation.kind];
  const names = operation.in.map((id) => recording.tensors[id].label);
  const name = recording.tensors[operation.out].label;
  if (step.phase === "backward") {
    return `${name} = ${known ? known.formula(names, operation.attributes) : operation.kind}` +
           ` passes on ${known ? known.rule : "its gradient"}`;
  }
  if (known === undefined) return `${name} = ${operation.kind}(${names.join(", ")})`;
  return `${name} = ${known.formula(names, operation.attributes)}`;
}

function stepShapes(recording, {operation}) {
  if (operation === undefined) return "";
  const {tensors} = recording;
  const inputs = operation.in.map((id) => formatShape(tensors[id].shape));
  return `${inputs.join(" , ")} → ${formatShape(tensors[operation.out].shape)}`;
}

/** How many rows and columns of numbers have room beside each other. */
function roomFor(app, mapCount) {
  const width = (byId("stage").clientWidth || 800) - 70;  // less paddings and borders
  const beside = width > 560 ? mapCount : 1;
  const each = (width - 26 * (beside - 1)) / beside - 36;
  return [8, Math.max(4, Math.min(16, Math.floor(each / 36)))];
}

/** What a cell is called when it is spoken. */
function cellText(labels, tensor, row, column, value) {
  const place = labels.rows === null ? `row ${row}` : `row '${labels.rows[row]}' (${row})`;
  const other = labels.columns === null ? `column ${column}`
                                        : `column '${labels.columns[column]}' (${column})`;
  return `${tensor.label}, ${place}, ${other}: ${formatFully(value)}`;
}

function shownMaps(app, card) {
  const maps = card.maps.filter(({kind}) => app.state.grad || kind !== "grad");
  return app.after && app.step().phase !== "optimizer" && app.step().phase !== "backward"
      ? maps.filter(({kind}) => kind !== "grad") : maps;
}

/** What the operation changed: output minus its first input of the same shape. */
function differenceMap(app, card, cards) {
  const first = cards.find(({role}) => role === "input");
  if (card.role !== "output" || first === undefined) return null;
  if (formatShape(first.tensor.shape) !== formatShape(card.tensor.shape)) return null;
  const x = zipped(card.tensor.value, first.tensor.value, (a, b) => a - b);
  return {title: `${card.tensor.label} − ${first.tensor.label}`, kind: "value", x};
}

/** "−13.9 … 17.2": the smallest and the largest number. */
function rangeText({data}) {
  if (data.length < 2) return "";
  let [least, most] = [Infinity, -Infinity];
  for (const value of data) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return `${formatNumber(least)} … ${formatNumber(most)}`;
}

function partText(matrix, {rows, columns}) {
  return `rows ${rows[0]}–${rows[1] - 1} of ${matrix.rows}, columns ` +
         `${columns[0]}–${columns[1] - 1} of ${matrix.columns}`;
}

function renderMap(app, card, map, number, room, reads) {
  const {state} = app;
  const matrix = matrixOf(map.x, state.head);
  const limit = colorLimit(map.x.data);
  const labels = axisLabels(app.recording, card.tensor);
  const isSelected = app.selectedCard() === number;
  const selected = isSelected ? app.cellIn(matrix) : null;
  const marked = map.kind === "grad" || isSelected ? new Set() : reads;
  const shown = shownPart(matrix, room, selected, isSelected ? new Set() : reads,
                          app.cellIn(matrix));
  const grid = heatGrid({
    id: `grid-${number}-${map.kind}`, matrix, limit, labels, shown, selected, marked,
    label: `${map.title} of ${card.tensor.label}, ${matrix.rows} rows, ${matrix.columns} columns`,
    speak: (row, column, value) => cellText(labels, card.tensor, row, column, value),
  });
  grid.dataset.card = number;
  const isPart = matrix.rows > room[0] || matrix.columns > room[1];
  const notes = [rangeText(map.x), isPart && partText(matrix, shown), unitText(mapUnit(limit))];
  return element("figure", {class: "map " + map.kind},
                 element("figcaption", {}, element("b", {}, map.title), " ",
                         element("span", {class: "quiet"}, notes.filter(Boolean).join("; "))),
                 grid, isPart && overview(matrix, limit, shown));
}

function renderCard(app, card, number, cards) {
  const {tensor} = card;
  const maps = shownMaps(app, card);
  const difference = app.state.difference ? differenceMap(app, card, cards) : null;
  if (difference !== null) maps.push(difference);
  const room = roomFor(app, Math.min(2, maps.length));
  if (card.role === "output") room[0] = 16;
  const reads = app.reads().get(number) || new Set();
  const matrix = matrixOf(tensor.value, app.state.head);
  const isSelected = app.selectedCard() === number;
  const heads = matrix.count > 1 ? ` · matrix ${app.state.head % matrix.count + 1} of ${matrix.count}`
                                 : "";
  const head = element("h3", {},
      button(tensor.label, () => app.go({card: number}), {
        class: "card-name", "aria-pressed": isSelected ? "true" : "false",
        title: "Select this tensor (↑ ↓)",
      }),
      element("span", {class: "quiet"}, `${formatShape(tensor.shape)} ${card.role}` +
              (tensor.role === "result" ? "" : `, ${tensor.role}`) + heads));
  return element("article", {class: `card ${card.role}${isSelected ? " selected" : ""}`}, head,
                 element("div", {class: "maps"},
                         maps.map((map) => renderMap(app, card, map, number, room, reads))));
}

function renderStage(app) {
  const step = app.step();
  const cards = app.cards();
  const {recording, steps} = app;
  const where = step.scope === "" ? "" : ` in ${step.scope}`;
  const parts = [
    element("h2", {id: "stage-title", tabindex: "-1"},
            `${PHASES[step.phase]}: ${step.title}`),
    element("p", {class: "formula"}, stepFormula(recording, step)),
    element("p", {class: "quiet"}, `op ${step.id + 1} of ${steps.length}${where} `,
            element("span", {class: "shapes"}, stepShapes(recording, step))),
  ];
  if (app.state.difference && cards.every((card) => differenceMap(app, card, cards) === null)) {
    parts.push(element("p", {class: "quiet"}, "No difference to show: the shapes differ here."));
  }
  const inputs = cards.filter(({role}) => role === "input");
  cards.forEach((card, number) => {
    if (card.role === "output" && inputs.length > 0 && step.phase !== "backward") {
      parts.push(element("p", {class: "arrow", "aria-hidden": "true"}, "↓ " + operationName(step)));
    }
    parts.push(renderCard(app, card, number, cards));
    if (step.phase === "backward" && number === 0) {
      parts.push(element("p", {class: "arrow", "aria-hidden": "true"}, "↓ gradients of the inputs"));
    }
  });
  fill(byId("stage"), parts);
}

function operationName(step) {
  return step.operation === undefined ? "" : step.operation.kind;
}
