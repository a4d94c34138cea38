-- The key of ADMIN_API_KEY was known by its name, which any key may have; and its prefix was the beginning of a secret that
-- may be short. It is known by a column now, and shown by characters that have nothing to do with it.
ALTER TABLE "api_key" ADD COLUMN "is_environment" BOOLEAN NOT NULL DEFAULT false;

UPDATE "api_key" SET "is_environment" = true
WHERE "name" = 'ADMIN_API_KEY' AND "role" = 'admin' AND "scopes" = '{}' AND "prefix" NOT LIKE 'vt\_%';

CREATE TEMPORARY TABLE "shown_key" ON COMMIT DROP AS
SELECT "id", "prefix" AS "old", 'env_' || substr(md5(gen_random_uuid()::text), 1, 7) AS "new"
FROM "api_key" WHERE "prefix" NOT LIKE 'vt\_%';

UPDATE "api_key" k SET "prefix" = s."new" FROM "shown_key" s WHERE k."id" = s."id";
UPDATE "audit" a SET "key_prefix" = s."new" FROM "shown_key" s WHERE a."api_key_id" = s."id";
UPDATE "audit" a SET "subject" = 'key ' || s."id" || ' (' || s."new" || ')'
FROM "shown_key" s WHERE a."subject" = 'key ' || s."id" || ' (' || s."old" || ')';
UPDATE "pair_verdict" v SET "key_prefix" = s."new" FROM "shown_key" s WHERE v."api_key_id" = s."id";
