-- Who died in the middle of what. A turn names the process that has it, so that the turns of a dead
-- process are free at once; a chunk names the process that began it and the element it was trying.

-- Unlogged: turns are worth nothing once the database itself has crashed, and taking one costs no flush.
DELETE FROM "tenant_turn";
ALTER TABLE "tenant_turn" ADD COLUMN "process_id" UUID NOT NULL;
ALTER TABLE "tenant_turn" SET UNLOGGED;

DELETE FROM "service_process";
ALTER TABLE "service_process" ADD COLUMN "session" TEXT NOT NULL;

ALTER TABLE "operation_chunk"
  ADD COLUMN "begun_by" UUID,
  ADD COLUMN "trying" INTEGER,
  ADD COLUMN "deaths" JSONB;
