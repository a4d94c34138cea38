-- AlterTable
ALTER TABLE "search_index" ADD COLUMN     "is_move" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "members" TEXT[],
ADD COLUMN     "next_members" TEXT[];
