#!/bin/sh
# Packs an installation as a Debian package: deb.sh ROOT VERSION OUTPUT_FOLDER. ROOT is the folder that DESTDIR named,
# and the prefix in it is /usr. The package depends on the packages that have the shared libraries of its programs.
set -eu
root=$1 version=$2 output=$3
architecture=$(dpkg --print-architecture)
depends=$(find "$root/usr" -type f \( -name '*.so*' -o -path '*/bin/*' \) -exec ldd {} + |
    sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u | grep -v "^$root" | while read -r library; do
        dpkg-query -S "$(realpath "$library")" "$library" 2>/dev/null | head -1 | cut -d: -f1
    done | sort -u | paste -sd, | sed 's/,/, /g')
mkdir -p "$root/DEBIAN"
cat > "$root/DEBIAN/control" <<END
Package: subcore
Version: $version
Architecture: $architecture
Maintainer: The Subcore authors <subcore@localhost>
Section: science
Priority: optional
Depends: $depends
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Description: cycle-level simulator of NVIDIA GPUs
 Subcore runs CUDA, Triton and PyTorch programs on NVIDIA GPUs that are not
 there: it executes their machine code bit for bit and times it cycle by cycle.
END
dpkg-deb --root-owner-group --build "$root" "$output/subcore_${version}_${architecture}.deb"
