"""The settings of the tests: a database of their own, scripted providers, nothing beyond loopback."""

import os
import tempfile

os.environ.setdefault("RAPPORT_PROCESS", "test")
os.environ.setdefault("RAPPORT_SECRET_KEY", "a key for tests only, long enough for every check")
# Tests must not depend on the API keys of whoever runs them.
KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL")
for name in [*KEYS, "RAPPORT_LLM_PROVIDER", *(name for name in os.environ if "_EMBEDDING_" in name)]:
    os.environ.pop(name, None)

from config.settings import *  # noqa: F403
from config.settings import DATABASES, EMBEDDING_PROVIDERS, LLM_PROVIDERS

# A power cut does not matter to these tests, so they need not wait for the disk. The drills have real durability.
DATABASES["default"]["OPTIONS"]["options"] = "-c synchronous_commit=off"

ALLOW_EXTERNAL_PROVIDERS = False
LLM_PROVIDERS["scripted"] = {"BACKEND": "tests.fakes.ScriptedProvider", "OPTIONS": {}}
EMBEDDING_PROVIDERS["scripted"] = {"BACKEND": "tests.fakes.ScriptedEmbedder", "OPTIONS": {}}
PLUGINS = ["tests.plugins"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
MEDIA_ROOT = tempfile.gettempdir()
# Each test client loads the middleware again, so look for a static file when it is requested, not for all at once.
WHITENOISE_AUTOREFRESH = True
