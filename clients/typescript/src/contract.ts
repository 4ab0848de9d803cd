// The API's contract. Made by `make openapi` from openapi.json; do not edit.

export type Artifact = {
  mime: string;
  name: string;
  presigned_url: string;
  sha256: string;
  /** Bytes. */
  size: number;
};

/** Reports to be stored beside the envelope. */
export type Artifacts = {
  include_docx?: boolean;
  include_markdown?: boolean;
};

export type Budget = {
  /** Below `budget_alert_usd` of the plan. */
  balance_is_low: boolean;
  /** What can be spent now. */
  balance_usd: string;
  currency: "USD";
  /** Of a key with a limit: what it may spend of this. */
  key?: KeyBudget;
  month: string;
  plan: Plan;
  /** Held for runs that have not ended. */
  reserved_usd: string;
  /** Charged for runs that ended in this month (UTC). */
  spent_this_month_usd: string;
};

/** Who calls. Not part of what makes two requests equal. */
export type Client = {
  client_name?: string;
  client_version?: string;
  /** Used if it is 1-128 of `A-Za-z0-9._-` and no X-Trace-Id header is given; otherwise replaced. */
  trace_id?: string;
};

/** Checks a Korean or English text against Korean rules on AI labelling, personal data, advertising, copyright, finance, health, hiring and terms of service. Give exactly one of text and document. Not legal advice. */
export type ComplianceInputs = {
  /** The text as a document: a plain string, or a title with sections. At most 200,000 characters in all; what goes beyond is left out and a notice says so. Give either this or text. */
  document?: string | {
    /** Sections in reading order. */
    sections: Array<{
      /** Heading of the section. */
      heading?: string;
      text: string;
    }>;
    /** Title of the document. */
    title?: string;
  };
  /** What the text is: an advertisement, a policy or terms of service, output of an AI, or anything else. It decides which rules apply; absent means general. */
  kind?: "ad" | "policy" | "ai_output" | "general";
  /** Language of the verdict, the rewrites and the report; absent means the text's own. */
  language?: "ko" | "en";
  /** The text to check, at most 200,000 characters. Give either this or document. */
  text?: string;
};

/** Compliance: a text checked against Korean rules, with spans, legal basis and words to publish instead */
export type ComplianceRun = {
  artifacts?: Artifacts;
  client?: Client;
  inputs: ComplianceInputs;
  meta?: RequestMeta;
  options?: Options;
  pack_type: "compliance";
  reservation: Reservation;
  /** Your own words for the run, by name. Shown with it, searchable, in the statement; not part of what makes two requests equal. */
  tags?: Record<string, string>;
};

/** Compliance: a text checked against Korean rules, with spans, legal basis and words to publish instead (flat shape) */
export type ComplianceRunFlat = {
  artifacts?: Artifacts;
  client?: Client;
  inputs: ComplianceInputs;
  /** The most this run may cost, in USD: a string with at most 4 places. Held until the run ends. */
  max_cost_usd: string;
  meta?: RequestMeta;
  /** A promise asked for: the envelope says whether it was met, `on_unmet` what happens if it was not. */
  min_reliability_score?: number;
  /** `refund`: a result below `min_reliability_score` is withheld; the run fails for the minimum fee. */
  on_unmet?: "accept" | "refund";
  options?: Options;
  pack_type: "compliance";
  /** The only profile served; others are refused. */
  profile_version?: "PROFILE_DPP_0_4_2_2" | "v0.4.2.2";
  /** Of POST /v1/quotes, not yet expired: the run is charged at its prices. */
  quote_id?: string;
  /** Your own words for the run, by name. Shown with it, searchable, in the statement; not part of what makes two requests equal. */
  tags?: Record<string, string>;
  /** Seconds the pack may work. */
  timebox_sec?: number;
};

/** Weighs the given options against the given criteria and says what the answer rests on. Give options with attributes for a scored answer; without them the pack structures what is known and lists what is missing. */
export type DecisionInputs = {
  /** Background, as text or as an object. Facts may be keyed by option and criterion, either way round: {"Vendor A": {"price": "30 USD"}}. It is read as data and never followed as instructions. */
  context?: string | Record<string, unknown>;
  /** What counts. Absent: taken from the attributes that the options have in common. */
  criteria?: Array<string | {
    /** Derived from the name (cost, risk, 기간 …) and declared when absent. */
    direction?: "higher_is_better" | "lower_is_better";
    /** Matched with the options' attribute names. */
    name: string;
    /** The ends of the scale, in the attributes' unit. Absent: options are compared with the best one. */
    scale?: {
      max: number;
      min: number;
    };
    /** Relative importance, on any scale: only the proportions count. */
    weight?: number;
  }>;
  /** The same as `question`; give exactly one of the two. */
  decision_question?: string;
  /** Pages to read as evidence. Each is fetched, gated and charged as in the url pack. */
  evidence_urls?: Array<string>;
  /** Language of the texts; detected from the question when absent. */
  language?: "ko" | "en";
  /** brief: the answer and what it rests on. full: every comparison and every weight that would change the answer. */
  mode?: "brief" | "full";
  /** The alternatives, at least two, each a name or an object. */
  options?: Array<string | {
    /** Facts by criterion name. A number, a number with its unit ("30 days", "1,200,000원"), a grade (low, medium, high; 상, 중, 하) or true/false. Values are quoted unchanged. */
    attributes?: Record<string, string | number | boolean>;
    /** What is known about it, in prose. Sentences that name a criterion are evidence. */
    description?: string;
    /** How the option is called in the answer. */
    name: string;
  }>;
  /** The decision to take, as one question. A Korean question is answered in Korean. */
  question?: string;
};

/** Decision: options weighed against criteria, with evidence, assumptions and sensitivity */
export type DecisionRun = {
  artifacts?: Artifacts;
  client?: Client;
  inputs: DecisionInputs;
  meta?: RequestMeta;
  options?: Options;
  pack_type: "decision";
  reservation: Reservation;
  /** Your own words for the run, by name. Shown with it, searchable, in the statement; not part of what makes two requests equal. */
  tags?: Record<string, string>;
};

