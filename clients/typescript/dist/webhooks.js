// Whether a message that came in was sent by the platform, and lately (Standard Webhooks).
import { NotVerified } from "./errors.js";
import { base64Bytes } from "./verification.js";
const utf8 = new TextEncoder();
const MAX_TIME_DIGITS = 14;
/**
 * The message in these bytes, exactly as they came in. NotVerified if it is forged, changed, or too old or too new.
 *
 * A message may come twice: keep the header `webhook-id` of those that you have handled.
 */
export async function verifyWebhook(body, headers, check) {
    if (!check.secret && !check.publicKey)
        throw new TypeError("verifyWebhook needs the webhook's secret or its public key.");
    const id = header(headers, "webhook-id");
    const timestamp = header(headers, "webhook-timestamp");
    const given = header(headers, "webhook-signature");
    checkTime(timestamp, check.toleranceSec ?? 300, check.now ?? Date.now() / 1000);
    const start = utf8.encode(`${id}.${timestamp}.`);
    const signed = new Uint8Array(start.length + body.length);
    signed.set(start);
    signed.set(body, start.length);
    if (!(await anyIsGood(given, signed, check)))
        throw new NotVerified("No signature of the message is of this webhook.");
    try {
        return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    }
    catch (error) {
        throw new NotVerified(`The message is not JSON: ${String(error)}`);
    }
}
function header(headers, name) {
    const found = headers instanceof Headers
        ? headers.get(name)
        : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
    if (typeof found !== "string")
        throw new NotVerified(`The header ${name} is missing.`);
    return found;
}
function checkTime(timestamp, toleranceSec, now) {
    if (!/^[0-9]+$/.test(timestamp) || timestamp.length > MAX_TIME_DIGITS) {
        throw new NotVerified("The header webhook-timestamp is no time.");
    }
    if (Math.abs(now - Number(timestamp)) > toleranceSec) {
        throw new NotVerified(`The message was sent more than ${toleranceSec} seconds ago, or is from the future.`);
    }
}
/** While a secret is rotated there are several; those of versions that we do not know are passed over. */
async function anyIsGood(given, signed, check) {
    const secret = check.secret && (await imported(key(check.secret, "whsec_"), { name: "HMAC", hash: "SHA-256" }));
    const publicKey = check.publicKey && (await imported(key(check.publicKey, "whpk_"), { name: "Ed25519" }));
    for (const one of given.split(" ")) {
        const comma = one.indexOf(",");
        const signature = comma < 0 ? undefined : base64Bytes(one.slice(comma + 1));
        if (signature === undefined)
            continue;
        const version = one.slice(0, comma);
        // WebCrypto compares in constant time.
        if (version === "v1" && secret && (await crypto.subtle.verify("HMAC", secret, signature, signed)))
            return true;
        if (version === "v1a" && publicKey && (await crypto.subtle.verify("Ed25519", publicKey, signature, signed)))
            return true;
    }
    return false;
}
function imported(bytes, algorithm) {
    return crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
}
function key(text, prefix) {
    const bytes = base64Bytes(text.startsWith(prefix) ? text.slice(prefix.length) : text);
    if (bytes === undefined)
        throw new TypeError(`This is no key of a webhook: it would begin with ${prefix}.`);
    return bytes;
}
