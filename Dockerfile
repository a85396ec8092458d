# One image for every app: the command chooses which one runs.
#   docker build -t heddle .
# `--target standalone` builds the one that brings its own Redis and ClickHouse engine.

FROM node:22.23.3-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c AS base
WORKDIR /app
ENV SCARF_ANALYTICS=false
COPY package.json package-lock.json .npmrc ./

FROM base AS build
RUN npm ci --include=dev --ignore-scripts
COPY tsconfig.json tsconfig.build.json nest-cli.json ./
COPY apps ./apps
COPY libs ./libs
COPY scripts/page.mjs ./scripts/page.mjs
RUN node node_modules/@nestjs/cli/bin/nest.js build standalone \
  && node scripts/page.mjs

FROM base AS packages
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM base AS packages-with-engine
RUN npm ci --omit=dev --ignore-scripts

FROM node:22.23.3-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c AS standalone
RUN apt-get update \
  && apt-get install -y --no-install-recommends redis-server \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
# Freed memory goes back to the system, as in scripts/node.sh.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=16384 MALLOC_TRIM_THRESHOLD_=1048576
COPY package.json ./
COPY --from=packages-with-engine /app/node_modules ./node_modules
COPY --from=build /app/libs/clickhouse/migrations ./libs/clickhouse/migrations
COPY --from=build /app/libs/pricing/default-prices.json ./libs/pricing/default-prices.json
COPY --from=build /app/dist ./dist
COPY docs/reference/openapi.json ./docs/reference/openapi.json
RUN install -d -o node -g node /data
VOLUME /data
USER node
EXPOSE 8080
CMD ["node", "dist/apps/standalone/src/main.js"]

# The last stage is the default: no compiler, no engine, files the running user cannot change.
FROM node:22.23.3-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c AS app
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=16384 MALLOC_TRIM_THRESHOLD_=1048576
COPY package.json ./
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/libs/clickhouse/migrations ./libs/clickhouse/migrations
COPY --from=build /app/libs/pricing/default-prices.json ./libs/pricing/default-prices.json
COPY --from=build /app/dist ./dist
COPY docs/reference/openapi.json ./docs/reference/openapi.json
USER node
EXPOSE 8081 8082 8083
CMD ["node", "dist/apps/ingest/src/main.js"]
