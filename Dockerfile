# One image, a command per service: docker run uar-tool-plane gateway
FROM node:20-bookworm AS build
WORKDIR /opt/uar
ENV NX_DAEMON=false
COPY package.json package-lock.json nx.json tsconfig.base.json ./
COPY libs ./libs
COPY apps ./apps
RUN rm -rf apps/jwt-dev-proxy/src/*.spec.ts && npm ci --no-audit --no-fund
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM node:20-bookworm-slim
ENV NODE_ENV=production UAR_DATA_DIR=/var/lib/uar UAR_CONFIG=/etc/uar/uar.yaml
WORKDIR /opt/uar
RUN useradd --system --uid 10001 --home-dir /var/lib/uar uar && install -d -o uar -g uar -m 0700 /var/lib/uar
COPY --from=build /opt/uar/node_modules ./node_modules
COPY --from=build /opt/uar/libs ./libs
COPY --from=build /opt/uar/apps ./apps
COPY --from=build /opt/uar/package.json ./
COPY deploy ./deploy
# The development proxy mints tokens: it is in no image.
RUN rm -rf apps/jwt-dev-proxy apps/uar node_modules/@uar/jwt-dev-proxy node_modules/@uar/uar node_modules/.bin/uar-jwt-proxy node_modules/.bin/uar
USER 10001
ENTRYPOINT ["/opt/uar/deploy/run-service"]
CMD ["gateway"]
