-- CreateEnum
CREATE TYPE "upload_state" AS ENUM ('receiving', 'kept', 'removing');

-- CreateTable
CREATE TABLE "upload" (
    "id" UUID NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "state" "upload_state" NOT NULL DEFAULT 'receiving',
    "name" TEXT,
    "media_type" TEXT NOT NULL,
    "length" BIGINT,
    "received" BIGINT NOT NULL DEFAULT 0,
    "parts" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "checksum" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "used_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "upload_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "upload_state_expires_at_idx" ON "upload"("state", "expires_at");

-- AddForeignKey
ALTER TABLE "upload" ADD CONSTRAINT "upload_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A tenant keeps a file once.
CREATE UNIQUE INDEX "upload_checksum_idx" ON "upload" ("tenant_id", "checksum") WHERE "state" = 'kept';
CREATE INDEX "upload_unused_idx" ON "upload" ("tenant_id") INCLUDE ("length", "received") WHERE "used_at" IS NULL AND "state" <> 'removing';

-- Who names an uploaded file: records, and the history of records.
CREATE INDEX "image_upload_idx" ON "image" ("tenant_id", substring("src_path" FROM 10 FOR 64)) WHERE "src_path" LIKE 'upload://%';
CREATE INDEX "video_upload_idx" ON "video" ("tenant_id", substring("src_path" FROM 10 FOR 64)) WHERE "src_path" LIKE 'upload://%';
CREATE INDEX "record_change_upload_idx" ON "record_change" ("tenant_id", substring("before" ->> 'src_path' FROM 10 FOR 64))
  WHERE "before" ->> 'src_path' LIKE 'upload://%';
