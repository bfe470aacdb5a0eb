#!/usr/bin/env bash
# Builds the image of this folder without a daemon and tries it: the server starts in it as its user, takes an event, answers a
# query, is healthy, and ends with 0 when it is told to.
#
#   deploy/docker/try.sh [ARCHIVE]      # ARCHIVE: where the image goes, as an OCI archive
#
# Needs buildah (Debian has it), root, and Node with npm. Without `--bases` the two bases are those that the Dockerfile names.
# `--bases debian`: for machines that reach no registry of images, both are a minimal Debian made by mmdebstrap, with the Node and npm
# that run here. `--bases FILE`: the same from such an archive of Debian (mmdebstrap --variant=essential --include=ca-certificates,libstdc++6
# bookworm FILE), made before.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

bases='' archive=''
while [ $# -gt 0 ]; do
  case $1 in
    --bases) bases=${2:?--bases takes debian or a file}; shift ;;
    *) archive=$1 ;;
  esac
  shift
done

folder=$(mktemp -d)
server=''
tidy() {
  if [ -n "$server" ]; then kill "$server" $(serving) 2>/dev/null || true; fi
  store rm --all >/dev/null 2>&1 || true
  rm -rf "$folder"
}
trap tidy EXIT

# Its own store, so that nothing of this machine's images is touched; files instead of mounts, which need no kernel's leave.
store() { buildah --root "$folder/store" --runroot "$folder/run" --storage-driver vfs "$@"; }

# The bases of the Dockerfile as a Debian with Node, and with the certificates that this machine trusts (a proxy's among them).
debian_bases() {
  local root=$folder/base node npm
  if [ "$bases" = debian ]; then
    bases=$folder/debian.tar
    mmdebstrap --quiet --variant=essential --include=ca-certificates,libstdc++6 bookworm "$bases"
  fi
  node=$(node -p process.execPath)
  npm=$(dirname "$(dirname "$(realpath "${npm_execpath:-$(command -v npm)}")")")
  mkdir -p "$root"
  cp "$node" "$root/node" && cp -r "$npm" "$root/npm" && cp "$bases" "$root/debian.tar"
  cp "${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}" "$root/trusted.crt"
  printf '%s\n' 'FROM scratch' 'ADD debian.tar /' 'COPY node /usr/local/bin/node' 'COPY npm /usr/local/lib/node_modules/npm' \
    'COPY trusted.crt /etc/ssl/trusted.crt' 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/trusted.crt' \
    'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm' >"$root/Dockerfile"
  store build --quiet --isolation chroot --tag windlass-base "$root" >/dev/null
}

arguments=()
if [ -n "$bases" ]; then
  debian_bases
  arguments=(--build-arg NODE_IMAGE=localhost/windlass-base --build-arg RUNTIME_IMAGE=localhost/windlass-base --pull-never)
fi
store build --isolation chroot --format docker --file deploy/docker/Dockerfile --ignorefile deploy/docker/Dockerfile.dockerignore \
  "${arguments[@]}" --tag windlass .

container=$(store from --pull-never windlass)
port=$((20000 + RANDOM % 20000))
# As the image says that it is run: its user, entry point and settings, but with addresses of its own.
inside() {
  store run --isolation chroot --env "WINDLASS_ADDR=127.0.0.1:$port" --env WINDLASS_METRICS_ADDR=none "$container" -- \
    node /app/dist/bin/wl.js "$@"
}
# The process itself: buildah passes no signal on.
serving() {
  local file
  for file in /proc/[0-9]*/environ; do
    if [ "$(basename "$(readlink "${file%environ}exe")")" = node ] && grep -qzx "WINDLASS_ADDR=127.0.0.1:$port" "$file" 2>/dev/null; then
      basename "${file%/environ}"
    fi
  done
}
fail() { echo "try.sh: $1" >&2 && cat "$folder/log" >&2 && exit 1; }

echo "Windlass $(inside version) in the image:"
inside serve >"$folder/log" 2>&1 &
server=$!
for _ in $(seq 600); do
  if grep -q 'is ready on' "$folder/log"; then break; fi
  if ! kill -0 "$server" 2>/dev/null; then fail 'it did not start'; fi
  sleep 0.2
done
process=$(serving)
[ -n "$process" ] || fail 'it was not ready within two minutes'
[ "$(stat -c %u "/proc/$process")" != 0 ] || fail 'it runs as root'
inside health --host "http://127.0.0.1:$port"
key=$(sed -n 's/^ *secret key *//p' "$folder/log")
ask() { node -e 'const [url, key, body] = process.argv.slice(1); fetch(url, { method: "POST", headers: { "X-API-Key": key }, body }).then((answer) => answer.text()).then((text) => console.log(text.trim()));' "http://127.0.0.1:$port$1" "$key" "$2"; }
[ "$(ask /track '{"event_type": "tried"}')" = '{"accepted":1}' ] || fail 'it took no event'
[ "$(ask /query '{"q": "tried | count", "format": "json"}')" = '[{"count":1}]' ] || fail 'it answered wrongly'
kill -TERM "$process"
wait "$server" || fail "it ended with $?"
server=''
echo 'started as its user, healthy, an event, a query, ended by SIGTERM'
echo "$(store images --format '{{.Size}}' localhost/windlass), with its base"
if [ -n "$archive" ]; then store push --quiet windlass "oci-archive:$archive:windlass"; fi
