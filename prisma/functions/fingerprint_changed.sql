-- Notes which fingerprints of images changed, for the indexes in memory, and keeps the index in the database up to date for
-- tenants that have one.
CREATE OR REPLACE FUNCTION fingerprint_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO fingerprint_change (tenant_id, row_id) SELECT tenant_id, row_id FROM changed;
  IF TG_OP = 'DELETE' THEN
    DELETE FROM fingerprint_hash WHERE row_id IN (SELECT row_id FROM changed);
    RETURN NULL;
  END IF;
  IF NOT EXISTS (SELECT FROM fingerprint_index WHERE tenant_id IN (SELECT tenant_id FROM changed)) THEN
    RETURN NULL;
  END IF;
  DELETE FROM fingerprint_hash h USING changed c WHERE h.row_id = c.row_id AND fingerprint_bits(c.pdq, c.regions) IS NULL;
  INSERT INTO fingerprint_hash AS h (row_id, tenant_id, pdq)
    SELECT c.row_id, c.tenant_id, fingerprint_bits(c.pdq, c.regions) FROM changed c JOIN fingerprint_index USING (tenant_id)
    WHERE fingerprint_bits(c.pdq, c.regions) IS NOT NULL ORDER BY c.row_id
    ON CONFLICT (row_id) DO UPDATE SET pdq = EXCLUDED.pdq WHERE h.pdq <> EXCLUDED.pdq;
  RETURN NULL;
END $$;
