// How optimizers move a parameter: nn/optim/.
"use strict";

const OPTIMIZERS = {
  adam: {
    formula: "kept · w − step size · m / (√v · correction + ε)",
    forward: (before, grad, a) => ({
      shape: before.shape,
      data: Float64Array.from(before.data, (w, i) => a.kept * w - a.step_size *
          a.first_moment.data[i] /
          (Math.sqrt(a.second_moment.data[i]) * a.inverse_sqrt_correction + a.epsilon)),
    }),
    explain: (w, i, a) => `${formatNumber(a.kept)}·${factor(w)} − ${formatNumber(a.step_size)} · ` +
        `${factor(a.first_moment.data[i])} / ` +
        `(√${formatNumber(a.second_moment.data[i])} · ${formatNumber(a.inverse_sqrt_correction)}` +
        ` + ${formatNumber(a.epsilon)})`,
  },
  sgd: {
    formula: "w − learning rate · velocity",
    forward: (before, grad, a) => ({
      shape: before.shape,
      data: Float64Array.from(before.data,
                              (w, i) => w - a.learning_rate * a.velocity.data[i]),
    }),
    explain: (w, i, a) => `${factor(w)} − ${formatNumber(a.learning_rate)} · ` +
                          factor(a.velocity.data[i]),
  },
};
