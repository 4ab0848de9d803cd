// Client of the Decision Pack Platform.
export { Client, newKey } from "./client.js";
export { ApiProblem, ConnectionFailed, DppError, NotVerified, StillRunning, UnexpectedAnswer } from "./errors.js";
export { canonical, verifyEnvelope } from "./verification.js";
export { verifyWebhook } from "./webhooks.js";
