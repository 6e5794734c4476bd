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
USER 65532:65532
ENTRYPOINT ["/restow"]
CMD ["run"]
