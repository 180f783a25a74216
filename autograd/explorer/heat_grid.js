// A matrix as a grid of coloured cells with numbers: every cell can be reached and is spoken.
"use strict";

/** The matrix number `head` of a tensor: {rows, columns, at(row, column), flat(row, column)}. */
function matrixOf(x, head) {
  const rank = x.shape.length;
  const rows = rank >= 2 ? x.shape[rank - 2] : 1;
  const columns = rank >= 1 ? x.shape[rank - 1] : 1;
  const count = rank > 2 ? elementCount(x.shape.slice(0, -2)) : 1;
  const start = (count === 0 ? 0 : head % count) * rows * columns;
  const flat = (row, column) => start + row * columns + column;
  return {rows, columns, count, start, flat, at: (row, column) => x.data[flat(row, column)]};
}

/** What rows and columns of a tensor are called: tokens where an axis has one for each. */
function axisLabels(recording, tensor) {
  const {tokens, classes} = recording;
  const {shape} = tensor;
  const rank = shape.length;
  if (rank === 0) return {rows: [""], columns: [""]};
  const isPositions = (size) => size === tokens.length && tokens.length > 0;
  const isWeight = tensor.role === "parameter";
  const rows = rank >= 2 && isPositions(shape[rank - 2]) && !isWeight ? tokens : null;
  const isSquare = rows !== null && isPositions(shape[rank - 1]);
  const isLogits = tensor.label === "logits" && shape[rank - 1] === classes.length;
  const isTurned = tensor.label.endsWith("ᵀ") && isPositions(shape[rank - 1]) && !isWeight;
  const columns = isSquare || isTurned ? tokens : isLogits ? classes : null;
  return {rows, columns};
}

/** "position 3 (token 9)", "class 7" or, where an axis has no names, "column 5". */
function axisPlace(recording, axis, labels, place) {
  if (labels === null) return `${axis} ${place}`;
  const text = /^[\p{L}\p{N}]+$/u.test(labels[place]) ? labels[place] : `'${labels[place]}'`;
  return labels === recording.classes ? `class ${text}` : `position ${place} (token ${text})`;
}

/** Where a cell of a tensor is, in words. */
function cellPlace(recording, tensor, row, column) {
  if (tensor.shape.length === 0) return "a single number";
  const labels = axisLabels(recording, tensor);
  return `${axisPlace(recording, "row", labels.rows, row)}, ` +
         axisPlace(recording, "column", labels.columns, column);
}

function labelAt(labels, place) {
  return labels === null ? String(place) : labels[place];
}

/** The part of an axis that is shown: `room` entries around those that matter. */
function windowAround(size, room, places) {
  if (size <= room) return [0, size];
  const first = places.length === 0 ? 0 : Math.min(...places);
  const last = places.length === 0 ? 0 : Math.max(...places);
  const middle = last - first < room ? Math.floor((first + last - room + 1) / 2) : first;
  const start = Math.max(0, Math.min(size - room, middle));
  return [start, start + room];
}

/**
 * The part of a matrix to show: around the selected cell, else around the marked places, and of
 * those around `anchor`, a cell that lies among them.
 */
function shownPart(matrix, room, selected, marked, anchor) {
  const near = [...marked].map((place) => place - matrix.start)
      .filter((place) => place >= 0 && place < matrix.rows * matrix.columns)
      .map((place) => [Math.floor(place / matrix.columns), place % matrix.columns]);
  const isAnchored = near.some(([row, column]) => anchor && row === anchor[0] && column === anchor[1]);
  const around = selected ? [selected] : isAnchored ? [anchor] : near;
  return {rows: windowAround(matrix.rows, room[0], around.map(([row]) => row)),
          columns: windowAround(matrix.columns, room[1], around.map(([, column]) => column))};
}

function cellClass(value, color, unit) {
  if (Number.isNaN(value)) return "cell nan";
  if (!Number.isFinite(value)) return "cell infinite";
  if (value !== 0 && Math.abs(value) < 0.005 * unit) return "cell speck";
  return color.isDark ? "cell dark" : "cell";
}

/**
 * options: {id, matrix, limit, labels, shown: {rows: [from, to], columns: [from, to]}, selected:
 * [row, column] or null, marked: Set of places, small, numbered: {rows, columns}, label, unit, every,
 * speak(row, column, value)}.
 * `numbered` puts the number of a row or column beside its name, of columns that of `every` so many.
 */
