/** What `/.well-known/jwks.json` answers (RFC 7517). */
export interface Jwks {
    keys: ReadonlyArray<Readonly<Record<string, string>>>;
}
export type Envelope = Record<string, unknown>;
type Bytes = Uint8Array<ArrayBuffer>;
/** The envelope in these bytes. NotVerified if a single byte is not as it was issued. */
export declare function verifyEnvelope(content: Bytes, jwks: Jwks): Promise<Envelope>;
export declare function checkSha256(content: Bytes, expected: string): Promise<void>;
export declare function sha256(content: Bytes): Promise<string>;
/** The key that claims to have signed these bytes; nothing is checked. */
export declare function keyIdOf(content: Bytes): string | undefined;
/** RFC 8785: names in the order of their UTF-16 units, numbers as ECMAScript writes them. */
export declare function canonical(value: unknown): string;
/** What the text stands for; undefined if it is empty or not written in its one form. */
export declare function base64Bytes(text: string): Bytes | undefined;
export {};
