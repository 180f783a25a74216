"""Vitro in gdb: `gdb -x docs/debugging/vitro_gdb.py --args build/debug/examples/03_train_reverse`.

Tensors, Variables and Shapes print as one line, with rows and gradients as children that editors
unfold. `vt EXPR`, `vt EXPR grad`, `vt diff A B` and `vt save EXPR FILE.npy` show and compare. It
reads memory only and never calls the program. It also loads skip.gdb, so that `step` goes from a
line of mathematics into the operation and not into the standard library.
"""
import os
import sys

import gdb
import gdb.printing

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import vitro_memory  # noqa: E402  (beside this file)

MAX_CHILDREN = 64


def read_memory(address, size):
    try:
        return gdb.selected_inferior().read_memory(address, size)
    except (gdb.MemoryError, OverflowError, ValueError) as error:
        raise vitro_memory.Unreadable("not in memory") from error


def array_numbers(array, count):
    """The first entries of a std::array<Index, …>."""
    elements = array[array.type.fields()[0]]
    return [int(elements[i]) for i in range(count)]


def shape_sizes(shape):
    rank = int(shape["rank_"])
    if not 0 <= rank <= vitro_memory.MAX_RANK:
        raise vitro_memory.Unreadable("not initialised")
    return array_numbers(shape["sizes_"], rank)


def tensor_numbers(tensor):
    sizes = shape_sizes(tensor["shape_"])
    strides = array_numbers(tensor["strides_"], len(sizes))
    data = tensor["data_"]
    width = data.type.strip_typedefs().target().strip_typedefs().sizeof
    return vitro_memory.Numbers(sizes, strides, int(data), width, read_memory)


def shared_target(pointer):
    """What a std::shared_ptr points to, of libstdc++ or libc++; None where it is null."""
    for name in ("_M_ptr", "__ptr_"):
        try:
            raw = pointer[name]
        except gdb.error:
            continue
        return None if int(raw) == 0 else raw.dereference()
    raise vitro_memory.Unreadable("unknown standard library")


def text_of(pointer):
    """A C string, or nothing."""
    return "" if int(pointer) == 0 else pointer.string("utf-8", "replace", length=80).split("\0")[0]


def one_line(read):
    """What `read` returns, or why it could not: a printer must survive anything."""
    try:
        return read()
    except (vitro_memory.Unreadable, gdb.error, UnicodeError, ValueError, OverflowError) as error:
        return "<%s>" % error


class ShapePrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return one_line(lambda: "[" + ", ".join(map(str, shape_sizes(self.value))) + "]")


def tensor_rows(tensor):
    """Children: real arrays where the numbers lie together, so that editors show them."""
    numbers = tensor_numbers(tensor)
    if not numbers.sizes or numbers.count() == 0:
        return
    numbers.values(1)  # Unreadable where the memory is not there
    data = tensor["data_"]
    row = data.type.target()
    for size in reversed(numbers.sizes[1:]):
        row = row.array(size - 1)
    whole = vitro_memory.Numbers(numbers.sizes[1:], numbers.strides[1:], 0, 4, read_memory)
    if not whole.is_contiguous():
        yield "strides", str(numbers.strides)
        return
    for i in range(min(numbers.sizes[0], MAX_CHILDREN)):
        yield "[%d]" % i, (data + i * numbers.strides[0]).cast(row.pointer()).dereference()


class TensorPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return one_line(lambda: "Tensor " + tensor_numbers(self.value).summary())

    def children(self):
        try:
            yield from tensor_rows(self.value)
        except (vitro_memory.Unreadable, gdb.error):
            return


class VariablePrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return one_line(self._line)

    def _line(self):
        node = shared_target(self.value["node_"])
        if node is None:
            return "Variable (undefined)"
        name = str(node["name"]).strip('"')
        operation = text_of(node["operation"])
        origin = " = %s(…)" % operation if operation else ""
        title = " '%s'" % name if name else ""
        return "Variable%s%s %s" % (title, origin, tensor_numbers(node["value"]).summary())

    def children(self):
        try:
            node = shared_target(self.value["node_"])
            if node is None:
                return
            yield "value", node["value"]
            if node["has_grad"]:
                yield "grad", node["grad"]
            yield "requires_grad", node["requires_grad"]
            if int(node["file"]) != 0:
                yield "called at", "%s:%d" % (text_of(node["file"]), int(node["line"]))
        except (vitro_memory.Unreadable, gdb.error):
            return


def printers():
    collection = gdb.printing.RegexpCollectionPrettyPrinter("vitro")
    for name, printer in (("Tensor", TensorPrinter), ("Variable", VariablePrinter),
                          ("Shape", ShapePrinter)):
        collection.add_printer(name, "^vitro::(float_scalar::|double_scalar::)?%s$" % name, printer)
    return collection


def numbers_of(expression, wants_gradient=False):
    """The numbers of an expression that is a Tensor, a Variable or an Operand."""
    value = gdb.parse_and_eval(expression)
    if value.type.strip_typedefs().code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        value = value.referenced_value()
    elif value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
        value = value.dereference()
    is_class = value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT
    fields = {field.name for field in value.type.strip_typedefs().fields()} if is_class else set()
    if "variable_" in fields:
        value = value["variable_"]
        fields = {"node_"}
    if "node_" in fields:
        node = shared_target(value["node_"])
        if node is None:
            raise gdb.GdbError("vt: %s is an undefined Variable" % expression)
        if wants_gradient and not node["has_grad"]:
            raise gdb.GdbError("vt: %s has no gradient (yet)" % expression)
        value = node["grad" if wants_gradient else "value"]
    elif wants_gradient:
        raise gdb.GdbError("vt: %s is no Variable; only they have gradients" % expression)
    elif "data_" not in fields:
        raise gdb.GdbError("vt: %s is no Tensor and no Variable" % expression)
    return tensor_numbers(value)


class VtCommand(gdb.Command):
    """Show tensors: vt EXPR | vt EXPR grad | vt diff A B | vt save EXPR FILE.npy"""

    def __init__(self):
        super().__init__("vt", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        try:
            print(self._answer(words))
        except vitro_memory.Unreadable as error:
            raise gdb.GdbError("vt: %s" % error)

    def _answer(self, words):
        if len(words) == 3 and words[0] == "diff":
            return vitro_memory.difference_text(numbers_of(words[1]), numbers_of(words[2]))
        if len(words) == 3 and words[0] == "save":
            data = numbers_of(words[1]).npy()
            with open(words[2], "wb") as file:
                file.write(data)
            return "saved in %s" % words[2]
        if len(words) == 2 and words[1] == "grad":
            return numbers_of(words[0], wants_gradient=True).table()
        if len(words) == 1:
            return numbers_of(words[0]).table()
        raise gdb.GdbError(self.__doc__)


gdb.printing.register_pretty_printer(None, printers(), replace=True)
VtCommand()
gdb.execute("source %s" % os.path.join(HERE, "skip.gdb"))
gdb.execute("set print max-depth 0")  # one line a tensor; `print -max-depth 2 -- x` unfolds it
