"""Pure. Dataclasses that cannot be changed, made in a fraction of the time that the standard library takes.

It compiles six functions for every frozen class, and a hundred classes were a third of what `quorate list` took. To
compare, hash, show and refuse a change needs no code of its own, so here these are shared by all. `__init__` does, and
is compiled for a class that is used often: most are used once or never. It is used as `dataclasses.dataclass` is, and
whatever works on a dataclass (`fields`, `replace`, `asdict`, `match`, `copy`, `pickle`, `signature`) works on these.
Of some classes a deliberation makes hundreds: they are marked with `fast_init`.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from inspect import signature
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar, cast

__all__ = ["dataclass", "fast_init", "make_tuple"]

T = TypeVar("T")


class _MakesTuples(Protocol):
    def __call__(self, kind: type[T], values: tuple[object, ...], /) -> T: ...


make_tuple: Final[_MakesTuples] = cast("Any", tuple).__new__
"""A NamedTuple of its values, all of them, in half the time: its own way to be made is a function around this one."""

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, frozen: bool = False, eq: bool = True, init: bool = True, **other: bool) -> Any:  # noqa: ANN401 - a class as it came
        """As `dataclasses.dataclass`; what may be changed is made by that one alone."""
        if not (frozen and eq and init):
            return dataclasses.dataclass(frozen=frozen, eq=eq, init=init, **other)

        def made(cls: Any) -> Any:  # noqa: ANN401 - any class, and the same
            # The standard library would write its signature there, and to find that takes as long as ten classes.
            cls.__doc__ = cls.__doc__ or cls.__name__
            # The standard library lets only what is frozen inherit from what is, and compiles two functions for it.
            inherits = any(map(dataclasses.is_dataclass, cls.__mro__[1:]))
            bare = dataclasses.dataclass(init=False, eq=False, repr=False, frozen=inherits, **other)(cls)
            return _compared_by_value(_constructed_on_demand(bare if inherits else _unchangeable(bare)))

        return made


def _unchangeable(cls: Any) -> Any:  # noqa: ANN401 - any class, and the same
    """Refuses to set or delete what it has, and is copied and pickled all the same, as frozen dataclasses are."""
    names = frozenset(field.name for field in dataclasses.fields(cls))

    def set_(one: Any, name: str, value: object) -> None:  # noqa: ANN401 - any of them
        if type(one) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, one).__setattr__(name, value)

    def delete(one: Any, name: str) -> None:  # noqa: ANN401 - any of them
        if type(one) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, one).__delattr__(name)

    cls.__setattr__, cls.__delattr__ = set_, delete
    cls.__dataclass_params__.frozen = True
    if "__slots__" in vars(cls):
        cls.__getstate__, cls.__setstate__ = _get_state, _set_state
    return cls


def _get_state(one: Any) -> list[object]:  # noqa: ANN401 - any of them
    return [getattr(one, field.name) for field in dataclasses.fields(one)]


def _set_state(one: Any, state: list[object]) -> None:  # noqa: ANN401 - any of them
    for field, value in zip(dataclasses.fields(one), state, strict=True):
        object.__setattr__(one, field.name, value)


def _constructed_on_demand(cls: Any) -> Any:  # noqa: ANN401 - any class, and the same
    if "__init__" not in vars(cls):
        cls.__init__ = _Constructor(cls)
    return cls


class _Constructor:
    """Stands where `__init__` will stand, and fills in field by field as long as to compile one would cost more."""

    def __init__(self, cls: Any) -> None:  # noqa: ANN401 - any class
        self._cls = cls
        self._made = 0

    def __get__(self, one: object, owner: Any) -> Any:  # noqa: ANN401 - a function, bound or not
        self._made += 1
        if one is not None and self._made < _OFTEN:
            return partial(self._fill, one)
        return self._compiled().__get__(one, owner)

    def _compiled(self) -> Any:  # noqa: ANN401 - a function
        init = self._cls.__init__ = _init(self._cls)
        return init

    def _fill(self, one: Any, /, *args: object, **values: object) -> None:  # noqa: ANN401 - any of them
        if not self._is_filled(one, args, values):
            self._compiled()(one, *args, **values)
        elif hasattr(one, "__post_init__"):
            one.__post_init__()

    def _is_filled(self, one: object, args: Sequence[object], values: Mapping[str, object]) -> bool:
        """Fill it, unless these arguments do not fit: the compiled one says what is wrong with them."""
        whole = self._arguments.whole(args, values)
        if whole is None:
            return False
        for name in self._arguments.names:
            object.__setattr__(one, name, whole[name])
        return True

    @cached_property
    def _arguments(self) -> "_Arguments":
        return _Arguments(dataclasses.fields(self._cls))


_OFTEN: Final = 50
"""To compile one pays after a hundred or more: a command makes fewer of most, a host thousands."""


class _Arguments:
    """What `__init__` takes."""

    def __init__(self, fields: Sequence[dataclasses.Field[Any]]) -> None:
        self.names = {field.name: None for field in fields}
        taken = [field for field in fields if field.init]
        self._ordered = [field.name for field in taken if not field.kw_only]
        self._defaults = {field.name: field.default for field in taken if field.default is not dataclasses.MISSING}
        self._factories = {
            field.name: field.default_factory for field in taken if field.default_factory is not dataclasses.MISSING
        }

    def whole(self, args: Sequence[object], values: Mapping[str, object]) -> Mapping[str, object] | None:
        """Every field's value as `__init__` would set it; none if it would not take these arguments."""
        given = {**dict(zip(self._ordered, args, strict=False)), **values} if args else values
        whole = {**self._defaults, **given}
        for name, make in self._factories.items():
            if name not in given:
                whole[name] = make()
        fits = len(given) == len(args) + len(values) and whole.keys() == self.names.keys()
        return whole if fits else None


