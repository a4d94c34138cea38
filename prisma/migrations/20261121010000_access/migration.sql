ALTER TABLE "tenant"
  ADD COLUMN "max_images" INTEGER,
  ADD COLUMN "rate_read" TEXT,
  ADD COLUMN "rate_write" TEXT,
  ADD COLUMN "rate_tag" TEXT,
  ADD COLUMN "rate_query_image" TEXT;

ALTER TABLE "api_key" ADD COLUMN "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[];

CREATE TABLE "key_use" (
  "api_key_id" INTEGER NOT NULL REFERENCES "api_key" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "day" DATE NOT NULL,
  "tenant_id" INTEGER NOT NULL,
  "count" INTEGER NOT NULL,
  PRIMARY KEY ("api_key_id", "day")
);

-- Unlogged: every limited request writes here, and what a crash forgets is one window.
CREATE UNLOGGED TABLE "rate_window" (
  "api_key_id" INTEGER NOT NULL REFERENCES "api_key" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "class" TEXT NOT NULL,
  "tenant_id" INTEGER NOT NULL,
  "began_at" TIMESTAMPTZ(3) NOT NULL,
  "used" INTEGER NOT NULL,
  PRIMARY KEY ("api_key_id", "class")
);

CREATE TABLE "audit" (
  "id" BIGSERIAL PRIMARY KEY,
  "tenant_id" INTEGER NOT NULL REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "last_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "count" INTEGER NOT NULL DEFAULT 1,
  "action" TEXT NOT NULL,
  "subject" TEXT,
  "api_key_id" INTEGER,
  "key_prefix" TEXT,
  "operation_id" BIGINT,
  "request_id" TEXT,
  "address" TEXT,
  "bucket" TIMESTAMPTZ(3)
);
CREATE INDEX "audit_tenant_id_id_idx" ON "audit" ("tenant_id", "id" DESC);
CREATE INDEX "audit_at_idx" ON "audit" USING BRIN ("at");
-- Only what is counted together is in it: refusals, so that a flood of them stays one row an hour.
CREATE UNIQUE INDEX "audit_bucket_idx" ON "audit" ("tenant_id", "api_key_id", "action", "subject", "bucket")
  WHERE "bucket" IS NOT NULL;
