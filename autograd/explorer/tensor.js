// Arrays with a shape: {shape, data}, row-major. Recorded ones hold floats, computed ones doubles.
"use strict";

function elementCount(shape) {
  return shape.reduce((product, size) => product * size, 1);
}

function zeros(shape) {
  return {shape, data: new Float64Array(elementCount(shape))};
}

function scalar(value) {
  return {shape: [], data: Float64Array.of(value)};
}

function stridesOf(shape) {
  const strides = new Array(shape.length);
  let stride = 1;
  for (let axis = shape.length - 1; axis >= 0; --axis) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

/** The place of an index, or of its last entries where the tensor has fewer axes. */
function flatOf(shape, index) {
  let flat = 0;
  for (let axis = 0; axis < shape.length; ++axis) flat = flat * shape[axis] + index[axis];
  return flat;
}

/** The index of a place. */
function indexOf(shape, flat) {
  const index = new Array(shape.length);
  for (let axis = shape.length - 1; axis >= 0; --axis) {
    index[axis] = flat % shape[axis];
    flat = Math.floor(flat / shape[axis]);
  }
  return index;
}

/** An axis counted from the front. */
function frontAxis(axis, rank) {
  return axis < 0 ? axis + rank : axis;
}

/** The shape that a and b stretch to. */
function stretchedShape(a, b) {
  const rank = Math.max(a.length, b.length);
  const shape = [];
  for (let i = 1; i <= rank; ++i) {
    const sizeA = i <= a.length ? a[a.length - i] : 1;
    const sizeB = i <= b.length ? b[b.length - i] : 1;
    shape.unshift(sizeA === 1 ? sizeB : sizeA);
  }
  return shape;
}

/** For each place of `to`, the place of the stretched tensor of shape `from` that it shows. */
function stretchedPlaces(from, to) {
  const places = new Int32Array(elementCount(to));
  const strides = stridesOf(from);
  const skipped = to.length - from.length;
  for (let flat = 0; flat < places.length; ++flat) {
    let rest = flat;
    for (let axis = to.length - 1; axis >= skipped; --axis) {
      const position = rest % to[axis];
      rest = Math.floor(rest / to[axis]);
      if (from[axis - skipped] !== 1) places[flat] += position * strides[axis - skipped];
    }
  }
  return places;
}

/** The place that `flat` of `to` shows of a tensor of shape `from`. */
function stretchedPlace(from, to, flat) {
  const index = indexOf(to, flat).slice(to.length - from.length);
  return flatOf(from, index.map((position, axis) => (from[axis] === 1 ? 0 : position)));
}

function stretched(x, shape) {
  const places = stretchedPlaces(x.shape, shape);
  return {shape, data: Float64Array.from(places, (place) => x.data[place])};
}

/** The gradient of stretching: everything that came from one place adds up. */
function summedTo(x, shape) {
  const result = zeros(shape);
  const places = stretchedPlaces(shape, x.shape);
  for (let flat = 0; flat < places.length; ++flat) result.data[places[flat]] += x.data[flat];
  return result;
}

function mapped(x, f) {
  return {shape: x.shape, data: Float64Array.from(x.data, (value) => f(value))};
}

/** f of two tensors, stretched to one shape. */
function zipped(a, b, f) {
  const shape = stretchedShape(a.shape, b.shape);
  const fromA = stretchedPlaces(a.shape, shape);
  const fromB = stretchedPlaces(b.shape, shape);
  const result = zeros(shape);
  for (let flat = 0; flat < result.data.length; ++flat) {
    result.data[flat] = f(a.data[fromA[flat]], b.data[fromB[flat]]);
  }
  return result;
}

/** Which rows of x lie along an axis: calls row(places) with the places of each. */
function forEachRow(shape, axis, row) {
  const front = frontAxis(axis, shape.length);
  const stride = stridesOf(shape)[front];
  const size = shape[front];
  const total = elementCount(shape);
  for (let start = 0; start < total; ++start) {
    if (Math.floor(start / stride) % size !== 0) continue;
    row(Array.from({length: size}, (_, i) => start + i * stride));
  }
}

/** The places of the row along `axis` that holds `flat`. */
function rowThrough(shape, axis, flat) {
  const front = frontAxis(axis, shape.length);
  const stride = stridesOf(shape)[front];
  const start = flat - (Math.floor(flat / stride) % shape[front]) * stride;
  return Array.from({length: shape[front]}, (_, i) => start + i * stride);
}

/** The largest |a - b|; equal infinities and two NaN do not differ. */
function largestDifference(a, b) {
  let largest = 0;
  for (let i = 0; i < a.data.length; ++i) {
    const [x, y] = [a.data[i], b.data[i]];
    if (x === y || (Number.isNaN(x) && Number.isNaN(y))) continue;
    const difference = Math.abs(x - y);
    if (!(difference <= largest)) largest = Number.isNaN(difference) ? Infinity : difference;
  }
  return largest;
}
