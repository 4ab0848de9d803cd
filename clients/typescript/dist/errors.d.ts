import type { Problem, ReasonCode, Run } from "./contract.js";
export declare class DppError extends Error {
    /** Of the run that was submitted, if one was: the same call with this key pays nothing twice. */
    idempotencyKey?: string;
    constructor(message: string, options?: ErrorOptions);
}
/** A refusal of the API, or the reason of a run that failed (then `run` is the run). */
export declare class ApiProblem extends DppError {
    readonly problem: Problem;
    readonly run?: Run | undefined;
    readonly reasonCode: ReasonCode;
    readonly retryWith: Problem["retry_with"];
    constructor(problem: Problem, run?: Run | undefined);
}
/** No answer, after all repeats. */
export declare class ConnectionFailed extends DppError {
}
/** An answer that is not the API's: a proxy's page, say. */
export declare class UnexpectedAnswer extends DppError {
    readonly status: number;
    constructor(status: number, text: string);
}
/** The time to wait is over. The run goes on: `client.wait(error.run.run_id)`. */
export declare class StillRunning extends DppError {
    readonly run: Run;
    constructor(run: Run);
}
/** The bytes are not what the platform issued. */
export declare class NotVerified extends DppError {
}
