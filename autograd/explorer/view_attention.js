// Who looks at whom: each head's weights, over the training, beside the loss curve.
"use strict";

/** The weights to show: recorded, after a change, or at a moment of the training. */
function attentionWeights(app, site, number) {
  const {recording, state} = app;
  if (state.snapshot >= 0 && number < recording.snapshots.shapes.length) {
    return recording.snapshots.weights(state.snapshot, number);
  }
  return recording.tensors[site.weights].value;
}

function attentionGrid(app, x, head, title, limit) {
  const {recording} = app;
  const matrix = matrixOf(x, head);
  const {tokens} = recording;
  const rows = tokens.length === matrix.rows ? tokens : null;
  const columns = tokens.length === matrix.columns ? tokens : null;
  const speak = (row, column, value) => `${title}: position ${row}, '${labelAt(rows, row)}', looks ` +
      `at position ${column}, '${labelAt(columns, column)}': ${formatNumber(value)}`;
  const isNumbered = matrix.columns <= 6;
  const grid = heatGrid({
    id: `attention-${head}-${title.replace(/\W+/g, "-")}`, matrix, limit, labels: {rows, columns},
    shown: {rows: [0, matrix.rows], columns: [0, matrix.columns]}, selected: app.attentionCell(matrix), marked: new Set(), small: !isNumbered,
    label: `${title}: rows look at columns`, speak,
  });
  grid.dataset.attention = head;
  return element("figure", {class: "map attention"},
                 element("figcaption", {}, element("b", {}, title)), grid);
}

/** The largest weight of the chosen row, in words. */
function lookingText(app, x, head) {
  const matrix = matrixOf(x, head);
  const [row] = app.attentionCell(matrix);
  let best = 0;
  for (let column = 1; column < matrix.columns; ++column) {
    if (matrix.at(row, column) > matrix.at(row, best)) best = column;
  }
  const {tokens} = app.recording;
  const name = (place) => (tokens[place] === undefined ? "" : ` ('${tokens[place]}')`);
  return `Position ${row}${name(row)} looks most at position ${best}${name(best)}: ` +
         formatFully(matrix.at(row, best));
}

/** The largest weight of all rows, and a way to it. */
function largestWeight(app, x, head) {
  const matrix = matrixOf(x, head);
  let best = [0, 0];
  for (let row = 0; row < matrix.rows; ++row) {
    for (let column = 0; column < matrix.columns; ++column) {
      if (matrix.at(row, column) > matrix.at(...best)) best = [row, column];
    }
  }
  return element("p", {}, `The largest weight is ${formatFully(matrix.at(...best))}: `,
      button(`position ${best[0]} at position ${best[1]}`, () => app.go({cell: best}, "view"),
             {class: "link"}), ".");
}

function trainingSlider(app) {
  const {snapshots} = app.recording;
  const {state} = app;
  if (snapshots.steps.length === 0) return null;
  const count = snapshots.steps.length;
  const now = state.snapshot < 0 ? count : state.snapshot;
  const text = state.snapshot < 0 ? "the recorded step" : `after training step ${snapshots.steps[now]}`;
  const input = element("input", {
    type: "range", id: "slider", min: 0, max: count, value: now, "aria-valuetext": text,
    oninput: (event) => {
      const value = Number(event.target.value);
      app.go({snapshot: value === count ? -1 : value}, "slider");
    },
  });
  return element("p", {class: "slider"}, element("label", {for: "slider"}, "Over the training: "),
                 input, element("output", {}, text));
}

function curvePath(steps, losses, x, y) {
  return losses.map((loss, i) => `${i === 0 ? "M" : "L"}${x(steps[i]).toFixed(1)},` +
                                 y(loss).toFixed(1)).join("");
}

function lossCurve(app) {
  const {steps, losses} = app.recording.curve;
  if (losses.length < 2) return null;
  const [width, height] = [340, 110];
  const most = Math.max(...losses.filter(Number.isFinite));
  const last = steps[steps.length - 1];
  const x = (step) => 34 + (step - steps[0]) / (last - steps[0]) * (width - 40);
  const y = (loss) => 8 + (1 - loss / most) * (height - 30);
  const svg = svgElement("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", class: "curve",
      "aria-label": `Loss over training: ${formatNumber(losses[0])} at step ${steps[0]}, ` +
                    `${formatNumber(losses[losses.length - 1])} at step ${last}`});
  svg.append(svgElement("path", {d: `M34,8V${height - 22}H${width - 4}`, class: "axis"}),
             svgElement("path", {d: curvePath(steps, losses, x, y), class: "loss"}),
             svgElement("text", {x: 30, y: 14, "text-anchor": "end"}, formatNumber(most, 1)),
             svgElement("text", {x: 30, y: height - 20, "text-anchor": "end"}, "0"),
             svgElement("text", {x: 34, y: height - 6}, `step ${steps[0]}`),
             svgElement("text", {x: width - 4, y: height - 6, "text-anchor": "end"}, `${last}`));
  if (app.state.snapshot >= 0) {
    const now = app.recording.snapshots.steps[app.state.snapshot];
    svg.append(svgElement("path", {d: `M${x(now)},8V${height - 22}`, class: "now"}));
  }
  return element("figure", {class: "loss-curve"},
                 element("figcaption", {}, element("b", {}, "Loss over the training")), svg);
}

function siteChoice(app, sites) {
  if (sites.length < 2) return null;
  const select = element("select", {id: "site", onchange: (event) => {
    app.go({site: Number(event.target.value)}, "site");
  }}, sites.map((site, i) => element("option", {value: i, selected: i === app.state.site},
                                      site.scope || `attention ${i + 1}`)));
  return element("p", {}, element("label", {for: "site"}, "Which attention: "), select);
}

function renderAttention(app) {
  const {sites, state} = app;
  if (sites.length === 0) return [element("p", {}, "There is no attention in this recording.")];
  const site = sites[state.site];
  const x = attentionWeights(app, site, state.site);
  const previous = state.difference && state.snapshot > 0
      ? app.recording.snapshots.weights(state.snapshot - 1, state.site) : null;
  const shown = previous === null ? x : zipped(x, previous, (a, b) => a - b);
  const maps = [];
  for (let head = 0; head < site.headCount; ++head) {
    const title = site.headCount === 1 ? "Weights" : `Head ${head + 1}`;
    maps.push(attentionGrid(app, shown, head, title, previous === null ? 1 : colorLimit(shown.data)));
    if (app.after !== null && state.snapshot < 0) {
      maps.push(attentionGrid(app, app.after.values[site.weights], head,
                              `${title}, after your change`, 1));
    }
  }
  return [
    siteChoice(app, sites), trainingSlider(app),
    element("p", {}, "Each row is a position and where it looks; together 1. ",
            element("b", {}, lookingText(app, x, state.head))),
    largestWeight(app, x, state.head),
    previous !== null && element("p", {}, "Shown: the difference to the moment before."),
    element("div", {class: site.headCount > 1 ? "maps heads" : "maps"}, maps),
    button("Show how it was computed", () => app.go({step: site.softmax.id, card: -1, view: "cell"}),
           {class: "link"}),
    lossCurve(app),
  ];
}
