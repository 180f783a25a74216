// What is being looked at, and the address that says so: #op=42&cell=3,5&head=2.
"use strict";

const VIEWS = ["cell", "source", "attention", "proof", "change"];

function firstState() {
  return {
    step: 0,          // place in the timeline
    card: -1,         // which tensor on stage; -1: the output
    cell: [0, 0],     // row and column of the selected cell
    head: 0,          // which matrix of a tensor of more than two axes
    view: "cell",
    grad: true,       // gradient maps are shown
    difference: false,
    site: 0,          // which attention
    look: [0, 0],     // row and column of the chosen weight there
    snapshot: -1,     // which moment of the training; -1: the recorded step
    changes: {...NO_CHANGES},
  };
}

function editText({tensor, flat, value}) {
  return `${tensor}:${flat}:${value}`;
}

/** The address of a state: only what differs from the first one. */
function addressOf(state) {
  const parts = [`op=${state.step + 1}`];
  if (state.card !== -1) parts.push(`tensor=${state.card}`);
  if (state.cell[0] !== 0 || state.cell[1] !== 0) parts.push(`cell=${state.cell.join(",")}`);
  if (state.head !== 0) parts.push(`head=${state.head}`);
  if (state.view !== "cell") parts.push(`view=${state.view}`);
  if (!state.grad) parts.push("grad=0");
  if (state.difference) parts.push("difference=1");
  if (state.site !== 0) parts.push(`site=${state.site}`);
  if (state.look[0] !== 0 || state.look[1] !== 0) parts.push(`look=${state.look.join(",")}`);
  if (state.snapshot !== -1) parts.push(`t=${state.snapshot}`);
  const {edits, silenced, noMask, noScale, swaps} = state.changes;
  if (edits.length > 0) parts.push(`edit=${edits.map(editText).join(";")}`);
  if (silenced.length > 0) {
    parts.push(`silence=${silenced.map(({site, head}) => `${site}:${head}`).join(";")}`);
  }
  if (noMask) parts.push("nomask=1");
  if (noScale) parts.push("noscale=1");
  if (swaps.length > 0) parts.push(`swap=${swaps.map((pair) => pair.join(":")).join(";")}`);
  return "#" + parts.join("&");
}

function numberList(text, separator) {
  return text.split(separator).map(Number);
}

/** Groups of numbers "1:2;3:4"; those of another length or that are no numbers are dropped. */
function numberGroups(text, length) {
  if (!text) return [];
  return text.split(";").map((group) => numberList(group, ":"))
      .filter((group) => group.length === length && group.every((number) => !Number.isNaN(number)));
}

function isPlace(number, count) {
  return Number.isInteger(number) && number >= 0 && number < count;
}

/** "3,5" as [3, 5]; anything else as the first cell. */
function cellOf(text) {
  const cell = numberList(text || "", ",");
  return cell.length === 2 && cell.every((n) => Number.isInteger(n) && n >= 0) ? cell : [0, 0];
}

function changesOf(fields, recording) {
  const {tensors, tokens} = recording;
  const sites = attentionSites(recording);
  return {
    edits: numberGroups(fields.get("edit"), 3)
        .filter(([tensor, flat]) => isPlace(tensor, tensors.length) &&
                                    isPlace(flat, elementCount(tensors[tensor].shape)))
        .map(([tensor, flat, value]) => ({tensor, flat, value})),
    silenced: numberGroups(fields.get("silence"), 2)
        .filter(([site, head]) => isPlace(site, sites.length) &&
                                  isPlace(head, sites[site].headCount))
        .map(([site, head]) => ({site, head})),
    noMask: fields.get("nomask") === "1",
    noScale: fields.get("noscale") === "1",
    swaps: numberGroups(fields.get("swap"), 2)
        .filter((pair) => pair.every((place) => isPlace(place, tokens.length))),
  };
}

/** The state of an address; what makes no sense there is as at first. */
function stateOf(address, recording, stepCount) {
  const fields = new URLSearchParams(address.replace(/^#/, ""));
  const state = firstState();
  const whole = (name, least, most, otherwise) => {
    const number = Number(fields.get(name) === null ? NaN : fields.get(name));
    return Number.isInteger(number) && number >= least && number <= most ? number : otherwise;
  };
  state.step = whole("op", 1, stepCount, 1) - 1;
  state.card = whole("tensor", 0, 99, -1);
  state.cell = cellOf(fields.get("cell"));
  state.look = cellOf(fields.get("look"));
  state.head = whole("head", 0, 1e6, 0);
  if (VIEWS.includes(fields.get("view"))) state.view = fields.get("view");
  state.grad = fields.get("grad") !== "0";
  state.difference = fields.get("difference") === "1";
  state.site = whole("site", 0, attentionSites(recording).length - 1, 0);
  state.snapshot = whole("t", 0, recording.snapshots.steps.length - 1, -1);
  state.changes = changesOf(fields, recording);
  return state;
}
