#!/usr/bin/env bash
# Checks what is in this folder with the programs that it is for. promtool must be there (Debian: prometheus), as the CI says; of the
# others those that are installed: systemd-analyze, kubectl, docker (compose), caddy, nginx, haproxy. Where `npm run build` was run,
# the proxies are driven, too. Starts nothing that stays.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

try() { # NAME PROGRAM COMMAND…
  local name=$1 program=$2
  shift 2
  if ! command -v "$program" >/dev/null; then
    echo "skipped  $name: no $program"
    if [ "$program" = promtool ]; then failed=1; fi
  elif "$@" >"$folder/told" 2>&1; then
    echo "ok       $name"
  else
    echo "FAILED   $name"
    cat "$folder/told"
    failed=1
  fi
}

rules() { promtool check config prometheus/prometheus.yml && promtool check rules prometheus/alerts.yaml && (cd prometheus && promtool test rules alerts.test.yaml); }
dashboard() { node grafana/rules.mjs >"$folder/panels.yaml" && promtool check rules "$folder/panels.yaml"; }
unit() { sed 's#/usr/bin/wl#/bin/true#' systemd/windlass.service >"$folder/windlass.service" && systemd-analyze verify "$folder/windlass.service"; }
hardened() { systemd-analyze security --offline=true --threshold=15 systemd/windlass.service; }
installed() { # into a folder, twice, tried, removed, and removed with all that was kept
  local root=$folder/machine package secret
  package=$folder/$(cd .. && npm pack --silent --ignore-scripts --pack-destination "$folder") || return
  ./install.sh --root "$root" "$package" && secret=$(cat "$root/etc/windlass/secret") || return
  echo 'WINDLASS_BACKUP_DIR="/a b"' >"$root/etc/windlass/env"
  install -d -m 700 "$root/var/lib/windlass" && "$root/usr/sbin/windlass-admin" org create Acme --json && # as systemd makes the folder
    ./install.sh --root "$root" "$package" && [ "$secret" = "$(cat "$root/etc/windlass/secret")" ] &&
    "$root/usr/sbin/windlass-admin" org list | grep -q Acme && { "$root/usr/sbin/windlass-admin" doctor || true; } | grep -q 'backups in /a b' &&
    ./install.sh --root "$root" --remove && [ ! -e "$root/usr/bin/wl" ] && [ -e "$root/var/lib/windlass/control.db" ] &&
    ./install.sh --root "$root" --remove --purge && [ -z "$(find "$root" -name '*windlass*' -o -name wl)" ] &&
    ! grep windlass "$root/etc/passwd" "$root/etc/group"
}
cluster_compose() { cluster_settings && docker compose --env-file "$folder/cluster.env" -f ../cluster/deploy/compose.yaml config -q; }
cluster_settings() { sed -E 's/^(WINDLASS_SECRET|CLICKHOUSE_PASSWORD|POSTGRES_PASSWORD|CLUSTER_SECRET)=$/\1=aaaaaaaaaaaaaaaa/' ../cluster/deploy/.env.example >"$folder/cluster.env"; }
cluster_haproxy() { sed '/resolvers docker$/s/ resolvers docker//; s#windlass-\([12]\):8080#127.0.0.\1:8080#' ../cluster/deploy/haproxy.cfg >"$folder/cluster.cfg" && haproxy -c -f "$folder/cluster.cfg"; }
cluster_files() { # JSON of the manifests: every volume that is mounted is there, every secret and config map is made or named in the head
  kubectl kustomize ../cluster/deploy/kubernetes >"$folder/cluster.yaml" && node ../cluster/deploy/check-manifests.mjs "$folder/cluster.yaml"
}
compose() { sed 's#windlass.env #windlass.env.example #' docker/compose.yaml | docker compose --project-directory docker --env-file docker/.env.example -f - --profile watch config -q; }
certificate() { # NAME: a certificate for a test, with its key in the same file
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
    -keyout "$folder/privkey.pem" -out "$folder/fullchain.pem" && cat "$folder/fullchain.pem" "$folder/privkey.pem" >"$folder/both.pem"
}
caddyfile() { WINDLASS_HOST=localhost WINDLASS_UPSTREAM=127.0.0.1:8080 caddy validate --adapter caddyfile --config proxies/Caddyfile; }
nginxconf() {
  # Its own folders for what it sets aside: those of the package are missing where it is only unpacked.
  local aside='' kind
  for kind in client_body proxy fastcgi uwsgi scgi; do aside+="${kind}_temp_path $folder/nginx-$kind; "; done
  certificate && printf 'pid %s/pid; events {} http { access_log off; %s include %s/site.conf; }' "$folder" "$aside" "$folder" >"$folder/nginx.conf" &&
    sed "s#/etc/ssl/stats.example.org#$folder#; s#listen 80#listen 127.0.0.1:20080#; s#listen 443#listen 127.0.0.1:20443#" proxies/nginx.conf >"$folder/site.conf" &&
    nginx -t -p "$folder" -c "$folder/nginx.conf" -e stderr
}
haproxycfg() { certificate && sed "s#/etc/haproxy/stats.example.org.pem#$folder/both.pem#" proxies/haproxy.cfg >"$folder/haproxy.cfg" && haproxy -c -f "$folder/haproxy.cfg"; }
has_compose() { docker compose version >/dev/null 2>&1; }

try 'Prometheus: configuration, rules, tests of rules' promtool rules
try 'Grafana: places and questions of the panels' promtool dashboard
try 'systemd: the unit' systemd-analyze unit
try 'systemd: exposure at most 1.5' systemd-analyze hardened
if [ -e ../dist/bin/wl.js ]; then try 'systemd: installed into a folder, and removed' systemd-sysusers installed; fi
try 'Kubernetes: kustomize' kubectl kubectl kustomize kubernetes
try 'Kubernetes, watch: kustomize' kubectl kubectl kustomize kubernetes/watch
try 'Kubernetes, cluster: kustomize, and what refers to what' kubectl cluster_files
try 'cluster: the script that tries it' bash bash -n ../cluster/deploy/try.sh
if has_compose; then try 'compose, cluster' docker cluster_compose; else echo 'skipped  compose, cluster: no docker compose'; fi
if has_compose; then try 'compose' docker compose; else echo 'skipped  compose: no docker compose'; fi
try 'Caddy' caddy caddyfile
try 'nginx' nginx nginxconf
try 'HAProxy' haproxy haproxycfg
try 'HAProxy, cluster' haproxy cluster_haproxy
for proxy in caddy nginx haproxy; do
  if [ -e ../dist/bin/wl.js ]; then try "$proxy before a service: TLS, a forged address, a streamed upload" "$proxy" node proxies/try.mjs "$proxy"; fi
done
exit "$failed"
