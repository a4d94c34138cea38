-- The records of a value by their dates: a page of a country, latest dates first, went through the dates of all records,
-- or sorted all of the country's. Status and medium have few values; a page of those is soon full.
CREATE INDEX "image_country_by_date_idx" ON "image" ("tenant_id", search_fold("country"), "date_start" DESC NULLS LAST, "image_id") WHERE "country" IS NOT NULL;
CREATE INDEX "image_city_by_date_idx" ON "image" ("tenant_id", search_fold("city"), "date_start" DESC NULLS LAST, "image_id") WHERE "city" IS NOT NULL;
CREATE INDEX "image_author_by_date_idx" ON "image" ("tenant_id", search_fold("author"), "date_start" DESC NULLS LAST, "image_id") WHERE "author" IS NOT NULL;
CREATE INDEX "image_provider_by_date_idx" ON "image" ("tenant_id", search_fold("provider"), "date_start" DESC NULLS LAST, "image_id") WHERE "provider" IS NOT NULL;
