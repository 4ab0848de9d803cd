"""All settings, read strictly from the environment. `make up` writes a complete set to `.dpp/env`."""

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from dpp_project.env import Env
from dpp_project.logging import logging_config
from dpp_project.money import Micros, parse_usd
from dpp_project.prices import LLM_INPUT_TOKEN, LLM_OUTPUT_TOKEN, PRICES
from dpp_project.problem_base import problem_type_base
from dpp_project.profile import PROFILE
from dpp_project.secrets import password_weakness, secret_key_weakness
from dpp_project.signing import KEY_BYTES, derived_key

BASE_DIR = Path(__file__).resolve().parent.parent

env = Env()

DPP_ENV = env.choice("DPP_ENV", ("production", "development", "test"), "production")
IN_PRODUCTION = DPP_ENV == "production"

SECRET_KEY = env.text("DPP_SECRET_KEY")
if IN_PRODUCTION:
    env.refuse_weak("DPP_SECRET_KEY", secret_key_weakness(SECRET_KEY))
# Read what older keys sealed and signed; nothing new is made with them.
SECRET_KEY_FALLBACKS = env.words("DPP_OLD_SECRET_KEYS", "")
# What signs results. Old public keys stay: results that they verify are out there for as long as people keep them.
if IN_PRODUCTION or env.optional("DPP_SIGNING_KEY"):
    SIGNING_KEY = env.key("DPP_SIGNING_KEY", env.text("DPP_SIGNING_KEY"), length=KEY_BYTES)
else:
    SIGNING_KEY = derived_key(SECRET_KEY)
SIGNING_OLD_PUBLIC_KEYS = [
    env.key("DPP_SIGNING_OLD_PUBLIC_KEYS", text, length=KEY_BYTES)
    for text in env.words("DPP_SIGNING_OLD_PUBLIC_KEYS", "")
]
DEBUG = False
ALLOWED_HOSTS = env.words("DPP_ALLOWED_HOSTS", "" if IN_PRODUCTION else "127.0.0.1,localhost,[::1],testserver")
# Django looks for its own middleware by name; ours derives from it and passes agents by (`runs.api.middleware`).
SILENCED_SYSTEM_CHECKS = ["security.W002", "security.W003"]

INSTALLED_APPS = [
    # Its pages are found by `urls`: workers and commands start sooner without them.
    "dpp_project.apps.OperatorAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "dpp_project",
    "budget",
    "storage",
    "runs",
]

MIDDLEWARE = [
    # Outermost: whatever the others refuse under /v1 becomes a problem too.
    "runs.api.middleware.ProblemMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "runs.api.middleware.Hosts",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "runs.api.middleware.Sessions",
    "runs.api.middleware.Csrf",
    "runs.api.middleware.Users",
    "runs.api.middleware.Messages",
    "runs.api.middleware.Frames",
    "runs.api.middleware.ContentSecurity",
]

ROOT_URLCONF = "dpp_project.urls"
WSGI_APPLICATION = "dpp_project.wsgi.application"
APPEND_SLASH = False

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        # Before the templates of Django's admin, some of which ours replace.
        "DIRS": [BASE_DIR / "runs" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

_VALIDATION = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"{_VALIDATION}.MinimumLengthValidator", "OPTIONS": {"min_length": 14}},
    {"NAME": f"{_VALIDATION}.CommonPasswordValidator"},
    {"NAME": f"{_VALIDATION}.NumericPasswordValidator"},
    {"NAME": f"{_VALIDATION}.UserAttributeSimilarityValidator"},
]

