// The stage: inputs → formula with shapes → output, each tensor with its gradient.
"use strict";

/** What a step computes, as mathematics. */
function stepFormula(recording, step, run) {
  if (step.phase === "optimizer") {
    const {kind} = recording.optimizer[step.optimizer];
    return OPTIMIZERS[kind] ? "w ← " + OPTIMIZERS[kind].formula : kind;
  }
  const {operation} = step;
  const known = OPERATIONS[operation.kind];
  const names = operation.in.map((id) => labelIn(run, recording.tensors[id]));
  const name = recording.tensors[operation.out].label;
  const right = known === undefined ? `${operation.kind}(${names.join(", ")})`
                                    : known.formula(names, operation.attributes);
  const formula = right === name ? name : `${name} = ${right}`;
  if (step.phase !== "backward") return formula;
  if (known === undefined) return `${formula} passes on its gradient`;
  return `${formula} passes on ${known.rule}${letterText(known.rule, names, name)}`;
}

/** " (a = q, b = kᵀ)": what the letters of a rule stand for. */
function letterText(rule, [first, second], result) {
  const letters = {a: first, b: second, x: first, w: second, y: result};
  const found = Object.entries(letters).filter(([letter]) => new RegExp(`\\b${letter}\\b`).test(rule));
  return found.length === 0 ? "" : ` (${found.map((pair) => pair.join(" = ")).join(", ")})`;
}

function stepShapes(recording, {operation}) {
  if (operation === undefined) return "";
  const {tensors} = recording;
  const inputs = operation.in.map((id) => shapeText(tensors[id].shape));
  return `${inputs.join(" , ")} → ${shapeText(tensors[operation.out].shape)}`;
}

const LEAST_CELL = 36;  // pixels that a number needs
const MOST_CELL = 42;

/** How many rows and columns of numbers have room beside each other, and a cell's width. */
function roomFor(app, mapCount, role, names) {
  const width = (byId("stage").clientWidth || 800) - 64;  // less paddings and borders
  const beside = width > 540 ? mapCount : 1;
  const each = (width - 16 * (beside - 1)) / beside - names;
  const columns = Math.max(4, Math.min(16, Math.floor(each / LEAST_CELL)));
  return {rows: role === "output" ? 16 : 8, columns,
          cell: Math.max(LEAST_CELL, Math.min(MOST_CELL, Math.floor(each / columns)))};
}

/** What a cell is called when it is spoken. */
function cellText(recording, tensor, row, column, value) {
  return `${tensor.label}, ${cellPlace(recording, tensor, row, column)}: ${formatFully(value)}`;
}

function shownMaps(app, card) {
  return card.maps.filter((map) => app.state.grad || !isGradient(map));
}