/** Decision: options weighed against criteria, with evidence, assumptions and sensitivity (flat shape) */
export type DecisionRunFlat = {
  artifacts?: Artifacts;
  client?: Client;
  inputs: DecisionInputs;
  /** The most this run may cost, in USD: a string with at most 4 places. Held until the run ends. */
  max_cost_usd: string;
  meta?: RequestMeta;
  /** A promise asked for: the envelope says whether it was met, `on_unmet` what happens if it was not. */
  min_reliability_score?: number;
  /** `refund`: a result below `min_reliability_score` is withheld; the run fails for the minimum fee. */
  on_unmet?: "accept" | "refund";
  options?: Options;
  pack_type: "decision";
  /** The only profile served; others are refused. */
  profile_version?: "PROFILE_DPP_0_4_2_2" | "v0.4.2.2";
  /** Of POST /v1/quotes, not yet expired: the run is charged at its prices. */
  quote_id?: string;
  /** Your own words for the run, by name. Shown with it, searchable, in the statement; not part of what makes two requests equal. */
  tags?: Record<string, string>;
  /** Seconds the pack may work. */
  timebox_sec?: number;
};

export type Delivery = {
  /** Made or under way; a redelivery counts anew. */
  attempts: number;
  /** When it happened. */
  created_at: string;
  delivered_at?: string;
  /** The `webhook-id` of every attempt. */
  delivery_id: string;
  event: "run.completed" | "run.failed" | "budget.low" | "webhook.test";
  last_attempt_at?: string;
  /** Why the last attempt failed: `HTTP_STATUS`, `REDIRECT`, `TIMEOUT` … */
  last_problem?: string;
  last_status_code?: number;
  /** While it is pending. */
  next_attempt_at?: string;
  run_id?: string;
  /** `FAILED`: given up. */
  state: "PENDING" | "DELIVERED" | "FAILED";
};

export type DeliveryList = {
  deliveries: Array<Delivery>;
  /** For the next page; null on the last. */
  next_cursor: string | null;
};

export type Dependency = {
  error?: string;
  latency_ms?: number;
  missing?: Array<string>;
  ok: boolean;
  /** Of `clock`: how far this process is ahead of the database. */
  skew_sec?: number;
};

/** A model's text while it is written. It is not the answer: the checks come afterwards, and the last event of the stage says what they made of it. */
export type Draft = {
  /** The pieces of a later attempt replace those of an earlier one. */
  attempt: number;
  /** Counts within the attempt. */
  piece?: number;
  /** With the verdict: how many the attempt had. */
  pieces?: number;
  text?: string;
  /** `stands`: the checked answer begins with this text. `changed`: it has another text of the model. `refused`: it has none of the model's text. */
  verdict?: "stands" | "changed" | "refused";
};

/** Scores a Korean or English text from 0 to 100 by a declared rubric: evidence, figures, contradictions, citations, clarity. Give exactly one of text and claims. Sums, differences and shares are computed and shown. */
export type EvalInputs = {
  /** The statements to score, one by one. Give either this or text. */
  claims?: Array<string | {
    /** Ids of the sources this claim rests on. */
    source_ids?: Array<string>;
    /** One statement. */
    text: string;
  }>;
  /** Changes to the declared rubric. */
  rubric?: {
    /** Weights by sub-score; those left out keep their declared weight. */
    weights?: {
      /** Whether citations lead somewhere, quotations are exact and short, and attributions name someone. */
      citation_hygiene?: number;
      /** Whether sentences are short, definite and free of vague words. */
      clarity?: number;
      /** Whether statements say the opposite of each other or of a source. */
      contradictions?: number;
      /** How much of what is claimed is found in the sources, figures included. */
      evidence_coverage?: number;
      /** Whether figures, units and dates agree with the sources and with each other. */
      number_consistency?: number;
    };
  };
  /** What the text is held against. */
  sources?: Array<string | {
    /** Date of publication. */
    date?: string;
    /** How the text cites it, as in [id]. Default: its place in the list. */
    id?: string;
    /** What the source says. Without it claims cannot be verified against the source. */
    text?: string;
    /** Title of the source. */
    title?: string;
    /** Address; not fetched by this pack. */
    url?: string;
  }>;
  /** The text to score. Give either this or claims. */
  text?: string;
};

/** Eval: a text scored from 0 to 100 by a declared rubric, with reasons */
export type EvalRun = {
  artifacts?: Artifacts;
  client?: Client;
  inputs: EvalInputs;
  meta?: RequestMeta;
  options?: Options;
  pack_type: "eval";
  reservation: Reservation;
  /** Your own words for the run, by name. Shown with it, searchable, in the statement; not part of what makes two requests equal. */
  tags?: Record<string, string>;
};

/** Eval: a text scored from 0 to 100 by a declared rubric, with reasons (flat shape) */
export type EvalRunFlat = {
  artifacts?: Artifacts;
  client?: Client;
  inputs: EvalInputs;
  /** The most this run may cost, in USD: a string with at most 4 places. Held until the run ends. */
  max_cost_usd: string;
  meta?: RequestMeta;
  /** A promise asked for: the envelope says whether it was met, `on_unmet` what happens if it was not. */
  min_reliability_score?: number;
  /** `refund`: a result below `min_reliability_score` is withheld; the run fails for the minimum fee. */
  on_unmet?: "accept" | "refund";
  options?: Options;
  pack_type: "eval";
  /** The only profile served; others are refused. */
  profile_version?: "PROFILE_DPP_0_4_2_2" | "v0.4.2.2";
  /** Of POST /v1/quotes, not yet expired: the run is charged at its prices. */
  quote_id?: string;
  /** Your own words for the run, by name. Shown with it, searchable, in the statement; not part of what makes two requests equal. */
  tags?: Record<string, string>;
  /** Seconds the pack may work. */
  timebox_sec?: number;
};

export type Health = {
  status: "ok";
};

export type Key = {
  /** Null: neither it nor a key above it has a limit. */
  budget: KeyBudget | null;
  created_at: string;
  expires_at: string | null;
  key_id: string;
  label: string;
  /** To the minute. */
  last_used_at: string | null;
  /** Null: the operator made it. */
  made_by_key_id: string | null;
  may_create_keys: boolean;
  /** Null: all of them. */
  packs: Array<"compliance" | "decision" | "eval" | "ocr" | "url"> | null;
  /** How the key begins; the rest is known to whoever was given it. */
  prefix: string;
  read_only: boolean;
};

/** What the key may spend. Absent limits are no limits of its own; keys above it may have some. */
export type KeyBudget = {
  /** Reserved for those that have not ended. */
  held_usd: string;
  max_per_run_usd: string | null;
  max_total_usd: string | null;
  /** What it may still reserve, the limits above it counted; null: whatever the tenant can pay. */
  remaining_usd: string | null;
  /** Charged for runs of this key and those below it. */
  spent_usd: string;
};

