// Keys: what each does, and the help that lists them.
"use strict";

const KEYS = [
  ["← →", "one operation back or on"],
  ["Shift+← Shift+→", "one module back or on"],
  ["Home End", "first and last operation"],
  ["Space", "play, and stop"],
  ["↑ ↓", "choose a tensor on stage"],
  ["Enter", "into its grid; arrows move from cell to cell, Esc leaves"],
  ["g", "gradients on or off"],
  ["h", "next head, or next matrix of a tensor with more than two axes"],
  ["d", "difference to the step before"],
  ["t", "to the slider over the training"],
  ["1 … 5", "cell, source, attention, proof, what if"],
  ["/", "search an operation"],
  ["?", "this help"],
];

const ACTIONS = {
  ArrowRight: (app) => app.move(1),
  ArrowLeft: (app) => app.move(-1),
  "Shift+ArrowRight": (app) => app.moveGroup(1),
  "Shift+ArrowLeft": (app) => app.moveGroup(-1),
  Home: (app) => app.go({step: 0, card: -1}),
  End: (app) => app.go({step: app.steps.length - 1, card: -1}),
  " ": (app) => app.togglePlay(),
  ArrowUp: (app) => app.moveCard(-1),
  ArrowDown: (app) => app.moveCard(1),
  Enter: (app) => app.enterGrid(),
  g: (app) => {
    app.go({grad: !app.state.grad});
    const hasGradients = app.cards().some(({maps}) => maps.some(isGradient));
    if (!hasGradients) app.say("There are no gradients here.", true);
  },
  h: (app) => {
    const head = app.nextHead();
    app.go({head});
    if (app.headCount() === 1) app.say("There is one head only.", true);
    else if (head === 0) app.say("The first head again.", true);
  },
  d: (app) => {
    app.go({difference: !app.state.difference});
    if (app.state.difference && !hasDifference(app)) app.say(NO_DIFFERENCE, true);
  },
  t: (app) => {
    app.go({view: "attention"}, "slider");
    if (byId("slider") === null) app.say("This recording has no moments of a training.", true);
  },
  "/": () => openSearch(),
  "?": () => byId("help").showModal(),
};

function keyName(event) {
  return (event.shiftKey && event.key.startsWith("Arrow") ? "Shift+" : "") + event.key;
}

/** Whether a key belongs to what has the focus: a field, or a button that Enter presses. */
function belongsToFocus(event) {
  const {target} = event;
  if (document.querySelector("dialog[open]") !== null) return true;
  const isPressed = event.key === "Enter" || event.key === " ";
  if (target.type === "checkbox") return isPressed;
  if (["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName)) {
    return target.type !== "range" || !VIEWS[Number(event.key) - 1];
  }
  return isPressed && ["BUTTON", "SUMMARY", "A"].includes(target.tagName);
}

const MOVES = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};

/** Arrows inside a grid move from cell to cell; Esc leaves it. Returns whether the key was used. */
function moveInGrid(app, event) {
  const cell = event.target.closest ? event.target.closest("[role=gridcell]") : null;
  if (cell === null) return false;
  const grid = cell.closest("[role=grid]");
  if (event.key === "Escape") {
    byId("stage-title").focus();
    return true;
  }
  const move = MOVES[event.key];
  if (move === undefined || event.shiftKey) return false;
  const rows = Number(grid.getAttribute("aria-rowcount"));
  const columns = Number(grid.getAttribute("aria-colcount"));
  const row = Math.max(0, Math.min(rows - 1, Number(cell.dataset.row) + move[0]));
  const column = Math.max(0, Math.min(columns - 1, Number(cell.dataset.column) + move[1]));
  app.selectCell(grid, row, column);
  return true;
}

function onKey(app, event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (belongsToFocus(event)) return;
  if (moveInGrid(app, event)) {
    event.preventDefault();
    return;
  }
  const view = VIEWS[Number(event.key) - 1];
  const action = ACTIONS[keyName(event)];
  if (action === undefined && view === undefined) return;
  event.preventDefault();
  if (view !== undefined) app.openView(view);
  else action(app);
}

function renderHelp() {
  fill(byId("help"), element("h2", {id: "help-title", tabindex: "-1", autofocus: true}, "Keys"),
       element("dl", {}, KEYS.flatMap(([keys, meaning]) =>
           [element("dt", {}, keys.split(" ").map((key) => element("kbd", {}, key))),
            element("dd", {}, meaning)])),
       element("form", {method: "dialog"}, element("button", {}, "Close")));
}

function openSearch() {
  byId("search").showModal();
  byId("search-text").focus();
  byId("search-text").select();
}

/** "12. Forward · attention · scores = matmul", which goes there. */
function searchResult(app, step) {
  const text = [PHASES[step.phase], step.scope, step.title].filter(Boolean).join(" · ");
  return element("li", {}, button(`${step.id + 1}. ${text}`, () => {
    byId("search").close();
    app.go({step: step.id, card: -1});
  }, {class: "step"}));
}

function renderSearch(app) {
  const results = element("ol", {id: "search-results"});
  const find = () => {
    const wanted = byId("search-text").value.toLowerCase();
    const found = app.steps.filter(({title, scope, phase}) =>
        `${phase} ${scope} ${title}`.toLowerCase().includes(wanted));
    fill(results, found.map((step) => searchResult(app, step)),
         found.length === 0 && element("li", {class: "quiet"}, "No operation matches."));
  };
  const input = element("input", {id: "search-text", type: "search", "aria-label": "Operation",
                                  oninput: find, onkeydown: (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    const first = results.querySelector("button");
    if (first !== null) first.click();
  }});
  fill(byId("search"), element("h2", {id: "search-title"}, "Search an operation"), input, results,
       element("form", {method: "dialog"}, element("button", {}, "Close")));
  byId("search").addEventListener("toggle", find);
  find();
}
