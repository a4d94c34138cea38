-- CreateTable
CREATE TABLE "collection" (
    "id" SERIAL NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "collection_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "collection_image" (
    "tenant_id" INTEGER NOT NULL,
    "collection_id" INTEGER NOT NULL,
    "row_id" BIGINT NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "collection_image_pkey" PRIMARY KEY ("tenant_id","collection_id","row_id")
);

-- CreateTable
CREATE TABLE "collection_video" (
    "tenant_id" INTEGER NOT NULL,
    "collection_id" INTEGER NOT NULL,
    "row_id" BIGINT NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "collection_video_pkey" PRIMARY KEY ("tenant_id","collection_id","row_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "collection_tenant_id_name_key" ON "collection"("tenant_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "collection_tenant_id_id_key" ON "collection"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "collection_image_row_id_idx" ON "collection_image"("row_id");

-- CreateIndex
CREATE INDEX "collection_video_row_id_idx" ON "collection_video"("row_id");

-- AddForeignKey
ALTER TABLE "collection" ADD CONSTRAINT "collection_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "collection_image" ADD CONSTRAINT "collection_image_tenant_id_collection_id_fkey" FOREIGN KEY ("tenant_id", "collection_id") REFERENCES "collection"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "collection_image" ADD CONSTRAINT "collection_image_row_id_fkey" FOREIGN KEY ("row_id") REFERENCES "image"("row_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "collection_video" ADD CONSTRAINT "collection_video_tenant_id_collection_id_fkey" FOREIGN KEY ("tenant_id", "collection_id") REFERENCES "collection"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "collection_video" ADD CONSTRAINT "collection_video_row_id_fkey" FOREIGN KEY ("row_id") REFERENCES "video"("row_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Keeps what hung on records and goes with them or with their file, so that both can come back as they were.
-- Arguments: the kind of records, and the columns that name them. What an analysis replaces is not kept.
CREATE OR REPLACE FUNCTION history_attach() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  source CONSTANT TEXT[] := string_to_array(NULLIF(current_setting('vitrine.operation', true), ''), ':');
BEGIN
  IF source IS NULL OR source[3] = 'analysis' THEN
    RETURN NULL;
  END IF;
  FOR i IN 1 .. TG_NARGS - 1 LOOP
    INSERT INTO record_attachment (tenant_id, resource, row_id, operation_id, kind, content)
      SELECT t.id, TG_ARGV[0]::operation_resource, (g.content ->> TG_ARGV[i])::bigint, source[1]::bigint, TG_TABLE_NAME, g.content
      FROM (SELECT to_jsonb(gone) AS content FROM gone) AS g JOIN tenant t ON t.id = (g.content ->> 'tenant_id')::integer;
  END LOOP;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER history_attach AFTER DELETE ON "image_analysis"
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION history_attach('image', 'row_id');
CREATE OR REPLACE TRIGGER history_attach AFTER DELETE ON "image_fingerprint"
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION history_attach('image', 'row_id');
CREATE OR REPLACE TRIGGER history_attach AFTER DELETE ON "image_details"
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION history_attach('image', 'row_id');
CREATE OR REPLACE TRIGGER history_attach AFTER DELETE ON "pair_verdict"
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION history_attach('image', 'low_row', 'high_row');
CREATE OR REPLACE TRIGGER history_attach AFTER DELETE ON "duplicate_member"
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION history_attach('image', 'row_id');
CREATE OR REPLACE TRIGGER history_attach AFTER DELETE ON "video_analysis"
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION history_attach('video', 'row_id');
CREATE OR REPLACE TRIGGER history_attach AFTER DELETE ON "video_frame"
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION history_attach('video', 'video_row_id');
CREATE OR REPLACE TRIGGER history_attach AFTER DELETE ON "collection_image"
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION history_attach('image', 'row_id');
CREATE OR REPLACE TRIGGER history_attach AFTER DELETE ON "collection_video"
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION history_attach('video', 'row_id');
