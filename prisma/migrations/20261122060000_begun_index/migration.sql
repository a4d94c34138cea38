-- Workers look twice a second for chunks that a process which is no more has begun. They are few; those that wait may
-- be a hundred thousand.
CREATE INDEX "operation_analysis_begun_idx" ON "operation_analysis" ("begun_by") WHERE "begun_by" IS NOT NULL;
