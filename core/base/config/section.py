"""A section of settings: a class whose attributes say what can be set, with meaning, default and bounds.

Not a dataclass: there are many sections, every start makes them all, and a dataclass takes long to make.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, NoReturn, Self, dataclass_transform

Value = str | int | float | bool


class Spec(NamedTuple):
    """What can be set: its default, its meaning, and the values it may have. `paths`: several, separated as in PATH."""

    default: Value
    about: str
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    paths: bool = False


def setting(
    about: str,
    *,
    default: Value,
    least: float | None = None,
    most: float | None = None,
    choices: tuple[str, ...] = (),
    paths: bool = False,
) -> Any:
    """One setting of a section."""
    return Spec(default, about, least, most, choices, paths)


@dataclass_transform(frozen_default=True, field_specifiers=(setting,))
class Section:
    """The values of a section's settings; what is not given has its default. They never change."""

    specs: ClassVar[Mapping[str, Spec]]

    def __init_subclass__(cls) -> None:
        cls.specs = {name: spec for name, spec in vars(cls).items() if isinstance(spec, Spec)}

    def __init__(self, *values: Value, **named: Value) -> None:
        given = {**dict(zip(self.specs, values, strict=False)), **named}
        if len(given) < len(values) + len(named) or not given.keys() <= self.specs.keys():
            raise TypeError(f"{type(self).__name__} has {', '.join(self.specs)}")
        self.__dict__.update({name: given.get(name, spec.default) for name, spec in self.specs.items()})

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be taken away")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    def changed(self, **named: Value) -> Self:
        """The same values but for those named."""
        return type(self)(**{**vars(self), **named})

    def as_dict(self) -> dict[str, Value]:
        """The values by name."""
        return dict(vars(self))
