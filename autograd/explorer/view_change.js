// Intervene: change something, and everything downstream is computed again, before beside after.
"use strict";

function withChanges(app, changes) {
  return {changes: {...app.state.changes, ...changes}};
}

function checkbox(app, id, text, isOn, isPossible, changes) {
  return element("p", {}, element("label", {for: id},
      element("input", {type: "checkbox", id, checked: isOn, disabled: !isPossible,
                        onchange: (event) => app.go(withChanges(app, changes(event.target.checked)), id)}),
      ` ${text}`, !isPossible && element("span", {class: "quiet"}, " (there is none here)")));
}

function headBoxes(app) {
  const {silenced} = app.state.changes;
  return app.sites.flatMap((site, number) => Array.from({length: site.headCount}, (_, head) => {
    const isOn = silenced.some((each) => each.site === number && each.head === head);
    const others = silenced.filter((each) => each.site !== number || each.head !== head);
    const where = site.scope === "" ? "" : ` of ${site.scope}`;
    const name = site.headCount === 1 ? `the only head${where}` : `head ${head + 1}${where}`;
    return checkbox(app, `silence-${number}-${head}`, `Silence ${name}`, isOn, true,
                    (on) => ({silenced: on ? [...others, {site: number, head}] : others}));
  }));
}

function editForm(app) {
  const card = app.cards()[app.selectedCard()];
  const {tensor} = card;
  const matrix = matrixOf(tensor.value, app.state.head);
  const flat = matrix.flat(...app.cellIn(matrix));
  const {edits} = app.state.changes;
  const mine = edits.find((edit) => edit.tensor === tensor.id && edit.flat === flat);
  const now = app.run().values[tensor.id].data[flat];
  const value = mine === undefined ? Number(now.toPrecision(6)) : mine.value;
  const others = edits.filter((edit) => edit !== mine);
  const input = element("input", {type: "number", step: "any", id: "edit", value});
  const apply = () => {
    const number = input.valueAsNumber;
    if (Number.isFinite(number)) {
      app.go(withChanges(app, {edits: [...others, {tensor: tensor.id, flat, value: number}]}), "edit");
    }
  };
  input.addEventListener("keydown", (event) => { if (event.key === "Enter") apply(); });
  return element("p", {class: "row"}, element("label", {for: "edit"}, `${indexText(tensor, flat)} = `),
                 input, button("Set", apply),
                 mine !== undefined && button("Undo", () => app.go(withChanges(app, {edits: others}), "edit")));
}

function tokenChoice(app, id, chosen) {
  return element("select", {id, "aria-label": "Position"}, app.recording.tokens.map((token, i) =>
      element("option", {value: i, selected: i === chosen}, `${i}: ${token}`)));
}

function swapForm(app) {
  const {tokens} = app.recording;
  const {swaps} = app.state.changes;
  if (tokens.length < 2) return null;
  const first = tokenChoice(app, "swap-a", 0);
  const second = tokenChoice(app, "swap-b", tokens.length - 1);
  const swap = () => {
    const pair = [Number(first.value), Number(second.value)];
    if (pair[0] !== pair[1]) app.go(withChanges(app, {swaps: [...swaps, pair]}), "view");
  };
  const done = swaps.map((pair) => `${pair[0]} ↔ ${pair[1]}`).join(", ");
  return element("p", {class: "row"}, "Swap the tokens at ", first, " and ", second,
                 button("Swap", swap, {id: "swap"}),
                 swaps.length > 0 && element("span", {}, `swapped: ${done} `),
                 swaps.length > 0 && button("Undo", () => app.go(withChanges(app, {swaps: []}), "view")));
}

function answerParts(app) {
  const logits = logitsTensor(app.recording);
  if (logits === null) return [];
  const before = answersOf(logits.value);
  const after = answersOf(app.after.values[logits.id]);
  const changed = before.filter((label, i) => label !== after[i]).length;
  const line = (title, labels) => element("p", {class: "answer"}, `${title}: `, labels.flatMap((label, i) =>
      [element(label === before[i] ? "span" : "mark", {}, className(app.recording, label)), " "]));
  return [
    element("p", {class: "result"}, changed === 0
        ? "The answer stays the same." : `The answer changes at ${changed} of ${before.length} positions.`),
    line("before", before), line("after", after),
  ];
}

function resultParts(app) {
  if (app.after === null) {
    return [element("p", {class: "quiet"}, "Nothing is changed yet: this is the recorded run.")];
  }
  const root = lossTensor(app.recording);
  const parts = [element("h3", {}, "What happens")];
  if (root !== null) {
    const [before, after] = [app.recording.tensors[root].value, app.after.values[root]];
    parts.push(element("p", {class: "result"}, `${app.recording.tensors[root].label}: `,
        element("b", {}, formatDigits(before.data[0], 4)), " before, ",
        element("b", {}, formatDigits(after.data[0], 4)), " after"));
  }
  parts.push(...answerParts(app));
  if (app.state.changes.swaps.length > 0 && logitsTensor(app.recording) !== null) {
    parts.push(element("p", {class: "quiet"}, "The targets stay as they were, so the loss may rise."));
  }
  const rows = changedResults(app.recording, app.unchanged, app.after).map(({operation, difference}) =>
      [button(`op ${operation.id + 1}`, () => app.go({step: operation.id, card: -1}), {class: "link"}),
       app.recording.tensors[operation.out].label, formatDigits(difference, 3)]);
  if (rows.length > 0) {
    parts.push(element("p", {}, "Changed downstream:"),
               table(["operation", "result", "largest change"], rows));
  }
  return parts;
}

function renderChange(app) {
  const {changes} = app.state;
  const hasMask = app.sites.some(({masks}) => masks.length > 0);
  const hasScale = app.sites.some(({scale}) => scale !== null);
  return [
    element("p", {}, "Break it and see: everything that depends on the change is computed again here."),
    editForm(app),
    swapForm(app),
    checkbox(app, "no-scale", "Remove √d_k", changes.noScale, hasScale, (on) => ({noScale: on})),
    checkbox(app, "no-mask", "Remove the mask", changes.noMask, hasMask, (on) => ({noMask: on})),
    ...headBoxes(app),
    hasChanges(changes) && button("Back to the recorded run", () => app.go({changes: {...NO_CHANGES}}, "view"),
                                  {id: "reset", class: "main"}),
    ...resultParts(app),
  ];
}
