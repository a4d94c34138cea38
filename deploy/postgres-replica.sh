#!/bin/sh
# Copies the primary at the first start, and follows it from then on. A replica that was away for so long that the primary has no
# longer what it lacks says so in its log: remove its volume, and it copies again.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # A copy that was cut off stays apart.
  rm -rf "$PGDATA" "$PGDATA.copying"
  install -d -o postgres -g postgres -m 700 "$(dirname "$PGDATA")" "$PGDATA.copying"
  gosu postgres pg_basebackup -d "$PRIMARY" -D "$PGDATA.copying" -R -X stream -c fast
  mv "$PGDATA.copying" "$PGDATA"
fi
exec docker-entrypoint.sh "$@"
