# The program with its solver, in a small image: docker build -t tranquera . && docker run --rm -v "$PWD:/work" tranquera epa gate.tq
FROM rust:1-slim-trixie AS build
WORKDIR /src
COPY . .
RUN cargo install --locked --path . --root /out

FROM debian:trixie-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends z3 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/bin/tranquera /usr/local/bin/tranquera
# Nobody in particular, who can write where the user of the host can (docker run --user).
WORKDIR /work
ENV TRANQUERA_CACHE=/tmp/tranquera
ENTRYPOINT ["tranquera"]
CMD ["--help"]
