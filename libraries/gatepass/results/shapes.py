"""What a run's output is held against before anything is made of it: a file may be damaged."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, FiniteFloat, TypeAdapter

Scalar = str | bool | int | FiniteFloat | None


def _moment(text: Any) -> Any:
    """Any other would be found only where it is shown."""
    datetime.fromisoformat(text)
    return text


Moment = Annotated[str, BeforeValidator(_moment)]
"""As ISO 8601 writes it."""


class _Group(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow")
    __pydantic_extra__: dict[str, Scalar]


class _Order(_Group):
    __pydantic_extra__: dict[str, Scalar | list[Scalar] | dict[str, Scalar | list[Scalar]]]
    order: str = ""
    customer: str = ""
    tier: str = ""
    service_level: str | None = None
    language: str | None = None
    options: dict[str, bool] = {}
    shaper: dict[str, Scalar] | None = None


class _Gateway(_Group):
    serial: str = ""
    model: str = ""
    version: str = ""
    vcpus: int | None = None
    memory_mb: int | None = None


class _Profile(_Group):
    name: str = ""
    sampling: str = ""
    confidence: float = 0.95
    min_trials: int = 1
    max_trials: int = 1
    trial_s: float = 0
    omit_s: float = 0
    budget_s: float = 0


class _Endpoint(_Group):
    kernel: str = ""
    iperf3: str = ""
    cpus: int | None = None
    clock_offset_s: FiniteFloat | None = None


class _Testbed(_Group):
    name: str = ""


class _Source(_Group):
    pass


class _Published(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")
    sources: dict[str, _Source] = {}
    references: list[dict[str, Scalar | dict[str, Any]]] = []


class _Shaper(_Group):
    __pydantic_extra__: dict[str, Scalar | list[int]]


class _Settings(BaseModel):
    shapers: list[_Shaper] = []


class Facts(BaseModel):
    """Of a run; any may be missing where it ended early."""

    model_config = ConfigDict(strict=True, extra="allow")

    run_id: str = ""
    started: Moment = ""
    gatepass: str = ""
    order: _Order = _Order()
    tier: dict[str, Scalar | list[int]] = {}
    profile: _Profile = _Profile()
    testbed: _Testbed | None = None
    gateway: _Gateway | None = None
    gateway_settings: _Settings = _Settings()
    endpoints: dict[str, _Endpoint] = {}
    plan: list[list[str]] = []
    published: _Published = _Published()
    robot_arguments: list[str] = []


@cache
def _adapter(kind: type) -> TypeAdapter:
    return TypeAdapter(kind)


def held_against(kind: type, content: Mapping[str, Any]) -> Any:
    """Content as a dataclass or model of this type.

    Raises:
        ValueError: it is not of that type.
    """
    return _adapter(kind).validate_python(content)


def as_json(content: Any) -> Any:
    """A dataclass or model as JSON's own types; `held_against` reads it back."""
    return _adapter(type(content)).dump_python(content, mode="json")
