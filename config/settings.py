"""Every setting of Rapport, read from the environment or `.env`; docs/reference/settings.md lists them.

Importing this file starts nothing and queries no database.
"""

from datetime import timedelta
from pathlib import Path

from config import database, providers, rates
from config import environment as env
from config.logging import LEVELS, STYLES, logging_config
from config.registries import *  # noqa: F403 - each is a setting

BASE_DIR = Path(__file__).resolve().parent.parent
env.load_dotenv(BASE_DIR / ".env")

DATA_DIR = Path(env.text("RAPPORT_DATA_DIR") or BASE_DIR / ".data").resolve()
# The kind of this process: web, worker or command.
PROCESS = env.text("RAPPORT_PROCESS", "command")

# --- Django ---------------------------------------------------------------------------------------------------------
DEBUG = env.flag("RAPPORT_DEBUG", False)
ALLOWED_HOSTS = env.hosts("RAPPORT_ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TIME_ZONE = "UTC"
USE_I18N = False
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "relationships.Operator"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
APPEND_SLASH = False
STATIC_URL = "/static/"
LOGIN_URL = "admin_ui:sign_in"
# Our CSS names for the levels of django.contrib.messages.
MESSAGE_TAGS = {20: "info", 25: "good", 30: "warn", 40: "bad"}
SECRET_KEY = env.text("RAPPORT_SECRET_KEY") or env.kept_secret(DATA_DIR / "secret_key")

INSTALLED_APPS = [
    "config",
    "web",
    "providers",
    "worker",
    "relationships",
    "memory",
    "knowledge",
    "context",
    "summaries",
    "behaviours",
    "workspace",
    "chat",
    "connect",
    "upkeep",
    "demo",
    "admin_ui",
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django_htmx",
    "rest_framework",
    "corsheaders",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_q",
    "axes",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "web.middleware.CrossOriginMiddleware",
    "web.middleware.ProblemMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "admin_ui.middleware.PagesOnly",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "admin_ui.middleware.PageSecurityMiddleware",
    "axes.middleware.AxesMiddleware",
    "admin_ui.middleware.EndOfPages",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    ["admin_ui.template_loader.Loader", "django.template.loaders.app_directories.Loader"],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "admin_ui.navigation.navigation",
            ],
            "builtins": ["admin_ui.templatetags.formatting", "admin_ui.templatetags.components"],
        },
    }
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedStaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True  # files are served from their apps, without collectstatic and STATIC_ROOT

# --- database -------------------------------------------------------------------------------------------------------
# Without DATABASE_URL an embedded PostgreSQL under DATA_DIR is used. manage.py and wsgi start it, this file doesn't.
WEB_PROCESSES = env.whole("RAPPORT_WEB_PROCESSES", 2, low=1, high=64)
WEB_THREADS = env.whole("RAPPORT_WEB_THREADS", 8, low=1, high=128)
WEB_BIND = env.text("RAPPORT_BIND", "127.0.0.1:8000")
# Per web process: open requests of one client (a project, or an IP address without a valid key); streams in all.
MAX_AT_ONCE = env.whole("RAPPORT_MAX_AT_ONCE", 128, low=1)
MAX_STREAMS = env.whole("RAPPORT_MAX_STREAMS", 256, low=1)
# Per web process: chat replies at the same time, each in a thread without a database connection.
CHAT_THREADS = env.whole("RAPPORT_CHAT_THREADS", 256, low=1, high=4096)
MEM0 = env.flag("RAPPORT_MEM0", False)  # speak mem0's protocol under /mem0
MEM0_COMPANION = env.text("RAPPORT_MEM0_COMPANION", "mem0")  # the companion if a request has no agent_id
DATABASE_URL = env.text("DATABASE_URL")
DATABASE_DIRECT_URL = database.direct_url()  # past a pooler, for sessions that can't be shared
DATABASE_REPLICA_URL = env.text("DATABASE_REPLICA_URL")  # a standby, for reads that may be a moment old
REPLICA_LIMIT_SECONDS = env.seconds("RAPPORT_REPLICA_LIMIT_SECONDS", 1, low=0.01, high=3600)
EMBEDDED_POSTGRES_DIR = None if DATABASE_URL else DATA_DIR / "postgres"

