"""A second device, made in Python: what fails on a GPU for its device fails here too.

A tensor on it holds its numbers in a tensor of the CPU and says that it is elsewhere.
Operations that mix it with tensors of the CPU are refused as on CUDA, and what CUDA
permits is permitted: numbers without axes, indices, lengths for packing. It computes
what the CPU computes, so values can be compared exactly.

It can stand for Apple's MPS too, which has no float64, and no operation beyond those
that `native_functions.yaml` names for it.

The interface for devices in Python is private to torch, and recent: see `available`.
"""

import contextlib
import re
from functools import cache, partial
from pathlib import Path

import torch
import torchgen
from torch.overrides import TorchFunctionMode
from torch.utils import backend_registration
from torch.utils._python_dispatch import TorchDispatchMode, return_and_correct_aliasing

NAME = "second"
aten = torch.ops.aten
# What CUDA takes from the CPU: copies, and the indices of a lookup by tensors
CROSS = {aten._to_copy, aten.copy_, aten.set_, aten._pin_memory}
INDEXED = {aten.index, aten.index_put_, aten._index_put_impl_, aten._unsafe_index,
           aten.index_put}
PACKING = {aten._pack_padded_sequence, aten._pack_padded_sequence_backward,
           aten._pad_packed_sequence}


OPERATIONS = (Path(torchgen.__file__).parent
              / "packaged/ATen/native/native_functions.yaml")
ON_MPS = {"MPS", "CompositeImplicitAutograd", "CompositeExplicitAutograd",
          "CompositeExplicitAutogradNonFunctional"}
apple = False    # whether the device stands for Apple's MPS


def available():
    """Whether this torch lets a device be written in Python."""
    return hasattr(backend_registration, "_setup_privateuseone_for_python_backend")


@cache
def on_mps():
    """Names of the operations that run on MPS, composites among them.

    raises FileNotFoundError where torch does not bring their list
    """
    kernels, delegates = {}, {}
    for entry in re.split(r"^- func: ", OPERATIONS.read_text(), flags=re.M)[1:]:
        name = entry[:entry.index("(")]
        keys = ", ".join(re.findall(r"^    (\w[\w, ]*):", entry, re.M)).split(", ")
        kernels[name] = keys == [""] or not ON_MPS.isdisjoint(keys)
        if delegate := re.search(r"^  structured_delegate: (\S+)", entry, re.M):
            delegates[name] = delegate[1]
    return {f"aten::{name}" for name in kernels
            if kernels[delegates.get(name, name)]}


class There(torch.Tensor):
    """A tensor on the second device; `here` is the tensor of the CPU behind it."""

    @staticmethod
    def __new__(cls, here):
        return torch.Tensor._make_wrapper_subclass(
            cls, here.shape, strides=here.stride(), dtype=here.dtype,
            device=f"{NAME}:0", storage_offset=here.storage_offset())

    def __init__(self, here):
        refuse_float64(here)
        self.here = here

    def __repr__(self):
        return f"{self.here!r} on {NAME}"

    # As torch's own, which are not for classes such as this
    def tolist(self):
        return self.here.tolist()

    def __format__(self, wanted):
        return format(self.here, wanted)

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        return computed(function, args, kwargs or {})


def computed(function, args, kwargs):
    """What an operation gives, computed on the CPU; RuntimeError if devices are mixed.

    its result is on the device that it names, or else on that of its tensors
    """
    packet = function.overloadpacket
    tensors = [part for part in leaves((args, kwargs))
               if isinstance(part, torch.Tensor)]
    named = kwargs.get("device")
    elsewhere = any(isinstance(part, There) for part in tensors)
    if elsewhere:
        refuse_mixed(function, args, kwargs, tensors)
    if packet in PLAIN:
        found = PLAIN[packet](*here((args, kwargs))[0])
    else:
        if apple and (elsewhere or is_there(named)):
            refuse_on_mps(function)
        inner = here((args, kwargs))
        if is_there(named):
            inner[1]["device"] = "cpu"
            elsewhere = True
        elif named is not None:
            elsewhere = False
        if isinstance(inner[1].get("generator"), torch._C.Generator):
            refuse_chance(elsewhere)
        found = function(*inner[0], **inner[1])
    if packet is aten.copy_:
        elsewhere = isinstance(args[0], There)
    if packet in CROSS and any(isinstance(part, There) for part in tensors):
        refuse_float64(found)    # nor does it leave MPS as float64
    if not elsewhere:
        return found
    if packet is aten._pack_padded_sequence:
        return There(found[0]), found[1]
    found = mapped(torch.Tensor, There, found)
    if not aliasing(function):
        return found
    return return_and_correct_aliasing(function, args, kwargs, found)


def is_there(device):
    """Whether a device, or its name, or None, is the second one."""
    return device is not None and torch.device(device).type == NAME


@cache
def aliasing(function):
    """Whether what an operation gives may share its memory with what it takes."""
    return any(part.alias_info for part in function._schema.arguments)


