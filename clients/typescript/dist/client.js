// The client: every call of the contract by its name, and what takes more than one call.
import { OPERATIONS } from "./contract.js";
import { ApiProblem, DppError, NotVerified, StillRunning, UnexpectedAnswer } from "./errors.js";
import { asBytes, asJson, DEFAULT_RETRIES, exchange, pause } from "./exchange.js";
import { checkSha256, keyIdOf, sha256, verifyEnvelope } from "./verification.js";
const LONGEST_WAIT_SEC = 25;
const ANSWER_SEC = 30;
const LEAST_BETWEEN_POLLS_SEC = 1;
const ENDED = new Set(["COMPLETED", "FAILED", "EXPIRED"]);
export function newKey() {
    return `dpp-${crypto.randomUUID().replaceAll("-", "")}`;
}
export class Client {
    #baseUrl;
    #apiKey;
    #retries;
    #jwks;
    constructor({ baseUrl, apiKey, retries, jwks }) {
        this.#baseUrl = baseUrl.replace(/\/+$/, "");
        this.#apiKey = apiKey;
        this.#retries = { ...DEFAULT_RETRIES, ...retries };
        this.#jwks = jwks;
    }
    /** Any call of the API, by its name in openapi.json. What may be repeated without paying twice is repeated. */
    async call(name, given = {}) {
        const { method, path } = OPERATIONS[name];
        const filled = path.replace(/\{(\w+)\}/g, (_, each) => encodeURIComponent(String(member(given.path, each))));
        const query = new URLSearchParams();
        for (const [each, value] of Object.entries(given.query ?? {})) {
            if (value !== undefined)
                query.set(each, String(value));
        }
        const headers = { Authorization: `Bearer ${this.#apiKey}`, Accept: "application/json" };
        if (given.body !== undefined)
            headers["Content-Type"] = "application/json";
        const request = {
            method,
            url: `${this.#baseUrl}${filled}${query.size > 0 ? `?${query}` : ""}`,
            headers: { ...headers, ...given.headers },
            answerSec: given.answerSec ?? ANSWER_SEC,
            ...(given.body === undefined ? {} : { body: JSON.stringify(given.body) }),
        };
        return (await exchange(request, this.#retries, asJson, given.doneIfRepeated));
    }
    /** Submit, wait until the run has ended, fetch and verify its result. A run that failed throws its ApiProblem. */
    async run(pack, inputs, options) {
        const { key = newKey(), waitSec = 600, onProgress } = options;
        const ends = now() + waitSec;
        const receipt = await this.submit(pack, inputs, { ...options, key, waitSec: onProgress ? 0 : waitSec });
        try {
            const wait = { waitSec: ends - now(), ...(onProgress ? { onProgress } : {}) };
            return await this.#resultOf(await this.#wait(receipt.run_id, receipt.run, wait));
        }
        catch (error) {
            throw withKey(error, key);
        }
    }
    /** The receipt alone; with `waitSec` it carries `run`, as far as that has got. */
    async submit(pack, inputs, options) {
        // Made once, before the first attempt: every repeat sends the same.
        const { key = newKey(), waitSec = 0 } = options;
        const wait = wholeWait(waitSec);
        const headers = { "Idempotency-Key": key, ...(wait > 0 ? { Prefer: `wait=${wait}` } : {}) };
        try {
            const body = order(pack, inputs, options);
            return await this.call("submitRun", { headers, body, answerSec: ANSWER_SEC + wait });
        }
        catch (error) {
            throw withKey(error, key);
        }
    }
    /** What this order would cost. Costs nothing. */
    quote(pack, inputs, options) {
        return this.call("makeQuote", { body: order(pack, inputs, options) });
    }
    /** The run, when it has ended. */
    wait(runId, options = {}) {
        return this.#wait(runId, undefined, options);
    }
    /** The verified result of a run that has ended. */
    async result(runId) {
        const run = await this.call("getRun", { path: { run_id: runId } });
        if (!ENDED.has(run.status))
            throw new StillRunning(run);
        return this.#resultOf(run);
    }
    /** A report of a result, its hash checked. */
    async download(artifact) {
        const content = await this.#download(artifact.presigned_url);
        await checkSha256(content, artifact.sha256);
        return content;
    }
    /** Puts a file where only you can read it, for a day. The result goes into the inputs: images: [upload]. */
    async upload(content, name, mime) {
        const body = { name, mime, size: content.length, sha256: await sha256(content) };
        const { url, headers, method, upload_id } = await this.call("announceUpload", { body });
        // Without the API key: the address is of the object store.
        await exchange({ method, url, headers, body: content, answerSec: 10 * ANSWER_SEC }, this.#retries, asBytes);
        return { kind: "upload", upload_id };
    }
    /** Queued: at once and for free. Running: at its next step, for the minimum fee. */
    async cancel(runId) {
        const path = { run_id: runId };
        const run = await this.call("cancelRun", { path, doneIfRepeated: "RUN_NOT_CANCELLABLE" });
        return run ?? this.call("getRun", { path });
    }
    /** Inputs and result of a run that has ended, gone for good. */
    async delete(runId) {
        await this.call("deleteRun", { path: { run_id: runId }, doneIfRepeated: "RUN_EXPIRED" });
    }
    /** The envelope in these bytes, if this service signed it; otherwise NotVerified. */
    async verify(content) {
        const keyId = keyIdOf(content);
        if (this.#jwks === undefined || !this.#jwks.keys.some((key) => key["kid"] === keyId)) {
            this.#jwks = await this.call("getPublicKeys");
        }
        return verifyEnvelope(content, this.#jwks);
    }
    async #wait(runId, seen, { waitSec = 600, onProgress }) {
        const ends = now() + waitSec;
        let run = seen;
        while (run === undefined || !ENDED.has(run.status)) {
            const asked = now();
            if (run !== undefined && asked >= ends)
                throw new StillRunning(run);
            const wait = wholeWait(ends - asked);
            const query = wait > 0 ? { wait, until: onProgress ? "change" : "end" } : {};
            run = await this.call("getRun", { path: { run_id: runId }, query, answerSec: ANSWER_SEC + wait });
            onProgress?.(run);
            // A busy server does not hold the answer, and polls are counted.
            if (!ENDED.has(run.status))
                await pause(Math.max(0, LEAST_BETWEEN_POLLS_SEC - (now() - asked)));
        }
        return run;
    }
    async #resultOf(ended) {
        if (ended.error)
            throw new ApiProblem(ended.error.problem, ended);
        let run = ended;
        let content;
        try {
            content = await this.#download(linkOf(run).presigned_url);
        }
        catch (error) {
            if (!(error instanceof UnexpectedAnswer))
                throw error;
            // The link has aged. A GET gives a fresh one.
            run = await this.call("getRun", { path: { run_id: run.run_id } });
            content = await this.#download(linkOf(run).presigned_url);
        }
        await checkSha256(content, linkOf(run).sha256);
        const envelope = await this.verify(content);
        if (envelope["run_id"] !== run.run_id)
            throw new NotVerified(`The envelope is not of the run ${run.run_id}.`);
        return { run, envelope, content };
    }
    async #download(url) {
        // Without the API key: the address is of the object store.
        const request = { method: "GET", url, headers: {}, answerSec: 10 * ANSWER_SEC };
        return (await exchange(request, this.#retries, asBytes));
    }
}
function order(pack, inputs, options) {
    const { maxCost, reservation, artifacts } = options;
    return {
        pack_type: pack,
        inputs,
        reservation: { ...reservation, max_cost_usd: maxCost },
        ...(artifacts ? { artifacts } : {}),
    };
}
function linkOf(run) {
    if (!run.result)
        throw new UnexpectedAnswer(200, `the run ${run.run_id} is ${run.status} and has no result`);
    return run.result;
}
function wholeWait(seconds) {
    return Math.max(0, Math.min(LONGEST_WAIT_SEC, Math.trunc(seconds)));
}
function withKey(error, key) {
    if (error instanceof DppError)
        error.idempotencyKey = key;
    return error;
}
function member(values, name) {
    return values?.[name];
}
/** In seconds, by a clock that nobody sets. */
function now() {
    return performance.now() / 1000;
}
