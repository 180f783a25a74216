// The training that led to the recorded step: a slider over its moments, and the loss curve.
"use strict";

/** Which step the slider stands at, in words. */
function momentText({recording, state}) {
  const {snapshots, curve} = recording;
  if (state.snapshot >= 0) return `after training step ${snapshots.steps[state.snapshot]}`;
  const {steps} = curve;
  const end = steps.length === 0 ? "" : `, after training step ${steps[steps.length - 1]}`;
  return `the recorded step${end}`;
}

function trainingSlider(app) {
  const {snapshots} = app.recording;
  const {state} = app;
  if (snapshots.steps.length === 0) return [];
  const count = snapshots.steps.length;
  const text = momentText(app);
  const input = element("input", {
    type: "range", id: "slider", min: 0, max: count, "aria-valuetext": text,
    value: state.snapshot < 0 ? count : state.snapshot,
    oninput: (event) => {
      const value = Number(event.target.value);
      app.go({snapshot: value === count ? -1 : value}, "slider");
    },
  });
  return [
    element("p", {class: "slider"}, element("label", {for: "slider"}, "Over the training: "), input),
    element("output", {for: "slider"}, text),
    state.snapshot >= 0 && app.after !== null &&
        element("p", {class: "quiet"}, "Your change is not in it: it was made to the recorded step."),
  ];
}

/** Places of numbers along `length`: by powers of ten where they span more than one. */
function logAxis(values, length) {
  const finite = values.filter((value) => Number.isFinite(value) && value > 0);
  const [least, most] = [Math.min(...finite), Math.max(...finite)];
  if (finite.length < values.length || most < 10 * least) return null;
  const span = Math.log(most / least);
  return {least, most, place: (value) => Math.log(value / least) / span * length};
}

function linearAxis(least, most, length) {
  return {least, most, place: (value) => (most === least ? 0 : (value - least) / (most - least) * length)};
}

function curvePath(steps, losses, x, y) {
  return losses.map((loss, i) => `${i === 0 ? "M" : "L"}${x(steps[i]).toFixed(1)},` +
                                 y(loss).toFixed(1)).join("");
}

const CURVE = {width: 340, height: 110, left: 44, right: 6, top: 8, bottom: 22};

/** Where steps and losses stand in the picture; steps as the slider has them, by powers of ten. */
function curveAxes({steps, losses}) {
  const {width, height, left, right, top, bottom} = CURVE;
  const [wide, high] = [width - left - right, height - top - bottom];
  const across = logAxis(steps, wide) || linearAxis(steps[0], steps[steps.length - 1], wide);
  const up = logAxis(losses, high) || linearAxis(0, Math.max(...losses.filter(Number.isFinite)), high);
  return {across, up, x: (step) => left + across.place(step),
          y: (loss) => height - bottom - up.place(loss)};
}

function lossCurve(app) {
  const {steps, losses} = app.recording.curve;
  if (losses.length < 2) return null;
  const {width, height, left, right, top, bottom} = CURVE;
  const {across, up, x, y} = curveAxes(app.recording.curve);
  const floor = height - bottom;
  const svg = svgElement("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", class: "curve",
      "aria-label": `Loss over training: ${formatNumber(losses[0])} at step ${steps[0]}, ` +
                    `${formatNumber(losses[losses.length - 1])} at step ${across.most}`});
  svg.append(svgElement("path", {d: `M${left},${top}V${floor}H${width - right}`, class: "axis"}),
             svgElement("path", {d: curvePath(steps, losses, x, y), class: "loss"}),
             svgElement("text", {x: left - 4, y: top + 6, "text-anchor": "end"}, formatNumber(up.most, 1)),
             svgElement("text", {x: left - 4, y: floor, "text-anchor": "end"}, formatNumber(up.least)),
             svgElement("text", {x: left, y: height - 6}, `step ${across.least}`),
             svgElement("text", {x: width - right, y: height - 6, "text-anchor": "end"}, `${across.most}`));
  if (app.state.snapshot >= 0) {
    const now = app.recording.snapshots.steps[app.state.snapshot];
    svg.append(svgElement("path", {d: `M${x(now)},${top}V${floor}`, class: "now"}));
  }
  const isLogarithmic = up.least > 0;
  return element("figure", {class: "loss-curve"}, element("figcaption", {},
      element("b", {}, "Loss over the training"),
      isLogarithmic && element("span", {class: "quiet"}, " by powers of ten")), svg);
}
