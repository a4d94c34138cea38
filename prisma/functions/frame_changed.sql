-- Notes which fingerprints of video frames changed, for the indexes in memory.
CREATE OR REPLACE FUNCTION frame_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO frame_change (tenant_id, row_id) SELECT tenant_id, row_id FROM changed;
  RETURN NULL;
END $$;
