// The client: every call of the contract by its name, and what takes more than one call.

import type {
  Artifact,
  Artifacts,
  Operations,
  PackInputs,
  Quote,
  Receipt,
  Reservation,
  Run,
  RunRequest,
  UploadRequest,
} from "./contract.js";
import { OPERATIONS } from "./contract.js";
import { ApiProblem, DppError, NotVerified, StillRunning, UnexpectedAnswer } from "./errors.js";
import { asBytes, asJson, DEFAULT_RETRIES, exchange, pause, type Retries } from "./exchange.js";
import { checkSha256, type Envelope, type Jwks, keyIdOf, sha256, verifyEnvelope } from "./verification.js";

const LONGEST_WAIT_SEC = 25;
const ANSWER_SEC = 30;
const LEAST_BETWEEN_POLLS_SEC = 1;
const ENDED: ReadonlySet<string> = new Set(["COMPLETED", "FAILED", "EXPIRED"]);

type Bytes = Uint8Array<ArrayBuffer>;

export interface ClientOptions {
  /** Such as https://api.example.com */
  baseUrl: string;
  apiKey: string;
  retries?: Partial<Retries>;
  /** Keys to trust. Without them those that the service publishes. */
  jwks?: Jwks;
}

export interface OrderOptions {
  /** The most it may cost, in US dollars, as text: "0.50". */
  maxCost: string;
  reservation?: Omit<Reservation, "max_cost_usd">;
  artifacts?: Artifacts;
}

export interface SubmitOptions extends OrderOptions {
  /** Names the run: the same key and the same order are the same run, paid once. Give one to go on after a crash. */
  key?: string;
  /** How long to wait for its end: at most 25 for a receipt, 600 by default for a result. */
  waitSec?: number;
}

export interface RunOptions extends SubmitOptions {
  /** Called with the run whenever it has moved. */
  onProgress?: (run: Run) => void;
}

/** A completed run with its verified envelope. */
export interface RunResult {
  run: Run;
  envelope: Envelope;
  /** The envelope as it was issued: kept, it can be verified at any time. */
  content: Bytes;
}

type Given<K extends keyof Operations> = {
  [Part in "path" | "query" | "headers"]?: Operations[K][Part];
} & { body?: Operations[K]["body"]; answerSec?: number; doneIfRepeated?: string };

export function newKey(): string {
  return `dpp-${crypto.randomUUID().replaceAll("-", "")}`;
}

export class Client {
  readonly #baseUrl: string;
  readonly #apiKey: string;
  readonly #retries: Retries;
  #jwks: Jwks | undefined;

  constructor({ baseUrl, apiKey, retries, jwks }: ClientOptions) {
    this.#baseUrl = baseUrl.replace(/\/+$/, "");
    this.#apiKey = apiKey;
    this.#retries = { ...DEFAULT_RETRIES, ...retries };
    this.#jwks = jwks;
  }

