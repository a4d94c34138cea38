-- CreateTable
CREATE TABLE "preview_removal" (
    "id" BIGSERIAL NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "resource" TEXT NOT NULL,
    "files" TEXT[],
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "preview_removal_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "preview_removal_tenant_id_idx" ON "preview_removal"("tenant_id");

-- AddForeignKey
ALTER TABLE "preview_removal" ADD CONSTRAINT "preview_removal_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;
