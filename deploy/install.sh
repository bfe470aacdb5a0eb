#!/bin/sh
# Installs Windlass on a machine with systemd, a newer release over an older one, or removes it. As root, with Node 22.12 or later and
# npm, which fetches the packages it needs.
#
#   deploy/install.sh windlass-….tgz            # a file of a release; `npm pack` in a checkout makes it, too
#   deploy/install.sh windlass-….tgz windlass-cluster-….tgz           # with ClickHouse and PostgreSQL: `npm pack --workspace cluster`
#   deploy/install.sh --remove                  # data, backups, settings and secret stay
#   deploy/install.sh --remove --purge          # nothing stays
#
# --root DIR takes a folder for the machine, and says nothing to systemd. What it makes:
#
#   /usr/lib/windlass, /usr/bin/wl              the package
#   /usr/sbin/windlass-admin                    `wl admin` as the service's user, with its settings
#   /etc/systemd/system/windlass.service, /usr/lib/sysusers.d/windlass.conf
#   /etc/windlass/env, /etc/windlass/secret     settings (WINDLASS_URL=…) and secret; never written over
#   /var/backups/windlass                       for WINDLASS_BACKUP_DIR
#   /var/lib/windlass                           the data, which systemd makes at the first start
#
# Checked: into a folder, twice, and removed again (deploy/check.sh). Not checked: on a machine that runs systemd.
set -eu
PATH=$PATH:/usr/sbin:/sbin # without them where root came by plain `su` (Debian); userdel is there
here=$(cd "$(dirname "$0")" && pwd)
root= package= cluster= remove=no purge=no

fail() { echo "install.sh: $1" >&2 && exit 1; }
control() { if [ -z "$root" ]; then systemctl "$@"; fi; }

while [ $# -gt 0 ]; do
  case $1 in
    --root) [ $# -gt 1 ] || fail "--root takes a folder"; mkdir -p "$2"; root=$(cd "$2" && pwd); shift ;;
    --remove) remove=yes ;;
    --purge) purge=yes ;;
    -*) fail "there is no option $1" ;;
    *) if [ -z "$package" ]; then package=$1; else cluster=$1; fi ;;
  esac
  shift
done
[ -n "$root" ] || [ "$(id -u)" = 0 ] || fail "run it as root, or with --root DIR"
[ "$root" != / ] || root=
[ $purge = no ] || [ $remove = yes ] || fail "--purge goes with --remove"

remove_all() {
  control disable --now windlass || true # it may not be there any more
  rm -rf "$root/usr/lib/windlass" "$root/usr/lib/windlass.new" "$root/usr/lib/windlass.old" "$root/usr/bin/wl"
  rm -f "$root/usr/sbin/windlass-admin" "$root/usr/lib/sysusers.d/windlass.conf" "$root/etc/systemd/system/windlass.service"
  control daemon-reload
  if [ $purge = no ]; then
    echo "Removed. Still there: $root/var/lib/windlass (data), $root/var/backups/windlass, $root/etc/windlass (settings, secret), the user windlass."
    return
  fi
  rm -rf "$root/var/lib/windlass" "$root/var/backups/windlass" "$root/etc/windlass"
  if grep -qs '^windlass:' "$root/etc/passwd"; then userdel ${root:+--prefix "$root"} windlass; fi
  if grep -qs '^windlass:' "$root/etc/group"; then groupdel ${root:+--prefix "$root"} windlass; fi
  echo "Removed, with data, backups, settings and secret."
}

# The service goes on meanwhile: it loads files of its package when it first needs them, so they are changed all at once.
install_package() {
  new=$root/usr/lib/windlass.new
  rm -rf "$new"
  npm install --global --prefix "$new" --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error "$package" ${cluster:+"$cluster"} >/dev/null
  "$new/bin/wl" --version >/dev/null || fail "the package does not run: look at the version of Node"
  rm -rf "$root/usr/lib/windlass.old"
  [ ! -e "$root/usr/lib/windlass" ] || mv "$root/usr/lib/windlass" "$root/usr/lib/windlass.old"
  mv "$new" "$root/usr/lib/windlass"
  rm -rf "$root/usr/lib/windlass.old"
  ln -sfn ../lib/windlass/bin/wl "$root/usr/bin/wl"
}

install_around() {
  install -m 755 "$here/systemd/windlass-admin" "$root/usr/sbin/windlass-admin"
  install -m 644 "$here/systemd/windlass.service" "$root/etc/systemd/system/windlass.service"
  install -m 644 "$here/systemd/sysusers.conf" "$root/usr/lib/sysusers.d/windlass.conf"
  systemd-sysusers ${root:+--root="$root"} windlass.conf
  id=$(awk -F: '$1 == "windlass" { print $3 ":" $4 }' "$root/etc/passwd")
  [ -e "$root/etc/windlass/env" ] || install -m 640 /dev/null "$root/etc/windlass/env"
  [ -s "$root/etc/windlass/secret" ] || (umask 077 && head -c 32 /dev/urandom | base64 >"$root/etc/windlass/secret")
  chmod 640 "$root/etc/windlass/env" "$root/etc/windlass/secret"
  [ "$(id -u)" != 0 ] || { chown -R "0:${id#*:}" "$root/etc/windlass" && chown "$id" "$root/var/backups/windlass"; }
}

if [ $remove = yes ]; then
  remove_all
  exit 0
fi
[ -n "$package" ] || fail "name the package: npm pack in a checkout makes windlass-….tgz"
for file in "$package" ${cluster:+"$cluster"}; do [ -f "$file" ] || fail "there is no file $file"; done
[ -n "$root" ] || PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin # as systemd looks for node
command -v npm >/dev/null && command -v node >/dev/null || fail "there is no node and npm in $PATH"
for folder in /usr/lib /usr/bin /usr/sbin /usr/lib/sysusers.d /etc/systemd/system; do install -d -m 755 "$root$folder"; done
install -d -m 750 "$root/etc/windlass"
install -d -m 700 "$root/var/backups/windlass"
install_package
install_around
control daemon-reload
control enable windlass
control restart windlass
echo "Installed $("$root/usr/bin/wl" --version). Settings: $root/etc/windlass/env. Keep a copy of $root/etc/windlass/secret with your backups: they need it."
echo "The keys of the first start are in $root/var/lib/windlass/first-keys: keep them elsewhere, and remove the file. Then: windlass-admin doctor"
