#!/bin/sh
# Installs the packages of docs/dependencies.md that are missing, with the package manager of Debian and Ubuntu, Fedora,
# Arch or openSUSE. Calls it only when one is missing. --list prints the names and installs nothing. The names for
# Fedora, Arch and openSUSE are those of public package lists: the script was never run on these systems.
set -u
debian="gcc libc6-dev meson ninja-build pkg-config python3 libzstd-dev liblzma-dev zlib1g-dev libinih-dev libcjson-dev libcmocka-dev"
arch="gcc glibc meson ninja pkgconf python zstd xz zlib libinih cjson cmocka"
# dnf and zypper find a library by the name of its pkg-config file, whatever its package is called.
libraries="pkgconfig(libzstd) pkgconfig(liblzma) pkgconfig(zlib) pkgconfig(inih) pkgconfig(libcjson) pkgconfig(cmocka)"
fedora="gcc glibc-devel meson ninja-build pkgconf-pkg-config python3 $libraries"
opensuse="gcc glibc-devel meson ninja pkg-config python3 $libraries"

has_deb() {
    case $(dpkg-query -W -f '${Status}' "$1" 2>/dev/null) in
    *" installed") return 0 ;;
    esac
    return 1
}
has_rpm() { rpm -q --quiet --whatprovides "$1"; }
has_arch() { pacman -Qq "$1" >/dev/null 2>&1; }
install_deb() { $root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"; }
install_fedora() { $root dnf install -y "$@"; }
install_arch() { $root pacman -S --needed --noconfirm "$@"; }
install_opensuse() { $root zypper --non-interactive install "$@"; }

if command -v dpkg-query >/dev/null; then
    needed=$debian has=has_deb install=install_deb refresh="apt-get update" tried=yes
elif command -v pacman >/dev/null; then
    needed=$arch has=has_arch install=install_arch refresh="pacman -Sy"
elif command -v zypper >/dev/null; then
    needed=$opensuse has=has_rpm install=install_opensuse refresh="zypper --non-interactive refresh"
elif command -v dnf >/dev/null; then
    needed=$fedora has=has_rpm install=install_fedora refresh=true
else
    echo "No known package manager. Install these packages, which have their Debian names here: $debian" >&2
    exit 0
fi
if [ "${1:-}" = --list ]; then
    echo "$needed"
    exit 0
fi

missing=""
for package in $needed; do
    $has "$package" || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

echo "Installing:$missing"
[ -n "${tried:-}" ] || echo "Note: these names come from public package lists, and were not tried on this system." >&2
root=""
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "Neither root nor sudo. Ask an administrator to install:$missing" >&2
        exit 1
    fi
    root="sudo"
fi
# A package is a word: the list is split on purpose.
# shellcheck disable=SC2086
$install $missing && exit 0
# shellcheck disable=SC2086
$root $refresh && $install $missing && exit 0
echo "Could not install:$missing" >&2
exit 1
