-- Notes which records standing formulas have to be evaluated for.
CREATE OR REPLACE FUNCTION standing_outbox_add() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM standing_tenant WHERE formulas > 0) THEN
    RETURN NULL;
  END IF;
  IF TG_TABLE_NAME = 'image' THEN
    INSERT INTO standing_outbox AS o (tenant_id, resource, row_id, ref)
      SELECT tenant_id, 'image', row_id, CASE TG_OP WHEN 'DELETE' THEN image_id END FROM changed
      WHERE tenant_id IN (SELECT tenant_id FROM standing_tenant WHERE formulas > 0) ORDER BY tenant_id, row_id
      ON CONFLICT (tenant_id, resource, row_id) DO UPDATE SET change = EXCLUDED.change, ref = EXCLUDED.ref;
  ELSIF TG_TABLE_NAME = 'video' THEN
    INSERT INTO standing_outbox AS o (tenant_id, resource, row_id, ref)
      SELECT tenant_id, 'video', row_id, CASE TG_OP WHEN 'DELETE' THEN video_id END FROM changed
      WHERE tenant_id IN (SELECT tenant_id FROM standing_tenant WHERE formulas > 0) ORDER BY tenant_id, row_id
      ON CONFLICT (tenant_id, resource, row_id) DO UPDATE SET change = EXCLUDED.change, ref = EXCLUDED.ref;
  ELSE
    -- A record that is deleted leaves several collections at once.
    INSERT INTO standing_outbox AS o (tenant_id, resource, row_id)
      SELECT DISTINCT tenant_id, split_part(TG_TABLE_NAME, '_', 2)::operation_resource, row_id FROM changed
      WHERE tenant_id IN (SELECT tenant_id FROM standing_tenant WHERE formulas > 0) ORDER BY tenant_id, row_id
      ON CONFLICT (tenant_id, resource, row_id) DO UPDATE SET change = EXCLUDED.change;
  END IF;
  IF FOUND THEN
    PERFORM pg_notify('vitrine_standing', tenant_id::text) FROM (SELECT DISTINCT tenant_id FROM changed) AS each;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER standing_outbox_created AFTER INSERT ON "image"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_outbox_add();
CREATE OR REPLACE TRIGGER standing_outbox_changed AFTER UPDATE ON "image"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_outbox_add();
CREATE OR REPLACE TRIGGER standing_outbox_deleted AFTER DELETE ON "image"
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_outbox_add();
CREATE OR REPLACE TRIGGER standing_outbox_created AFTER INSERT ON "video"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_outbox_add();
CREATE OR REPLACE TRIGGER standing_outbox_changed AFTER UPDATE ON "video"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_outbox_add();
CREATE OR REPLACE TRIGGER standing_outbox_deleted AFTER DELETE ON "video"
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_outbox_add();
CREATE OR REPLACE TRIGGER standing_outbox_created AFTER INSERT ON "collection_image"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_outbox_add();
CREATE OR REPLACE TRIGGER standing_outbox_deleted AFTER DELETE ON "collection_image"
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_outbox_add();
CREATE OR REPLACE TRIGGER standing_outbox_created AFTER INSERT ON "collection_video"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_outbox_add();
CREATE OR REPLACE TRIGGER standing_outbox_deleted AFTER DELETE ON "collection_video"
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_outbox_add();
