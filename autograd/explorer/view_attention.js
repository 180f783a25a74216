// Who reads whom: each head's weights, before and after a change, or at a moment of the training.
"use strict";

/** The weights to show: [{title, x, start of a sentence}], two where the recorded step was changed. */
function attentionVersions(app, site, number) {
  const {recording, state, after} = app;
  const {snapshots} = recording;
  if (state.snapshot >= 0 && number < snapshots.shapes.length) {
    return [{title: "", start: "", x: snapshots.weights(state.snapshot, number)}];
  }
  const recorded = recording.tensors[site.weights].value;
  if (after === null) return [{title: "", start: "", x: recorded}];
  return [{title: "before", start: "Before your change: ", x: recorded},
          {title: "after", start: "After it: ", x: after.values[site.weights]}];
}

/** Of the training's moments only a byte a weight is kept. */
function weightText(app, value) {
  return app.state.snapshot >= 0 ? formatNumber(value, 2) : formatFully(value);
}

/** "position 3 (token 9)" */
function positionText(app, place) {
  const {tokens} = app.recording;
  return axisPlace(app.recording, "position", tokens.length > place ? tokens : null, place);
}

function readsText(app, row, column) {
  return `${positionText(app, row)} reads ${positionText(app, column)}`;
}

/** Above and beside the map: what the axes are. */
function axisTitles(grid) {
  return [element("span", {class: "axes quiet"}, "position ↓, reads from →"), grid];
}

/** `room`: of how many columns the numbers have room. */
function attentionGrid(app, {x, title, id, room}, head, limit) {
  const matrix = matrixOf(x, head);
  const {tokens} = app.recording;
  const named = (size) => (tokens.length === size ? tokens : null);
  const labels = {rows: named(matrix.rows), columns: named(matrix.columns)};
  const speak = (row, column, value) => `${readsText(app, row, column)}: ${formatNumber(value)}`;
  const grid = heatGrid({
    id, matrix, limit, labels, unit: mapUnit(limit),
    shown: {rows: [0, matrix.rows], columns: [0, matrix.columns]},
    selected: app.attentionCell(matrix), marked: new Set(), small: matrix.columns > 6,
    numbered: numberedAxes(app.recording, labels), every: Math.ceil(matrix.columns / room),
    label: `${title}: rows read columns`, speak,
  });
  grid.dataset.attention = head;
  return element("figure", {class: "map attention"},
                 element("figcaption", {}, element("b", {}, title)), axisTitles(grid));
}

/** The largest weight of the chosen row, in words. */
function readingText(app, matrix) {
  const [row] = app.attentionCell(matrix);
  let best = 0;
  for (let column = 1; column < matrix.columns; ++column) {
    if (matrix.at(row, column) > matrix.at(row, best)) best = column;
  }
  const text = `${positionText(app, row)} reads most from ${positionText(app, best)}: ` +
               `${weightText(app, matrix.at(row, best))}. `;
  return text[0].toUpperCase() + text.slice(1);
}

function largestPlace(matrix) {
  let best = [0, 0];
  for (let row = 0; row < matrix.rows; ++row) {
    for (let column = 0; column < matrix.columns; ++column) {
      if (matrix.at(row, column) > matrix.at(...best)) best = [row, column];
    }
  }
  return best;
}

/** What the chosen row reads, and the largest weight of all rows with a way to it. */
function attentionSummary(app, {x, start}) {
  const matrix = matrixOf(x, app.state.head);
  if (matrix.rows * matrix.columns === 0) return null;
  const best = largestPlace(matrix);
  return element("p", {class: "summary"}, start, element("b", {}, readingText(app, matrix)),
      `The largest weight is ${weightText(app, matrix.at(...best))}: `,
      button(readsText(app, ...best), () => app.go({look: best}, "view"), {class: "link"}));
}

function siteChoice(app, sites) {
  if (sites.length < 2) return null;
  const select = element("select", {id: "site", onchange: (event) => {
    app.go({site: Number(event.target.value)}, "site");
  }}, sites.map((site, i) => element("option", {value: i, selected: i === app.state.site},
                                      site.scope || `attention ${i + 1}`)));
  return element("p", {}, element("label", {for: "site"}, "Which attention: "), select);
}

/** The maps of all heads, of each the versions beside each other. */
function attentionMaps(app, site, versions) {
  const {recording, state} = app;
  const isDifference = state.difference && state.snapshot > 0;
  const previous = isDifference ? recording.snapshots.weights(state.snapshot - 1, state.site) : null;
  const maps = [];
  const room = site.headCount * versions.length === 1 ? 16 : 8;
  for (let head = 0; head < site.headCount; ++head) {
    const name = site.headCount === 1 ? "Weights" : `Head ${head + 1}`;
    for (const {title, x} of versions) {
      const shown = previous === null ? x : zipped(x, previous, (a, b) => a - b);
      maps.push(attentionGrid(app, {x: shown, title: title === "" ? name : `${name}, ${title}`,
                                    id: `attention-${head}-${title}`, room}, head,
                              previous === null ? 1 : colorLimit(shown.data)));
    }
  }
  return [
    isDifference && element("p", {}, "Shown: the difference to the moment before."),
    element("div", {class: maps.length > 1 ? "maps heads" : "maps"}, maps),
  ];
}

function renderAttention(app) {
  const {sites, state} = app;
  if (sites.length === 0) return [element("p", {}, "There is no attention in this recording.")];
  const site = sites[state.site];
  const versions = attentionVersions(app, site, state.site);
  return [
    siteChoice(app, sites), ...trainingSlider(app),
    ...versions.map((version) => attentionSummary(app, version)),
    ...attentionMaps(app, site, versions),
    element("p", {class: "quiet", id: "pointed"}, POINT_AT_IT),
    button("Show how it was computed",
           () => app.go({step: site.softmax.id, card: -1, cell: state.look, view: "cell"}),
           {class: "link"}),
    lossCurve(app),
  ];
}

const POINT_AT_IT = "Each row sums to 1. Point at a cell to read it.";

/** What the pointer is over, in a line of its own. */
function showPointedCell(event) {
  const line = byId("pointed");
  if (line === null) return;
  const cell = event.target.closest("[data-attention] [role=gridcell]");
  line.textContent = cell === null ? POINT_AT_IT : cell.getAttribute("aria-label");
}
