// One request and its repeats. Repeated is only what the API calls repeatable with the same key, and what got no answer.

import type { Problem } from "./contract.js";
import { ApiProblem, ConnectionFailed, type DppError, UnexpectedAnswer } from "./errors.js";

export interface Retries {
  attempts: number;
  firstPauseSec: number;
  /** Who is told to wait longer than this is given the error at once. */
  longestPauseSec: number;
}

export const DEFAULT_RETRIES: Retries = { attempts: 6, firstPauseSec: 0.5, longestPauseSec: 60 };

export interface Request {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  answerSec: number;
}

const PASSING_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);

/** What `read` makes of the answer. `doneIfRepeated`: the refusal that a repeat meets whose first attempt got through;
 * the result is then undefined. */
export async function exchange<T>(
  request: Request,
  retries: Retries,
  read: (response: Response) => Promise<T>,
  doneIfRepeated?: string,
): Promise<T | undefined> {
  let maybeDone = false;
  for (let attempt = 0; ; attempt += 1) {
    let failure: DppError;
    try {
      return await read(await send(request));
    } catch (error) {
      failure = asFailure(error, request);
    }
    if (maybeDone && failure instanceof ApiProblem && failure.reasonCode === doneIfRepeated) return undefined;
    maybeDone ||= mayBeRepeated(failure);
    const pauseSec = pauseBefore(failure, attempt, retries);
    if (pauseSec === undefined) throw failure;
    await pause(pauseSec);
  }
}

/** The JSON of an answer; undefined where there is none. */
export async function asJson(response: Response): Promise<unknown> {
  if (!response.ok) throw await refusal(response);
  if (response.status === 204) return undefined;
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new UnexpectedAnswer(response.status, "it is not JSON");
  }
}

export async function asBytes(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  if (response.status !== 200) throw new UnexpectedAnswer(response.status, await response.text());
  return new Uint8Array(await response.arrayBuffer());
}

export function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

export function mayBeRepeated(error: DppError): boolean {
  if (error instanceof ApiProblem) return error.problem.retryable && error.retryWith === "same_key";
  if (error instanceof UnexpectedAnswer) return PASSING_STATUSES.has(error.status) || error.status < 300;
  return error instanceof ConnectionFailed;
}

function send(request: Request): Promise<Response> {
  const { method, headers, body, answerSec } = request;
  const signal = AbortSignal.timeout(answerSec * 1000);
  return fetch(request.url, { method, headers, signal, redirect: "manual", ...(body === undefined ? {} : { body }) });
}

async function refusal(response: Response): Promise<DppError> {
  const text = await response.text();
  if (response.headers.get("Content-Type")?.split(";")[0] === "application/problem+json") {
    try {
      const document: unknown = JSON.parse(text);
      if (document !== null && typeof document === "object" && "reason_code" in document) {
        return new ApiProblem(document as Problem);
      }
    } catch {
      // told below as what it is
    }
  }
  return new UnexpectedAnswer(response.status, text);
}

function asFailure(error: unknown, request: Request): DppError {
  if (error instanceof ApiProblem || error instanceof UnexpectedAnswer) return error;
  // Without what follows the question mark: a presigned address is a secret for ten minutes.
  const where = `${request.method} ${request.url.split("?")[0]}`;
  return new ConnectionFailed(`${where}: ${String(error)}`, { cause: error });
}

/** Undefined: there is no next attempt. */
function pauseBefore(error: DppError, attempt: number, retries: Retries): number | undefined {
  if (attempt + 1 >= retries.attempts || !mayBeRepeated(error)) return undefined;
  const told = error instanceof ApiProblem ? (error.problem.retry_after_sec ?? 0) : 0;
  if (told > retries.longestPauseSec) return undefined;
  const grown = retries.firstPauseSec * 2 ** attempt * (0.5 + Math.random() / 2);
  return Math.min(Math.max(grown, told), retries.longestPauseSec);
}