export type KeyList = {
  /** The calling key, then those below it that can be used. */
  keys: Array<Key>;
};

export type KeyRequest = {
  /** Without it, when the key that makes it expires. */
  expires_at?: string;
  /** For whom or what the key is. */
  label?: string;
  /** It reserves no more than this for one run. */
  max_per_run_usd?: string;
  /** It spends no more than this in all, with what is made below it. */
  max_total_usd?: string;
  /** It may make further keys below itself. */
  may_create_keys?: boolean;
  /** It submits only these; without it, those of the key that makes it. */
  packs?: Array<"compliance" | "decision" | "eval" | "ocr" | "url">;
  /** It only reads. */
  read_only?: boolean;
};

export type LostEvents = {
  /** How many were lost. Absent: any number, or none. */
  events?: number;
  /** The number of the first event that was lost. */
  first: number;
  last: number;
};

/** What a run costs that started and failed, or that could not decide: a share of its reservation within bounds. */
export type MinimumFee = {
  at_least_usd_micros: number;
  at_most_usd_micros: number;
  percent_of_reservation: number;
};

export type NewKey = {
  /** The key itself, shown now and never again. */
  api_key: string;
  /** Null: neither it nor a key above it has a limit. */
  budget: KeyBudget | null;
  created_at: string;
  expires_at: string | null;
  key_id: string;
  label: string;
  /** To the minute. */
  last_used_at: string | null;
  /** Null: the operator made it. */
  made_by_key_id: string | null;
  may_create_keys: boolean;
  /** Null: all of them. */
  packs: Array<"compliance" | "decision" | "eval" | "ocr" | "url"> | null;
  /** How the key begins; the rest is known to whoever was given it. */
  prefix: string;
  read_only: boolean;
};

/** Reads Korean and English text from pictures (PNG, JPEG, WEBP, TIFF), PDF and HTML files. Nothing is omitted and nothing guessed: an unreadable place is written [□], a doubtful word with (?) or as A/B. A PDF page that carries real text is read as text. Each file ends with its pages or with a reason. */
export type OcrInputs = {
  /** Files to read, at most 16 MiB each. Their type is seen by content. */
  images?: Array<{
    /** The file's bytes in standard base64. */
    data: string;
    kind: "base64";
    /** How the file is called in the result; absent, its place in the inputs (`images/0`). */
    name?: string;
  } | {
    kind: "url";
    /** How the file is called in the result; absent, its place in the inputs (`images/0`). */
    name?: string;
    /** A public https address of the file. */
    url: string;
  } | {
    /** The platform's bucket; no other is read. */
    bucket?: string;
    /** Key of an object under your own prefix `dpp/{tenant_id}/`. */
    key: string;
    kind: "s3";
    /** How the file is called in the result; absent, its place in the inputs (`images/0`). */
    name?: string;
  } | {
    kind: "upload";
    /** How the file is called in the result; absent, its place in the inputs (`images/0`). */
    name?: string;
    /** Of POST /v1/uploads, once the file was put there. */
    upload_id: string;
  } | {
    /** The file's bytes in standard base64. */
    base64: string;
    /** How the file is called in the result; absent, its place in the inputs (`images/0`). */
    name?: string;
  } | {
    /** How the file is called in the result; absent, its place in the inputs (`images/0`). */
    name?: string;
    url: string;
  }>;
  /** More files, of any accepted type, read last. A plain string is an address. */
  input_files?: Array<string | {
    /** The file's bytes in standard base64. */
    data: string;
    kind: "base64";
    /** How the file is called in the result; absent, its place in the inputs (`images/0`). */
    name?: string;
  } | {
    kind: "url";
    /** How the file is called in the result; absent, its place in the inputs (`images/0`). */
    name?: string;
    /** A public https address of the file. */
    url: string;
  } | {
    /** The platform's bucket; no other is read. */
    bucket?: string;
    /** Key of an object under your own prefix `dpp/{tenant_id}/`. */
    key: string;
    kind: "s3";
    /** How the file is called in the result; absent, its place in the inputs (`images/0`). */
    name?: string;
  } | {
    kind: "upload";
    /** How the file is called in the result; absent, its place in the inputs (`images/0`). */
    name?: string;
    /** Of POST /v1/uploads, once the file was put there. */
    upload_id: string;
  } | {
    /** The file's bytes in standard base64. */
    base64: string;
    /** How the file is called in the result; absent, its place in the inputs (`images/0`). */
    name?: string;
  } | {
    /** How the file is called in the result; absent, its place in the inputs (`images/0`). */
    name?: string;
    url: string;
  }>;
  /** The languages on the pages. */
  language?: "kor+eng" | "kor" | "eng";
  /** At most so many pages are read in all; the others are listed. */
  max_pages?: number;
  /** P1: every line once: most documents. P2A: lines with a marked word are read twice more, at other scales; the likeliest reading stands. P2B: as P2A for more lines, and PDF pages are drawn at 300 dpi. P3: as P2B, and lines are looked for at a higher resolution: for fine print on large pages. */
  ocr_profile?: "P1" | "P2A" | "P2B" | "P3";
  /** A public https address of a PDF, read after `images`. */
  pdf_url?: string;
};

/** OCR: Korean and English text from pictures and PDF, with every doubt marked */
export type OcrRun = {
  artifacts?: Artifacts;
  client?: Client;
  inputs: OcrInputs;
  meta?: RequestMeta;
  options?: Options;
  pack_type: "ocr";
  reservation: Reservation;
  /** Your own words for the run, by name. Shown with it, searchable, in the statement; not part of what makes two requests equal. */
  tags?: Record<string, string>;
};

/** OCR: Korean and English text from pictures and PDF, with every doubt marked (flat shape) */
export type OcrRunFlat = {
  artifacts?: Artifacts;
  client?: Client;
  inputs: OcrInputs;
  /** The most this run may cost, in USD: a string with at most 4 places. Held until the run ends. */
  max_cost_usd: string;
  meta?: RequestMeta;
  /** A promise asked for: the envelope says whether it was met, `on_unmet` what happens if it was not. */
  min_reliability_score?: number;
  /** `refund`: a result below `min_reliability_score` is withheld; the run fails for the minimum fee. */
  on_unmet?: "accept" | "refund";
  options?: Options;
  pack_type: "ocr";
  /** The only profile served; others are refused. */
  profile_version?: "PROFILE_DPP_0_4_2_2" | "v0.4.2.2";
  /** Of POST /v1/quotes, not yet expired: the run is charged at its prices. */
  quote_id?: string;
  /** Your own words for the run, by name. Shown with it, searchable, in the statement; not part of what makes two requests equal. */
  tags?: Record<string, string>;
  /** Seconds the pack may work. */
  timebox_sec?: number;
};

