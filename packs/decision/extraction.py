"""The first call of a language model: it sees the sentences that code could not read, and points at what they say.

Nothing else of the material is sent: the names of options and criteria, and the residue. Bounded in sentences and
characters; the answer is typed proposals, which `proposals` takes apart.
"""

from packs.base import JsonObject, PackContext
from packs.decision.proposals import NO_PROPOSALS, Proposals, accepted
from packs.decision.residue import Sentence, unread_sentences
from packs.decision.run_state import Outcome
from packs.llm import Model, Prompt, ask

MAX_SENTENCES = 60
MAX_SENTENCE_CHARS = 600
MAX_CHARS = 16_000
MAX_PROPOSALS = 40

_CITED: JsonObject = {
    "type": "object",
    "additionalProperties": False,
    "required": ["pointer", "quote"],
    "properties": {
        "pointer": {"type": "string", "maxLength": 1_000},
        "quote": {"type": "string", "minLength": 1, "maxLength": 400},
    },
}
_NAME: JsonObject = {"type": "string", "maxLength": 200}

PROPOSALS_SCHEMA: JsonObject = {
    "type": "object",
    "additionalProperties": False,
    "required": ["proposals"],
    "properties": {
        "proposals": {
            "type": "array",
            "maxItems": MAX_PROPOSALS,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["kind", "pointer", "quote"],
                "properties": {
                    "kind": {"enum": ["option", "cell", "constraint", "weight", "alias", "contradiction"]},
                    "pointer": _CITED["properties"]["pointer"],
                    "quote": _CITED["properties"]["quote"],
                    "option": _NAME,
                    "criterion": _NAME,
                    "than": _NAME,
                    "name": _NAME,
                    "subject": _NAME,
                    "rule": {"enum": ["at_most", "at_least", "before", "after", "required", "forbidden", "excluded"]},
                    "terms": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": 6,
                        "items": {**_CITED, "properties": {**_CITED["properties"], "times": _CITED}},
                    },
                },
            },
        }
    },
}

_TASK = (
    "The sentences under `sentences` could not be read by a program. Say what they state, as proposals. Each proposal "
    "quotes the exact words of one sentence and gives its pointer. Kinds: `cell`: the words that give an option's "
    "value on a criterion, the figure alone and nothing else, with `option` and `criterion`; where the value is a sum, "
    "`terms` cites each figure, with `times` for how often it is paid. `constraint`: words that bind every option, "
    "with `rule` and `subject`, one of the attributes; or rule `excluded` with an option as subject. `weight`: that "
    "`criterion` counts so many times as much as the criterion `than`. `alias`: another `name` for an `option`. "
    "`contradiction`: a second value for an option and a criterion. `option`: the `name` of something to choose "
    "between, only where `options` is empty. Use the names as they are given. Wishes are no constraints. Do not "
    "judge, score, rank, compute or recommend; leave out what the sentences do not say."
)


def extract(outcome: Outcome, model: Model, context: PackContext) -> tuple[Proposals, int]:
    """What the model read and code accepted, and the tokens it took. Nothing unread: no call. Raises `Unanswered`."""
    # A yes or no follows from rules and facts that code holds against each other: there is no cell to fill.
    shown = _bounded(unread_sentences(outcome)) if outcome.frame != "yes_no" else []
    if not shown:
        return NO_PROPOSALS, 0
    prompt = Prompt(
        name="proposals",
        task=_TASK,
        data={
            "question": outcome.brief.question,
            "options": [option.name for option in outcome.brief.options],
            "criteria": [criterion.name for criterion in outcome.brief.criteria],
            "attributes": outcome.table.book.attributes,
            "sentences": [{"pointer": each.pointer, "text": each.text} for each in shown],
        },
        schema=PROPOSALS_SCHEMA,
    )
    answer = ask(model, prompt, context, lambda value: ())
    return accepted(answer.value["proposals"], outcome, shown), answer.tokens


def _bounded(sentences: list[Sentence]) -> list[Sentence]:
    kept: list[Sentence] = []
    chars = 0
    for each in sentences:
        if len(each.text) > MAX_SENTENCE_CHARS:
            continue
        chars += len(each.text)
        if chars > MAX_CHARS or len(kept) == MAX_SENTENCES:
            break
        kept.append(each)
    return kept
