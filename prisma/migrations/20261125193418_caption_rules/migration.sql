-- AlterTable
ALTER TABLE "tenant" ADD COLUMN     "caption_forbidden" TEXT,
ADD COLUMN     "caption_langs" TEXT,
ADD COLUMN     "caption_style" TEXT,
ADD COLUMN     "caption_words" INTEGER;
