-- Records how often common words of large tenants come and go; word_total has the sums (see src/catalog/words/word-totals.ts).
-- A plan that was made for one row must not compare each of thousands with each.
-- Generated from src/catalog/words/word-sql.ts by `npm run generate`.
CREATE OR REPLACE FUNCTION video_words() RETURNS TRIGGER LANGUAGE plpgsql SET enable_nestloop = off SET enable_mergejoin = off AS $$
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
        FROM word_total, unnest(string_to_array(words, ' ')) WITH ORDINALITY AS own (stem, n) WHERE resource = 'video' OFFSET 0
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
        FROM word_total, unnest(string_to_array(words, ' ')) WITH ORDINALITY AS own (stem, n) WHERE resource = 'video' OFFSET 0
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
        FROM word_total, unnest(string_to_array(words, ' ')) WITH ORDINALITY AS own (stem, n) WHERE resource = 'video' OFFSET 0
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
