-- AlterTable
ALTER TABLE "operation" ADD COLUMN     "first_fault_at" TIMESTAMPTZ(3),
ADD COLUMN     "num_faults" INTEGER NOT NULL DEFAULT 0;
