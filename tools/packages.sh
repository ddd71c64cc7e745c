#!/bin/sh
# Installs the Debian packages of docs/dependencies.md that are missing. Calls apt only when one is.
set -u
needed="gcc libc6-dev meson ninja-build pkg-config python3 libzstd-dev liblzma-dev zlib1g-dev libinih-dev libcjson-dev libcmocka-dev"

if ! command -v dpkg-query >/dev/null; then
    echo "Not a Debian system: these packages, by their Debian names, have to be there: $needed" >&2
    exit 0
fi

missing=""
for package in $needed; do
    case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
    *" installed") ;;
    *) missing="$missing $package" ;;
    esac
done
[ -z "$missing" ] && exit 0

echo "Installing:$missing"
root=""
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "Neither root nor sudo. Ask an administrator for: apt-get install$missing" >&2
        exit 1
    fi
    root="sudo"
fi
install() { $root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; }
if ! install; then
    $root apt-get update && install || {
        echo "Could not install:$missing" >&2
        exit 1
    }
fi
