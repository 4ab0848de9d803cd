// Whether an envelope is what the platform signed: its hash, and its Ed25519 signature over the RFC 8785 form.

import { NotVerified } from "./errors.js";

/** What `/.well-known/jwks.json` answers (RFC 7517). */
export interface Jwks {
  keys: ReadonlyArray<Readonly<Record<string, string>>>;
}

export type Envelope = Record<string, unknown>;
type Bytes = Uint8Array<ArrayBuffer>;

const utf8 = new TextEncoder();

/** The envelope in these bytes. NotVerified if a single byte is not as it was issued. */
export async function verifyEnvelope(content: Bytes, jwks: Jwks): Promise<Envelope> {
  const envelope = parsed(content);
  // Other bytes of the same meaning (a space, a name given twice, another escape) are not what was issued.
  if (!sameBytes(utf8.encode(canonical(envelope)), content)) {
    throw new NotVerified("The bytes are not the RFC 8785 form in which envelopes are issued.");
  }
  const { signatures, ...unsigned } = envelope;
  await checkSignature(utf8.encode(canonical(unsigned)), signatures, jwks);
  return envelope;
}

export async function checkSha256(content: Bytes, expected: string): Promise<void> {
  const found = await sha256(content);
  if (found !== expected) throw new NotVerified(`The SHA-256 of the bytes is ${found}, not ${expected}.`);
}

export async function sha256(content: Bytes): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The key that claims to have signed these bytes; nothing is checked. */
export function keyIdOf(content: Bytes): string | undefined {
  const signatures = parsed(content)["signatures"];
  return isObject(signatures) && typeof signatures["key_id"] === "string" ? signatures["key_id"] : undefined;
}

/** RFC 8785: names in the order of their UTF-16 units, numbers as ECMAScript writes them. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

async function checkSignature(message: Bytes, signatures: unknown, jwks: Jwks): Promise<void> {
  if (!isObject(signatures) || Object.keys(signatures).sort().join() !== "ed25519,key_id,sha256") {
    throw new NotVerified("The envelope carries no complete signature.");
  }
  await checkSha256(message, String(signatures["sha256"]));
  const keyId = String(signatures["key_id"]);
  const key = await publicKey(keyId, jwks);
  if (key === undefined) throw new NotVerified(`The key ${keyId} is not among the published keys.`);
  const signature = fromBase64(String(signatures["ed25519"]));
  if (!(await crypto.subtle.verify("Ed25519", key, signature, message))) {
    throw new NotVerified("The signature is not of this key over this envelope.");
  }
}

/** A key whose id is not its thumbprint (RFC 7638) is no key of ours. */
async function publicKey(keyId: string, jwks: Jwks): Promise<CryptoKey | undefined> {
  for (const { kty, crv, x, kid } of jwks.keys) {
    if (kty !== "OKP" || crv !== "Ed25519" || x === undefined || kid !== keyId) continue;
    const thumbprint = await crypto.subtle.digest("SHA-256", utf8.encode(canonical({ crv, kty, x })));
    if (toBase64Url(new Uint8Array(thumbprint)) !== kid) continue;
    return crypto.subtle.importKey("jwk", { kty, crv, x }, "Ed25519", false, ["verify"]);
  }
  return undefined;
}

function parsed(content: Bytes): Envelope {
  try {
    const document: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(content));
    if (isObject(document)) return document;
  } catch (error) {
    throw new NotVerified(`The envelope is not JSON: ${String(error)}`);
  }
  throw new NotVerified("The envelope is not a JSON object.");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sameBytes(one: Bytes, other: Bytes): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

function fromBase64(text: string): Bytes {
  const bytes = base64Bytes(text);
  if (bytes === undefined) throw new NotVerified("The signature is not written in its one base64 form.");
  return bytes;
}

/** What the text stands for; undefined if it is empty or not written in its one form. */
export function base64Bytes(text: string): Bytes | undefined {
  try {
    const raw = atob(text);
    return raw !== "" && btoa(raw) === text ? Uint8Array.from(raw, (character) => character.charCodeAt(0)) : undefined;
  } catch {
    return undefined;
  }
}

function toBase64Url(bytes: Bytes): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
