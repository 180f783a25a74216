# What `step` passes over: the standard library, and what only hands numbers on. So `next` is one
# line of the formula, and `step` is the operation in it.
skip -gfi /usr/include/c++/*/*
skip -gfi /usr/include/c++/*/bits/*
skip -gfi /usr/include/c++/*/ext/*
skip -gfi /usr/lib/llvm-*/include/c++/v1/*
skip -rfu ^std::
skip -rfu ^__gnu_cxx::
skip -rfu ^vitro::(float_scalar::|double_scalar::)?Operand::
skip -rfu ^vitro::(float_scalar::|double_scalar::)?Variable::(Variable|~Variable|operator=|value|shape|size|rank|item|node|requires_grad|is_defined|shared_node|variable)
skip -rfu ^vitro::(float_scalar::|double_scalar::)?Tensor::(Tensor|~Tensor|operator=|shape|strides|rank|size|data|element_count|strided_data)
skip -rfu ^vitro::(float_scalar::|double_scalar::)?Shape::
skip -rfu ^vitro::(float_scalar::|double_scalar::)?Storage::
skip -rfu ^vitro::context