export type Options = {
  /** 1: GET repeats a small envelope. */
  inline?: 0 | 1;
};

export type Pack = {
  /** JSON Schema 2020-12 of `inputs`. */
  input_schema: Record<string, unknown>;
  /** The most a request may have. Beyond 1 MiB: base64 data only. */
  max_body_bytes: number;
  /** The most values `inputs` may have in all. */
  max_values: number;
  name: "decision" | "url" | "compliance" | "eval" | "ocr";
  /** All that this pack may charge. */
  prices: Array<PackPrice>;
  title: string;
};

export type PackList = {
  currency: "USD";
  /** What costs nothing. */
  free: Array<string>;
  minimum_fee: MinimumFee;
  packs: Array<Pack>;
  profile_version: string;
};

export type PackPrice = {
  /** When, in one sentence. */
  charged: string;
  /** As `cost.items` of an envelope names it. */
  item: string;
  unit: string;
  unit_price_usd_micros: number;
};

/** What the tenant may ask for. The default plan is the profile's numbers. */
export type Plan = {
  /** A balance below this is low; 0.0000: never. */
  budget_alert_usd: string;
  max_concurrent_runs: number;
  name: string;
  poll_rate_per_min: number;
  /** How long results of runs accepted now are kept. */
  retention_days: number;
  submit_rate_per_min: number;
};

/** RFC 9457. All members stand at the top level and, but for the first five, under `extensions`. */
export type Problem = {
  /** Of BUDGET_DRAINED. */
  balance_remaining?: string;
  /** What has been charged in spite of the problem. */
  charged_usd: string;
  detail: string;
  /** Of INVALID_PARAMS, SCHEMA_VALIDATION_FAILED and such. */
  errors?: Array<ProblemError>;
  extensions: ProblemExtensions;
  instance: string;
  /** Of KEY_BUDGET_DRAINED: what it may spend on one run; absent without such a limit. */
  key_max_per_run?: string;
  /** Of KEY_BUDGET_DRAINED: what the key may still spend; absent without a limit in all. */
  key_remaining?: string;
  /** Of RESERVATION_TOO_SMALL: the least the run can cost. */
  least_usd?: string;
  /** One imperative sentence for the agent that reads it. */
  next_action: string;
  reason_code: "AUTH_INVALID" | "BUDGET_DRAINED" | "CONCURRENCY_LIMITED" | "DEPENDENCY_UNAVAILABLE" | "FEATURE_DISABLED" | "IDEMPOTENCY_CONFLICT" | "IDEMPOTENCY_IN_PROGRESS" | "INTERNAL_ERROR" | "INVALID_MONEY_SCALE" | "INVALID_PARAMS" | "KEY_BUDGET_DRAINED" | "KEY_NOT_ALLOWED" | "KEY_NOT_FOUND" | "KEY_QUOTA_REACHED" | "LENGTH_REQUIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_DELIVERED" | "NOT_ACCEPTABLE" | "PACK_FAILED" | "PAYLOAD_TOO_LARGE" | "QUEUE_ENQUEUE_FAILED" | "RATE_LIMITED" | "RELIABILITY_NOT_MET" | "RESERVATION_EXPIRED" | "RESERVATION_FAILED" | "RESERVATION_TOO_SMALL" | "RESULT_UNAVAILABLE" | "ROUTE_NOT_FOUND" | "RUN_CANCELLED" | "RUN_EXPIRED" | "RUN_NOT_CANCELLABLE" | "RUN_NOT_ENDED" | "RUN_NOT_FOUND_STEALTH" | "SCHEMA_VALIDATION_FAILED" | "STORAGE_READ_FAILED" | "STORAGE_WRITE_FAILED" | "TENANT_SUSPENDED" | "TIMEBOX_EXCEEDED" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_QUOTA_REACHED" | "UPSTREAM_TIMEOUT" | "WEBHOOK_DISABLED" | "WEBHOOK_LIMIT_REACHED" | "WEBHOOK_NOT_FOUND" | "WORKER_CRASHED" | "WORKER_TIMEOUT";
  /** Of BUDGET_DRAINED and KEY_BUDGET_DRAINED. */
  reservation_required?: string;
  /** After how many seconds a repeat may succeed. As `Retry-After`, which with a 429 is always 30. */
  retry_after_sec: number | null;
  /** The Idempotency-Key of a repeat: the same one, a new one, or none since repeating does not help. */
  retry_with: "same_key" | "new_key" | "none";
  /** The same request, sent again later, may succeed. */
  retryable: boolean;
  /** Where a run is concerned and the caller may know it. */
  run_id?: string;
  status: number;
  title: string;
  trace_id: string;
  type: string;
};

export type ProblemError = {
  detail: string;
  /** Name of a query parameter. */
  parameter?: string;
  /** JSON Pointer into the request body. */
  pointer?: string;
};

