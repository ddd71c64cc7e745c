# Subcore in a container, built from these sources:
#   docker build -t subcore . && docker run --rm subcore demo
# A program of yours: docker run --rm -v "$PWD:/work" -w /work subcore exec --gpu h200 ./app
FROM debian:12 AS build
COPY . /src
WORKDIR /src
RUN apt-get update && apt-get install -y make && tools/packages.sh && make install PREFIX=/usr/local DESTDIR=/out && rm -rf /var/lib/apt/lists/*

FROM debian:12-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends libzstd1 liblzma5 zlib1g libinih1 libcjson1 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/usr/local /usr/local
RUN ldconfig
ENTRYPOINT ["subcore"]
CMD ["help"]