# --- People: the admin's sessions ------------------------------------------------------------------------------
# Half an hour without a click ends a session, and so does closing the browser; `runs.admin.site` ends it after a day's
# work in any case.
SESSION_COOKIE_AGE = 1_800
SESSION_SAVE_EVERY_REQUEST = True
SESSION_EXPIRE_AT_BROWSER_CLOSE = True
# Whether a second factor is required of everybody. A person who has enrolled one is always asked for it.
ADMIN_SECOND_FACTOR = env.flag("DPP_ADMIN_SECOND_FACTOR", IN_PRODUCTION)
OTP_TOTP_ISSUER = "DPP"
# What one person may credit by the admin in 24 hours; more goes by `manage.py topup`, with whoever has a shell.
ADMIN_TOPUP_MAX = parse_usd(env.text("DPP_ADMIN_TOPUP_MAX_USD", "1000.0000"))

# --- PostgreSQL: the truth -------------------------------------------------------------------------------------
# A pool bounds connections and answers "exhausted" within a second (503) instead of hanging. Server-side limits
# keep a forgotten transaction from holding a tenant's row lock.
_database = env.database("DATABASE_URL")
if IN_PRODUCTION:
    env.refuse_weak("DATABASE_URL", password_weakness(_database["PASSWORD"], user=_database["USER"]))
DATABASES: dict[str, dict[str, Any]] = {
    "default": {
        **_database,
        "CONN_MAX_AGE": 0,
        "OPTIONS": {
            "pool": {
                "min_size": env.integer("DPP_DB_POOL_MIN", 2),
                "max_size": env.integer("DPP_DB_POOL_MAX", 16, least=1),
                "timeout": env.integer("DPP_DB_POOL_TIMEOUT_SEC", 1, least=1),
                # Left to itself the pool waits ever longer between attempts, and answers nobody after an outage that
                # is long over. Giving up soon makes the next request try at once.
                "reconnect_timeout": 1,
            },
            # Statements of the hot paths are prepared. To be switched off behind a PgBouncer in transaction mode
            # older than 1.22, which loses them.
            "prepare_threshold": 5 if env.flag("DPP_DB_PREPARE", True) else None,
            "connect_timeout": 3,
            "options": "-c lock_timeout=5s -c statement_timeout=30s -c idle_in_transaction_session_timeout=60s",
            # A server that is gone without a word ends no statement: after so long without a sign of life we do.
            "keepalives_idle": 10,
            "keepalives_interval": 5,
            "keepalives_count": 3,
            "tcp_user_timeout": 20_000,
            # What the URL says after its ?, for libpq: `sslmode=verify-full` and the like.
            **_database["OPTIONS"],
        },
    }
}
# The role that owns the tables, for `manage.py setup_database` alone: no process that serves is given it.
_owner = env.optional("DATABASE_OWNER_URL") and env.database("DATABASE_OWNER_URL")
DATABASE_OWNER: dict[str, Any] | None = (
    {name: _owner[name] for name in ("NAME", "USER", "PASSWORD", "HOST", "PORT")} if _owner else None
)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Redis: fast and disposable --------------------------------------------------------------------------------
REDIS_URL = env.redis_address("REDIS_URL", env.text("REDIS_URL"))
# What need not lie beside the money may have a server of its own.
_APART = {"events": "DPP_REDIS_EVENTS_URL", "cache": "DPP_REDIS_CACHE_URL", "limits": "DPP_REDIS_LIMITS_URL"}
REDIS_URLS_APART = {
    store: env.redis_address(variable, env.optional(variable) or "") or None for store, variable in _APART.items()
}
if IN_PRODUCTION:
    env.refuse_weak("REDIS_URL", password_weakness(unquote(urlsplit(REDIS_URL).password or "")))
    for _store, _url in REDIS_URLS_APART.items():
        if _url:
            env.refuse_weak(_APART[_store], password_weakness(unquote(urlsplit(_url).password or "")))

