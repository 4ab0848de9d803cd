"""The rule table of the documentation, from the rule files: `python -m tests.packs.compliance.rule_table` prints it."""

from packs.compliance.rules import AREAS, Rule, rulebook

_AREA_TITLES = {
    "ai": "AI labelling and transparency",
    "personal_data": "Personal data in the text",
    "data_handling": "Handling of personal data",
    "advertising": "Labelling and advertising",
    "health": "Health",
    "finance": "Finance",
    "commerce": "Commerce",
    "hiring": "Hiring",
    "copyright": "Copyright",
    "terms": "Terms of service",
}


def _row(rule: Rule) -> str:
    title = f"{rule.title.en} ({rule.title.ko})"
    return f"| `{rule.id}` | {title} | {rule.severity} | {', '.join(rule.kinds)} | {rule.basis.en} |"


def rule_table() -> str:
    blocks = []
    for area in AREAS:
        rows = [_row(rule) for rule in rulebook().rules if rule.area == area]
        head = f"### {_AREA_TITLES[area]}\n\n| rule | finds | severity | kinds | basis |\n|---|---|---|---|---|\n"
        blocks.append(head + "\n".join(rows))
    return "\n\n".join(blocks)


if __name__ == "__main__":
    print(rule_table())
