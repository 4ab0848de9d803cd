// The API's contract. Made by `make openapi` from openapi.json; do not edit.

export const OPERATIONS = {
  getPublicKeys: { method: "GET", path: "/.well-known/jwks.json" },
  health: { method: "GET", path: "/healthz" },
  ready: { method: "GET", path: "/readyz" },
  getBudget: { method: "GET", path: "/v1/budget" },
  listKeys: { method: "GET", path: "/v1/keys" },
  makeKey: { method: "POST", path: "/v1/keys" },
  revokeKey: { method: "DELETE", path: "/v1/keys/{key_id}" },
  getOpenApi: { method: "GET", path: "/v1/openapi.json" },
  listPacks: { method: "GET", path: "/v1/packs" },
  makeQuote: { method: "POST", path: "/v1/quotes" },
  listRuns: { method: "GET", path: "/v1/runs" },
  submitRun: { method: "POST", path: "/v1/runs" },
  getRun: { method: "GET", path: "/v1/runs/{run_id}" },
  deleteRun: { method: "DELETE", path: "/v1/runs/{run_id}" },
  cancelRun: { method: "POST", path: "/v1/runs/{run_id}/cancel" },
  getStatement: { method: "GET", path: "/v1/statements/{month}" },
  announceUpload: { method: "POST", path: "/v1/uploads" },
};