def _init(cls: Any) -> Any:  # noqa: ANN401 - any class, and a function
    """The standard library's own, of a class that has the same fields and is thrown away."""
    after = {"__post_init__": cls.__post_init__} if hasattr(cls, "__post_init__") else {}
    return _compile_init(cls, {field.name: field for field in dataclasses.fields(cls)}, after, frozen=True)


def _compile_init(
    cls: type, fields: Mapping[str, "dataclasses.Field[Any]"], after: Mapping[str, object], *, frozen: bool
) -> Any:  # noqa: ANN401 - a function
    body = {
        **fields,
        **after,
        "__annotations__": {name: field.type for name, field in fields.items()},
        "__doc__": "Without one, the standard library would write its signature there.",
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
    }
    model: Any = type(cls.__name__, (), body)
    return dataclasses.dataclass(frozen=frozen, eq=False, repr=False, match_args=False)(model).__init__


def fast_init(cls: type[T]) -> type[T]:
    """Of this class very many are made: a frozen dataclass with slots, from which nobody inherits.

    To set a field of what refuses it takes the standard library many times as long as to set one of what does not. So
    such an object is made and filled as one of a twin, a class with the same slots that refuses nothing, and is given
    its own class with the last field. The twin is made together with the class, and stands there for good.
    """
    if "__slots__" not in vars(cls) or hasattr(cls, "__post_init__"):
        raise TypeError(f"{cls.__name__} needs slots and no __post_init__ to be made fast")
    body = {name: vars(cls)[name] for name in _SHARED_BY_TWINS if name in vars(cls)}
    # By another name than `__class__`, of which no dataclass can have a field.
    bare = {"__setattr__": object.__setattr__, _GIVEN: vars(object)["__class__"]}
    twin: Any = type(cls.__name__, cls.__bases__, body | bare)
    twin.__init__ = _TwinConstructor(cls, twin)
    frozen: Any = cls
    frozen.__new__, frozen.__init__ = twin, object.__init__
    frozen.__init_subclass__ = classmethod(_refuse_heir)
    frozen.__reduce__, frozen.__signature__ = _reduced, _Signature()
    return cls


_SHARED_BY_TWINS: Final = ("__slots__", "__module__", "__qualname__", "__doc__", "__orig_bases__")
_WANTED: Final = "_wanted_class"
_GIVEN: Final = "_own_class"


class _TwinConstructor(_Constructor):
    """The same for a twin: it stands where `__new__` is looked for, so it is told first what is to be made."""

    def __init__(self, cls: Any, twin: Any) -> None:  # noqa: ANN401 - any class
        super().__init__(cls)
        self._twin = twin

    def _compiled(self) -> Any:  # noqa: ANN401 - a function
        init = self._twin.__init__ = _twin_init(self._cls)
        return init

    def _fill(self, one: Any, /, *args: object, **values: object) -> None:  # noqa: ANN401 - any of them
        if self._is_filled(one, args[1:], values):
            one.__class__ = self._cls
        else:
            self._compiled()(one, *args, **values)


def _twin_init(cls: Any) -> Any:  # noqa: ANN401 - any class, and a function
    """The standard library's own: what is asked for first is left alone, what is set last is the class."""
    wanted, given = dataclasses.field(), dataclasses.field(default=cls, kw_only=True)
    wanted.type, given.type = dataclasses.InitVar[type], type
    fields = {field.name: field for field in dataclasses.fields(cls)}
    return _compile_init(cls, {_WANTED: wanted, **fields, _GIVEN: given}, {}, frozen=False)


def _refuse_heir(cls: type, /, **_: object) -> None:
    raise TypeError(
        f"{cls.__name__} inherits from a class with a fast __init__, which makes objects of that class alone"
    )


def _reduced(one: Any) -> tuple[object, ...]:  # noqa: ANN401 - any of them
    """Copied and pickled as an empty object that is given its state."""
    return _empty, (type(one),), one.__getstate__()


def _empty(cls: type[T]) -> T:
    return object.__new__(cls)


class _Signature:
    """What such a class takes, worked out for whoever asks."""

    def __get__(self, one: object, owner: Any) -> Any:  # noqa: ANN401 - a signature
        taken = signature(_init(owner))
        return taken.replace(parameters=list(taken.parameters.values())[1:])


def _compared_by_value(cls: Any) -> Any:  # noqa: ANN401 - any class, and the same
    """Equal if all fields are, hashed by them and shown with them, as dataclasses are."""
    # One name more than fields: attrgetter gives a tuple only from two on.
    values = attrgetter("__class__", *(field.name for field in dataclasses.fields(cls) if field.compare))

    def equal(one: object, other: object) -> bool:
        return values(one) == values(other) if other.__class__ is one.__class__ else NotImplemented

    def hashed(one: object) -> int:
        return hash(values(one))

    for name, function in (("__eq__", equal), ("__hash__", hashed), ("__repr__", _shown)):
        if name not in vars(cls):
            setattr(cls, name, function)
    return cls


def _shown(one: Any) -> str:  # noqa: ANN401 - any of them
    fields = ((field.name, getattr(one, field.name)) for field in dataclasses.fields(one) if field.repr)
    return f"{type(one).__qualname__}({', '.join(f'{name}={value!r}' for name, value in fields)})"
