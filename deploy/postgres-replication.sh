#!/bin/sh
# Runs once, when the database is made: the role that a replica copies and follows it by.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$REPLICATION_PASSWORD" -U "$POSTGRES_USER" -d "$POSTGRES_DB" <<'SQL'
CREATE ROLE vitrine_replica REPLICATION LOGIN PASSWORD :'password';
SQL
echo 'host replication vitrine_replica all scram-sha-256' >>"$PGDATA/pg_hba.conf"
psql -U "$POSTGRES_USER" -d "$POSTGRES_DB" -c 'SELECT pg_reload_conf()'
