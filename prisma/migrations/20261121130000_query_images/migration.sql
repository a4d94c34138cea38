-- Query images keep what searches compare them by. None was kept before.
DELETE FROM "query_image";
ALTER TABLE "query_image"
  ADD COLUMN "checksum" BYTEA NOT NULL,
  ADD COLUMN "pdq" BYTEA,
  ADD COLUMN "pdq_quality" SMALLINT,
  ADD COLUMN "regions" BYTEA,
  ADD COLUMN "details" BYTEA,
  -- Of the mirror image: it finds flipped copies.
  ADD COLUMN "mirrored" BYTEA,
  ADD COLUMN "model" TEXT,
  ADD COLUMN "embedding" BYTEA,
  -- Made smaller, for searches by a part of it.
  ADD COLUMN "picture" BYTEA NOT NULL;
ALTER TABLE "query_image"
  ALTER COLUMN "details" SET STORAGE EXTERNAL,
  ALTER COLUMN "mirrored" SET STORAGE EXTERNAL,
  ALTER COLUMN "picture" SET STORAGE EXTERNAL;