  /** Any call of the API, by its name in openapi.json. What may be repeated without paying twice is repeated. */
  async call<K extends keyof Operations>(name: K, given: Given<K> = {}): Promise<Operations[K]["answer"]> {
    const { method, path } = OPERATIONS[name];
    const filled = path.replace(/\{(\w+)\}/g, (_, each: string) => encodeURIComponent(String(member(given.path, each))));
    const query = new URLSearchParams();
    for (const [each, value] of Object.entries(given.query ?? {})) {
      if (value !== undefined) query.set(each, String(value));
    }
    const headers: Record<string, string> = { Authorization: `Bearer ${this.#apiKey}`, Accept: "application/json" };
    if (given.body !== undefined) headers["Content-Type"] = "application/json";
    const request = {
      method,
      url: `${this.#baseUrl}${filled}${query.size > 0 ? `?${query}` : ""}`,
      headers: { ...headers, ...(given.headers as Record<string, string> | undefined) },
      answerSec: given.answerSec ?? ANSWER_SEC,
      ...(given.body === undefined ? {} : { body: JSON.stringify(given.body) }),
    };
    return (await exchange(request, this.#retries, asJson, given.doneIfRepeated)) as Operations[K]["answer"];
  }

  /** Submit, wait until the run has ended, fetch and verify its result. A run that failed throws its ApiProblem. */
  async run<P extends keyof PackInputs>(pack: P, inputs: PackInputs[P], options: RunOptions): Promise<RunResult> {
    const { key = newKey(), waitSec = 600, onProgress } = options;
    const ends = now() + waitSec;
    const receipt = await this.submit(pack, inputs, { ...options, key, waitSec: onProgress ? 0 : waitSec });
    try {
      const wait = { waitSec: ends - now(), ...(onProgress ? { onProgress } : {}) };
      return await this.#resultOf(await this.#wait(receipt.run_id, receipt.run, wait));
    } catch (error) {
      throw withKey(error, key);
    }
  }

  /** The receipt alone; with `waitSec` it carries `run`, as far as that has got. */
  async submit<P extends keyof PackInputs>(pack: P, inputs: PackInputs[P], options: SubmitOptions): Promise<Receipt> {
    // Made once, before the first attempt: every repeat sends the same.
    const { key = newKey(), waitSec = 0 } = options;
    const wait = wholeWait(waitSec);
    const headers = { "Idempotency-Key": key, ...(wait > 0 ? { Prefer: `wait=${wait}` } : {}) };
    try {
      const body = order(pack, inputs, options);
      return await this.call("submitRun", { headers, body, answerSec: ANSWER_SEC + wait });
    } catch (error) {
      throw withKey(error, key);
    }
  }

  /** What this order would cost. Costs nothing. */
  quote<P extends keyof PackInputs>(pack: P, inputs: PackInputs[P], options: OrderOptions): Promise<Quote> {
    return this.call("makeQuote", { body: order(pack, inputs, options) });
  }

  /** The run, when it has ended. */
  wait(runId: string, options: { waitSec?: number; onProgress?: (run: Run) => void } = {}): Promise<Run> {
    return this.#wait(runId, undefined, options);
  }

  /** The verified result of a run that has ended. */
  async result(runId: string): Promise<RunResult> {
    const run = await this.call("getRun", { path: { run_id: runId } });
    if (!ENDED.has(run.status)) throw new StillRunning(run);
    return this.#resultOf(run);
  }

  /** A report of a result, its hash checked. */
  async download(artifact: Artifact): Promise<Bytes> {
    const content = await this.#download(artifact.presigned_url);
    await checkSha256(content, artifact.sha256);
    return content;
  }

  /** Puts a file where only you can read it, for a day. The result goes into the inputs: images: [upload]. */
  async upload(content: Bytes, name: string, mime: UploadRequest["mime"]): Promise<{ kind: "upload"; upload_id: string }> {
    const body = { name, mime, size: content.length, sha256: await sha256(content) };
    const { url, headers, method, upload_id } = await this.call("announceUpload", { body });
    // Without the API key: the address is of the object store.
    await exchange({ method, url, headers, body: content, answerSec: 10 * ANSWER_SEC }, this.#retries, asBytes);
    return { kind: "upload", upload_id };
  }

  /** Queued: at once and for free. Running: at its next step, for the minimum fee. */
  async cancel(runId: string): Promise<Run> {
    const path = { run_id: runId };
    const run = await this.call("cancelRun", { path, doneIfRepeated: "RUN_NOT_CANCELLABLE" });
    return (run as Run | undefined) ?? this.call("getRun", { path });
  }

  /** Inputs and result of a run that has ended, gone for good. */
  async delete(runId: string): Promise<void> {
    await this.call("deleteRun", { path: { run_id: runId }, doneIfRepeated: "RUN_EXPIRED" });
  }

  /** The envelope in these bytes, if this service signed it; otherwise NotVerified. */
  async verify(content: Bytes): Promise<Envelope> {
    const keyId = keyIdOf(content);
    if (this.#jwks === undefined || !this.#jwks.keys.some((key) => key["kid"] === keyId)) {
      this.#jwks = await this.call("getPublicKeys");
    }
    return verifyEnvelope(content, this.#jwks);
  }

  async #wait(
    runId: string,
    seen: Run | undefined,
    { waitSec = 600, onProgress }: { waitSec?: number; onProgress?: (run: Run) => void },
  ): Promise<Run> {
    const ends = now() + waitSec;
    let run = seen;
    while (run === undefined || !ENDED.has(run.status)) {
      const asked = now();
      if (run !== undefined && asked >= ends) throw new StillRunning(run);
      const wait = wholeWait(ends - asked);
      const query = wait > 0 ? { wait, until: onProgress ? ("change" as const) : ("end" as const) } : {};
      run = await this.call("getRun", { path: { run_id: runId }, query, answerSec: ANSWER_SEC + wait });
      onProgress?.(run);
      // A busy server does not hold the answer, and polls are counted.
      if (!ENDED.has(run.status)) await pause(Math.max(0, LEAST_BETWEEN_POLLS_SEC - (now() - asked)));
    }
    return run;
  }

  async #resultOf(ended: Run): Promise<RunResult> {
    if (ended.error) throw new ApiProblem(ended.error.problem, ended);
    let run = ended;
    let content: Bytes;
    try {
      content = await this.#download(linkOf(run).presigned_url);
    } catch (error) {
      if (!(error instanceof UnexpectedAnswer)) throw error;
      // The link has aged. A GET gives a fresh one.
      run = await this.call("getRun", { path: { run_id: run.run_id } });
      content = await this.#download(linkOf(run).presigned_url);
    }
    await checkSha256(content, linkOf(run).sha256);
    const envelope = await this.verify(content);
    if (envelope["run_id"] !== run.run_id) throw new NotVerified(`The envelope is not of the run ${run.run_id}.`);
    return { run, envelope, content };
  }

  async #download(url: string): Promise<Bytes> {
    // Without the API key: the address is of the object store.
    const request = { method: "GET", url, headers: {}, answerSec: 10 * ANSWER_SEC };
    return (await exchange(request, this.#retries, asBytes)) as Bytes;
  }
}

function order<P extends keyof PackInputs>(pack: P, inputs: PackInputs[P], options: OrderOptions): RunRequest {
  const { maxCost, reservation, artifacts } = options;
  return {
    pack_type: pack,
    inputs,
    reservation: { ...reservation, max_cost_usd: maxCost },
    ...(artifacts ? { artifacts } : {}),
  } as RunRequest;
}

function linkOf(run: Run): NonNullable<Run["result"]> {
  if (!run.result) throw new UnexpectedAnswer(200, `the run ${run.run_id} is ${run.status} and has no result`);
  return run.result;
}

function wholeWait(seconds: number): number {
  return Math.max(0, Math.min(LONGEST_WAIT_SEC, Math.trunc(seconds)));
}

function withKey(error: unknown, key: string): unknown {
  if (error instanceof DppError) error.idempotencyKey = key;
  return error;
}

function member(values: object | undefined, name: string): unknown {
  return (values as Record<string, unknown> | undefined)?.[name];
}

/** In seconds, by a clock that nobody sets. */
function now(): number {
  return performance.now() / 1000;
}
