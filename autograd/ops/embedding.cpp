// Rows of a table by id.
#include "tensor/select.h"

#include "autograd/ops.h"

namespace vitro {

Variable embedding(const Operand& table, const Indices& ids) {
  const Tensor y = embedding(table.value(), ids);
  return record("embedding", y, {table},
                [ids, count = table.size(0)](const Tensor& grad) -> Gradients {
                  return {embedding_backward(grad, ids, count)};
                },
                {{"ids", ids}});
}

}  // namespace vitro
