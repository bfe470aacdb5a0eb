#!/usr/bin/env bash
# Tries on containers what could not be tried elsewhere: replication, keepers, several ClickHouse servers, a balancer before nodes.
# Starts compose.yaml as a project of its own with new secrets on port 18080, sends batches all the time, takes parts away one after
# the other, and at the end compares each replica with what was acknowledged. Takes about five minutes and 16 GB; removes
# all of it afterward. Needs docker compose, curl and openssl. Exits with 0 if nothing was lost, doubled or left.
#
# Checked: `bash -n` (deploy/check.sh). Not checked: running it, as there was no registry of images.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
folder=$(mktemp -d)
export COMPOSE_PROJECT_NAME=windlass-try PORT=18080 WINDLASS_URL=http://127.0.0.1:18080 WINDLASS_MEMORY=512MiB
WINDLASS_SECRET=$(openssl rand -hex 32)
CLICKHOUSE_PASSWORD=$(openssl rand -hex 24)
POSTGRES_PASSWORD=$(openssl rand -hex 24)
CLUSTER_SECRET=$(openssl rand -hex 24)
export WINDLASS_SECRET CLICKHOUSE_PASSWORD POSTGRES_PASSWORD CLUSTER_SECRET
sender=
trap '[ -z "$sender" ] || kill "$sender" 2>/dev/null; docker compose down -v >/dev/null 2>&1; rm -rf "$folder"' EXIT
failed=0

say() { echo "$(date +%T) $*"; }
expect() { # WHAT WANTED GOT
  if [ "$2" = "$3" ]; then say "ok      $1: $3"; else say "FAILED  $1: $3, not $2"; failed=1; fi
}
ask() { # REPLICA SQL
  docker compose exec -T "clickhouse-$1" clickhouse-client --user windlass --password "$CLICKHOUSE_PASSWORD" -d windlass -q "$2"
}
until_ready() { until curl -fsS -o /dev/null "$WINDLASS_URL/readyz" 2>/dev/null; do sleep 1; done; }
acknowledged() { wc -l <"$folder/acknowledged"; }
grows() { # WHAT: batches are acknowledged again, within a minute
  local before
  before=$(acknowledged)
  for _ in $(seq 60); do
    sleep 1
    if [ "$(acknowledged)" -gt $((before + 5)) ]; then say "ok      $1"; return; fi
  done
  say "FAILED  $1: nothing was acknowledged for a minute"
  failed=1
}
send() { # a batch of ten events until it is acknowledged, then the next
  for ((n = 0; ; n++)); do
    printf -v events '{"event_type":"try","user_id":"u%d","insert_id":"%d-%%d"},' $((n % 50)) "$n"
    body=$(for i in 0 1 2 3 4 5 6 7 8 9; do printf "$events" "$i"; done)
    until [ "$(curl -sS -m 30 -o "$folder/answer" -w '%{http_code}' "$WINDLASS_URL/track" -H "X-API-Key: $1" -d "{\"events\":[${body%,}]}")" = 200 ]; do
      head -c 200 "$folder/answer" >>"$folder/refused"; sleep 0.5
    done
    echo "$n" >>"$folder/acknowledged"
  done
}

docker compose config -q
docker compose up -d --build
until_ready
key=$(docker compose logs windlass-1 windlass-2 | grep -o 'sk_[A-Za-z0-9]*' | head -1)
touch "$folder/acknowledged"
send "$key" 2>/dev/null &
sender=$!
grows 'all there'

for part in clickhouse-1 clickhouse-2 clickhouse-3 keeper-1 keeper-2 keeper-3 windlass-1 windlass-2; do
  docker compose kill -s KILL "$part" >/dev/null 2>&1
  grows "without $part"
  docker compose start "$part" >/dev/null 2>&1
  grows "$part is back"
done

docker compose kill -s KILL keeper-1 keeper-2 >/dev/null 2>&1
before=$(acknowledged)
sleep 20
expect 'batches in 15 s without most keepers (one may have been on its way)' yes "$([ $(($(acknowledged) - before)) -le 5 ] && echo yes || echo no)"
docker compose start keeper-1 keeper-2 >/dev/null 2>&1
grows 'keepers are back'
docker compose kill -s KILL clickhouse-2 clickhouse-3 >/dev/null 2>&1
sleep 10
docker compose start clickhouse-2 clickhouse-3 >/dev/null 2>&1
grows 'most replicas are back'
docker compose restart postgres >/dev/null 2>&1
grows 'PostgreSQL is back'
for node in windlass-1 windlass-2; do docker compose restart "$node" >/dev/null 2>&1; grows "$node was started anew"; done

kill "$sender"
sender=
sleep 5
last=$(tail -1 "$folder/acknowledged")
for replica in 1 2 3; do
  ask "$replica" 'SYSTEM SYNC REPLICA events_local' >/dev/null
  of="FROM events_local WHERE toUInt64(splitByChar('-', insert_id)[1]) <= $last"
  expect "acknowledged events on replica $replica" $(((last + 1) * 10)) "$(ask "$replica" "SELECT uniqExact(insert_id) $of")"
  expect "rows of them on replica $replica" $(((last + 1) * 10)) "$(ask "$replica" "SELECT count() $of")"
done

expect 'erasure of a user' 200 "$(curl -sS -m 300 -o /dev/null -w '%{http_code}' -X DELETE "$WINDLASS_URL/api/gdpr/users/u7" -H "X-API-Key: $key")"
for replica in 1 2 3; do
  expect "rows of the user on replica $replica" 0 "$(ask "$replica" "SELECT count() FROM events_local WHERE user_id = 'u7'")"
done
say 'waiting for files of old parts to leave the disks'
for replica in 1 2 3; do
  for _ in $(seq 180); do
    left=$(ask "$replica" "SELECT count() FROM system.parts WHERE database = 'windlass' AND NOT active AND modification_time < now() - 120")
    if [ "$left" = 0 ]; then break; fi
    sleep 1
  done
  expect "old parts on replica $replica" 0 "$left"
done
exit "$failed"
