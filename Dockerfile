# The app for docker-compose.yml. Build it from a checkout: docker compose build
FROM python:3.11-slim

ENV PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /srv/techreg

# Plain torch for Linux on PyPI is a CUDA build of gigabytes.
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY app app
COPY pipelines pipelines
COPY eval eval
COPY scripts scripts
RUN pip install --constraint constraints.txt --extra-index-url https://download.pytorch.org/whl/cpu torch \
    && pip install --constraint constraints.txt --editable . \
    && useradd --create-home --uid 1000 techreg \
    && mkdir -p /storage data/regulations \
    && chown -R techreg /storage data

USER techreg
ENV TECHREG_STORAGE=/storage TECHREG_DOCUMENTS=/srv/techreg/data/regulations
VOLUME /storage
EXPOSE 7860

# Healthy as soon as the page answers; it answers while the index is still being built.
HEALTHCHECK --interval=30s --timeout=10s --start-period=120s --retries=5 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:7860/api/health', timeout=8)"]

CMD ["techreg", "serve", "--host", "0.0.0.0", "--port", "7860"]
