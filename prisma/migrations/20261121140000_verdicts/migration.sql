-- What people said of two pictures. A pair has one row, the older record first.
CREATE TABLE "pair_verdict" (
  "tenant_id" INTEGER NOT NULL REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "low_row" BIGINT NOT NULL REFERENCES "image" ("row_id") ON DELETE CASCADE ON UPDATE CASCADE,
  "high_row" BIGINT NOT NULL REFERENCES "image" ("row_id") ON DELETE CASCADE ON UPDATE CASCADE,
  "verdict" TEXT NOT NULL,
  "api_key_id" INTEGER,
  "key_prefix" TEXT,
  "said_by" TEXT,
  "said_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY ("tenant_id", "low_row", "high_row"),
  CONSTRAINT "pair_verdict_order" CHECK ("low_row" < "high_row"),
  CONSTRAINT "pair_verdict_word" CHECK ("verdict" IN ('same', 'variant', 'different'))
);
CREATE INDEX "pair_verdict_low_row_idx" ON "pair_verdict" ("low_row");
CREATE INDEX "pair_verdict_high_row_idx" ON "pair_verdict" ("high_row");

-- What was said of a picture was not said of another file that takes its place.
CREATE FUNCTION image_has_other_file() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM pair_verdict WHERE low_row = NEW.row_id OR high_row = NEW.row_id;
  RETURN NULL;
END $$;

CREATE TRIGGER image_has_other_file AFTER UPDATE OF "checksum" ON "image" FOR EACH ROW
  WHEN (OLD.checksum IS DISTINCT FROM NEW.checksum) EXECUTE FUNCTION image_has_other_file();
