-- A flag that names a deleted image says nothing.
CREATE OR REPLACE FUNCTION images_deleted() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  UPDATE image i SET duplicate_of = NULL FROM gone
  WHERE i.duplicate_of IS NOT NULL AND i.tenant_id = gone.tenant_id AND i.duplicate_of = gone.image_id;
  RETURN NULL;
END $$;