/** What the operation changed: output minus its first input of the same shape. */
function differenceMap(app, card, cards) {
  const first = cards.find(({role}) => role === "input");
  if (card.role !== "output" || first === undefined) return null;
  if (formatShape(first.tensor.shape) !== formatShape(card.tensor.shape)) return null;
  const x = zipped(card.tensor.value, first.tensor.value, (a, b) => a - b);
  return {title: `${card.tensor.label} − ${first.tensor.label}`, kind: "difference", x};
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

/** "rows 0–7 of 16" and "columns 0–5 of 32", of an axis only where a part of it is shown. */
function partTexts(matrix, {rows, columns}) {
  const part = (name, [from, to], size) =>
      (to - from === size ? "" : `${name} ${from}–${to - 1} of ${size}`);
  return [part("rows", rows, matrix.rows), part("columns", columns, matrix.columns)]
      .filter(Boolean);
}

/** "position ↓, column →" */
function axesText(recording, {rows, columns}) {
  const name = (labels, otherwise) => (labels === null ? otherwise
      : labels === recording.classes ? "class" : "position");
  return `${name(rows, "row")} ↓, ${name(columns, "column")} →`;
}

/** Before and after share their colours, so that they can be compared. */
function sharedLimit(maps, {kind}) {
  const family = (each) => (isGradient(each) ? "grad" : each.kind === "after" ? "value" : each.kind);
  const alike = maps.filter((each) => family(each) === family({kind}));
  return colorLimit(...alike.map(({x}) => x.data));
}

function renderMap(app, card, map, number, room, reads, limit) {
  const {state} = app;
  const matrix = matrixOf(map.x, state.head);
  const unit = mapUnit(colorLimit(map.x.data));
  const labels = axisLabels(app.recording, card.tensor);
  const isSelected = app.selectedCard() === number;
  const selected = isSelected ? app.cellIn(matrix) : null;
  const marked = isGradient(map) || isSelected ? new Set() : reads;
  const shown = shownPart(matrix, [room.rows, room.columns], selected, isSelected ? new Set() : reads,
                          app.cellIn(matrix));
  const grid = heatGrid({
    id: `grid-${number}-${map.kind}`, matrix, limit, labels, shown, selected, marked, unit,
    numbered: numberedAxes(app.recording, labels),
    label: `${map.title} of ${card.tensor.label}, ${matrix.rows} rows, ${matrix.columns} columns`,
    speak: (row, column, value) => cellText(app.recording, card.tensor, row, column, value),
  });
  grid.dataset.card = number;
  const isSingle = matrix.rows * matrix.columns === 1;
  const parts = partTexts(matrix, shown);
  const notes = [rangeText(map.x), ...parts, isSingle ? "" : unitText(unit)].filter(Boolean);
  return element("figure", {class: "map " + map.kind},
                 element("figcaption", {}, element("b", {}, map.title), " ",
                         notes.flatMap((note, i) => [element("span", {class: "note quiet"},
                             i + 1 < notes.length ? `${note};` : note), " "]),
                         !isSingle && element("span", {class: "axes quiet"},
                                              axesText(app.recording, labels))),
                 grid, parts.length > 0 && overview(matrix, limit, shown, number));
}

function renderCard(app, card, number, cards) {
  const {tensor} = card;
  const maps = shownMaps(app, card);
  const difference = app.state.difference ? differenceMap(app, card, cards) : null;
  if (difference !== null) maps.push(difference);
  const {rows} = axisLabels(app.recording, tensor);
  const names = rows !== null && rows === app.recording.tokens ? 7 * nameLength(rows) + 9 : 30;
  const room = roomFor(app, Math.min(2, maps.length), card.role, names);
  const reads = app.reads().get(number) || new Set();
  const matrix = matrixOf(tensor.value, app.state.head);
  const isSelected = app.selectedCard() === number;
  const heads = matrix.count > 1 ? ` · matrix ${app.state.head % matrix.count + 1} of ${matrix.count}`
                                 : "";
  const head = element("h3", {},
      button(isBareConstant(tensor) ? tensor.called : tensor.label, () => app.go({card: number}), {
        class: "card-name", "aria-pressed": isSelected ? "true" : "false",
        title: "Select this tensor (↑ ↓)",
      }),
      element("span", {class: "quiet"}, `${shapeText(tensor.shape)} ${roleText(app, card)}${heads}`));
  return element("article", {class: `card ${card.role}${isSelected ? " selected" : ""}`}, head,
                 mapRows(app, maps).map((row) =>
                     element("div", {class: "maps", style: `--cell:${room.cell}px`}, row.map((map) =>
                         renderMap(app, card, map, number, room, reads, sharedLimit(maps, map))))));
}

function roleText(app, {tensor, role}) {
  if (app.step().phase === "optimizer") return tensor.role;
  return tensor.role === "result" ? role : `${role}, ${tensor.role}`;
}

/** After a change values are in a row of their own, before beside after, and so are gradients. */
function mapRows(app, maps) {
  if (app.after === null || app.step().phase === "optimizer") return [maps];
  return [maps.filter((map) => !isGradient(map)), maps.filter(isGradient)]
      .filter((row) => row.length > 0);
}

const NO_DIFFERENCE = "No difference to show: the shapes differ here.";

/** Whether d shows anything: on stage, or between two moments of the training. */
function hasDifference(app) {
  if (app.state.view === "attention" && app.state.snapshot > 0) return true;
  const cards = app.cards();
  return cards.some((card) => differenceMap(app, card, cards) !== null);
}

/** What a change does at the step on stage. */
function changeMark(app, step) {
  if (app.after === null) return null;
  if (step.phase === "optimizer") return element("mark", {}, "of the recorded run");
  const text = changeAt(app.recording, app.state.changes, step.operation);
  return text === "" ? null : element("mark", {}, text);
}

/** What the frames mean. */
function legend() {
  return element("p", {class: "legend quiet"},
                 element("span", {class: "key chosen"}), "the chosen cell ",
                 element("span", {class: "key read"}), "what it was computed from");
}

function renderStage(app) {
  const step = app.step();
  const cards = app.cards();
  const {recording, steps} = app;
  const where = step.scope === "" ? "" : ` in ${step.scope}`;
  const parts = [
    element("h2", {id: "stage-title", tabindex: "-1"}, `${PHASES[step.phase]}: ${step.title} `,
            changeMark(app, step)),
    element("p", {class: "formula"}, stepFormula(recording, step, app.run())),
    element("p", {class: "quiet"}, `op ${step.id + 1} of ${steps.length}${where} `,
            element("span", {class: "shapes"}, stepShapes(recording, step))),
  ];
  if (app.state.difference && !hasDifference(app)) {
    parts.push(element("p", {class: "quiet"}, NO_DIFFERENCE));
  }
  if (app.reads().size > 0) parts.push(legend());
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
