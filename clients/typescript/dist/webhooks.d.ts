import type { WebhookMessage } from "./contract.js";
type Bytes = Uint8Array<ArrayBuffer>;
export interface WebhookCheck {
    /** `whsec_…`: told when the webhook was made. With `publicKey` too, either signature is enough. */
    secret?: string;
    /** `whpk_…`: for those who shall verify and not be able to sign. */
    publicKey?: string;
    /** How old, or how far in the future, a message may be. 300 unless told. */
    toleranceSec?: number;
    /** Seconds since 1970, for tests. */
    now?: number;
}
/**
 * The message in these bytes, exactly as they came in. NotVerified if it is forged, changed, or too old or too new.
 *
 * A message may come twice: keep the header `webhook-id` of those that you have handled.
 */
export declare function verifyWebhook(body: Bytes, headers: Headers | Readonly<Record<string, string | string[] | undefined>>, check: WebhookCheck): Promise<WebhookMessage>;
export {};
