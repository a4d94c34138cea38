-- Finding the same picture again: hashes of parts beside PDQ, and what a closer look needs.

-- 20 hashes of 8 bytes.
ALTER TABLE "image_fingerprint" ADD COLUMN "regions" BYTEA;
ALTER TABLE "image_fingerprint" ALTER COLUMN "regions" SET STORAGE PLAIN;

-- Pixels in little and corners, some 7 KB a picture: read of a few candidates at a time, so they lie apart.
CREATE TABLE "image_details" (
  "row_id" BIGINT PRIMARY KEY REFERENCES "image" ("row_id") ON DELETE CASCADE ON UPDATE CASCADE,
  "tenant_id" INTEGER NOT NULL,
  "details" BYTEA NOT NULL
);
-- It does not get smaller by compressing.
ALTER TABLE "image_details" ALTER COLUMN "details" SET STORAGE EXTERNAL;

-- Which fingerprints changed of late: every process keeps them in memory and catches up before it
-- searches. Transactions end in another order than they begin, so it asks by transaction, not by number.
CREATE TABLE "fingerprint_change" (
  "id" BIGSERIAL PRIMARY KEY,
  "tenant_id" INTEGER NOT NULL,
  "row_id" BIGINT NOT NULL,
  "xact" XID8 NOT NULL DEFAULT pg_current_xact_id(),
  "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX "fingerprint_change_tenant_id_xact_idx" ON "fingerprint_change" ("tenant_id", "xact");
CREATE INDEX "fingerprint_change_changed_at_idx" ON "fingerprint_change" ("changed_at");

CREATE FUNCTION fingerprint_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO fingerprint_change (tenant_id, row_id) SELECT tenant_id, row_id FROM changed;
  RETURN NULL;
END $$;

CREATE TRIGGER fingerprint_new AFTER INSERT ON "image_fingerprint" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fingerprint_changed();
CREATE TRIGGER fingerprint_replaced AFTER UPDATE ON "image_fingerprint" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fingerprint_changed();
CREATE TRIGGER fingerprint_gone AFTER DELETE ON "image_fingerprint" REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fingerprint_changed();
