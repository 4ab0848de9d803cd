"""What must be true of every key's budget: I8, as SQL over all budgets or some of them.

Rows as those of `run_checks`. The sums are read from the index of runs by budget: they cost what a budget has bought.
"""

from runs.access.key_budgets import TRUTH
from runs.lifecycle.run_checks import RunCheck

ALL_BUDGETS = "true"
BUDGETS_AFTER = "budget.budget_id = ANY(%(budget_ids)s)"
BUDGETS_OF_THESE_RUNS = """
    budget.budget_id IN (
        SELECT unnest(used.lineage) FROM runs r JOIN key_budgets used ON used.budget_id = r.key_budget_id
        WHERE r.run_id = ANY(%(run_ids)s))
"""

KEY_BUDGETS = RunCheck(
    "I8",
    "spent + held <= limit of every key, and both are what its runs and those of the keys below it say",
    # By differences: they stay the same while work goes on.
    f"""
    SELECT budget.tenant_id, 'key budget ' || budget.budget_id,
           format('held is %%s micros from its runs, spent %%s; %%s micros above the limit',
                  to_char(held_usd_micros - truth.held, 'SG999999999999999990'),
                  to_char(spent_usd_micros - truth.spent, 'SG999999999999999990'),
                  greatest(held_usd_micros + spent_usd_micros - max_total_usd_micros, 0)), true
    FROM key_budgets AS budget CROSS JOIN LATERAL ({TRUTH}) AS truth
    WHERE {{scope}} AND (held_usd_micros <> truth.held OR spent_usd_micros <> truth.spent
                       OR held_usd_micros + spent_usd_micros > max_total_usd_micros)
    """,  # noqa: S608 (our own text)
)
