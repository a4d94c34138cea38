-- AlterTable
ALTER TABLE "tenant" ADD COLUMN     "ai_requests_day" INTEGER,
ADD COLUMN     "ai_cost_day" DOUBLE PRECISION;

-- CreateTable
CREATE TABLE "model_use" (
    "tenant_id" INTEGER NOT NULL,
    "day" DATE NOT NULL,
    "requests" INTEGER NOT NULL,
    "cost" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "model_use_pkey" PRIMARY KEY ("tenant_id")
);

-- AddForeignKey
ALTER TABLE "model_use" ADD CONSTRAINT "model_use_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;
