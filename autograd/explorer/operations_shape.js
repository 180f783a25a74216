// Operations that move numbers: autograd/ops/shape.cpp.
"use strict";

const allPlaces = (shape) => Int32Array.from({length: elementCount(shape)}, (_, i) => i);

/** Places of an input whose axis order[i] became axis i. */
function permutedPlaces(from, order) {
  const to = order.map((axis) => from[axis]);
  const strides = stridesOf(from);
  return Int32Array.from({length: elementCount(to)}, (_, flat) => {
    const index = indexOf(to, flat);
    return index.reduce((place, position, i) => place + position * strides[order[i]], 0);
  });
}

function swappedOrder(rank, {axis_a, axis_b}) {
  const order = Array.from({length: rank}, (_, axis) => axis);
  const [a, b] = [frontAxis(axis_a, rank), frontAxis(axis_b, rank)];
  [order[a], order[b]] = [order[b], order[a]];
  return order;
}

/** A shape that keeps what it had where a reshape's sizes do not fit an edited input. */
const reshaping = moving((x, {shape}) => `${x} as ${formatShape(shape)}`, "G, reshaped back",
                         (from, {shape}) => shape, (from) => allPlaces(from));

function unsqueezedShape(shape, {axis}) {
  const at = axis < 0 ? axis + shape.length + 1 : axis;
  return [...shape.slice(0, at), 1, ...shape.slice(at)];
}

function narrowedPlaces(from, to, {axis, start}) {
  const strides = stridesOf(from);
  return Int32Array.from({length: elementCount(to)}, (_, flat) => {
    const index = indexOf(to, flat);
    index[frontAxis(axis, from.length)] += start;
    return index.reduce((place, position, i) => place + position * strides[i], 0);
  });
}

function gatheredPlaces(from, to, {axis, ids}) {
  return Int32Array.from({length: elementCount(to)}, (_, flat) => {
    const index = indexOf(to, flat);
    index[frontAxis(axis, from.length)] = ids.values[flat];
    return flatOf(from, index);
  });
}

define({
  reshape: reshaping,
  view: reshaping,
  transpose: moving((x) => x + "ᵀ", "Gᵀ",
                    (from, a) => swappedOrder(from.length, a).map((axis) => from[axis]),
                    (from, to, a) => permutedPlaces(from, swappedOrder(from.length, a))),
  permute: moving((x, {order}) => `${x} with axes ${order.join(", ")}`, "G, permuted back",
                  (from, {order}) => order.map((axis) => from[axis]),
                  (from, to, {order}) => permutedPlaces(from, order)),
  narrow: moving((x, {axis, start, length}) => `${x}, entries ${start} to ${start + length - 1} ` +
                                               `of axis ${axis}`,
                 "G into the same region, 0 elsewhere",
                 (from, {axis, length}) => from.map((size, i) => (i === frontAxis(axis, from.length)
                                                                    ? length : size)),
                 narrowedPlaces),
  broadcast_to: moving((x, {shape}) => `${x} stretched to ${formatShape(shape)}`,
                       "sum of G over what was stretched",
                       (from, {shape}) => shape, (from, to) => stretchedPlaces(from, to)),
  unsqueeze: moving((x, {axis}) => `${x} with a new axis ${axis}`, "G without that axis",
                    unsqueezedShape, (from) => allPlaces(from)),
  squeeze: moving((x, {axis}) => `${x} without axis ${axis}`, "G with that axis",
                  (from, {axis}) => from.filter((_, i) => i !== frontAxis(axis, from.length)),
                  (from) => allPlaces(from)),
  gather: moving((x, {axis}) => `${x}[ids] along axis ${axis}`, "G added up by id",
                 (from, {ids}) => ids.shape, gatheredPlaces),
});

/** Parts one after the other along an axis: for each place of the result, the part and its place. */
function joinedPlace(shapes, out, axis, flat) {
  const index = indexOf(out, flat);
  let part = 0;
  while (index[axis] >= shapes[part][axis]) index[axis] -= shapes[part++][axis];
  return [part, flatOf(shapes[part], index)];
}

function joining(formula, shapesFor) {
  const place = (ins, out, flat, {axis}) => joinedPlace(shapesFor(ins, axis), out.shape, axis, flat);
  return {
    formula,
    rule: "the parts of G",
    forward: (ins, attributes) => {
      const shapes = shapesFor(ins, attributes.axis);
      const shape = [...shapes[0]];
      shape[attributes.axis] = shapes.reduce((sum, each) => sum + each[attributes.axis], 0);
      const result = zeros(shape);
      for (let flat = 0; flat < result.data.length; ++flat) {
        const [part, from] = place(ins, result, flat, attributes);
        result.data[flat] = ins[part].data[from];
      }
      return result;
    },
    backward: (ins, out, grad, attributes) => {
      const grads = ins.map((input) => zeros(input.shape));
      for (let flat = 0; flat < grad.data.length; ++flat) {
        const [part, from] = place(ins, out, flat, attributes);
        grads[part].data[from] += grad.data[flat];
      }
      return grads;
    },
    explain: (ins, out, flat, attributes) => {
      const [part, from] = place(ins, out, flat, attributes);
      return {text: `from part ${part + 1} of ${ins.length}`, terms: [], reads: [[part, [from]]]};
    },
  };
}

define({
  cat: joining((names, {axis}) => `${names.join(", ")} joined along axis ${axis}`,
               (ins) => ins.map((input) => input.shape)),
  stack: joining((names, {axis}) => `${names.join(", ")} stacked along a new axis ${axis}`,
                 (ins, axis) => ins.map(({shape}) => [...shape.slice(0, axis), 1,
                                                       ...shape.slice(axis)])),
});
