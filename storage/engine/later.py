"""Rooms that are opened when somebody first goes in: a list of sessions must not wait for what only writers need."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


class Room:
    """A module that is imported by the first call of one of its functions, not before."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, function: str) -> Later:
        return Later(self._name, function)


class Later:
    """A function of a room, to stand in a class as a method; it gives way to the function itself when it is used."""

    def __init__(self, module: str, function: str) -> None:
        self._module = module
        self._function = function
        self._as = function

    def __set_name__(self, owner: type, name: str) -> None:
        self._as = name

    def __get__(self, instance: object, owner: type) -> Any:
        function = self._load()
        # Another thread may have been quicker.
        for holder in owner.__mro__:
            if vars(holder).get(self._as) is self:
                setattr(holder, self._as, function)
        return function if instance is None else function.__get__(instance, owner)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._load()(*arguments, **named)

    def _load(self) -> Callable[..., Any]:
        function: Callable[..., Any] = getattr(import_module(self._module), self._function)
        return function
