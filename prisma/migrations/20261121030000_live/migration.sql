-- Writes that are sent again are answered again, not applied again.
CREATE TABLE "idempotency_key" (
  "tenant_id" INTEGER NOT NULL REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "key" TEXT NOT NULL,
  "fingerprint" BYTEA NOT NULL,
  "operation_id" BIGINT REFERENCES "operation" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "answered_early" BOOLEAN NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  PRIMARY KEY ("tenant_id", "key")
);
CREATE INDEX "idempotency_key_expires_at_idx" ON "idempotency_key" ("expires_at");
CREATE INDEX "idempotency_key_operation_id_idx" ON "idempotency_key" ("operation_id");

-- What is kept for thirty days after its end is found by its end.
CREATE INDEX "operation_finished_at_idx" ON "operation" ("finished_at");
