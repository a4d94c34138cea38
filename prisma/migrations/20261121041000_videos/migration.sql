-- Key frames of videos: a poster, and whether frames can be had.
ALTER TABLE "video"
  ADD COLUMN "poster" BYTEA,
  ADD COLUMN "ai_status" TEXT,
  ADD COLUMN "ai_reason" TEXT;
