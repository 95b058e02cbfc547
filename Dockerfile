# Rapport's image: the web server, the worker and every manage.py command. compose.yaml shows how they go together.
FROM python:3.11-slim-bookworm

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1

WORKDIR /srv/rapport
RUN useradd --system --uid 10001 --no-create-home rapport \
 && install --directory --owner=rapport /var/lib/rapport

# Only the service's own part: containers have a database server, and run no tests.
COPY requirements.txt requirements-local.txt ./
RUN sed '/^# the embedded database/,$d' requirements.txt > service.txt && pip install -r service.txt

# --build-arg EXTRAS=local adds what a sentence model on this machine needs (docs/how-to/choose-an-embedder.md).
ARG EXTRAS=
RUN if [ "$EXTRAS" = local ]; then pip install -r requirements-local.txt; fi

COPY . .

USER rapport
ENV RAPPORT_DATA_DIR=/var/lib/rapport RAPPORT_BIND=0.0.0.0:8000
EXPOSE 8000
CMD ["python", "manage.py", "web"]
