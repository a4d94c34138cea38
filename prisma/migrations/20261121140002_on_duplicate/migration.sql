-- What is done with a picture that is there already: the tenant's rule, an operation's own, and the flag.
ALTER TABLE "tenant" ADD COLUMN "on_duplicate" TEXT NOT NULL DEFAULT 'keep',
  ADD CONSTRAINT "tenant_on_duplicate" CHECK ("on_duplicate" IN ('keep', 'flag', 'reject'));
ALTER TABLE "operation" ADD COLUMN "on_duplicate" TEXT,
  ADD CONSTRAINT "operation_on_duplicate" CHECK ("on_duplicate" IN ('keep', 'flag', 'reject'));
ALTER TABLE "image" ADD COLUMN "duplicate_of" TEXT;
CREATE INDEX "image_duplicate_of_idx" ON "image" ("tenant_id", "duplicate_of") WHERE "duplicate_of" IS NOT NULL;

-- Files are looked up by their content, with each search for the same picture too.
CREATE INDEX "image_checksum_idx" ON "image" USING HASH ("checksum");

-- A flag that names a deleted image says nothing.
CREATE FUNCTION images_gone() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  UPDATE image i SET duplicate_of = NULL FROM gone
  WHERE i.duplicate_of IS NOT NULL AND i.tenant_id = gone.tenant_id AND i.duplicate_of = gone.image_id;
  RETURN NULL;
END $$;

CREATE TRIGGER images_gone AFTER DELETE ON "image" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION images_gone();