/** The same members once more. */
export type ProblemExtensions = {
  /** Of BUDGET_DRAINED. */
  balance_remaining?: string;
  /** What has been charged in spite of the problem. */
  charged_usd: string;
  /** Of INVALID_PARAMS, SCHEMA_VALIDATION_FAILED and such. */
  errors?: Array<ProblemError>;
  /** Of KEY_BUDGET_DRAINED: what it may spend on one run; absent without such a limit. */
  key_max_per_run?: string;
  /** Of KEY_BUDGET_DRAINED: what the key may still spend; absent without a limit in all. */
  key_remaining?: string;
  /** Of RESERVATION_TOO_SMALL: the least the run can cost. */
  least_usd?: string;
  /** One imperative sentence for the agent that reads it. */
  next_action: string;
  reason_code: "AUTH_INVALID" | "BUDGET_DRAINED" | "CONCURRENCY_LIMITED" | "DEPENDENCY_UNAVAILABLE" | "FEATURE_DISABLED" | "IDEMPOTENCY_CONFLICT" | "IDEMPOTENCY_IN_PROGRESS" | "INTERNAL_ERROR" | "INVALID_MONEY_SCALE" | "INVALID_PARAMS" | "KEY_BUDGET_DRAINED" | "KEY_NOT_ALLOWED" | "KEY_NOT_FOUND" | "KEY_QUOTA_REACHED" | "LENGTH_REQUIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_DELIVERED" | "NOT_ACCEPTABLE" | "PACK_FAILED" | "PAYLOAD_TOO_LARGE" | "QUEUE_ENQUEUE_FAILED" | "RATE_LIMITED" | "RELIABILITY_NOT_MET" | "RESERVATION_EXPIRED" | "RESERVATION_FAILED" | "RESERVATION_TOO_SMALL" | "RESULT_UNAVAILABLE" | "ROUTE_NOT_FOUND" | "RUN_CANCELLED" | "RUN_EXPIRED" | "RUN_NOT_CANCELLABLE" | "RUN_NOT_ENDED" | "RUN_NOT_FOUND_STEALTH" | "SCHEMA_VALIDATION_FAILED" | "STORAGE_READ_FAILED" | "STORAGE_WRITE_FAILED" | "TENANT_SUSPENDED" | "TIMEBOX_EXCEEDED" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_QUOTA_REACHED" | "UPSTREAM_TIMEOUT" | "WEBHOOK_DISABLED" | "WEBHOOK_LIMIT_REACHED" | "WEBHOOK_NOT_FOUND" | "WORKER_CRASHED" | "WORKER_TIMEOUT";
  /** Of BUDGET_DRAINED and KEY_BUDGET_DRAINED. */
  reservation_required?: string;
  /** After how many seconds a repeat may succeed. As `Retry-After`, which with a 429 is always 30. */
  retry_after_sec: number | null;
  /** The Idempotency-Key of a repeat: the same one, a new one, or none since repeating does not help. */
  retry_with: "same_key" | "new_key" | "none";
  /** The same request, sent again later, may succeed. */
  retryable: boolean;
  /** Where a run is concerned and the caller may know it. */
  run_id?: string;
  trace_id: string;
};

export type Quote = {
  currency: "USD";
  expires_at: string;
  items: Array<QuotedItem>;
  /** A limit below this is refused. */
  least_usd: string;
  /** Of the likely items: how many the request's own `max_cost_usd` would leave out. */
  left_out: Record<string, number>;
  likely_usd: string;
  /** Signed. Give it as `reservation.quote_id` and the run is charged at these prices. */
  quote_id: string;
  /** A limit of this leaves nothing out. */
  worst_usd: string;
};

export type QuotedItem = {
  item: string;
  /** How many the smallest result needs. */
  least: number;
  /** How many if all that was named comes and is ordinary. */
  likely: number;
  unit_price_usd_micros: number;
  /** How many at most. */
  worst: number;
};

export type Readiness = {
  checks: Record<string, Dependency>;
  down: Array<string>;
  status: "ready" | "unavailable";
};

/** The receipt is made from what never changes: a replay is the same receipt, also after the run has ended. */
export type Receipt = {
  events: ReceiptEvents;
  meta: ReceiptMeta;
  poll: ReceiptPoll;
  reservation: ReceiptReservation;
  /** As far as it got; stands here with `Prefer: wait=N`. */
  run?: Run;
  run_id: string;
  status: "QUEUED";
  /** As they were submitted; absent without any. */
  tags?: Record<string, string>;
};

export type ReceiptEvents = {
  /** Where to listen to the run, as Server-Sent Events. */
  href: string;
};

export type ReceiptMeta = {
  created_at: string;
  profile_version: string;
  trace_id: string;
};

export type ReceiptPoll = {
  /** Where to read the run. */
  href: string;
  /** A run has ended about this long after a worker took it. Its wait in the queue comes on top. */
  max_wait_sec: number;
  recommended_interval_ms: number;
};

export type ReceiptReservation = {
  currency: "USD";
  max_cost_usd: string;
  min_reliability_score: number;
  timebox_sec: number;
};

export type RequestMeta = {
  /** The only profile served; others are refused. */
  profile_version?: "PROFILE_DPP_0_4_2_2" | "v0.4.2.2";
  /** Used if it is 1-128 of `A-Za-z0-9._-` and no X-Trace-Id header is given; otherwise replaced. */
  trace_id?: string;
};

export type Reservation = {
  /** The most this run may cost, in USD: a string with at most 4 places. Held until the run ends. */
  max_cost_usd: string;
  /** A promise asked for: the envelope says whether it was met, `on_unmet` what happens if it was not. */
  min_reliability_score?: number;
  /** `refund`: a result below `min_reliability_score` is withheld; the run fails for the minimum fee. */
  on_unmet?: "accept" | "refund";
  /** Of POST /v1/quotes, not yet expired: the run is charged at its prices. */
  quote_id?: string;
  /** Seconds the pack may work. */
  timebox_sec?: number;
};

export type Result = {
  artifacts: Array<Artifact>;
  /** When the links stop working. */
  expires_at: string;
  /** The envelope itself, if `options.inline` was 1 and it is small. */
  inline?: Record<string, unknown>;
  /** The envelope, for ten minutes. Every GET gives a fresh one. */
  presigned_url: string;
  sha256: string;
  /** Bytes. */
  size: number;
};

export type RotationRequest = {
  /** For so long messages are signed with the old secret too. */
  overlap_sec?: number;
};

/** `result` stands in it once there is one, `error` when the run is FAILED. `reliability`, `warnings` and `budget_cap` say what to make of a result before it is read. */
export type Run = {
  /** Not null: the limit was reached, and the result holds what was paid for. */
  budget_cap?: string | null;
  cost: RunCost;
  error?: RunError;
  meta: RunMeta;
  money_state: "NONE" | "RESERVED" | "SETTLED" | "REFUNDED" | "DISPUTED";
  pack_type: "decision" | "url" | "compliance" | "eval" | "ocr";
  progress: number;
  reliability?: RunReliability;
  result?: Result;
  run_id: string;
  status: "QUEUED" | "PROCESSING" | "COMPLETED" | "FAILED" | "EXPIRED";
  /** As they were submitted; absent without any. */
  tags?: Record<string, string>;
  /** At most 20; all stand in the result. */
  warnings?: Array<RunWarning>;
};

export type RunCost = {
  budget_remaining_usd: string;
  minimum_fee_usd: string;
  reserved_usd: string;
  used_usd: string;
};

