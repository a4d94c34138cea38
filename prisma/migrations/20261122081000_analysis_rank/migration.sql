-- Which of a tenant's operations is analyzed first: 0 for an urgent one, else the digits of its number of elements.
ALTER TABLE "operation_analysis" ADD COLUMN "rank" SMALLINT NOT NULL DEFAULT 5;
UPDATE "operation_analysis" a SET "rank" = CASE WHEN o."do_urgent" THEN 0 ELSE length(o."num_total"::text) END
FROM "operation" o WHERE o."id" = a."operation_id";
CREATE INDEX "operation_analysis_rank_idx" ON "operation_analysis" ("tenant_id", "rank", "operation_id", "number")
  WHERE "begun_by" IS NULL;
