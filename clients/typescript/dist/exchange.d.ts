import { type DppError } from "./errors.js";
export interface Retries {
    attempts: number;
    firstPauseSec: number;
    /** Who is told to wait longer than this is given the error at once. */
    longestPauseSec: number;
}
export declare const DEFAULT_RETRIES: Retries;
export interface Request {
    method: string;
    url: string;
    headers: Record<string, string>;
    body?: string | Uint8Array<ArrayBuffer>;
    answerSec: number;
}
/** What `read` makes of the answer. `doneIfRepeated`: the refusal that a repeat meets whose first attempt got through;
 * the result is then undefined. */
export declare function exchange<T>(request: Request, retries: Retries, read: (response: Response) => Promise<T>, doneIfRepeated?: string): Promise<T | undefined>;
/** The JSON of an answer; undefined where there is none. */
export declare function asJson(response: Response): Promise<unknown>;
export declare function asBytes(response: Response): Promise<Uint8Array<ArrayBuffer>>;
export declare function pause(seconds: number): Promise<void>;
export declare function mayBeRepeated(error: DppError): boolean;
