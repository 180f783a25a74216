// The page in headless Chromium: no request, no complaint, the same text on the way back, every
// view, every width. With a folder as second argument, screenshots of all of it.
"use strict";

const assert = require("assert");
const path = require("path");
const {Browser, findBrowser} = require("./browser.js");

const STAGE = "document.getElementById('stage').innerText + document.getElementById('view').innerText";
const VIEWS = ["cell", "source", "attention", "proof", "change"];
const STICKING_OUT = `[...document.querySelectorAll("body *")]
  .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
  .slice(0, 8).map((element) => element.tagName + "." + element.className + ": "
    + element.textContent.slice(0, 40)).join("; ")`;
const MOST_STEPS = 40;  // of long recordings the first ones, so that the test takes seconds

async function stepForthAndBack(browser) {
  const count = await browser.evaluate("document.querySelectorAll('#rail .step').length");
  const steps = Math.min(count, MOST_STEPS);
  await browser.press("Home");
  const seen = [await browser.evaluate(STAGE)];
  for (let step = 1; step < steps; ++step) {
    await browser.press("ArrowRight");
    seen.push(await browser.evaluate(STAGE));
    assert.notStrictEqual(seen[step], seen[step - 1], `step ${step + 1} shows nothing new`);
  }
  for (let step = steps - 2; step >= 0; --step) {
    await browser.press("ArrowLeft");
    assert.strictEqual(await browser.evaluate(STAGE), seen[step], `back at step ${step + 1}`);
  }
  return steps;
}

/** Every number key opens a view, in both colour schemes and three widths; nothing sticks out. */
async function lookAtViews(browser, folder) {
  for (const [width, height] of [[1440, 900], [900, 800], [320, 700]]) {
    for (const scheme of ["light", "dark"]) {
      await browser.size(width, height);
      await browser.media({"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"});
      for (const [number, view] of VIEWS.entries()) {
        await browser.press(String(number + 1));
        const text = await browser.evaluate("document.getElementById('view').innerText");
        assert.ok(text.length > 20, `${view} is empty`);
        const wide = await browser.evaluate("document.documentElement.scrollWidth");
        assert.ok(wide <= width, `${view} at ${width}: the page is ${wide} wide: `
                  + (wide <= width ? "" : await browser.evaluate(STICKING_OUT)));
        if (folder) {
          if (width < 720) {
            await browser.evaluate("document.getElementById('panel').scrollIntoView()");
          }
          await browser.screenshot(path.join(folder, `${view}-${width}-${scheme}.png`));
        }
      }
    }
  }
  await browser.size(1440, 900);
}

/** Into the grid, along it, out again: the address, the focus and the spoken line follow. */
async function useKeys(browser) {
  await browser.press("1");
  await browser.press("Enter");
  const focused = "document.activeElement.getAttribute('role')";
  assert.strictEqual(await browser.evaluate(focused), "gridcell");
  const first = await browser.evaluate("document.getElementById('live').textContent");
  await browser.press("ArrowRight");
  await browser.press("ArrowDown");
  assert.strictEqual(await browser.evaluate(focused), "gridcell");
  const grid = await browser.evaluate("(() => { const grid = document.activeElement.closest(" +
      "'[role=grid]'); return [grid.ariaRowCount, grid.ariaColCount].map(Number); })()");
  const spoken = await browser.evaluate("document.getElementById('live').textContent");
  if (grid[0] > 1 || grid[1] > 1) assert.notStrictEqual(spoken, first);
  assert.match(spoken, /^op \d+ of \d+, /);
  await browser.press("Escape");
  assert.strictEqual(await browser.evaluate("document.activeElement.id"), "stage-title");
  const address = await browser.evaluate("location.hash");
  await browser.press("g");
  assert.notStrictEqual(await browser.evaluate("location.hash"), address);
  await browser.press("g");
  assert.strictEqual(await browser.evaluate("location.hash"), address);
  await browser.press("?");
  assert.ok(await browser.evaluate("document.getElementById('help').open"));
  await browser.press("Escape");
  await browser.evaluate("document.getElementById('help').close()");
}

/** The heading says what went in, and what the loss is. */
async function readIntroduction(browser) {
  const text = await browser.evaluate("document.getElementById('introduction')?.textContent ?? ''");
  const head = JSON.parse(await browser.evaluate("document.getElementById('head').textContent"));
  for (const token of head.tokens.slice(0, 24)) assert.ok(text.includes(token.text), token.text);
  assert.match(text, /\S+ (\S*\d|NaN)$/);
}

const FIRST_BOX = "document.querySelector('#view input[type=checkbox]:not(:disabled)')";
const TOP_OF_BOX = `${FIRST_BOX}.getBoundingClientRect().top`;

