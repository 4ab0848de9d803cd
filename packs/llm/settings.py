"""Which model, where, and within which limits. Built by the settings of the process, never read from here."""

from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

OutputLimitName = Literal["max_tokens", "max_completion_tokens"]
ResponseFormat = Literal["json_schema", "json_object", "text"]


@dataclass(frozen=True)
class LlmSettings:
    base_url: str
    model: str
    api_key: str = field(repr=False)
    timeout_sec: float = 30.0
    """For one call, all in all; the run's timebox may shorten it."""
    max_output_tokens: int = 2_000
    max_input_bytes: int = 120_000
    temperature: float | None = 0.0
    """None for models that accept no temperature."""
    output_limit_name: OutputLimitName = "max_tokens"
    """Endpoints disagree on the name; most know the older one."""
    response_format: ResponseFormat = "json_schema"
    """What the endpoint can be told about the answer's form. The prompt carries the schema in any case."""

    stream: bool = True
    """Ask for a text piece by piece where somebody listens. An endpoint that cannot is asked for the whole."""

    def __post_init__(self) -> None:
        address = urlsplit(self.base_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise ValueError("The model's base URL must be an http or https address.")
        if address.username or address.password:
            raise ValueError("The model's base URL must not carry credentials; give the key on its own.")
        if not self.model.strip():
            raise ValueError("The model needs a name.")
        if self.timeout_sec <= 0 or self.max_output_tokens <= 0 or self.max_input_bytes <= 0:
            raise ValueError("The model's limits must be positive.")
