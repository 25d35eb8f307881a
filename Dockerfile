# The command line, the server and the worker in one image: `docker build -t quorate .`
# Nothing is installed that the locks in requirements/ do not name with its hash.

FROM python:3.13-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /build
COPY requirements/image.txt requirements/build.txt requirements/
RUN python -m venv /venv && /venv/bin/pip install --require-hashes -r requirements/image.txt
RUN python -m venv /build/venv && /build/venv/bin/pip install --require-hashes -r requirements/build.txt
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN /build/venv/bin/python -m hatchling build -t wheel && /venv/bin/pip install --no-deps --no-index dist/*.whl

FROM python:3.13-slim
RUN useradd --uid 10001 --home-dir /var/lib/quorate --create-home --shell /usr/sbin/nologin quorate
COPY --from=build /venv /venv
ENV PATH=/venv/bin:$PATH HOME=/var/lib/quorate PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER 10001:10001
WORKDIR /var/lib/quorate
# The one place that is written to: the token, consents, and the spool of answers that are not committed yet.
VOLUME /var/lib/quorate
ENTRYPOINT ["quorate"]
CMD ["--help"]
