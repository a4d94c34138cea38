-- Notes which records are to be sent to Meilisearch, while it is configured.
CREATE OR REPLACE FUNCTION search_outbox_add() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM search_index WHERE resource = TG_TABLE_NAME) THEN
    RETURN NULL;
  END IF;
  INSERT INTO search_outbox AS o (tenant_id, resource, row_id)
    SELECT tenant_id, TG_TABLE_NAME, row_id FROM changed ORDER BY tenant_id, row_id
    ON CONFLICT (tenant_id, resource, row_id) DO UPDATE SET change = EXCLUDED.change, error = NULL;
  RETURN NULL;
END $$;
