"""The rubric table of the documentation: `python -m packs.evaluate.table` prints it."""

from packs.evaluate.rubric import MEANINGS, WEIGHTS


def rubric_table() -> str:
    rows = [f"| `{name}` | {WEIGHTS[name]} | {meaning} |" for name, meaning in MEANINGS.items()]
    return "\n".join(["| sub-score | weight | what it asks |", "|---|---|---|", *rows])


if __name__ == "__main__":
    print(rubric_table())
