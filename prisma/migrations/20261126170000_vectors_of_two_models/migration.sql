-- The newest model of a tenant's records that have vectors of two models is found by the index.
DROP INDEX "image_fingerprint_former_idx";
CREATE INDEX "image_fingerprint_former_idx" ON "image_fingerprint" ("tenant_id", "model_id") WHERE "former_model_id" IS NOT NULL;

-- Indexes of vectors now have those of former models too. The workers build them again, under another name.
DO $$
DECLARE
  former TEXT;
BEGIN
  FOR former IN
    SELECT c.relname FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
    WHERE x.indrelid = 'image_fingerprint'::regclass AND c.relname ~ '^fingerprint_vectors_\d+_\d+_\d+$'
  LOOP
    EXECUTE format('DROP INDEX %I', former);
  END LOOP;
END $$;
