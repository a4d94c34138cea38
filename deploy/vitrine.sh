#!/bin/sh
# The command line with the settings of the service, for root or the user vitrine. Install: cp deploy/vitrine.sh /usr/local/bin/vitrine
# What stands in front of it goes before /etc/vitrine.env: DATABASE_URL=postgres://… vitrine migrate
set -eu
settings=${VITRINE_ENV:-/etc/vitrine.env}
grep -q '^DATA_DIR=' "$settings" || export DATA_DIR="${DATA_DIR:-/var/lib/vitrine}"
set -- node --env-file="$settings" /opt/vitrine/bin/vitrine.js "$@"
[ "$(id -un)" = vitrine ] || set -- runuser -u vitrine -- "$@"
exec "$@"
