FROM rust:1.95-alpine AS build
RUN apk add --no-cache build-base ca-certificates tzdata
WORKDIR /src
COPY . .
RUN cargo build --locked --profile dist --package restow

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /usr/share/zoneinfo /usr/share/zoneinfo
COPY --from=build /src/LICENSE /src/NOTICE /
COPY --from=build /src/target/dist/restow /restow
# What a search has taken goes back at once: its peak is a fifth lower, for a twentieth of its time.
ENV MIMALLOC_PURGE_DELAY=0
USER 65532:65532
ENTRYPOINT ["/restow"]
CMD ["run"]
