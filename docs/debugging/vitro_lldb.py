"""Vitro in lldb: `command script import docs/debugging/vitro_lldb.py`.

The same lines as in gdb, `Tensor [2, 5, 8] min −1.2 max 0.9 mean 0.01`, and the command
`vt EXPR [grad]`. It reads memory only.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import vitro_memory  # noqa: E402  (beside this file)


def array_numbers(array, count):
    elements = array.GetChildAtIndex(0)
    if elements.GetNumChildren() < count:
        elements = array
    return [elements.GetChildAtIndex(i).GetValueAsSigned() for i in range(count)]


def tensor_numbers(tensor):
    tensor = tensor.GetNonSyntheticValue()
    shape = tensor.GetChildMemberWithName("shape_").GetNonSyntheticValue()
    rank = shape.GetChildMemberWithName("rank_").GetValueAsSigned(-1)
    if not 0 <= rank <= vitro_memory.MAX_RANK:
        raise vitro_memory.Unreadable("not initialised")
    sizes = array_numbers(shape.GetChildMemberWithName("sizes_").GetNonSyntheticValue(), rank)
    strides = array_numbers(tensor.GetChildMemberWithName("strides_").GetNonSyntheticValue(), rank)
    data = tensor.GetChildMemberWithName("data_")
    width = data.GetType().GetPointeeType().GetByteSize()

    def read(address, size):
        import lldb
        error = lldb.SBError()
        memory = tensor.GetProcess().ReadMemory(address, size, error)
        if not error.Success():
            raise vitro_memory.Unreadable("not in memory")
        return memory

    return vitro_memory.Numbers(sizes, strides, data.GetValueAsUnsigned(), width, read)


def node_of(variable):
    pointer = variable.GetNonSyntheticValue().GetChildMemberWithName("node_").GetNonSyntheticValue()
    for name in ("_M_ptr", "__ptr_"):
        raw = pointer.GetChildMemberWithName(name)
        if raw.IsValid():
            return raw.Dereference() if raw.GetValueAsUnsigned() else None
    return None


def tensor_summary(value, _):
    try:
        return "Tensor " + tensor_numbers(value).summary()
    except vitro_memory.Unreadable as error:
        return "<%s>" % error


def variable_summary(value, _):
    node = node_of(value)
    if node is None:
        return "Variable (undefined)"
    try:
        return "Variable " + tensor_numbers(node.GetChildMemberWithName("value")).summary()
    except vitro_memory.Unreadable as error:
        return "<%s>" % error


def vt(debugger, command, result, _):
    """vt EXPR | vt EXPR grad: a tensor as a table."""
    words = command.split()
    frame = debugger.GetSelectedTarget().GetProcess().GetSelectedThread().GetSelectedFrame()
    value = frame.GetValueForVariablePath(words[0]) if words else None
    if value is None or not value.IsValid():
        result.SetError("vt: name a Tensor or a Variable of this frame")
        return
    if value.GetNonSyntheticValue().GetChildMemberWithName("node_").IsValid():
        node = node_of(value)
        value = node.GetChildMemberWithName("grad" if "grad" in words[1:] else "value")
    try:
        result.AppendMessage(tensor_numbers(value).table())
    except vitro_memory.Unreadable as error:
        result.SetError("vt: %s" % error)


def __lldb_init_module(debugger, _):
    for name, function in (("Tensor", "tensor_summary"), ("Variable", "variable_summary")):
        debugger.HandleCommand('type summary add -x "^vitro::(float_scalar::|double_scalar::)?%s$" '
                               "-F vitro_lldb.%s" % (name, function))
    debugger.HandleCommand("command script add -f vitro_lldb.vt vt")
