// What goes wrong. Everything is a DppError; `idempotencyKey` repeats the same run.

import type { Problem, ReasonCode, Run } from "./contract.js";

export class DppError extends Error {
  /** Of the run that was submitted, if one was: the same call with this key pays nothing twice. */
  idempotencyKey?: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A refusal of the API, or the reason of a run that failed (then `run` is the run). */
export class ApiProblem extends DppError {
  readonly reasonCode: ReasonCode;
  readonly retryWith: Problem["retry_with"];

  constructor(
    readonly problem: Problem,
    readonly run?: Run,
  ) {
    super(`${problem.reason_code}: ${problem.detail} ${problem.next_action}`);
    this.reasonCode = problem.reason_code;
    this.retryWith = problem.retry_with;
  }
}

/** No answer, after all repeats. */
export class ConnectionFailed extends DppError {}

/** An answer that is not the API's: a proxy's page, say. */
export class UnexpectedAnswer extends DppError {
  constructor(
    readonly status: number,
    text: string,
  ) {
    super(`The answer ${status} is not one of the API: ${text.slice(0, 200)}`);
  }
}

/** The time to wait is over. The run goes on: `client.wait(error.run.run_id)`. */
export class StillRunning extends DppError {
  constructor(readonly run: Run) {
    super(`The run ${run.run_id} is ${run.status}.`);
  }
}

/** The bytes are not what the platform issued. */
export class NotVerified extends DppError {}
