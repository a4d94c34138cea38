-- AlterTable
ALTER TABLE "image" ADD COLUMN     "locked_fields" TEXT[];

-- AlterTable
ALTER TABLE "video" ADD COLUMN     "locked_fields" TEXT[];

-- AlterTable
ALTER TABLE "operation" ADD COLUMN     "do_respect_locks" BOOLEAN NOT NULL DEFAULT false;
