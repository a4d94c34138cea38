-- A search engine beside PostgreSQL: which index of it holds what, and what it has still to be told.

-- One row for each kind of record while an engine is configured; without rows nothing is noted down.
CREATE TABLE "search_index" (
  "resource" TEXT PRIMARY KEY,
  -- The index that is asked, and the settings that it was made with; null until it holds everything.
  "uid" TEXT,
  "settings" TEXT,
  "filled_at" TIMESTAMPTZ(3),
  -- The index that is being filled: how far it has come, and of how many records.
  "next_uid" TEXT,
  "next_settings" TEXT,
  "filled_to" BIGINT NOT NULL DEFAULT 0,
  "filled" BIGINT NOT NULL DEFAULT 0,
  "to_fill" BIGINT NOT NULL DEFAULT 0,
  -- Transactions that may not have noted down what they change began before this one.
  "begun_in" XID8 NOT NULL DEFAULT pg_current_xact_id(),
  "is_rebuild_asked" BOOLEAN NOT NULL DEFAULT false,
  -- The process that tells the engine.
  "holder" UUID,
  "held_until" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);

-- Records that the engine has to be told of, once each, however often they change meanwhile.
CREATE TABLE "search_outbox" (
  "tenant_id" INTEGER NOT NULL,
  "resource" TEXT NOT NULL,
  "row_id" BIGINT NOT NULL,
  -- The transaction of the last change.
  "change" XID8 NOT NULL DEFAULT pg_current_xact_id(),
  "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- Why the engine refused it; it is tried again when the record changes.
  "error" TEXT,
  PRIMARY KEY ("tenant_id", "resource", "row_id")
) WITH (fillfactor = 80);
CREATE INDEX "search_outbox_changed_at_idx" ON "search_outbox" ("changed_at");

CREATE FUNCTION search_outbox_add() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM search_index WHERE resource = TG_TABLE_NAME) THEN
    RETURN NULL;
  END IF;
  INSERT INTO search_outbox AS o (tenant_id, resource, row_id)
    SELECT tenant_id, TG_TABLE_NAME, row_id FROM changed ORDER BY tenant_id, row_id
    ON CONFLICT (tenant_id, resource, row_id) DO UPDATE SET change = EXCLUDED.change, error = NULL;
  RETURN NULL;
END $$;

CREATE TRIGGER image_outbox_new AFTER INSERT ON "image" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION search_outbox_add();
CREATE TRIGGER image_outbox_changed AFTER UPDATE ON "image" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION search_outbox_add();
CREATE TRIGGER image_outbox_gone AFTER DELETE ON "image" REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION search_outbox_add();
CREATE TRIGGER video_outbox_new AFTER INSERT ON "video" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION search_outbox_add();
CREATE TRIGGER video_outbox_changed AFTER UPDATE ON "video" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION search_outbox_add();
CREATE TRIGGER video_outbox_gone AFTER DELETE ON "video" REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION search_outbox_add();
