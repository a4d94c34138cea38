-- AlterTable
ALTER TABLE "upload" ADD COLUMN     "takeovers" BIGINT[] DEFAULT ARRAY[]::BIGINT[];
