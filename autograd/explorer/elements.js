// Making elements. Texts go in as texts, so that nothing in a recording can become markup.
"use strict";

/** element("p", {class: "quiet"}, "text", child, …); false and null children are left out. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  setAttributes(made, attributes);
  append(made, children);
  return made;
}

function svgElement(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  setAttributes(made, attributes);
  append(made, children);
  return made;
}

function setAttributes(made, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) {
      made.addEventListener(name.slice(2), value);
    } else {
      made.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

function append(made, children) {
  for (const child of children.flat()) {
    if (child === false || child === null || child === undefined) continue;
    made.append(child);
  }
}

function byId(id) {
  return document.getElementById(id);
}

function button(text, onclick, attributes = {}) {
  return element("button", {type: "button", onclick, ...attributes}, text);
}

/** Takes away what is inside and puts the children there. */
function fill(target, ...children) {
  target.replaceChildren(...children.flat().filter((child) => child));
}
