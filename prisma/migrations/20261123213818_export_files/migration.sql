-- CreateTable
CREATE TABLE "export_file" (
    "id" UUID NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "operation_id" BIGINT NOT NULL,
    "format" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "is_complete" BOOLEAN NOT NULL DEFAULT false,
    "num_records" INTEGER NOT NULL DEFAULT 0,
    "byte_size" BIGINT NOT NULL DEFAULT 0,
    "parts" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "export_file_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "export_file_tenant_id_idx" ON "export_file"("tenant_id");

-- CreateIndex
CREATE INDEX "export_file_operation_id_idx" ON "export_file"("operation_id");

-- CreateIndex
CREATE INDEX "export_file_expires_at_idx" ON "export_file"("expires_at");

-- AddForeignKey
ALTER TABLE "export_file" ADD CONSTRAINT "export_file_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "export_file" ADD CONSTRAINT "export_file_operation_id_fkey" FOREIGN KEY ("operation_id") REFERENCES "operation"("id") ON DELETE CASCADE ON UPDATE CASCADE;
