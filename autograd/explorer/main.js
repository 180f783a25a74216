// The page itself: decodes the recording, keeps the state, and draws what it says.
"use strict";

const VIEW_NAMES = {cell: "Cell", source: "Source", attention: "Attention", proof: "Proof",
                    change: "What if"};
const VIEW_CONTENT = {cell: renderCell, source: renderSource, attention: renderAttention,
                      proof: renderProof, change: renderChange};
const PLAY_MILLISECONDS = 1200;

/** A cell, or the nearest one that a matrix has. */
function within([row, column], {rows, columns}) {
  return [Math.max(0, Math.min(row, rows - 1)), Math.max(0, Math.min(column, columns - 1))];
}

class App {
  constructor(recording) {
    this.recording = recording;
    this.steps = timeline(recording);
    this.groups = stepGroups(this.steps);
    this.sites = attentionSites(recording);
    this.closed = new Set();  // groups of the rail that were folded
    this.proof = null;
    this.nudged = false;
    this.timer = null;
    this.recorded = recordedRun(recording);
    this.unchanged = null;  // the same in doubles, once something is changed
    this.after = null;  // the run with changes, or null
    this.state = stateOf(location.hash, recording, this.steps.length);
  }

  step() { return this.steps[this.state.step]; }

  cards() {
    const after = this.step().phase === "optimizer" ? null : this.after;
    return cardsOf(this.recording, this.step(), after);
  }

  /** The selected card's number; -1 in the state means the output. */
  selectedCard() {
    const cards = this.cards();
    if (this.state.card >= 0 && this.state.card < cards.length) return this.state.card;
    return cards.findIndex(({role}) => role === "output");
  }

  cellIn(matrix) { return within(this.state.cell, matrix); }

  attentionCell(matrix) { return within(this.state.look, matrix); }

  /** What is explained: the run with changes, where there are any. */
  run() { return this.after !== null ? this.after : this.recorded; }

  /** Which cells of each card the selected cell of the output was computed from. */
  reads() {
    const step = this.step();
    const known = step.operation && OPERATIONS[step.operation.kind];
    const cards = this.cards();
    const card = cards[this.selectedCard()];
    const found = new Map();
    if (!known || step.phase === "backward" || card.role !== "output") return found;
    const matrix = matrixOf(card.tensor.value, this.state.head);
    if (matrix.rows * matrix.columns === 0) return found;
    const {values, made, attributes} = this.run();
    const ins = step.operation.in.map((id) => values[id]);
    const {id} = step.operation;
    const {reads} = known.explain(ins, made[id], matrix.flat(...this.cellIn(matrix)), attributes[id]);
    for (const [input, places] of reads) {
      const number = cards.findIndex((each) => each.input === input);
      found.set(number, new Set(places));
    }
    return found;
  }

  headCount() {
    const card = this.cards()[this.selectedCard()];
    const counts = [matrixOf(card.tensor.value, 0).count];
    if (this.state.view === "attention" && this.sites.length > 0) {
      counts.push(this.sites[this.state.site].headCount);
    }
    return Math.max(...counts);
  }

  nextHead() {
    return (this.state.head + 1) % this.headCount();
  }

  /** Goes on to a changed state. `focus` is the id of what keeps the focus, where it is known. */
  go(changes, focus) {
    const isNewRun = "changes" in changes;
    this.state = {...this.state, ...changes};
    history.replaceState(null, "", addressOf(this.state));
    if (isNewRun) this.computeChanges();
    this.draw(focus);
  }

  computeChanges() {
    const {recording} = this;
    const {changes} = this.state;
    this.after = hasChanges(changes) ? changedRun(recording, changes) : null;
    if (this.after !== null && this.unchanged === null) this.unchanged = rerun(recording);
  }

  move(by) {
    const step = Math.max(0, Math.min(this.steps.length - 1, this.state.step + by));
    this.go({step, card: -1});
  }

  moveGroup(by) {
    const at = this.groups.findIndex(({steps}) => steps.some(({id}) => id === this.state.step));
    const to = Math.max(0, Math.min(this.groups.length - 1, at + by));
    this.go({step: this.groups[to].steps[0].id, card: -1});
  }

  moveCard(by) {
    const count = this.cards().length;
    this.go({card: (this.selectedCard() + by + count) % count});
  }

  enterGrid() {
    const cell = document.querySelector(".card.selected [role=gridcell][tabindex='0']");
    if (cell !== null) cell.focus();
  }

  /** A weight of the attention's maps and its cell on stage are chosen together. */
  selectCell(grid, row, column) {
    const {card, attention} = grid.dataset;
    const number = card === undefined ? this.selectedCard() : Number(card);
    const site = this.sites[this.state.site];
    const isWeight = site !== undefined && site.squares.includes(this.cards()[number].tensor.id);
    const changes = {};
    if (card !== undefined) changes.card = number;
    if (card !== undefined || isWeight) changes.cell = [row, column];
    if (attention !== undefined || isWeight) changes.look = [row, column];
    if (attention !== undefined) changes.head = Number(attention);
    this.go(changes, grid.id);
  }

  togglePlay() {
    if (this.timer !== null) {
      clearInterval(this.timer);
      this.timer = null;
    } else {
      this.timer = setInterval(() => {
        if (this.state.step === this.steps.length - 1) this.togglePlay();
        else this.move(1);
      }, PLAY_MILLISECONDS);
    }
    byId("play").textContent = this.timer === null ? "Play" : "Stop";
  }

