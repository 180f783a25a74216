// The page itself: decodes the recording, keeps the state, and draws what it says.
"use strict";

const VIEW_NAMES = {cell: "Cell", source: "Source", attention: "Attention", proof: "Proof",
                    change: "What if"};
const VIEW_CONTENT = {cell: renderCell, source: renderSource, attention: renderAttention,
                      proof: renderProof, change: renderChange};
const PLAY_MILLISECONDS = 1200;

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
    this.after = null;  // the run with changes: {values, attributes}, or null
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

  cellIn({rows, columns}) {
    const [row, column] = this.state.cell;
    return [Math.max(0, Math.min(row, rows - 1)), Math.max(0, Math.min(column, columns - 1))];
  }

  attentionCell(matrix) { return this.cellIn(matrix); }

  values() {
    return this.after !== null ? this.after.values : this.recording.tensors.map(({value}) => value);
  }

  attributes(operation) {
    return this.after !== null ? this.after.attributes[operation.id] : operation.attributes;
  }

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
    const values = this.values();
    const ins = step.operation.in.map((id) => values[id]);
    const {reads} = known.explain(ins, values[step.operation.out],
                                  matrix.flat(...this.cellIn(matrix)),
                                  this.attributes(step.operation));
    for (const [input, places] of reads) {
      const number = cards.findIndex((each) => each.input === input);
      found.set(number, new Set(places));
    }
    return found;
  }

  nextHead() {
    const card = this.cards()[this.selectedCard()];
    const counts = [matrixOf(card.tensor.value, 0).count];
    if (this.state.view === "attention" && this.sites.length > 0) {
      counts.push(this.sites[this.state.site].headCount);
    }
    return (this.state.head + 1) % Math.max(...counts);
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
    this.after = hasChanges(this.state.changes) ? rerun(this.recording, this.state.changes) : null;
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

  selectCell(grid, row, column) {
    const changes = {cell: [row, column]};
    if (grid.dataset.card !== undefined) changes.card = Number(grid.dataset.card);
    if (grid.dataset.attention !== undefined) changes.head = Number(grid.dataset.attention);
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

  draw(focus) {
    const scroll = window.scrollY;
    renderRail(this);
    renderStage(this);
    if (this.drawn !== this.state.step) byId("stage").scrollTop = 0;
    this.drawn = this.state.step;
    this.drawPanel();
    this.drawBanner();
    byId("position").textContent = `op ${this.state.step + 1} of ${this.steps.length}`;
    byId("live").textContent = this.spoken();
    window.scrollTo(0, scroll);
    this.restoreFocus(focus);
  }

  drawPanel() {
    const {view} = this.state;
    fill(byId("tabs"), VIEWS.map((name) => button(VIEW_NAMES[name], () => this.go({view: name}, `tab-${name}`), {
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
    fill(banner, "You changed this run: values are shown before and after. ",
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
    const {grad} = card.tensor;
    const gradient = grad === null ? "" : `, gradient ${formatNumber(grad.data[flat])}`;
    return `${start}, ${placeText(this, card.tensor, matrix)}: ` +
           `${formatNumber(this.values()[card.tensor.id].data[flat])}${gradient}`;
  }
}

function drawHeading({title, configuration}) {
  document.title = `${title}: a recorded run`;
  byId("title").textContent = title;
  const options = Object.entries(configuration).map(([name, value]) => `${name} ${value}`);
  byId("configuration").textContent =
      ["a recorded run, every operation on its own", ...options].join(" · ");
}

const BAR = {
  first: ACTIONS.Home, back: ACTIONS.ArrowLeft, on: ACTIONS.ArrowRight, last: ACTIONS.End,
  play: ACTIONS[" "], search: ACTIONS["/"], help: ACTIONS["?"],
};

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
  document.addEventListener("click", (event) => {
    const cell = event.target.closest("[role=gridcell]");
    if (cell !== null) {
      app.selectCell(cell.closest("[role=grid]"), Number(cell.dataset.row),
                     Number(cell.dataset.column));
    }
    const action = event.target.closest("[data-do]");
    if (action !== null) BAR[action.dataset.do](app);
  });
  window.addEventListener("hashchange", () => {
    app.state = stateOf(location.hash, recording, app.steps.length);
    app.computeChanges();
    app.draw();
  });
  window.addEventListener("resize", () => app.draw());
}

start();
