-- Notes which fingerprints of images changed, for the indexes in memory.
CREATE OR REPLACE FUNCTION fingerprint_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO fingerprint_change (tenant_id, row_id) SELECT tenant_id, row_id FROM changed;
  RETURN NULL;
END $$;
