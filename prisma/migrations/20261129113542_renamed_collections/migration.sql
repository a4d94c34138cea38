-- Notes the records of a collection that gets another name: formulas find a collection by its name.
CREATE OR REPLACE FUNCTION standing_outbox_add_members() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM standing_tenant WHERE tenant_id = NEW.tenant_id AND formulas > 0) THEN
    RETURN NULL;
  END IF;
  INSERT INTO standing_outbox AS o (tenant_id, resource, row_id)
    SELECT tenant_id, 'image'::operation_resource, row_id FROM collection_image
      WHERE tenant_id = NEW.tenant_id AND collection_id = NEW.id
    UNION ALL SELECT tenant_id, 'video', row_id FROM collection_video
      WHERE tenant_id = NEW.tenant_id AND collection_id = NEW.id
    ORDER BY 2, 3
    ON CONFLICT (tenant_id, resource, row_id) DO UPDATE SET change = EXCLUDED.change;
  IF FOUND THEN
    PERFORM pg_notify('vitrine_standing', NEW.tenant_id::text);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER standing_outbox_renamed AFTER UPDATE OF name ON "collection"
  FOR EACH ROW WHEN (OLD.name <> NEW.name) EXECUTE FUNCTION standing_outbox_add_members();
