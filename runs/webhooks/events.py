"""What a webhook can be told of."""

RUN_COMPLETED = "run.completed"
RUN_FAILED = "run.failed"
BUDGET_LOW = "budget.low"
# Nobody asks for these: `POST /v1/webhooks/{id}/test` sends one.
TEST = "webhook.test"

CHOICES = (RUN_COMPLETED, RUN_FAILED, BUDGET_LOW)
EVENTS = (*CHOICES, TEST)
