-- AlterTable
ALTER TABLE "image_fingerprint" ADD COLUMN     "former_embedding" BYTEA,
ADD COLUMN     "former_model_id" SMALLINT;

-- AlterTable
ALTER TABLE "video_frame" ADD COLUMN     "former_embedding" BYTEA,
ADD COLUMN     "former_model_id" SMALLINT;

-- CreateTable
CREATE TABLE "model_in_use" (
    "tenant_id" INTEGER NOT NULL,
    "resource" TEXT NOT NULL,
    "model_id" SMALLINT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "model_in_use_pkey" PRIMARY KEY ("tenant_id","resource")
);

-- AddForeignKey
ALTER TABLE "model_in_use" ADD CONSTRAINT "model_in_use_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_in_use" ADD CONSTRAINT "model_in_use_model_id_fkey" FOREIGN KEY ("model_id") REFERENCES "embedding_model"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "image_fingerprint" ADD CONSTRAINT "image_fingerprint_former_model_id_fkey" FOREIGN KEY ("former_model_id") REFERENCES "embedding_model"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "video_frame" ADD CONSTRAINT "video_frame_former_model_id_fkey" FOREIGN KEY ("former_model_id") REFERENCES "embedding_model"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Where vectors of two models are stored; few rows, and none once a tenant is switched over.
CREATE INDEX "image_fingerprint_former_idx" ON "image_fingerprint" ("tenant_id") WHERE "former_model_id" IS NOT NULL;
CREATE INDEX "video_frame_former_idx" ON "video_frame" ("tenant_id") WHERE "former_model_id" IS NOT NULL;