  /** Draws all anew; what has the focus stays where it was on the screen. */
  draw(focus = focusedId()) {
    const scroll = window.scrollY;
    const top = topOf(focus);
    renderRail(this);
    renderStage(this);
    if (this.drawn !== this.state.step) byId("stage").scrollTop = 0;
    this.drawn = this.state.step;
    this.drawPanel();
    this.drawBanner();
    byId("position").textContent = `op ${this.state.step + 1} of ${this.steps.length}`;
    this.say(this.spoken());
    window.scrollTo(0, scroll);
    window.scrollBy(0, topOf(focus) - top || 0);
    this.restoreFocus(focus);
  }

  /** Into the live line; a notice is for eyes too, until something else is drawn. */
  say(text, isNotice = false) {
    byId("live").className = isNotice ? "notice" : "unseen";
    byId("live").textContent = text;
  }

  /** On a narrow screen the views are below the stage. */
  openView(view, focus) {
    this.go({view}, focus);
    byId("panel").scrollIntoView({block: "start"});
    if (view === "source") showCalledLine();
  }

  drawPanel() {
    const {view} = this.state;
    fill(byId("tabs"), VIEWS.map((name) => button(VIEW_NAMES[name], () => this.openView(name, `tab-${name}`), {
      role: "tab", id: `tab-${name}`, "aria-selected": name === view ? "true" : "false",
      "aria-controls": "view",
    })));
    byId("view").setAttribute("aria-labelledby", `tab-${view}`);
    fill(byId("view"), VIEW_CONTENT[view](this));
    if (view === "source") showCalledLine();
  }

  drawBanner() {
    const banner = byId("changed");
    banner.hidden = this.after === null;
    fill(banner, "You changed this run. ",
         button("See what happens", () => this.go({view: "change"}, "view"), {class: "link"}), " ",
         button("Back to the recorded run", () => this.go({changes: {...NO_CHANGES}}), {class: "link"}));
  }

  restoreFocus(focus) {
    if (focus === undefined) return;
    const target = byId(focus);
    if (target === null) return;
    const cell = target.getAttribute("role") === "grid"
        ? target.querySelector("[aria-selected=true], [tabindex='0']") : target;
    if (cell !== null) cell.focus({preventScroll: cell === byId("view")});
  }

  /** "op 12 of 118, softmax, row 'the' (3), column 5: 0.231, gradient −0.014" */
  spoken() {
    const card = this.cards()[this.selectedCard()];
    const matrix = matrixOf(card.tensor.value, this.state.head);
    const step = this.step();
    const start = `op ${step.id + 1} of ${this.steps.length}, ${PHASES[step.phase]}, ${step.title}`;
    if (matrix.rows * matrix.columns === 0) return start;
    const flat = matrix.flat(...this.cellIn(matrix));
    const {values, grads} = this.run();
    const grad = grads[card.tensor.id];
    const gradient = grad === null ? "" : `, gradient ${formatNumber(grad.data[flat])}`;
    return `${start}, ${placeText(this, card.tensor, matrix)}: ` +
           `${formatNumber(values[card.tensor.id].data[flat])}${gradient}`;
  }
}

/** What has the focus, by id, so that it has it again after everything was drawn anew. */
function focusedId() {
  const focused = document.activeElement;
  if (focused === null) return undefined;
  const grid = focused.closest("[role=grid]");
  return (grid === null ? focused.id : grid.id) || undefined;
}

/** Where an element is on the screen; NaN where there is none. */
function topOf(id) {
  const found = id === undefined ? null : byId(id);
  return found === null ? NaN : found.getBoundingClientRect().top;
}

const BAR = {
  first: ACTIONS.Home, back: ACTIONS.ArrowLeft, on: ACTIONS.ArrowRight, last: ACTIONS.End,
  play: ACTIONS[" "], search: ACTIONS["/"], help: ACTIONS["?"],
  rail: () => openRail(!byId("rail").classList.contains("open")),
};

function onClick(app, event) {
  const cell = event.target.closest("[role=gridcell]");
  if (cell !== null) {
    app.selectCell(cell.closest("[role=grid]"), Number(cell.dataset.row), Number(cell.dataset.column));
  }
  const overview = event.target.closest(".overview-box");
  if (overview !== null) app.go({card: Number(overview.dataset.card), cell: overviewCell(overview, event)});
  const action = event.target.closest("[data-do]");
  if (action !== null) BAR[action.dataset.do](app);
}

function start() {
  const recording = decodeRecording(byId("head").textContent, byId("pool").textContent,
                                    byId("snapshots").textContent);
  const app = new App(recording);
  drawHeading(recording);
  renderHelp();
  renderSearch(app);
  app.computeChanges();
  app.draw();
  document.addEventListener("keydown", (event) => onKey(app, event));
  document.addEventListener("click", (event) => onClick(app, event));
  document.addEventListener("mouseover", showPointedCell);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => app.draw());
  window.addEventListener("hashchange", () => {
    app.state = stateOf(location.hash, recording, app.steps.length);
    app.computeChanges();
    app.draw();
  });
  window.addEventListener("resize", () => app.draw());
}

start();
