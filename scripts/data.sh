#!/bin/sh
# help: fetch step 8's data sets, optdigits and KDD Cup 1999, into data/ (or KNN_DATA=)
# A file gets its name only after the SHA-256 of its contents has been checked (of the unpacked contents of a .gz, as
# archives have repacked it). DATA_URLS replaces the places to fetch from (the tests use it).
set -u
cd "$(dirname "$0")/.." || exit 2
folder=${KNN_DATA:-data}
urls=${DATA_URLS-https://archive.ics.uci.edu/ml/machine-learning-databases}

say() { echo "data: $*" >&2; }
part=
trap '[ -z "$part" ] || rm -f "$part"' EXIT
trap 'exit 130' INT TERM

# checksum FILE NAME: of what NAME holds in FILE
checksum() {
    case $2 in
    *.gz) gzip -dc <"$1" 2>/dev/null | sha256sum ;;
    *) sha256sum <"$1" ;;
    esac | cut -d ' ' -f 1
}

# get URL FILE
get() {
    if command -v curl >/dev/null 2>&1; then
        curl -fsSL --connect-timeout 20 --retry 2 -o "$2" "$1" 2>/dev/null
    elif command -v wget >/dev/null 2>&1; then
        wget -q -T 20 -t 2 -O "$2" "$1"
    else
        say "neither curl nor wget is here to fetch with; type: apt-get install curl"
        exit 2
    fi
}

# fetch NAME PLACE SHA256: into $folder/NAME, from PLACE below one of the urls
missing=0
fetch() {
    file=$folder/$1
    if [ -e "$file" ]; then
        if [ "$(checksum "$file" "$1")" = "$3" ]; then
            echo "$file is here"
            return
        fi
        say "$file has the wrong contents (SHA-256); remove it to fetch it again"
        missing=$((missing + 1))
        return
    fi
    mkdir -p "$(dirname "$file")" || exit 2
    for url in $urls; do
        part=$file.part.$$
        if get "$url/$2" "$part"; then
            if [ "$(checksum "$part" "$1")" = "$3" ]; then
                mv "$part" "$file" && part= && echo "$file fetched" && return
            fi
            say "$url/$2 has the wrong contents (SHA-256)"
        fi
        rm -f "$part"
        part=
    done
    missing=$((missing + 1))
}

fetch optdigits/optdigits.tra optdigits/optdigits.tra e1b683cc211604fe8fd8c4417e6a69f31380e0c61d4af22e93cc21e9257ffedd
fetch optdigits/optdigits.tes optdigits/optdigits.tes 6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8
fetch optdigits/optdigits.names optdigits/optdigits.names \
    3e994f4b73cb68de4d88d1e8fd934b1ca3de126c6dcbf3fb30d7bcaef079e25a
fetch kdd99/kddcup.data_10_percent.gz kddcup99-mld/kddcup.data_10_percent.gz \
    f8c8267ebcd9c0ed1fd7d6277fe5bfff8732e9b7db8e61b873542b2a534b6f9a
fetch kdd99/corrected.gz kddcup99-mld/corrected.gz 547dfb9c0f0dc1d9944219ec79e851191faebaeb8acbfa1cd171c418397052a4
fetch kdd99/kddcup.names kddcup99-mld/kddcup.names 24ad45a4c5de85cd73bcc81cf4965a58bbf3e83b48c6e6d3b0284119e7d42efd
if [ "$missing" != 0 ]; then
    say "$missing of 6 files are missing in $folder/ and cannot be fetched from ${urls:-nowhere} (is there a network?)"
    exit 2
fi
