# priorart in a container. docs/operations.md says how to run it.
#
#   docker build -t priorart .
#
# The server listens on 127.0.0.1 in the container, where nobody reaches it, unless it is told otherwise:
#
#   docker run --read-only --cap-drop ALL --security-opt no-new-privileges -v patents:/data -p 127.0.0.1:8080:8080 \
#     priorart serve --host 0.0.0.0

ARG NODE_VERSION=20
ARG RUST_VERSION=1.89

FROM rust:${RUST_VERSION}-bookworm AS rust

# Compiles FAISS, the addon (on x64 twice, for AVX2 and for every processor) and the TypeScript.
FROM node:${NODE_VERSION}-bookworm AS build
COPY --from=rust /usr/local/rustup /usr/local/rustup
COPY --from=rust /usr/local/cargo /usr/local/cargo
ENV RUSTUP_HOME=/usr/local/rustup CARGO_HOME=/usr/local/cargo PATH=/usr/local/cargo/bin:$PATH
WORKDIR /src
COPY . .
RUN mkdir /packed /opt/priorart && npm pack --pack-destination /packed
RUN tar -xzf /packed/priorart-*.tgz -C /opt/priorart --strip-components=1 \
  && cp package-lock.json /opt/priorart/ \
  && cd /opt/priorart && npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && chmod 0755 dist/src/cli/main.js

FROM node:${NODE_VERSION}-bookworm-slim
# What the addon is linked with; slim images lack OpenMP.
RUN apt-get update \
  && apt-get install -y --no-install-recommends libgomp1 libstdc++6 \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/priorart /opt/priorart
RUN ln -s /opt/priorart/dist/src/cli/main.js /usr/local/bin/priorart \
  && useradd --uid 10001 --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin priorart \
  && install -d -o 10001 -g 10001 -m 0700 /data
ENV NODE_ENV=production PRIORART_DATA=/data HEALTH_URL=http://127.0.0.1:8080/readyz
USER 10001:10001
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(process.env.HEALTH_URL).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["priorart"]
CMD ["serve"]
