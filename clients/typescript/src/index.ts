// Client of the Decision Pack Platform.

export { Client, newKey } from "./client.js";
export type { ClientOptions, OrderOptions, RunOptions, RunResult, SubmitOptions } from "./client.js";
export type * as contract from "./contract.js";
export { ApiProblem, ConnectionFailed, DppError, NotVerified, StillRunning, UnexpectedAnswer } from "./errors.js";
export type { Retries } from "./exchange.js";
export { canonical, verifyEnvelope } from "./verification.js";
export type { Envelope, Jwks } from "./verification.js";
export { verifyWebhook } from "./webhooks.js";
export type { WebhookCheck } from "./webhooks.js";