/** A change leaves its box where it is, so that a second click undoes it. */
async function changeAndBack(browser) {
  for (const [width, height] of [[1280, 800], [320, 700]]) {
    await browser.size(width, height);
    await browser.press("5");
    if (!(await browser.evaluate(`${FIRST_BOX} !== null`))) continue;
    await browser.evaluate(`${FIRST_BOX}.scrollIntoView({block: "center"})`);
    const before = await browser.evaluate(TOP_OF_BOX);
    for (const isChanged of [true, false]) {
      await browser.evaluate(`${FIRST_BOX}.focus()`);
      await browser.evaluate(`${FIRST_BOX}.click()`);
      assert.ok(!(await browser.evaluate("document.getElementById('view').innerText")).includes("[object"));
      const moved = (await browser.evaluate(TOP_OF_BOX)) - before;
      assert.ok(Math.abs(moved) <= 1, `a change at ${width} moves its box by ${moved} pixels`);
      assert.strictEqual(await browser.evaluate("!document.getElementById('changed').hidden"), isChanged);
    }
  }
  await browser.size(1440, 900);
}

/** Axes have titles, and the cell under the pointer is read out in words. */
async function pointAtAttention(browser) {
  await browser.press("3");
  const cell = "document.querySelector('#view .attention [role=gridcell]')";
  if (!(await browser.evaluate(`${cell} !== null`))) return;
  assert.match(await browser.evaluate("document.querySelector('#view .attention').innerText"),
               /position.*reads from/);
  await browser.evaluate(`${cell}.scrollIntoView({block: "center"})`);
  const {x, y} = await browser.evaluate(`(({x, y, width, height}) => ({x: x + width / 2, y: y + height / 2}))` +
                                        `(${cell}.getBoundingClientRect().toJSON())`);
  await browser.point(x, y);
  assert.match(await browser.evaluate("document.getElementById('pointed')?.textContent ?? ''"),
               /position \d+.* reads position \d+.*: \S+/);
}

const CUT_NAMES = `[...document.querySelectorAll(".card [role=rowheader]")]
  .filter((name) => name.textContent.length < 10 && name.scrollWidth > name.clientWidth)
  .map((name) => name.textContent).join("; ")`;
const NOTES_OUTSIDE = `[...document.querySelectorAll(".card .note")].filter((note) =>
    note.getBoundingClientRect().right > note.closest(".card").getBoundingClientRect().right)
  .map((note) => note.textContent).join("; ")`;

/** The stage's maps name their axes, and what is written at them has room. */
async function readMaps(browser) {
  for (const width of [1440, 1280, 900, 320]) {
    await browser.size(width, 800);
    await browser.press("End");
    await browser.press("Home");
    assert.match(await browser.evaluate("document.getElementById('stage').innerText"),
                 /(position|row) ↓, (position|class|column) →/);
    assert.strictEqual(await browser.evaluate(CUT_NAMES), "", `names cut at ${width}`);
    assert.strictEqual(await browser.evaluate(NOTES_OUTSIDE), "", `notes outside at ${width}`);
  }
  await browser.size(1440, 900);
}

async function prove(browser) {
  await browser.press("4");
  await browser.evaluate("document.getElementById('recompute').click()");
  await browser.evaluate("document.getElementById('nudge').click()");
  assert.match(await browser.evaluate("document.getElementById('view').innerText"),
               /Largest difference/);
}

async function main() {
  const browser = new Browser(findBrowser());
  try {
    await browser.open();
    await browser.size(1440, 900);
    const begin = Date.now();
    await browser.visit("file://" + path.resolve(process.argv[2]));
    const opened = Date.now() - begin;
    const steps = await stepForthAndBack(browser);
    await useKeys(browser);
    await readIntroduction(browser);
    await changeAndBack(browser);
    await pointAtAttention(browser);
    await readMaps(browser);
    await prove(browser);
    await lookAtViews(browser, process.argv[3]);
    const outside = browser.requests.filter((url) => !url.startsWith("file:") && url !== "about:blank");
    assert.deepStrictEqual(outside, [], "the page asked the network");
    assert.strictEqual(browser.requests.filter((url) => url.startsWith("file:")).length, 1);
    assert.deepStrictEqual(browser.complaints, []);
    assert.ok(!(await browser.evaluate("document.title")).startsWith("broken"));
    console.log(`opened in ${opened} ms, ${steps} steps forth and back, ${VIEWS.length} views`);
  } finally {
    await browser.close();
  }
}

main().catch((error) => {
  console.error(error.stack);
  process.exitCode = 1;
});