def mapped(kind, change, parts):
    """Lists, tuples and dicts in each other, with every part of a kind changed."""
    if isinstance(parts, kind):
        return change(parts)
    if isinstance(parts, (list, tuple)):
        return type(parts)([mapped(kind, change, part) for part in parts])
    if isinstance(parts, dict):
        return {name: mapped(kind, change, part) for name, part in parts.items()}
    return parts


def leaves(parts):
    """What lists, tuples and dicts in each other hold."""
    if isinstance(parts, (list, tuple)):
        return [leaf for part in parts for leaf in leaves(part)]
    if isinstance(parts, dict):
        return leaves(list(parts.values()))
    return [parts]


def here(parts):
    """The same with tensors of the CPU."""
    return mapped(There, lambda part: part.here, parts)


class Chance(torch.Generator):
    """A generator of random numbers, on the CPU or on the second device."""

    def __new__(cls, device="cpu"):
        made = super().__new__(cls)
        made.place = torch.device(NAME, 0) if is_there(device) else torch.device(device)
        return made

    @property
    def device(self):
        return self.place


class Draws(TorchFunctionMode):
    """Keeps where the generator of a call is: below, torch makes new objects of it."""
    chance = None

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        Draws.chance = getattr(kwargs.get("generator"), "place", None)
        return function(*args, **kwargs)


def refuse_chance(elsewhere):
    """Raises RuntimeError if the generator is not where the numbers are to be drawn."""
    if is_there(Draws.chance) != elsewhere:
        wanted, found = (NAME, "cpu") if elsewhere else ("cpu", NAME)
        raise RuntimeError(f"Expected a '{wanted}' device type for generator but found "
                           f"'{found}'")


def refuse_on_mps(function):
    """Raises NotImplementedError for an operation that Apple's MPS lacks."""
    name = function.name()
    if name.startswith("aten::") and name not in on_mps():
        raise NotImplementedError(f"The operator '{name}' is not currently implemented "
                                  "for the MPS device")


def refuse_float64(*tensors):
    """Raises TypeError for numbers of 64 bits that are not whole, as MPS does."""
    if apple and any(one.dtype in (torch.float64, torch.complex128) for one in tensors):
        raise TypeError("Cannot convert a MPS Tensor to float64 dtype as the MPS "
                        "framework doesn't support float64. Please use float32 instead")


def refuse_mixed(function, args, kwargs, tensors):
    """Raises RuntimeError for tensors of both devices, as CUDA does."""
    packet = function.overloadpacket
    if packet in CROSS:
        return
    if packet in INDEXED:
        tensors = [args[0], *args[2:3]]
    strange = [part for part in tensors if isinstance(part, torch.Tensor)
               and not isinstance(part, There) and (part.dim() or not scalars(packet))]
    if packet is aten._pack_padded_sequence and isinstance(args[1], There):
        raise RuntimeError("'lengths' argument should be a 1D CPU int64 tensor")
    if packet in PACKING:    # lengths stay on the CPU
        strange = [part for part in strange if part.dtype != torch.int64]
    if strange:
        raise RuntimeError(
            "Expected all tensors to be on the same device, but found at least two "
            f"devices, {NAME} and cpu! (in {function})")


def scalars(packet):
    """Whether an operation takes a number without axes from the CPU."""
    return packet not in (aten.cat, aten.stack, aten.mm, aten.bmm, aten.addmm,
                          aten.embedding, aten.gather, aten.index_select)


# What the CPU has no kernel of its own for: the cells of RNNs on other devices. MPS
# goes another way there, so that nothing is missing.
# No gradient is asked of torch here, since a way back may not start another

def lstm_cell(from_input, from_state, cell, bias_ih=None, bias_hh=None):
    """State, cell, and the gates for the way back."""
    gates = from_input + from_state
    if bias_ih is not None:
        gates = gates + bias_ih + bias_hh
    put, keep, new, out = gates.chunk(4, dim=-1)
    gates = torch.cat([put.sigmoid(), keep.sigmoid(), new.tanh(), out.sigmoid()], -1)
    put, keep, new, out = gates.chunk(4, dim=-1)
    cell = keep * cell + put * new
    return out * cell.tanh(), cell, gates


def lstm_cell_backward(grad_state, grad_cell, before, after, gates, has_bias):
    """Gradients of gates, of the cell before, and of a bias."""
    put, keep, new, out = gates.chunk(4, dim=-1)
    grad_state = torch.zeros_like(after) if grad_state is None else grad_state
    grad = grad_state * out * (1 - after.tanh() ** 2)
    grad = grad if grad_cell is None else grad + grad_cell
    gates = torch.cat([grad * new * put * (1 - put), grad * before * keep * (1 - keep),
                       grad * put * (1 - new ** 2),
                       grad_state * after.tanh() * out * (1 - out)], dim=-1)
    return gates, grad * keep, gates.sum(0) if has_bias else None