# --- S3 and SQS ------------------------------------------------------------------------------------------------
# In production neither an endpoint nor keys are given: the instance's role is used.
AWS_ENDPOINT_URL = env.optional("AWS_ENDPOINT_URL")
AWS_REGION = env.text("AWS_DEFAULT_REGION", "us-east-1")
RESULTS_BUCKET = env.text("DPP_RESULTS_BUCKET", "dpp-results")
# Everything stored goes through "default". Another Django storage can be named; the checks say what it cannot promise.
STORAGES: dict[str, dict[str, Any]] = {
    "default": {
        "BACKEND": env.text("DPP_STORAGE_BACKEND", "storage.s3.S3ObjectStore"),
        "OPTIONS": env.json_object("DPP_STORAGE_OPTIONS"),
    },
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
# Fair queues by message group. AWS knows them; a server that refuses a group on a standard queue needs them off.
SQS_MESSAGE_GROUPS = env.flag("DPP_SQS_MESSAGE_GROUPS", default=True)
SQS_QUEUE_PREFIX = env.text("DPP_SQS_QUEUE_PREFIX", "dpp")
SQS_WAIT_TIME_SEC = env.integer("DPP_SQS_WAIT_TIME_SEC", 10 if IN_PRODUCTION else 1, most=20)
# `https://sqs.<region>.amazonaws.com/<account>` in production; the embedded server has one fixed account.
SQS_QUEUE_URL_BASE = env.text(
    "DPP_SQS_QUEUE_URL_BASE", f"{AWS_ENDPOINT_URL}/000000000000" if AWS_ENDPOINT_URL else None
).rstrip("/")

# --- HTTP ------------------------------------------------------------------------------------------------------
# Where the event gateway is reached from outside; empty when a balancer serves it under the API's own address.
EVENTS_URL = env.text("DPP_EVENTS_URL", "").rstrip("/")
PROBLEM_TYPE_BASE = problem_type_base(env)
# The strict JSON reader enforces PROFILE.max_request_bytes while reading; this is Django's own limit for the admin.
DATA_UPLOAD_MAX_MEMORY_SIZE = 20 * 1_048_576
# How many proxies in front of us write X-Forwarded-For. 0: nobody's word is taken, the peer is the client.
TRUSTED_PROXIES = env.integer("DPP_TRUSTED_PROXIES", 0, most=10)
# The server's threads per process (`--blocking-threads`): no silent server may take all of them.
API_THREADS = env.integer("DPP_API_THREADS", 16, least=4)
# Where /metrics is served; beside the API itself only on a development machine that names no port.
API_METRICS_PORT = env.integer("DPP_API_METRICS_PORT", 0, most=65_535)
# A waiting `?wait=` occupies a thread of the server: keep this well below their number.
LONG_POLL_MAX_WAITERS = env.integer("DPP_LONG_POLL_MAX_WAITERS", 4)
# So does a submit whose body is still on its way; people's forms have four such places of their own.
MAX_BODY_READERS = env.integer("DPP_MAX_BODY_READERS", 8, least=1)
REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["runs.api.authentication.ApiKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["runs.api.json_bodies.CompactJsonRenderer"],
    "DEFAULT_PARSER_CLASSES": ["runs.api.json_bodies.StrictJsonParser"],
    "EXCEPTION_HANDLER": "runs.api.errors.to_problem_response",
    "UNAUTHENTICATED_USER": None,
    "DEFAULT_METADATA_CLASS": None,
    "URL_FORMAT_OVERRIDE": None,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
}

SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Decision Pack Platform",
    "DESCRIPTION": "Submit a run, poll it, fetch its envelope. Every error is a problem (RFC 9457).",
    "VERSION": "0.4.2.2",
    "OAS_VERSION": "3.1.0",
    "POSTPROCESSING_HOOKS": ["runs.api.openapi.hooks.complete", "runs.api.openapi.hooks.write_once"],
    "SERVE_URLCONF": "dpp_project.documented_urls",
    "SERVERS": [{"url": "/", "description": "Where this document comes from."}],
    "SORT_OPERATION_PARAMETERS": False,
}

# The admin's files are served out of the installed packages: no web server and no collecting step to forget.
STATIC_URL = "/static/"
WHITENOISE_USE_FINDERS = True
WHITENOISE_MAX_AGE = 3_600

