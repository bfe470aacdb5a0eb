#!/bin/sh
# Installs the unit and what it needs, or removes them: install.sh, install.sh --remove. As root, with `wl` in /usr/bin. The data in
# /var/lib/windlass and the secret stay when it is removed; both are named at the end.
#
# Checked: `sh -n`, and both ways into a folder (DESTDIR) without systemd. Not checked: on a machine that runs systemd.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=${DESTDIR:-}
unit=$root/etc/systemd/system/windlass.service

control() { if [ -z "$root" ]; then systemctl "$@"; fi; }

if [ "${1:-}" = --remove ]; then
  control disable --now windlass || true
  rm -f "$unit"
  control daemon-reload
  echo "Removed. Still there: $root/var/lib/windlass (data), $root/etc/windlass (settings, secret)."
  exit 0
fi

if [ -z "$root" ] && [ ! -x /usr/bin/wl ]; then
  echo "There is no /usr/bin/wl: npm install --global --prefix /usr windlass-….tgz" >&2
  exit 1
fi
install -d -m 755 "$(dirname "$unit")"
install -d -m 700 "$root/etc/windlass"
install -m 644 "$here/windlass.service" "$unit"
[ -e "$root/etc/windlass/env" ] || install -m 600 /dev/null "$root/etc/windlass/env"
[ -s "$root/etc/windlass/secret" ] || (umask 077 && head -c 32 /dev/urandom | base64 >"$root/etc/windlass/secret")
control daemon-reload
control enable --now windlass
echo "Installed. Settings: $root/etc/windlass/env. Keep a copy of $root/etc/windlass/secret with your backups: they need it."
