-- CreateTable
CREATE TABLE "word_total" (
    "tenant_id" INTEGER NOT NULL,
    "resource" "operation_resource" NOT NULL,
    "words" TEXT NOT NULL,
    "count" BIGINT NOT NULL DEFAULT 0,
    "since" xid8,
    "is_ready" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "word_total_pkey" PRIMARY KEY ("tenant_id","resource","words")
) WITH (fillfactor = 80);

-- CreateTable
CREATE TABLE "word_change" (
    "id" BIGSERIAL NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "resource" "operation_resource" NOT NULL,
    "words" TEXT[],
    "counts" INTEGER[],

    CONSTRAINT "word_change_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "word_choice" (
    "tenant_id" INTEGER NOT NULL,
    "resource" "operation_resource" NOT NULL,
    "total" BIGINT NOT NULL,
    "chosen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "word_choice_pkey" PRIMARY KEY ("tenant_id","resource")
);

-- CreateIndex
CREATE INDEX "word_change_tenant_id_id_idx" ON "word_change"("tenant_id", "id");

-- AddForeignKey
ALTER TABLE "word_total" ADD CONSTRAINT "word_total_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "word_change" ADD CONSTRAINT "word_change_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "word_choice" ADD CONSTRAINT "word_choice_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Records how often common words of large tenants come and go; word_total has the sums (see src/catalog/words/word-totals.ts).
-- A plan that was made for one row must not compare each of thousands with each.
-- Generated from src/catalog/words/word-sql.ts by `npm run generate`.
CREATE OR REPLACE FUNCTION image_words() RETURNS TRIGGER LANGUAGE plpgsql SET enable_nestloop = off AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM word_total) THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO word_change (tenant_id, resource, words, counts)
    SELECT tenant_id, 'image', array_agg(words), array_agg(n) FROM (
      SELECT tenant_id, words, sum(sign)::integer AS n FROM (
        SELECT *, unnest(tsvector_to_array(stems)) AS stem FROM (SELECT 1 AS sign, tenant_id, stems FROM changed WHERE tenant_id IN (SELECT tenant_id FROM word_total WHERE resource = 'image')) AS own
      ) AS rows JOIN (
        SELECT tenant_id, words, stem, CASE WHEN n > 1 THEN ('''' || array_to_string((string_to_array(words, ' '))[: n - 1], ''' | ''') || '''')::tsquery END AS before
        FROM word_total, string_to_table(words, ' ') WITH ORDINALITY AS own (stem, n) WHERE resource = 'image'
      ) AS counted USING (tenant_id, stem)
      WHERE (before IS NULL OR NOT stems @@ before) GROUP BY 1, 2 HAVING sum(sign) <> 0
    ) AS summed GROUP BY tenant_id;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO word_change (tenant_id, resource, words, counts)
    SELECT tenant_id, 'image', array_agg(words), array_agg(n) FROM (
      SELECT tenant_id, words, sum(sign)::integer AS n FROM (
        SELECT *, unnest(tsvector_to_array(stems)) AS stem FROM (SELECT sign, of.tenant_id, of.stems FROM changed JOIN former USING (row_id),
        LATERAL (VALUES (1, changed.tenant_id, changed.stems), (-1, former.tenant_id, former.stems)) AS of (sign, tenant_id, stems)
        WHERE changed.stems IS DISTINCT FROM former.stems AND of.tenant_id IN (SELECT tenant_id FROM word_total WHERE resource = 'image')) AS own
      ) AS rows JOIN (
        SELECT tenant_id, words, stem, CASE WHEN n > 1 THEN ('''' || array_to_string((string_to_array(words, ' '))[: n - 1], ''' | ''') || '''')::tsquery END AS before
        FROM word_total, string_to_table(words, ' ') WITH ORDINALITY AS own (stem, n) WHERE resource = 'image'
      ) AS counted USING (tenant_id, stem)
      WHERE (before IS NULL OR NOT stems @@ before) GROUP BY 1, 2 HAVING sum(sign) <> 0
    ) AS summed GROUP BY tenant_id;
  ELSE
    -- Records that go with their tenant are of nobody.
    INSERT INTO word_change (tenant_id, resource, words, counts)
    SELECT tenant_id, 'image', array_agg(words), array_agg(n) FROM (
      SELECT tenant_id, words, sum(sign)::integer AS n FROM (
        SELECT *, unnest(tsvector_to_array(stems)) AS stem FROM (SELECT -1 AS sign, tenant_id, stems FROM former WHERE tenant_id IN (SELECT tenant_id FROM word_total WHERE resource = 'image') AND tenant_id IN (SELECT id FROM tenant)) AS own
      ) AS rows JOIN (
        SELECT tenant_id, words, stem, CASE WHEN n > 1 THEN ('''' || array_to_string((string_to_array(words, ' '))[: n - 1], ''' | ''') || '''')::tsquery END AS before
        FROM word_total, string_to_table(words, ' ') WITH ORDINALITY AS own (stem, n) WHERE resource = 'image'
      ) AS counted USING (tenant_id, stem)
      WHERE (before IS NULL OR NOT stems @@ before) GROUP BY 1, 2 HAVING sum(sign) <> 0
    ) AS summed GROUP BY tenant_id;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER image_words_created AFTER INSERT ON "image"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION image_words();
CREATE OR REPLACE TRIGGER image_words_changed AFTER UPDATE ON "image"
  REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION image_words();
CREATE OR REPLACE TRIGGER image_words_deleted AFTER DELETE ON "image"
  REFERENCING OLD TABLE AS former FOR EACH STATEMENT EXECUTE FUNCTION image_words();

-- Records how often common words of large tenants come and go; word_total has the sums (see src/catalog/words/word-totals.ts).
-- A plan that was made for one row must not compare each of thousands with each.
-- Generated from src/catalog/words/word-sql.ts by `npm run generate`.
CREATE OR REPLACE FUNCTION video_words() RETURNS TRIGGER LANGUAGE plpgsql SET enable_nestloop = off AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM word_total) THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO word_change (tenant_id, resource, words, counts)
    SELECT tenant_id, 'video', array_agg(words), array_agg(n) FROM (
      SELECT tenant_id, words, sum(sign)::integer AS n FROM (
        SELECT *, unnest(tsvector_to_array(stems)) AS stem FROM (SELECT 1 AS sign, tenant_id, stems FROM changed WHERE tenant_id IN (SELECT tenant_id FROM word_total WHERE resource = 'video')) AS own
      ) AS rows JOIN (
        SELECT tenant_id, words, stem, CASE WHEN n > 1 THEN ('''' || array_to_string((string_to_array(words, ' '))[: n - 1], ''' | ''') || '''')::tsquery END AS before
        FROM word_total, string_to_table(words, ' ') WITH ORDINALITY AS own (stem, n) WHERE resource = 'video'
      ) AS counted USING (tenant_id, stem)
      WHERE (before IS NULL OR NOT stems @@ before) GROUP BY 1, 2 HAVING sum(sign) <> 0
    ) AS summed GROUP BY tenant_id;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO word_change (tenant_id, resource, words, counts)
    SELECT tenant_id, 'video', array_agg(words), array_agg(n) FROM (
      SELECT tenant_id, words, sum(sign)::integer AS n FROM (
        SELECT *, unnest(tsvector_to_array(stems)) AS stem FROM (SELECT sign, of.tenant_id, of.stems FROM changed JOIN former USING (row_id),
        LATERAL (VALUES (1, changed.tenant_id, changed.stems), (-1, former.tenant_id, former.stems)) AS of (sign, tenant_id, stems)
        WHERE changed.stems IS DISTINCT FROM former.stems AND of.tenant_id IN (SELECT tenant_id FROM word_total WHERE resource = 'video')) AS own
      ) AS rows JOIN (
        SELECT tenant_id, words, stem, CASE WHEN n > 1 THEN ('''' || array_to_string((string_to_array(words, ' '))[: n - 1], ''' | ''') || '''')::tsquery END AS before
        FROM word_total, string_to_table(words, ' ') WITH ORDINALITY AS own (stem, n) WHERE resource = 'video'
      ) AS counted USING (tenant_id, stem)
      WHERE (before IS NULL OR NOT stems @@ before) GROUP BY 1, 2 HAVING sum(sign) <> 0
    ) AS summed GROUP BY tenant_id;
  ELSE
    -- Records that go with their tenant are of nobody.
    INSERT INTO word_change (tenant_id, resource, words, counts)
    SELECT tenant_id, 'video', array_agg(words), array_agg(n) FROM (
      SELECT tenant_id, words, sum(sign)::integer AS n FROM (
        SELECT *, unnest(tsvector_to_array(stems)) AS stem FROM (SELECT -1 AS sign, tenant_id, stems FROM former WHERE tenant_id IN (SELECT tenant_id FROM word_total WHERE resource = 'video') AND tenant_id IN (SELECT id FROM tenant)) AS own
      ) AS rows JOIN (
        SELECT tenant_id, words, stem, CASE WHEN n > 1 THEN ('''' || array_to_string((string_to_array(words, ' '))[: n - 1], ''' | ''') || '''')::tsquery END AS before
        FROM word_total, string_to_table(words, ' ') WITH ORDINALITY AS own (stem, n) WHERE resource = 'video'
      ) AS counted USING (tenant_id, stem)
      WHERE (before IS NULL OR NOT stems @@ before) GROUP BY 1, 2 HAVING sum(sign) <> 0
    ) AS summed GROUP BY tenant_id;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER video_words_created AFTER INSERT ON "video"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION video_words();
CREATE OR REPLACE TRIGGER video_words_changed AFTER UPDATE ON "video"
  REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION video_words();
CREATE OR REPLACE TRIGGER video_words_deleted AFTER DELETE ON "video"
  REFERENCING OLD TABLE AS former FOR EACH STATEMENT EXECUTE FUNCTION video_words();

-- The number of a tenant's records that have one of the forms of a word, or null if no total says it: what word_total and
-- word_change have of the common ones among the forms, and those records that have only others, which are few.
CREATE OR REPLACE FUNCTION word_total_of(tenant INTEGER, kind OPERATION_RESOURCE, forms TSQUERY) RETURNS BIGINT
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
  stems TEXT[];
  common TEXT[];
  rare TEXT[];
  total BIGINT;
  others BIGINT := 0;
BEGIN
  -- Most tenants have no totals.
  IF NOT EXISTS (SELECT FROM word_total WHERE tenant_id = tenant AND resource = kind) THEN
    RETURN NULL;
  END IF;
  stems := search_lexemes(forms);
  SELECT array_agg(words ORDER BY words COLLATE "C") INTO common
    FROM word_total WHERE tenant_id = tenant AND resource = kind AND words = ANY (stems);
  IF common IS NULL THEN
    RETURN NULL;
  END IF;
  SELECT t.count + COALESCE((
      SELECT sum(c.count) FROM word_change w, unnest(w.words, w.counts) AS c (words, count)
      WHERE w.tenant_id = tenant AND w.resource = kind AND c.words = t.words
    ), 0) INTO total
    FROM word_total t
    WHERE t.tenant_id = tenant AND t.resource = kind AND t.words = array_to_string(common, ' ') AND t.is_ready;
  rare := ARRAY(SELECT unnest(stems) EXCEPT SELECT unnest(common));
  IF total IS NOT NULL AND rare <> '{}' THEN
    EXECUTE format('SELECT count(*) FROM %I WHERE tenant_id = $1 AND stems @@ $2', kind) INTO others
      USING tenant, format('(''%s'') & !(''%s'')', array_to_string(rare, ''' | '''), array_to_string(common, ''' | '''))::tsquery;
  END IF;
  RETURN total + others;
END $$;
