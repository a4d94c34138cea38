-- Indexes that hold the order in which pages are shown. Until all are there, 13 seconds for 200 000 records on a busy
-- machine, others can read and not write.

-- Latest dates first and behind them the records without one: a page by date that was not full asked a second time,
-- for those that the index left out.
CREATE INDEX "image_by_date_idx" ON "image" ("tenant_id", "date_start" DESC NULLS LAST, "image_id");
DROP INDEX "image_date_idx";

-- The newest records of a value stand together: before, the newest of all were gone through until enough had the value.
CREATE INDEX "image_by_country_idx" ON "image" ("tenant_id", search_fold("country"), "created_at" DESC) INCLUDE ("country") WHERE "country" IS NOT NULL;
DROP INDEX "image_country_idx";
CREATE INDEX "image_by_city_idx" ON "image" ("tenant_id", search_fold("city"), "created_at" DESC) INCLUDE ("city") WHERE "city" IS NOT NULL;
DROP INDEX "image_city_idx";
CREATE INDEX "image_by_author_idx" ON "image" ("tenant_id", search_fold("author"), "created_at" DESC) INCLUDE ("author") WHERE "author" IS NOT NULL;
DROP INDEX "image_author_idx";
CREATE INDEX "image_by_status_idx" ON "image" ("tenant_id", search_fold("status"), "created_at" DESC) INCLUDE ("status") WHERE "status" IS NOT NULL;
DROP INDEX "image_status_idx";
CREATE INDEX "image_by_provider_idx" ON "image" ("tenant_id", search_fold("provider"), "created_at" DESC) INCLUDE ("provider") WHERE "provider" IS NOT NULL;
DROP INDEX "image_provider_idx";
CREATE INDEX "image_by_medium_idx" ON "image" ("tenant_id", search_fold("medium"), "created_at" DESC) INCLUDE ("medium") WHERE "medium" IS NOT NULL;
DROP INDEX "image_medium_idx";
