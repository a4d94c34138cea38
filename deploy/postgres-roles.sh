#!/bin/sh
# Runs once, when the database is made: the role that the service uses. Its rights come by `vitrine migrate --grant`.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$APP_PASSWORD" -U "$POSTGRES_USER" -d "$POSTGRES_DB" <<'SQL'
CREATE ROLE vitrine_app LOGIN PASSWORD :'password';
ALTER ROLE vitrine_app SET statement_timeout = '30s';
ALTER ROLE vitrine_app SET idle_in_transaction_session_timeout = '30s';
SQL
