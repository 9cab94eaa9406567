"""A section of settings behaves as the frozen value it is."""

from __future__ import annotations

import copy
import pickle

import pytest

from core.base.config.settings import Section, setting


class Lamp(Section):
    """A lamp."""

    colour: str = setting("Its colour.", default="white", choices=("white", "red"))
    watts: int = setting("How bright.", default=7, least=1, most=100)


def test_what_is_not_given_has_its_default() -> None:
    assert (Lamp().colour, Lamp().watts) == ("white", 7)
    assert Lamp("red") == Lamp(colour="red", watts=7) == Lamp().changed(colour="red")
    assert Lamp(watts=9).as_dict() == {"colour": "white", "watts": 9}
    assert repr(Lamp("red")) == "Lamp(colour='red', watts=7)"


@pytest.mark.parametrize(("given", "named"), [((), {"height": 3}), (("red", 7, 9), {}), (("red",), {"colour": "red"})])
def test_what_is_no_setting_of_it_is_refused(given: tuple[str | int, ...], named: dict[str, str | int]) -> None:
    with pytest.raises(TypeError, match="Lamp has colour, watts"):
        Lamp(*given, **named)  # pyright: ignore[reportArgumentType, reportCallIssue]


def test_it_never_changes_and_equal_ones_are_one() -> None:
    lamp = Lamp()
    with pytest.raises(AttributeError):
        lamp.watts = 8  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(AttributeError):
        del lamp.watts  # pyright: ignore[reportAttributeAccessIssue]
    assert len({lamp, Lamp(), Lamp("red")}) == 2
    assert copy.deepcopy(lamp) == pickle.loads(pickle.dumps(lamp)) == lamp


def test_what_can_be_set_is_known_of_the_class() -> None:
    assert list(Lamp.specs) == ["colour", "watts"]
    assert Lamp.specs["watts"].about == "How bright."
    assert (Lamp.specs["watts"].least, Lamp.specs["watts"].most) == (1, 100)