if IN_PRODUCTION:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = env.flag("DPP_SSL_REDIRECT", True)
    SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
    SECURE_HSTS_SECONDS = 31_536_000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True

# --- Packs -----------------------------------------------------------------------------------------------------
# The language model is optional; without one the decision pack weighs deterministically and says so.
LLM_BASE_URL = env.http_address("DPP_LLM_BASE_URL")
LLM_MODEL = env.written("DPP_LLM_MODEL") if LLM_BASE_URL else ""
LLM_API_KEY = env.written("DPP_LLM_API_KEY") if LLM_BASE_URL else ""
# For one call; the run's timebox may shorten it.
LLM_TIMEOUT_SEC = env.integer("DPP_LLM_TIMEOUT_SEC", 30, least=1, most=PROFILE.timebox_max_sec)
LLM_MAX_OUTPUT_TOKENS = env.integer("DPP_LLM_MAX_OUTPUT_TOKENS", 2_000, least=100, most=32_000)
LLM_MAX_INPUT_BYTES = env.integer("DPP_LLM_MAX_INPUT_BYTES", 120_000, least=1_000, most=4_000_000)
# What endpoints disagree on: the answer's form they can be told, the name of the output limit, a temperature at all.
LLM_RESPONSE_FORMAT = env.choice("DPP_LLM_RESPONSE_FORMAT", ("json_schema", "json_object", "text"), "json_schema")
LLM_OUTPUT_LIMIT_NAME = env.choice("DPP_LLM_OUTPUT_LIMIT_NAME", ("max_tokens", "max_completion_tokens"), "max_tokens")
LLM_SEND_TEMPERATURE = env.flag("DPP_LLM_SEND_TEMPERATURE", True)
LLM_STREAM = env.flag("DPP_LLM_STREAM", True)
# What a token costs depends on the model an operator chose; every other price is locked with the profile.
LLM_TOKEN_PRICES = {
    LLM_INPUT_TOKEN: Micros(env.integer("DPP_LLM_INPUT_TOKEN_MICROS", PRICES[LLM_INPUT_TOKEN], most=10_000)),
    LLM_OUTPUT_TOKEN: Micros(env.integer("DPP_LLM_OUTPUT_TOKEN_MICROS", PRICES[LLM_OUTPUT_TOKEN], most=10_000)),
}
FETCH_ALLOW_HTTP = env.flag("DPP_FETCH_ALLOW_HTTP", False)
FETCH_ALLOW_HOSTS = env.words("DPP_FETCH_ALLOW_HOSTS", "")
FETCH_DENY_HOSTS = env.words("DPP_FETCH_DENY_HOSTS", "")
# The operator's own public prefixes, which no registry of special addresses can know.
FETCH_DENY_NETWORKS = env.words("DPP_FETCH_DENY_NETWORKS", "")
# Revocation lists (PEM) of the authorities that the operator cares about.
FETCH_CRL_FILE = env.optional("DPP_FETCH_CRL_FILE")
# Downloads from one host at once, over the whole fleet.
FETCH_HOST_SLOTS = env.integer("DPP_FETCH_HOST_SLOTS", 3, least=1, most=100)
# All that the caches may take of Redis, which holds money too.
CACHE_REDIS_MAX_MIB = env.integer("DPP_CACHE_REDIS_MAX_MIB", 64, least=1, most=65_536)
# Full copies of other people's pages in our object storage: only if an operator asks for them.
CACHE_L3_DOCUMENTS = env.flag("DPP_CACHE_L3_DOCUMENTS", False)

# --- The rest --------------------------------------------------------------------------------------------------
LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_TZ = True
LOGGING_CONFIG = None
LOGGING = logging_config(level=env.text("DPP_LOG_LEVEL", "INFO"))

import logging.config  # noqa: E402  (configured here, once, for every process that reads the settings)

logging.config.dictConfig(LOGGING)
