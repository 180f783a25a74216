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
  return (value < 0 ? MINUS : "") + text;
}

/** "numbers × 10⁻⁶", or nothing for a unit of 1. */
function unitText(unit) {
  if (unit === 1) return "";
  const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  const exponent = Math.round(Math.log10(unit));
  const raised = [...String(Math.abs(exponent))].map((digit) => digits[digit]).join("");
  return `numbers × 10${exponent < 0 ? "⁻" : ""}${raised}`;
}

/** All digits that a float has. */
function formatFully(value) {
  if (!Number.isFinite(value)) return formatNumber(value);
  return String(Number(value.toPrecision(7))).replace(/-/g, MINUS);
}

/** In a product: negative factors in brackets. */
function factor(value) {
  return value < 0 ? "(" + formatNumber(value) + ")" : formatNumber(value);
}

function formatShape(shape) {
  return "[" + shape.join(", ") + "]";
}

/** #2166ac (−1) over #f7f7f7 (0) to #b35806 (+1). */
function heatColor(fraction) {
  const end = fraction < 0 ? [0x21, 0x66, 0xac] : [0xb3, 0x58, 0x06];
  const share = Math.min(1, Math.abs(fraction));
  const mix = end.map((part) => Math.round(0xf7 + (part - 0xf7) * share));
  return {css: `rgb(${mix.join(",")})`, isDark: share > 0.55};
}

/** The magnitude of full colour: the largest finite one. */
function colorLimit(data) {
  let limit = 0;
  for (const value of data) {
    if (Number.isFinite(value)) limit = Math.max(limit, Math.abs(value));
  }
  return limit === 0 ? 1 : limit;
}