# Connections per web process, and per process of the worker's pool.
DATABASE_POOL = env.whole("RAPPORT_DATABASE_POOL", 8, low=1, high=100)
DATABASES = {
    "default": database.settings_of(DATABASE_URL, data_dir=DATA_DIR, process=PROCESS, pool=DATABASE_POOL),
    **database.replica_of(DATABASE_REPLICA_URL, process=PROCESS, pool=DATABASE_POOL),
}
DATABASE_ROUTERS = ["config.postgresql.replica.Router"] if DATABASE_REPLICA_URL else []

# --- queue: django-q2 on the same database, woken by LISTEN/NOTIFY ----------------------------------------------------
# The turn's row is the truth and the task only a hint, so the queue never retries tasks (max_attempts, ack_failures):
# that would make and pay for calls twice (docs/adr/0003-the-row-is-the-queue.md).
Q_CLUSTER = {
    "name": "rapport",
    "orm": "default",
    "broker_class": "worker.broker.NotifyBroker",
    "workers": env.whole("RAPPORT_WORKERS", 2, low=1, high=64),
    "queue_limit": 2,
    "bulk": 1,
    "poll": 2,
    "max_attempts": 1,
    "ack_failures": True,
    "save_limit": -1,
    "catch_up": False,
    "label": "Queue",
    "scheduler": False,
    # Never: a process runs many tasks, which the watchdog checks (TASK_SECONDS) and a recycling waits for.
    "timeout": 1_000_000,
    "retry": 2_000_000,
    "recycle": 1_000_000_000,
}
# Tasks that a process of the pool runs at once: mostly they wait for models.
READERS = env.whole("RAPPORT_READERS", 64, low=1, high=256)
LEASE_SECONDS = env.seconds("RAPPORT_LEASE_SECONDS", 180, low=5, high=3600)
SWEEP_SECONDS = env.seconds("RAPPORT_SWEEP_SECONDS", 1, low=0.1, high=60)
WATCHDOG_SECONDS = env.seconds("RAPPORT_WATCHDOG_SECONDS", 6, low=1, high=600)
HEARTBEAT_LIMIT_SECONDS = env.seconds("RAPPORT_HEARTBEAT_LIMIT_SECONDS", 15, low=1, high=3600)
OLDEST_TURN_LIMIT_SECONDS = env.seconds("RAPPORT_OLDEST_TURN_LIMIT_SECONDS", 300, low=1)
RETRY_BASE_SECONDS = env.seconds("RAPPORT_RETRY_BASE_SECONDS", 2, low=0.01, high=600)
RETRY_CAP_SECONDS = env.seconds("RAPPORT_RETRY_CAP_SECONDS", 600, low=0.01)
MAX_ATTEMPTS = env.whole("RAPPORT_MAX_ATTEMPTS", 12, low=1, high=1000)

# What a project may spend on language models in a day, unless it has a budget of its own; 0: no limit.
PROJECT_DAILY_TOKENS = env.whole("RAPPORT_PROJECT_DAILY_TOKENS", 0, high=10**15)
PROJECT_DAILY_USD = env.amount("RAPPORT_PROJECT_DAILY_USD", "0")

