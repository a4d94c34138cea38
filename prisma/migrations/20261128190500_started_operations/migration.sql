-- A worker continues with what has started before it takes what waits, of which there may be very much.
CREATE INDEX "operation_started_idx" ON "operation" ("tenant_id", "do_urgent" DESC, "id")
  WHERE "state" IN ('running', 'aborting');
