// The rail: all steps, by phase and module.
"use strict";

function railItem(app, step) {
  const choose = () => {
    openRail(false);
    app.go({step: step.id, card: -1});
  };
  return element("li", {}, button(step.title, choose, {
    class: "step", id: `step-${step.id}`,
    "aria-current": step.id === app.state.step ? "step" : false,
  }));
}

function railGroup(app, group) {
  const holdsStep = group.steps.some(({id}) => id === app.state.step);
  const list = element("ol", {}, group.steps.map((step) => railItem(app, step)));
  if (group.scope === "") return list;
  const details = element("details", {open: holdsStep || !app.closed.has(groupKey(group))},
                          element("summary", {}, breakable(group.scope)), list);
  details.addEventListener("toggle", () => {
    if (details.open) app.closed.delete(groupKey(group));
    else app.closed.add(groupKey(group));
  });
  return details;
}

/** On a narrow screen the rail is shown only when it is asked for. */
function openRail(isOpen) {
  byId("rail").classList.toggle("open", isOpen);
  byId("rail-button").setAttribute("aria-expanded", String(isOpen));
}

/** A long path may go on in a new line after a dot. */
function breakable(path) {
  return path.replace(/\./g, ".\u200b");
}

function groupKey(group) {
  return `${group.phase} ${group.steps[0].id}`;
}

function renderRail(app) {
  const rail = byId("rail");
  const scroll = rail.scrollTop;
  const parts = [];
  let phase = "";
  for (const group of app.groups) {
    if (group.phase !== phase) {
      phase = group.phase;
      parts.push(element("h2", {}, PHASES[phase]));
    }
    parts.push(railGroup(app, group));
  }
  fill(rail, parts);
  rail.scrollTop = scroll;
  const current = rail.querySelector("[aria-current]");
  if (current !== null) keepVisible(rail, current);
}

/** Scrolls the rail alone: scrollIntoView would move the page as well. */
function keepVisible(rail, item) {
  const [outer, inner] = [rail.getBoundingClientRect(), item.getBoundingClientRect()];
  const headings = 70;  // the phase's and the module's stay in sight above their first step
  if (inner.top < outer.top + headings) rail.scrollTop -= outer.top + headings - inner.top;
  if (inner.bottom > outer.bottom - 30) rail.scrollTop += inner.bottom - outer.bottom + 30;
}