# --- limits of what is accepted -----------------------------------------------------------------------------------
MAX_BODY_BYTES = env.whole("RAPPORT_MAX_BODY_BYTES", 1_048_576, low=1024)
MAX_IMPORT_BYTES = env.whole("RAPPORT_MAX_IMPORT_BYTES", 67_108_864, low=1024)
MAX_CHAT_BYTES = env.whole("RAPPORT_MAX_CHAT_BYTES", 20_971_520, low=1024, high=1_000_000_000)
MAX_MESSAGE_BYTES = env.whole("RAPPORT_MAX_MESSAGE_BYTES", 65_536, low=64)
MAX_MESSAGES_PER_TURN = env.whole("RAPPORT_MAX_MESSAGES_PER_TURN", 50, low=1)
MAX_ENTRY_BYTES = env.whole("RAPPORT_MAX_ENTRY_BYTES", 4096, low=64)
MAX_PROFILE_BYTES = env.whole("RAPPORT_MAX_PROFILE_BYTES", 262_144, low=64)
MAX_JSON_DEPTH = env.whole("RAPPORT_MAX_JSON_DEPTH", 32, low=2, high=200)
MAX_DOCUMENT_BYTES = env.whole("RAPPORT_MAX_DOCUMENT_BYTES", 20_971_520, low=1024, high=1_000_000_000)
MAX_DOCUMENT_PAGES = env.whole("RAPPORT_MAX_DOCUMENT_PAGES", 2000, low=1)
MAX_DOCUMENT_CHARACTERS = env.whole("RAPPORT_MAX_DOCUMENT_CHARACTERS", 5_000_000, low=1000, high=100_000_000)
MAX_FILE_BYTES = env.whole("RAPPORT_MAX_FILE_BYTES", 102_400, low=1024, high=10_000_000)
MAX_FILES = env.whole("RAPPORT_MAX_FILES", 1000, low=10, high=100_000)
MAX_WORKSPACE_BYTES = env.whole("RAPPORT_MAX_WORKSPACE_BYTES", 20_971_520, low=1024, high=1_000_000_000)
# Limits of the process in which a document is parsed.
DOCUMENT_SECONDS = env.whole("RAPPORT_DOCUMENT_SECONDS", 60, low=1, high=240)
DOCUMENT_MEMORY = env.whole("RAPPORT_DOCUMENT_MEMORY", 1_073_741_824, low=134_217_728)
DATA_UPLOAD_MAX_MEMORY_SIZE = max(MAX_BODY_BYTES, MAX_CHAT_BYTES, MAX_IMPORT_BYTES, 2 * MAX_DOCUMENT_BYTES)
KEY_RATES, TOKEN_RATES = rates.key_rates(), rates.token_rates()
IDEMPOTENCY_HOURS = env.whole("RAPPORT_IDEMPOTENCY_HOURS", 24, low=1)
MAX_WAIT_SECONDS = env.seconds("RAPPORT_MAX_WAIT_SECONDS", 30, low=0, high=300)
# A waiting request occupies a thread: at most half of them may, so that contexts are always answered.
MAX_WAITERS = env.whole("RAPPORT_MAX_WAITERS", max(1, WEB_THREADS // 2), low=0)
# With this many entries that have vectors, a relationship whose ranker is `decay` keeps decayed vectors.
LARGE_RELATIONSHIP_ROWS = env.whole("RAPPORT_LARGE_RELATIONSHIP_ROWS", 10_000, low=100)

# --- plugins: the choices are in config/providers.py and config/registries.py -----------------------------------------
LLM_PROVIDERS = providers.llm_providers()
DEFAULT_LLM_PROVIDER = providers.default_llm_provider(LLM_PROVIDERS)
EMBEDDING_PROVIDERS = providers.embedding_providers(DATA_DIR / "models")
CROSS_ENCODER = providers.cross_encoder(DATA_DIR / "models")
CALL_SECONDS = providers.longest_call(LLM_PROVIDERS, EMBEDDING_PROVIDERS)
# A task begins no new turn after a minute. One that it has begun may need two strategies with two calls each, each
# repeated once if the answer can't be parsed, and twice more if it is cut off.
TASK_SECONDS = round(60 + 16 * CALL_SECONDS)
DEFAULT_EMBEDDING_PROVIDER = providers.default_embedding_provider(EMBEDDING_PROVIDERS)
ALLOW_EXTERNAL_PROVIDERS = env.flag("RAPPORT_ALLOW_EXTERNAL_PROVIDERS", True)
# Whether webhooks and tools, whose URLs come from developers, may call into this machine's own network.
ALLOW_PRIVATE_ADDRESSES = env.flag("RAPPORT_ALLOW_PRIVATE_ADDRESSES", False)
# Modules that a configuration may name by dotted path. An API key alone must not be enough to import code.
PLUGINS = env.listing("RAPPORT_PLUGINS")

# --- REST ----------------------------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["web.authentication.BearerAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["web.authentication.HasScope"],
    "DEFAULT_RENDERER_CLASSES": ["web.rendering.OrjsonRenderer"],
    "DEFAULT_PARSER_CLASSES": [],  # RestView parses bodies itself, strictly
    "EXCEPTION_HANDLER": "web.problems.problem_response",
    "DEFAULT_SCHEMA_CLASS": "web.openapi.RapportSchema",
    "UNAUTHENTICATED_USER": None,
    "UNAUTHENTICATED_TOKEN": None,
}
# Sites whose pages may call the API with a person's token. Cookies are never sent.
CORS_ALLOWED_ORIGINS = env.origins("RAPPORT_CORS_ORIGINS", subdomains=False)
CORS_URLS_REGEX = r"^/(v1/|mcp)"
CORS_ALLOW_HEADERS = [
    *["accept", "authorization", "content-type", "idempotency-key", "if-match", "last-event-id"],
    *["mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name"],
    *["x-rapport-session", "x-rapport-remember", "traceparent", "tracestate"],
    # sent by OpenAI's SDK with every call
    *[f"x-stainless-{told}" for told in ("arch", "helper-method", "lang", "os", "package-version")],
    *[f"x-stainless-{told}" for told in ("retry-count", "runtime", "runtime-version", "timeout")],
]
CORS_EXPOSE_HEADERS = ["ETag", "Mcp-Session-Id", "Retry-After", "RateLimit", "RateLimit-Policy"]
SPECTACULAR_SETTINGS = {
    "TITLE": "Rapport",
    "DESCRIPTION": "What an AI companion knows about a person: kept, shown, and corrected.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_AUTHENTICATION": [],
    "SERVE_PERMISSIONS": [],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SCHEMA_PATH_PREFIX": r"/v1",
    "OAS_VERSION": "3.1.0",
}

# --- logs ----------------------------------------------------------------------------------------------------------
LOG_STYLE = env.one_of("RAPPORT_LOG_STYLE", "text", STYLES)
LOGGING = logging_config(style=LOG_STYLE, level=env.one_of("RAPPORT_LOG_LEVEL", "INFO", LEVELS))

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.flag("RAPPORT_SECURE_COOKIES", False)
CSRF_TRUSTED_ORIGINS = env.origins("RAPPORT_TRUSTED_ORIGINS", subdomains=True)

# --- sign-in of operators: after AXES_FAILURE_LIMIT wrong passwords for an account from an IP address they must wait
SESSION_COOKIE_AGE = round(
    3600 * env.seconds("RAPPORT_SESSION_HOURS", 12, low=0.001, high=8760, unit="hours")
)
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
PROXIES = env.whole("RAPPORT_PROXIES", 0, low=0, high=8)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = env.whole("RAPPORT_SIGN_IN_ATTEMPTS", 5, low=1, high=100)
AXES_COOLOFF_TIME = timedelta(
    minutes=env.seconds("RAPPORT_SIGN_IN_WAIT_MINUTES", 5, low=0.01, high=1440, unit="minutes")
)
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # or the wait that we announce would be wrong
AXES_RESET_ON_SUCCESS = AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = AXES_VERBOSE = False
AXES_USERNAME_FORM_FIELD = "username"
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address", "next", "unsent"]  # may hold what is remembered
AXES_CLIENT_IP_CALLABLE = "admin_ui.throttling.client_address"
AXES_LOCKOUT_CALLABLE = "admin_ui.throttling.locked_out"
