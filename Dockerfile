# The image for people who build with Docker: the program and user of `npm run image`, which needs no Docker and is
# reproducible. This one takes the newest packages of its base images.
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && find dist -name '*.map' -delete -o -name '*.cache' -delete

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends git openssh-client ca-certificates libstdc++6 libatomic1 \
 && rm -rf /var/lib/apt/lists/* \
 && echo 'nonroot:x:65532:65532:nonroot:/tmp:/sbin/nologin' >>/etc/passwd \
 && echo 'nonroot:x:65532:' >>/etc/group
COPY --from=build /usr/local/bin/node /usr/bin/node
COPY --from=build /src/dist /opt/supercargo/dist
COPY --from=build /src/LICENSE /opt/supercargo/LICENSE
RUN printf "#!/usr/bin/node\nrequire('/opt/supercargo/dist/main.cjs');\n" >/usr/bin/supercargo \
 && chmod 755 /usr/bin/supercargo
ENV HOME=/tmp NODE_ENV=production
WORKDIR /tmp
USER 65532:65532
ENTRYPOINT ["/usr/bin/supercargo"]