def gru_cell(from_input, from_state, state, bias_ih=None, bias_hh=None):
    """The state, and what the way back needs."""
    if bias_ih is not None:
        from_input, from_state = from_input + bias_ih, from_state + bias_hh
    reset, keep, new = from_input.chunk(3, dim=-1)
    reset_state, keep_state, new_state = from_state.chunk(3, dim=-1)
    reset, keep = (reset + reset_state).sigmoid(), (keep + keep_state).sigmoid()
    new = (new + reset * new_state).tanh()
    kept = torch.cat([reset, keep, new, state, new_state], dim=-1)
    return (1 - keep) * new + keep * state, kept


def gru_cell_backward(grad, kept, has_bias):
    """Gradients of both parts of the gates, of the state, and of two biases."""
    reset, keep, new, state, new_state = kept.chunk(5, dim=-1)
    of_keep = grad * (state - new) * keep * (1 - keep)
    of_new = grad * (1 - keep) * (1 - new ** 2)
    of_reset = of_new * new_state * reset * (1 - reset)
    one = torch.cat([of_reset, of_keep, of_new], dim=-1)
    two = torch.cat([of_reset, of_keep, of_new * reset], dim=-1)
    return one, two, grad * keep, *(
        (one.sum(0), two.sum(0)) if has_bias else (None, None))


def attention_choice(*args, **kwargs):
    """The plain product: the second device has no fused attention."""
    return 0


PLAIN = {    # instead of the CPU's
         aten._thnn_fused_lstm_cell: lstm_cell,
         aten._thnn_fused_lstm_cell_backward_impl: lstm_cell_backward,
         aten._thnn_fused_gru_cell: gru_cell,
         aten._thnn_fused_gru_cell_backward: gru_cell_backward,
         aten._fused_sdp_choice: attention_choice}


def make(name, *args, **kwargs):
    """An empty tensor on the second device."""
    packet, _, overload = name.partition(".")
    kwargs["device"] = "cpu"
    kwargs.pop("pin_memory", None)
    return There(getattr(getattr(aten, packet), overload or "default")(*args, **kwargs))


def copy_from(source, target, non_blocking=False):
    """Copies between devices, or on this one; returns the target."""
    refuse_float64(source, target)
    here(target).copy_(here(source))
    return target


class Makes(TorchDispatchMode):
    """While it is on, tensors can be made on the second device and sent there."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if is_there(kwargs.get("device")) or any(
                isinstance(part, There) for part in leaves((args, kwargs))):
            return computed(function, args, kwargs)
        if isinstance(kwargs.get("generator"), torch._C.Generator):
            refuse_chance(False)
        return function(*args, **kwargs)


# In autocast, products are made in the smaller type, as on CUDA and MPS
PRODUCTS = "linear", "matmul", "mm", "bmm", "addmm", "baddbmm"


def smaller(operation, *args):
    """What a product gives of inputs in the type of autocast."""
    kind = torch.get_autocast_dtype(NAME)
    with torch._C._ExcludeDispatchKeyGuard(
            torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastPrivateUse1)):
        return operation(*mapped(torch.Tensor, lambda part: part.to(kind), args))


class Module(backend_registration._DummyBackendModule):
    """What torch asks a device for: its number, and the types of autocast."""

    def get_amp_supported_dtype(self):
        return [torch.float16, torch.bfloat16]

    def synchronize(self, device=None):
        pass

    def get_rng_state(self, device=None):
        return torch.get_rng_state()

    def set_rng_state(self, state, device=None):
        torch.set_rng_state(state)


def swapping(convert):
    """How a module goes to another device: parameters are swapped, so that what is tied
    stays tied. They are not while it loads weights, which others may hold too."""
    def converted(module, *args, **kwargs):
        before = torch.__future__.get_swap_module_params_on_conversion()
        torch.__future__.set_swap_module_params_on_conversion(True)
        try:
            return convert(module, *args, **kwargs)
        finally:
            torch.__future__.set_swap_module_params_on_conversion(before)

    return converted


@contextlib.contextmanager
def present(mps=False):
    """The second device, in a process that has no other and makes no model before.

    mps: it stands for Apple's MPS; needs the list of operations that torch brings
    """
    global apple
    apple = mps and bool(on_mps())
    backend_registration._setup_privateuseone_for_python_backend(
        NAME, backend_module=Module())
    # a number that is set into a tensor is made where no mode looks
    library = torch.library.Library("aten", "IMPL")
    for name in ("empty_strided", "empty.memory_format"):
        library.impl(name, partial(make, name), "PrivateUse1")
    library.impl("_copy_from", copy_from, "PrivateUse1")
    for name in PRODUCTS:
        library.impl(name, partial(smaller, getattr(aten, name)), "AutocastPrivateUse1")
    rest = torch.library.Library("_", "IMPL")
    rest.fallback(torch.library.fallthrough_kernel, "AutocastPrivateUse1")
    torch.Generator = Chance
    torch.nn.Module._apply = swapping(torch.nn.Module._apply)
    with Makes(), Draws():
        yield torch.device(f"{NAME}:0")
