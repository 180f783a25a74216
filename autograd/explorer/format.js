// Numbers, shapes and colours as people see them.
"use strict";

const MINUS = "\u2212";

/** Short and exact enough to read: 0.312, −1.25, 12, 3.1e−5, NaN, −∞. */
function formatNumber(value, digits = 3) {
  if (Number.isNaN(value)) return "NaN";
  if (value === Infinity) return "+∞";
  if (value === -Infinity) return MINUS + "∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  let text;
  if (Number.isInteger(value) && size < 1e5) {
    text = String(size);
  } else if (size < 10 ** -digits || size >= 1e5) {
    text = size.toExponential(Math.max(0, digits - 2)).replace("e+", "e").replace("-", MINUS);
  } else {
    text = size.toFixed(size >= 100 ? Math.max(0, digits - 2) : digits);
  }
  return (value < 0 ? MINUS : "") + text;
}

/**
 * What the numbers of a map are multiples of, so that they are short: 1, or a power of ten where
 * the largest is far from 1.
 */
function mapUnit(limit) {
  if (limit >= 0.05 && limit < 1000) return 1;
  return 10 ** Math.floor(Math.log10(limit));
}

/** For cells, where room is scarce: two digits after the point, "0" for exactly 0. */
function formatCell(value, unit) {
  if (value === 0 || !Number.isFinite(value)) return formatNumber(value);
  const scaled = value / unit;
  const size = Math.abs(scaled);
  if (Number.isInteger(scaled) && size < 1000) return formatNumber(scaled);
  const text = size >= 100 ? size.toFixed(0) : size >= 10 ? size.toFixed(1) : size.toFixed(2);
  return (value < 0 && Number(text) !== 0 ? MINUS : "") + text;
}

/** "numbers × 10⁻⁶", or nothing for a unit of 1. */
function unitText(unit) {
  if (unit === 1) return "";
  const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  const exponent = Math.round(Math.log10(unit));
  const raised = [...String(Math.abs(exponent))].map((digit) => digits[digit]).join("");
  return `numbers × 10${exponent < 0 ? "⁻" : ""}${raised}`;
}

/** `digits` digits from the first that is not 0, whatever the size. */
function formatDigits(value, digits) {
  if (!Number.isFinite(value)) return formatNumber(value);
  return String(Number(value.toPrecision(digits))).replace(/-/g, MINUS);
}

/** All digits that a float has. */
function formatFully(value) {
  return formatDigits(value, 7);
}

/** In a product: negative factors in brackets. */
function factor(value) {
  return value < 0 ? "(" + formatNumber(value) + ")" : formatNumber(value);
}

function formatShape(shape) {
  return "[" + shape.join(", ") + "]";
}

function shapeText(shape) {
  return shape.length === 0 ? "a single number" : formatShape(shape);
}

/** Blue (−1) over the paper's grey (0) to orange (+1). */
const LIGHT_SCALE = {low: [0x21, 0x66, 0xac], middle: [0xf7, 0xf7, 0xf7], high: [0xb3, 0x58, 0x06]};
const DARK_SCALE = {low: [0x5a, 0xa0, 0xe6], middle: [0x26, 0x2d, 0x34], high: [0xe8, 0x93, 0x3a]};

/** The relative luminance of WCAG 2. */
function luminance(color) {
  const [r, g, b] = color.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92
                                                                : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** The colour of a number between −1 and 1, and whether white is the better ink on it. */
function heatColor(fraction, {low, middle, high}) {
  const end = fraction < 0 ? low : high;
  const share = Math.min(1, Math.abs(fraction));
  const mix = end.map((part, i) => Math.round(middle[i] + (part - middle[i]) * share));
  return {css: `rgb(${mix.join(",")})`, isDark: luminance(mix) < 0.2};
}

/** The largest finite magnitude. */
function largestSize(data) {
  let largest = 0;
  for (const value of data) {
    if (Number.isFinite(value)) largest = Math.max(largest, Math.abs(value));
  }
  return largest;
}

/** The magnitude of full colour: the largest of one or several maps. */
function colorLimit(...maps) {
  return Math.max(...maps.map(largestSize)) || 1;
}
