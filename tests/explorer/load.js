// The page's scripts, without a browser: everything but what draws.
"use strict";

const fs = require("fs");
const path = require("path");
const vm = require("vm");

const FOLDER = path.join(__dirname, "../../autograd/explorer");

/** The scripts that page.html names, in its order, up to the first that needs a document. */
function scriptNames() {
  const html = fs.readFileSync(path.join(FOLDER, "page.html"), "utf8");
  const names = [...html.matchAll(/<script src="(.*?)">/g)].map((match) => match[1]);
  return names.slice(0, names.indexOf("elements.js"));
}

/** What the scripts define, by name. */
function load(...wanted) {
  const code = scriptNames().map((name) => fs.readFileSync(path.join(FOLDER, name), "utf8"));
  const context = vm.createContext({atob, URLSearchParams});
  vm.runInContext(`${code.join("\n")}\nglobalThis.found = {${wanted.join(",")}};`, context);
  return context.found;
}

function block(html, id) {
  return new RegExp(`id="${id}">([^]*?)</script>`).exec(html)[1];
}

/** The recording of the page that the command line names. */
function recordingOf(decodeRecording) {
  const html = fs.readFileSync(process.argv[2], "utf8");
  return decodeRecording(block(html, "head"), block(html, "pool"), block(html, "snapshots"));
}

module.exports = {load, recordingOf, FOLDER};