export type RunError = {
  problem: Problem;
  reason_code: "WORKER_TIMEOUT" | "WORKER_CRASHED" | "TIMEBOX_EXCEEDED" | "PACK_FAILED" | "NOTHING_DELIVERED" | "RELIABILITY_NOT_MET" | "STORAGE_READ_FAILED" | "STORAGE_WRITE_FAILED" | "RESERVATION_EXPIRED" | "QUEUE_ENQUEUE_FAILED" | "RUN_CANCELLED" | "FEATURE_DISABLED";
};

/** One message of the stream. The first has no data: it tells from where a broken stream resumes (`id`) and after how many milliseconds (`retry`). */
export type RunEvent = {
  data?: string;
  event?: "queued" | "preflight" | "execute" | "answer" | "store" | "settle" | "done" | "gap";
  /** `seq`, for Last-Event-ID. */
  id?: string;
  retry?: number;
};

export type RunEventData = {
  at: string;
  detail?: Record<string, string | number>;
  /** With an `answer`. */
  draft?: Draft;
  /** With a `gap`: the events in whose place it stands. */
  lost?: LostEvents;
  money_state: "NONE" | "RESERVED" | "SETTLED" | "REFUNDED" | "DISPUTED";
  progress: number;
  /** With the last event of a run that failed. */
  reason_code?: "WORKER_TIMEOUT" | "WORKER_CRASHED" | "TIMEBOX_EXCEEDED" | "PACK_FAILED" | "NOTHING_DELIVERED" | "RELIABILITY_NOT_MET" | "STORAGE_READ_FAILED" | "STORAGE_WRITE_FAILED" | "RESERVATION_EXPIRED" | "QUEUE_ENQUEUE_FAILED" | "RUN_CANCELLED" | "FEATURE_DISABLED";
  run_id: string;
  /** Rises from event to event of a run. */
  seq: number;
  stage: "queued" | "preflight" | "execute" | "answer" | "store" | "settle" | "done" | "gap";
  status: "QUEUED" | "PROCESSING" | "COMPLETED" | "FAILED" | "EXPIRED";
  /** What the pack is doing. */
  step?: string;
  /** With the last event. */
  used_usd?: string;
  version: number;
};

export type RunInputs = {
  /** `pack_type`, `inputs`, limits and options, as they are executed. */
  request: Record<string, unknown>;
  run_id: string;
};

export type RunList = {
  /** For the next page; null on the last. */
  next_cursor: string | null;
  runs: Array<RunSummary>;
};

export type RunMeta = {
  created_at: string;
  profile_version: string;
  retention_until: string;
  trace_id: string;
  updated_at: string;
};

export type RunReliability = {
  met: boolean;
  /** `min_reliability_score` of the request. */
  required: number;
  score: number;
};

export type RunRequest = DecisionRun | DecisionRunFlat | UrlRun | UrlRunFlat | ComplianceRun | ComplianceRunFlat | EvalRun | EvalRunFlat | OcrRun | OcrRunFlat;

/** One line of a listing: no link, and no balance, which is the tenant's and not the run's. */
export type RunSummary = {
  cost: RunSummaryCost;
  error?: RunSummaryError;
  meta: RunMeta;
  money_state: "NONE" | "RESERVED" | "SETTLED" | "REFUNDED" | "DISPUTED";
  pack_type: "decision" | "url" | "compliance" | "eval" | "ocr";
  progress: number;
  run_id: string;
  status: "QUEUED" | "PROCESSING" | "COMPLETED" | "FAILED" | "EXPIRED";
  /** As they were submitted; absent without any. */
  tags?: Record<string, string>;
};

export type RunSummaryCost = {
  minimum_fee_usd: string;
  reserved_usd: string;
  used_usd: string;
};

export type RunSummaryError = {
  reason_code: string;
};

export type RunWarning = {
  code: string;
  text: string;
};

export type Statement = {
  entries: Array<StatementEntry>;
  head: StatementHead;
  /** Give it as `after` for the rest of the month. */
  next_after: number | null;
  signatures: StatementSignatures;
};

export type StatementEntry = {
  /** Signed: its effect on what can be spent. */
  amount_usd_micros: number;
  /** The key that submitted the run. */
  api_key_id: string | null;
  /** After it. */
  balance_usd_micros: number;
  created_at: string;
  entry_hash: string;
  kind: "CREDIT" | "RESERVE" | "SETTLE" | "REFUND" | "ADJUST";
  note: string;
  pack_type: string | null;
  /** Hexadecimal; empty for a tenant's first entry. */
  previous_hash: string;
  /** Of a top-up or an adjustment. */
  reference: string | null;
  run_id: string | null;
  /** Counts a tenant's entries without a gap. */
  sequence: number;
  /** Of the run. */
  tags: Record<string, string> | null;
};

export type StatementHead = {
  /** Only entries of runs of this key are listed. */
  api_key_id: string | null;
  closing_usd_micros: number;
  currency: "USD";
  entries: number;
  /** Over the RFC 8785 form of `entries`: the signature covers every member of them. */
  entries_sha256: string;
  /** What the first entry here is chained to. */
  first_previous_hash: string;
  /** What the next entry is chained to. */
  last_entry_hash: string;
  /** The sum of the entries here. */
  listed_usd_micros: number;
  month: string;
  opening_usd_micros: number;
  /** The tenant's plan when this was asked for. */
  plan: string;
  /** Only entries of runs with this tag are listed. */
  tag: string | null;
  tenant_id: string;
};

export type StatementSignatures = {
  /** Base64, over the RFC 8785 form of `head`. */
  ed25519: string;
  /** Of /.well-known/jwks.json. */
  key_id: string;
};

export type Upload = {
  /** Until then a run may name it: `{"kind": "upload", "upload_id": …}`. */
  expires_at: string;
  /** To be sent with the PUT as they stand. */
  headers: Record<string, string>;
  method: "PUT";
  upload_id: string;
  /** Put the file there, as it is. Needs no key; takes exactly the announced bytes. */
  url: string;
  url_expires_at: string;
};

export type UploadRequest = {
  mime: "application/pdf" | "image/png" | "image/jpeg" | "image/webp" | "image/tiff";
  /** How the file is called in results. */
  name: string;
  sha256: string;
  /** In bytes. */
  size: number;
};

