"""The WSGI application. Starts the embedded database first, when it is the one in use."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("RAPPORT_PROCESS", "web")

from django.core.wsgi import get_wsgi_application

from config.embedded_postgres import start_if_used

start_if_used()
application = get_wsgi_application()
