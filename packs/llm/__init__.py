"""The optional language model: one question with its data in, checked JSON out, every token metered.

A pack takes the model from `context.services["llm"]` (a `Model`), describes what it wants as a `Prompt`,
and calls `ask`. It gets an `ModelAnswer` that passed the pack's checks, or `Unanswered` with a reason; it then
goes its own way. Only `packs.llm.openai_client` knows the vendor's client; nothing here reads the
environment.
"""

from packs.llm.ask import ModelAnswer, Prompt, ask
from packs.llm.model import Completion, Model, ModelAnswers, Unanswered, Why
from packs.llm.settings import LlmSettings
from packs.llm.telling import ToldField

__all__ = [
    "Completion",
    "LlmSettings",
    "Model",
    "ModelAnswer",
    "ModelAnswers",
    "Prompt",
    "ToldField",
    "Unanswered",
    "Why",
    "ask",
]