function heatGrid(options) {
  const {matrix, limit, labels, shown, selected, marked, small} = options;
  const {unit = 1, numbered, every = 1} = options;
  const isSingle = matrix.rows * matrix.columns === 1;
  const scale = colorScale();
  const [[top, bottom], [left, right]] = [shown.rows, shown.columns];
  const tab = selected && inside(selected, [top, bottom], [left, right]) ? selected : [top, left];
  const grid = element("div", {
    role: "grid", id: options.id, class: small ? "grid small" : "grid", "aria-label": options.label,
    "aria-rowcount": matrix.rows, "aria-colcount": matrix.columns,
    style: `--columns:${right - left}` + (isSingle ? ";--cell:76px" : "") +
           (numbered.rows ? `;--names:${nameWidth(labels.rows)}` : ""),
  });
  if (numbered.columns) grid.append(columnHeads(null, left, right, every));
  if (labels.columns === null || labels.columns[0] !== "") {
    grid.append(columnHeads(labels.columns, left, right));
  }
  for (let row = top; row < bottom; ++row) {
    const line = element("div", {role: "row", "aria-rowindex": row + 1},
                         element("span", {role: "rowheader"}, numbered.rows && `${row} `,
                                 labelAt(labels.rows, row)));
    for (let column = left; column < right; ++column) {
      const value = matrix.at(row, column);
      const color = heatColor(Number.isFinite(value) ? value / limit : 0, scale);
      const isSelected = selected && selected[0] === row && selected[1] === column;
      line.append(element("span", {
        role: "gridcell", class: cellClass(value, color, unit) +
            (marked.has(matrix.flat(row, column)) ? " marked" : ""),
        style: `background-color:${color.css}`, "data-row": row, "data-column": column,
        "aria-colindex": column + 1, tabindex: tab[0] === row && tab[1] === column ? 0 : -1,
        "aria-selected": isSelected ? "true" : false, "aria-label": options.speak(row, column, value),
        title: options.speak(row, column, value),
      }, small ? "" : isSingle ? formatDigits(value, 4) : formatCell(value, unit)));
    }
    grid.append(line);
  }
  return grid;
}

/** Characters of "12 token", of long tokens with their beginning only. */
function nameLength(names) {
  return Math.min(7, Math.max(...names.map((name) => name.length))) + 3;
}

function nameWidth(names) {
  return `calc(${nameLength(names)}ch + 9px)`;
}

/** Tokens stand beside the number of their position: the same one may come again. */
function numberedAxes({tokens}, {rows, columns}) {
  return {rows: rows !== null && rows === tokens, columns: columns !== null && columns === tokens};
}

function inside([row, column], [top, bottom], [left, right]) {
  return row >= top && row < bottom && column >= left && column < right;
}

function columnHeads(names, left, right, every = 1) {
  const heads = element("div", {role: "row", class: "heads"}, element("span", {role: "rowheader"}));
  for (let column = left; column < right; ++column) {
    heads.append(element("span", {role: "columnheader"},
                         column % every === 0 ? labelAt(names, column) : ""));
  }
  return heads;
}

function colorScale() {
  return matchMedia("(prefers-color-scheme: dark)").matches ? DARK_SCALE : LIGHT_SCALE;
}

/** The whole matrix as a small picture, with the shown part framed; a click moves that. */
function overview(matrix, limit, {rows, columns}, card) {
  const canvas = element("canvas", {class: "overview", width: matrix.columns, height: matrix.rows,
                                    "aria-hidden": "true"});
  const context = canvas.getContext("2d");
  const colors = colorScale();
  for (let row = 0; row < matrix.rows; ++row) {
    for (let column = 0; column < matrix.columns; ++column) {
      const value = matrix.at(row, column);
      context.fillStyle = Number.isFinite(value) ? heatColor(value / limit, colors).css : "#888";
      context.fillRect(column, row, 1, 1);
    }
  }
  const frame = element("span", {class: "frame", style:
      `left:${100 * columns[0] / matrix.columns}%;top:${100 * rows[0] / matrix.rows}%;` +
      `width:${100 * (columns[1] - columns[0]) / matrix.columns}%;` +
      `height:${100 * (rows[1] - rows[0]) / matrix.rows}%`});
  const scale = Math.min(160 / matrix.columns, 96 / matrix.rows);
  const size = `width:${Math.max(12, scale * matrix.columns)}px;` +
               `height:${Math.max(12, scale * matrix.rows)}px`;
  return element("div", {class: "overview-box", style: size, "data-card": card,
                         title: "Click to show another part"}, canvas, frame);
}

/** The cell of an overview that was clicked. */
function overviewCell(box, {clientX, clientY}) {
  const canvas = box.querySelector("canvas");
  const {left, top, width, height} = canvas.getBoundingClientRect();
  return [Math.floor((clientY - top) / height * canvas.height),
          Math.floor((clientX - left) / width * canvas.width)].map((place) => Math.max(0, place));
}
