// The heading: which program, what went in and came out, with which options.
"use strict";

function shortList(names) {
  const shown = names.slice(0, MOST_INTRODUCED).join(" ");
  return names.length > MOST_INTRODUCED ? `${shown} …` : shown;
}

/** "In 1 0 3, answer 4 5 7, wanted 4 5 7, loss 0.000028", with what the recording has. */
function introductionParts(recording) {
  const {tokens, answers, targets} = introductionOf(recording);
  const root = lossTensor(recording);
  const parts = [];
  if (tokens.length > 0) parts.push(["In", shortList(tokens)]);
  if (answers.length > 0) parts.push(["answer", shortList(answers)], ["wanted", shortList(targets)]);
  if (root !== null) {
    const {label, value} = recording.tensors[root];
    parts.push([label, formatDigits(value.data[0], 3)]);
  }
  return parts.map(([name, text]) =>
      element("span", {}, `${name} `, element("b", {class: "answer"}, text)));
}

function drawHeading(recording) {
  const {title, configuration} = recording;
  fill(byId("introduction"), introductionParts(recording));
  document.title = `${title}: a recorded run`;
  byId("title").textContent = title;
  const options = Object.entries(configuration).map(([name, value]) => `${name} ${value}`);
  byId("configuration").textContent =
      ["a recorded run, every operation on its own", ...options].join(" · ");
}