/** Reads public https pages (HTML, plain text, PDF text) and keeps those that pass three gates: access, quality of the source, relevance to the question. Every URL ends either in `keep` or in `discard` with a reason. */
export type UrlInputs = {
  /** Accepted only as true: a caller cannot switch the defence off. */
  allow_https_only?: boolean;
  /** Accepted only as true: a caller cannot switch the defence off. */
  block_private_ip?: boolean;
  /** What the pages should help to decide. Without it nothing is irrelevant. */
  decision_question?: string;
  /** Time for one URL from the name lookup to the last byte, redirects included. */
  fetch_timeout_sec?: number;
  gates?: {
    /** Accepted only as true: a caller cannot switch the defence off. */
    access?: boolean;
    /** Source tier and freshness; false keeps every source of any age. */
    quality?: boolean | {
      /** Your own sources, subdomains included: kept whatever their tier. */
      allow_hosts?: Array<string>;
      /** Hosts, subdomains included, that are discarded in any case. */
      deny_hosts?: Array<string>;
      /** Pages dated before this year are stale. Undated ones stay. */
      fresh_since?: number;
      /** Kinds of source that are discarded unless named here. */
      include_tiers?: Array<"association" | "company_blog" | "community" | "promotional">;
    };
    /** Measured against decision_question; duplicates are removed in any case. */
    relevance?: boolean | {
      /** How far the page must speak of the question's terms. */
      min_score?: number;
      /** A page whose script shares too little with a specific question to be judged. */
      unknown?: "keep" | "discard";
    };
  };
  /** How old a copy of a page may be to be used instead of a new download. Without it: 15 minutes, or as long as the platform keeps a document of its own list. */
  max_age_sec?: number;
  /** How many redirects are followed for one URL. */
  max_redirect_hops?: number;
  /** At most so many of the URLs are fetched, the first ones. */
  max_urls?: number;
  /** One Markdown file for each kept page: none, its first 1,000 characters, or all that was read. Ask for `full` only where you may copy the text. */
  page_files?: "none" | "excerpt" | "full";
  /** True asks every site anew, whatever copies there are; the same as max_age_sec 0. */
  refresh?: boolean;
  /** Absolute https URLs. The same page given twice is fetched and charged once. */
  urls: Array<string>;
};

/** URL: public pages read, gated by access, quality and relevance, and quoted */
export type UrlRun = {
  artifacts?: Artifacts;
  client?: Client;
  inputs: UrlInputs;
  meta?: RequestMeta;
  options?: Options;
  pack_type: "url";
  reservation: Reservation;
  /** Your own words for the run, by name. Shown with it, searchable, in the statement; not part of what makes two requests equal. */
  tags?: Record<string, string>;
};

/** URL: public pages read, gated by access, quality and relevance, and quoted (flat shape) */
export type UrlRunFlat = {
  artifacts?: Artifacts;
  client?: Client;
  inputs: UrlInputs;
  /** The most this run may cost, in USD: a string with at most 4 places. Held until the run ends. */
  max_cost_usd: string;
  meta?: RequestMeta;
  /** A promise asked for: the envelope says whether it was met, `on_unmet` what happens if it was not. */
  min_reliability_score?: number;
  /** `refund`: a result below `min_reliability_score` is withheld; the run fails for the minimum fee. */
  on_unmet?: "accept" | "refund";
  options?: Options;
  pack_type: "url";
  /** The only profile served; others are refused. */
  profile_version?: "PROFILE_DPP_0_4_2_2" | "v0.4.2.2";
  /** Of POST /v1/quotes, not yet expired: the run is charged at its prices. */
  quote_id?: string;
  /** Your own words for the run, by name. Shown with it, searchable, in the statement; not part of what makes two requests equal. */
  tags?: Record<string, string>;
  /** Seconds the pack may work. */
  timebox_sec?: number;
};

export type Webhook = {
  budget_low_usd?: string;
  created_at: string;
  description: string;
  /** `GONE`: it answered 410. `FAILING`: a message was given up and none has arrived since it was made. */
  disabled_reason?: "GONE" | "FAILING" | "OPERATOR";
  events: Array<"run.completed" | "run.failed" | "budget.low">;
  /** Within a minute. */
  last_success_at?: string;
  /** Until then messages are signed with the former secret too. */
  old_secret_until?: string;
  /** Verifies the signatures `v1a` (Ed25519). */
  public_key: string;
  /** `DISABLED`: nothing is sent until it is enabled again. */
  status: "ACTIVE" | "DISABLED";
  url: string;
  webhook_id: string;
};

export type WebhookList = {
  webhooks: Array<Webhook>;
};

export type WebhookMessage = {
  /** What happened to what. The rest is read from the API, with a key. */
  data: {
    /** Of `budget.low`. */
    available_usd?: string;
    /** Of `budget.low`: the threshold. */
    below_usd?: string;
    pack_type?: string;
    /** Of `run.failed`. */
    reason_code?: "WORKER_TIMEOUT" | "WORKER_CRASHED" | "TIMEBOX_EXCEEDED" | "PACK_FAILED" | "NOTHING_DELIVERED" | "RELIABILITY_NOT_MET" | "STORAGE_READ_FAILED" | "STORAGE_WRITE_FAILED" | "RESERVATION_EXPIRED" | "QUEUE_ENQUEUE_FAILED" | "RUN_CANCELLED" | "FEATURE_DISABLED";
    /** Of `run.completed` and `run.failed`. */
    run_id?: string;
    status?: "COMPLETED" | "FAILED";
    /** Of `webhook.test`. */
    webhook_id?: string;
  };
  /** When it happened. */
  timestamp: string;
  type: "run.completed" | "run.failed" | "budget.low" | "webhook.test";
};

export type WebhookRequest = {
  /** With `budget.low`: below this balance it is told; without it, below the plan's. */
  budget_low_usd?: string;
  /** For people. */
  description?: string;
  /** Which events it is told of. */
  events: Array<"run.completed" | "run.failed" | "budget.low">;
  /** Where messages are posted to. As pages are fetched: https, public, port 443. */
  url: string;
};

export type WebhookWithSecret = {
  budget_low_usd?: string;
  created_at: string;
  description: string;
  /** `GONE`: it answered 410. `FAILING`: a message was given up and none has arrived since it was made. */
  disabled_reason?: "GONE" | "FAILING" | "OPERATOR";
  events: Array<"run.completed" | "run.failed" | "budget.low">;
  /** Within a minute. */
  last_success_at?: string;
  /** Until then messages are signed with the former secret too. */
  old_secret_until?: string;
  /** Verifies the signatures `v1a` (Ed25519). */
  public_key: string;
  /** Verifies the signatures `v1` (HMAC-SHA256). Shown this once. */
  secret: string;
  /** `DISABLED`: nothing is sent until it is enabled again. */
  status: "ACTIVE" | "DISABLED";
  url: string;
  webhook_id: string;
};

