-- How often each folded value is: the planner does not take it from indexes that leave out rows (PostgreSQL 18), and without it
-- thinks that every value is as rare as one in two hundred.
CREATE STATISTICS "image_country_folded" ON (search_fold("country")) FROM "image";
CREATE STATISTICS "image_city_folded" ON (search_fold("city")) FROM "image";
CREATE STATISTICS "image_author_folded" ON (search_fold("author")) FROM "image";
CREATE STATISTICS "image_status_folded" ON (search_fold("status")) FROM "image";
CREATE STATISTICS "image_provider_folded" ON (search_fold("provider")) FROM "image";
CREATE STATISTICS "image_medium_folded" ON (search_fold("medium")) FROM "image";

-- What a call costs beside a comparison of two numbers; the usual 100 makes the planner start parallel workers for a first page.
ALTER FUNCTION search_fold(TEXT) COST 5;

ANALYZE "image";
