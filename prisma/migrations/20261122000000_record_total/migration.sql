-- How many records of each kind a tenant has, kept by the transactions that add and remove them: right for whoever
-- reads it, in the same snapshot as the records. One worker stores for a tenant at a time, so its row is not fought over.
CREATE TABLE "record_total" (
  "tenant_id" INTEGER NOT NULL REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "resource" "operation_resource" NOT NULL,
  "count" BIGINT NOT NULL,
  PRIMARY KEY ("tenant_id", "resource")
) WITH (fillfactor = 50);

CREATE FUNCTION record_total_add() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO record_total AS total (tenant_id, resource, count)
    SELECT tenant_id, TG_TABLE_NAME::operation_resource, count(*) FROM changed GROUP BY tenant_id ORDER BY tenant_id
    ON CONFLICT (tenant_id, resource) DO UPDATE SET count = total.count + EXCLUDED.count;
  RETURN NULL;
END $$;

CREATE FUNCTION record_total_subtract() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  UPDATE record_total AS total SET count = total.count - gone.count
    FROM (SELECT tenant_id, count(*) AS count FROM changed GROUP BY tenant_id) AS gone
    WHERE total.tenant_id = gone.tenant_id AND total.resource = TG_TABLE_NAME::operation_resource;
  RETURN NULL;
END $$;

-- Triggers of a statement run in the order of their names: these come last, so that the row is held for a short time.
CREATE TRIGGER image_total_new AFTER INSERT ON "image" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION record_total_add();
CREATE TRIGGER image_total_gone AFTER DELETE ON "image" REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION record_total_subtract();
CREATE TRIGGER video_total_new AFTER INSERT ON "video" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION record_total_add();
CREATE TRIGGER video_total_gone AFTER DELETE ON "video" REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION record_total_subtract();

-- The triggers keep others from writing until this is committed.
INSERT INTO "record_total" SELECT "tenant_id", 'image', count(*) FROM "image" GROUP BY 1;
INSERT INTO "record_total" SELECT "tenant_id", 'video', count(*) FROM "video" GROUP BY 1;
