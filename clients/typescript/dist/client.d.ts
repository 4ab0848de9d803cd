import type { Artifact, Artifacts, Operations, PackInputs, Quote, Receipt, Reservation, Run, UploadRequest } from "./contract.js";
import { type Retries } from "./exchange.js";
import { type Envelope, type Jwks } from "./verification.js";
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
} & {
    body?: Operations[K]["body"];
    answerSec?: number;
    doneIfRepeated?: string;
};
export declare function newKey(): string;
export declare class Client {
    #private;
    constructor({ baseUrl, apiKey, retries, jwks }: ClientOptions);
    /** Any call of the API, by its name in openapi.json. What may be repeated without paying twice is repeated. */
    call<K extends keyof Operations>(name: K, given?: Given<K>): Promise<Operations[K]["answer"]>;
    /** Submit, wait until the run has ended, fetch and verify its result. A run that failed throws its ApiProblem. */
    run<P extends keyof PackInputs>(pack: P, inputs: PackInputs[P], options: RunOptions): Promise<RunResult>;
    /** The receipt alone; with `waitSec` it carries `run`, as far as that has got. */
    submit<P extends keyof PackInputs>(pack: P, inputs: PackInputs[P], options: SubmitOptions): Promise<Receipt>;
    /** What this order would cost. Costs nothing. */
    quote<P extends keyof PackInputs>(pack: P, inputs: PackInputs[P], options: OrderOptions): Promise<Quote>;
    /** The run, when it has ended. */
    wait(runId: string, options?: {
        waitSec?: number;
        onProgress?: (run: Run) => void;
    }): Promise<Run>;
    /** The verified result of a run that has ended. */
    result(runId: string): Promise<RunResult>;
    /** A report of a result, its hash checked. */
    download(artifact: Artifact): Promise<Bytes>;
    /** Puts a file where only you can read it, for a day. The result goes into the inputs: images: [upload]. */
    upload(content: Bytes, name: string, mime: UploadRequest["mime"]): Promise<{
        kind: "upload";
        upload_id: string;
    }>;
    /** Queued: at once and for free. Running: at its next step, for the minimum fee. */
    cancel(runId: string): Promise<Run>;
    /** Inputs and result of a run that has ended, gone for good. */
    delete(runId: string): Promise<void>;
    /** The envelope in these bytes, if this service signed it; otherwise NotVerified. */
    verify(content: Bytes): Promise<Envelope>;
}
export {};
