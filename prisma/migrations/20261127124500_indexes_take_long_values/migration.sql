-- A value may have 10 000 characters, and an index row takes 2 700 bytes: the indexes have the beginning of each folded value, which is
-- longer than any term that is compared with it (src/search/formula/to-sql.ts).
DROP INDEX "image_by_country_idx";
DROP INDEX "image_by_city_idx";
DROP INDEX "image_by_author_idx";
DROP INDEX "image_by_status_idx";
DROP INDEX "image_by_provider_idx";
DROP INDEX "image_by_medium_idx";
DROP INDEX "image_country_by_date_idx";
DROP INDEX "image_city_by_date_idx";
DROP INDEX "image_author_by_date_idx";
DROP INDEX "image_provider_by_date_idx";
DROP STATISTICS "image_country_folded";
DROP STATISTICS "image_city_folded";
DROP STATISTICS "image_author_folded";
DROP STATISTICS "image_status_folded";
DROP STATISTICS "image_provider_folded";
DROP STATISTICS "image_medium_folded";

-- The newest records of a value stand together.
CREATE INDEX "image_by_country_idx" ON "image" ("tenant_id", (left(search_fold("country"), 201)), "created_at" DESC) WHERE "country" IS NOT NULL;
CREATE INDEX "image_by_city_idx" ON "image" ("tenant_id", (left(search_fold("city"), 201)), "created_at" DESC) WHERE "city" IS NOT NULL;
CREATE INDEX "image_by_author_idx" ON "image" ("tenant_id", (left(search_fold("author"), 201)), "created_at" DESC) WHERE "author" IS NOT NULL;
CREATE INDEX "image_by_status_idx" ON "image" ("tenant_id", (left(search_fold("status"), 201)), "created_at" DESC) WHERE "status" IS NOT NULL;
CREATE INDEX "image_by_provider_idx" ON "image" ("tenant_id", (left(search_fold("provider"), 201)), "created_at" DESC) WHERE "provider" IS NOT NULL;
CREATE INDEX "image_by_medium_idx" ON "image" ("tenant_id", (left(search_fold("medium"), 201)), "created_at" DESC) WHERE "medium" IS NOT NULL;

-- The records of a value by their dates.
CREATE INDEX "image_country_by_date_idx" ON "image" ("tenant_id", (left(search_fold("country"), 201)), "date_start" DESC NULLS LAST, "image_id") WHERE "country" IS NOT NULL;
CREATE INDEX "image_city_by_date_idx" ON "image" ("tenant_id", (left(search_fold("city"), 201)), "date_start" DESC NULLS LAST, "image_id") WHERE "city" IS NOT NULL;
CREATE INDEX "image_author_by_date_idx" ON "image" ("tenant_id", (left(search_fold("author"), 201)), "date_start" DESC NULLS LAST, "image_id") WHERE "author" IS NOT NULL;
CREATE INDEX "image_provider_by_date_idx" ON "image" ("tenant_id", (left(search_fold("provider"), 201)), "date_start" DESC NULLS LAST, "image_id") WHERE "provider" IS NOT NULL;

-- How often each value is: the planner does not take it from indexes that leave out rows.
CREATE STATISTICS "image_country_folded" ON (left(search_fold("country"), 201)) FROM "image";
CREATE STATISTICS "image_city_folded" ON (left(search_fold("city"), 201)) FROM "image";
CREATE STATISTICS "image_author_folded" ON (left(search_fold("author"), 201)) FROM "image";
CREATE STATISTICS "image_status_folded" ON (left(search_fold("status"), 201)) FROM "image";
CREATE STATISTICS "image_provider_folded" ON (left(search_fold("provider"), 201)) FROM "image";
CREATE STATISTICS "image_medium_folded" ON (left(search_fold("medium"), 201)) FROM "image";
ANALYZE "image";