export type ReasonCode = Problem["reason_code"];

/** What each pack takes. */
export interface PackInputs {
  decision: DecisionInputs;
  url: UrlInputs;
  compliance: ComplianceInputs;
  eval: EvalInputs;
  ocr: OcrInputs;
}

/** Every call by its name in openapi.json. */
export interface Operations {
  getPublicKeys: {
    path: {};
    query: {};
    headers: {};
    body: undefined;
    answer: {
      keys: Array<Record<string, string>>;
    };
  };
  health: {
    path: {};
    query: {};
    headers: { "X-Trace-Id"?: string };
    body: undefined;
    answer: Health;
  };
  ready: {
    path: {};
    query: {};
    headers: { "X-Trace-Id"?: string };
    body: undefined;
    answer: Readiness;
  };
  getBudget: {
    path: {};
    query: {};
    headers: { "X-Trace-Id"?: string };
    body: undefined;
    answer: Budget;
  };
  listKeys: {
    path: {};
    query: {};
    headers: { "X-Trace-Id"?: string };
    body: undefined;
    answer: KeyList;
  };
  makeKey: {
    path: {};
    query: {};
    headers: { "X-Trace-Id"?: string };
    body: KeyRequest;
    answer: NewKey;
  };
  revokeKey: {
    path: { key_id: string };
    query: {};
    headers: { "X-Trace-Id"?: string };
    body: undefined;
    answer: undefined;
  };
  getOpenApi: {
    path: {};
    query: {};
    headers: { "X-Trace-Id"?: string };
    body: undefined;
    answer: Record<string, unknown>;
  };
  listPacks: {
    path: {};
    query: {};
    headers: { "X-Trace-Id"?: string };
    body: undefined;
    answer: PackList;
  };
  makeQuote: {
    path: {};
    query: {};
    headers: { "X-Trace-Id"?: string };
    body: RunRequest;
    answer: Quote;
  };
  listRuns: {
    path: {};
    query: { status?: "QUEUED" | "PROCESSING" | "COMPLETED" | "FAILED" | "EXPIRED"; pack_type?: "decision" | "url" | "compliance" | "eval" | "ocr"; tag?: string; created_after?: string; created_before?: string; cursor?: string; limit?: number };
    headers: { "X-Trace-Id"?: string };
    body: undefined;
    answer: RunList;
  };
  submitRun: {
    path: {};
    query: {};
    headers: { "Idempotency-Key": string; Prefer?: string; "X-Trace-Id"?: string };
    body: RunRequest;
    answer: Receipt;
  };
  getRun: {
    path: { run_id: string };
    query: { wait?: number; until?: "change" | "end" };
    headers: { "If-None-Match"?: string; "X-Trace-Id"?: string };
    body: undefined;
    answer: Run;
  };
  deleteRun: {
    path: { run_id: string };
    query: {};
    headers: { "X-Trace-Id"?: string };
    body: undefined;
    answer: undefined;
  };
  cancelRun: {
    path: { run_id: string };
    query: {};
    headers: { "X-Trace-Id"?: string };
    body: undefined;
    answer: Run;
  };
  getRunInputs: {
    path: { run_id: string };
    query: {};
    headers: { "X-Trace-Id"?: string };
    body: undefined;
    answer: RunInputs;
  };
  getStatement: {
    path: { month: string };
    query: { shape?: "json" | "jsonl" | "csv"; tag?: string; api_key_id?: string; after?: number; max_entries?: number };
    headers: { "X-Trace-Id"?: string };
    body: undefined;
    answer: Statement;
  };
  announceUpload: {
    path: {};
    query: {};
    headers: { "X-Trace-Id"?: string };
    body: UploadRequest;
    answer: Upload;
  };
  listWebhooks: {
    path: {};
    query: {};
    headers: { "X-Trace-Id"?: string };
    body: undefined;
    answer: WebhookList;
  };
  createWebhook: {
    path: {};
    query: {};
    headers: { "X-Trace-Id"?: string };
    body: WebhookRequest;
    answer: WebhookWithSecret;
  };
  getWebhook: {
    path: { webhook_id: string };
    query: {};
    headers: { "X-Trace-Id"?: string };
    body: undefined;
    answer: Webhook;
  };
  deleteWebhook: {
    path: { webhook_id: string };
    query: {};
    headers: { "X-Trace-Id"?: string };
    body: undefined;
    answer: undefined;
  };
  listDeliveries: {
    path: { webhook_id: string };
    query: { state?: "PENDING" | "DELIVERED" | "FAILED"; cursor?: string; limit?: number };
    headers: { "X-Trace-Id"?: string };
    body: undefined;
    answer: DeliveryList;
  };
  redeliver: {
    path: { webhook_id: string; delivery_id: string };
    query: {};
    headers: { "X-Trace-Id"?: string };
    body: undefined;
    answer: Delivery;
  };
  enableWebhook: {
    path: { webhook_id: string };
    query: {};
    headers: { "X-Trace-Id"?: string };
    body: undefined;
    answer: Webhook;
  };
  rotateWebhookSecret: {
    path: { webhook_id: string };
    query: {};
    headers: { "X-Trace-Id"?: string };
    body: RotationRequest;
    answer: WebhookWithSecret;
  };
  testWebhook: {
    path: { webhook_id: string };
    query: {};
    headers: { "X-Trace-Id"?: string };
    body: undefined;
    answer: Delivery;
  };
}

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
  getRunInputs: { method: "GET", path: "/v1/runs/{run_id}/inputs" },
  getStatement: { method: "GET", path: "/v1/statements/{month}" },
  announceUpload: { method: "POST", path: "/v1/uploads" },
  listWebhooks: { method: "GET", path: "/v1/webhooks" },
  createWebhook: { method: "POST", path: "/v1/webhooks" },
  getWebhook: { method: "GET", path: "/v1/webhooks/{webhook_id}" },
  deleteWebhook: { method: "DELETE", path: "/v1/webhooks/{webhook_id}" },
  listDeliveries: { method: "GET", path: "/v1/webhooks/{webhook_id}/deliveries" },
  redeliver: { method: "POST", path: "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver" },
  enableWebhook: { method: "POST", path: "/v1/webhooks/{webhook_id}/enable" },
  rotateWebhookSecret: { method: "POST", path: "/v1/webhooks/{webhook_id}/rotate" },
  testWebhook: { method: "POST", path: "/v1/webhooks/{webhook_id}/test" },
} as const;
