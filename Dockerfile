# One image, a command per service: docker run uar-tool-plane gateway
FROM node:20-bookworm AS build
# node:20-bookworm brings python3, make and g++: better-sqlite3 compiles where there is no prebuilt binary.
WORKDIR /opt/uar
ENV NX_DAEMON=false CI=true
COPY package.json package-lock.json nx.json tsconfig.base.json ./
COPY tools ./tools
COPY libs ./libs
COPY apps ./apps
RUN npm ci --no-audit --no-fund
RUN npm run build && npm prune --omit=dev --no-audit --no-fund
# The development proxy mints tokens, the launcher and the test kit start it: they are in no layer of the image.
RUN rm -rf apps/jwt-dev-proxy apps/uar libs/testkit \
  node_modules/@uar/jwt-dev-proxy node_modules/@uar/uar node_modules/@uar/testkit \
  node_modules/.bin/uar-jwt-proxy node_modules/.bin/uar

FROM node:20-bookworm-slim
ENV NODE_ENV=production UAR_DATA_DIR=/var/lib/uar UAR_CONFIG=/etc/uar/uar.yaml
WORKDIR /opt/uar
RUN groupadd --gid 10001 uar \
  && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/uar --shell /usr/sbin/nologin uar \
  && install -d -o uar -g uar -m 0700 /var/lib/uar
COPY --from=build /opt/uar/node_modules ./node_modules
COPY --from=build /opt/uar/libs ./libs
COPY --from=build /opt/uar/apps ./apps
COPY --from=build /opt/uar/package.json ./
COPY LICENSE ./
COPY deploy ./deploy
USER 10001:10001
ENTRYPOINT ["/opt/uar/deploy/run-service"]
CMD ["gateway"]
