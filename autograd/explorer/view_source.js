// The line of the program that called the operation, in its file.
"use strict";

function sourceParts(app, operation) {
  const {file, line} = operation;
  const text = app.recording.sources[file];
  if (text === undefined) {
    return [element("p", {}, file === "" ? "Where it was called is not known."
                                         : `Called at ${file}, line ${line}. The file's text was ` +
                                           "not found when the recording was made.")];
  }
  const list = element("ol", {class: "code", tabindex: "0", "aria-label": file});
  text.split("\n").forEach((content, number) => {
    const isCalled = number + 1 === line;
    list.append(element("li", {class: isCalled ? "called" : false,
                               "aria-current": isCalled ? "location" : false}, content || " "));
  });
  return [element("p", {}, `${file}, line ${line}`), list];
}

function renderSource(app) {
  const step = app.step();
  if (step.phase === "optimizer") {
    return [element("p", {}, "The optimizer moves every parameter in its step(): nn/optim/.")];
  }
  const note = step.phase === "backward"
      ? [element("p", {class: "quiet"}, "Backward of what this line computed:")] : [];
  return [...note, ...sourceParts(app, step.operation)];
}

/** Brings the called line into the middle of its box, and moves nothing else. */
function showCalledLine() {
  const list = document.querySelector(".code");
  const line = document.querySelector(".code .called");
  if (line === null) return;
  const [outer, inner] = [list.getBoundingClientRect(), line.getBoundingClientRect()];
  list.scrollTop += inner.top - outer.top - list.clientHeight / 2;
}
