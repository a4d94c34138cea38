-- AlterTable
ALTER TABLE "operation" ADD COLUMN     "is_dry_run" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "dry_change" (
    "operation_id" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "ref" TEXT NOT NULL,
    "before" JSONB,
    "after" JSONB,

    CONSTRAINT "dry_change_pkey" PRIMARY KEY ("operation_id","number")
);

-- AddForeignKey
ALTER TABLE "dry_change" ADD CONSTRAINT "dry_change_operation_id_fkey" FOREIGN KEY ("operation_id") REFERENCES "operation"("id") ON DELETE CASCADE ON UPDATE CASCADE;
