# Rapport's image: the web server, the worker and every manage.py command. compose.yaml shows how they go together.
ARG PYTHON_IMAGE=python:3.11.14-slim-bookworm@sha256:65a93d69fa75478d554f4ad27c85c1e69fa184956261b4301ebaf6dbb0a3543d
FROM ${PYTHON_IMAGE}

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1

WORKDIR /srv/rapport
RUN useradd --system --uid 10001 --no-create-home rapport \
 && install --directory --owner=rapport /var/lib/rapport

# What `make lock` wrote: the service's own part, as containers have a database server and run no tests. Each file has to
# have its hash, and nothing is built from source.
COPY requirements*.lock ./
RUN pip install --require-hashes --only-binary=:all: -r requirements.lock

# --build-arg EXTRAS="local tracing" adds what a sentence model on this machine needs (docs/how-to/choose-an-embedder.md),
# and what sends traces (docs/how-to/trace-requests.md).
ARG EXTRAS=
RUN for extra in $EXTRAS; do \
      pip install --require-hashes --only-binary=:all: -r requirements-$extra.lock || exit 1; \
    done

COPY . .
# Or each process would compile all of it anew: they write no bytecode, and could not.
RUN python -m compileall -q .

USER rapport
ENV RAPPORT_DATA_DIR=/var/lib/rapport RAPPORT_BIND=0.0.0.0:8000
EXPOSE 8000
CMD ["python", "manage.py", "web"]
