-- Cheaper writes and counts. A part of a record that holds no text costs nothing; what is asked most often of
-- whole catalogs, a day or a value, has an index of its own. Indexes leave out records without a value.

CREATE OR REPLACE FUNCTION image_search() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  sep CONSTANT TEXT := U&'\001F';
  lang CONSTANT TEXT := NEW.lang::text;
  part TEXT;
BEGIN
  NEW.terms := search_terms(concat_ws(sep,
    search_pair('status', NEW.status), search_pair('city', NEW.city), search_pair('country', NEW.country),
    search_pair('author', NEW.author), search_pair('provider', NEW.provider), search_pair('shot', NEW.shot),
    search_pair('scene', NEW.scene), search_pair('technique', NEW.technique), search_pair('medium', NEW.medium),
    search_pairs('keywords', NEW.keywords), search_pairs('categories', NEW.categories),
    search_pairs('collections', NEW.collections)));
  NEW.words := '';
  NEW.stems := '';
  part := concat_ws(sep, NEW.title, NEW.headline);
  IF part <> '' THEN
    part := search_clean(left(part || sep, 40000));
    NEW.words := setweight(to_tsvector('search_words', part), 'A');
    NEW.stems := setweight(search_stem(lang, part), 'A');
  END IF;
  part := concat_ws(sep, array_to_string(NEW.keywords, sep), array_to_string(NEW.categories, sep));
  IF part <> '' THEN
    part := search_clean(left(part || sep, 40000));
    NEW.words := NEW.words || setweight(to_tsvector('search_words', part), 'B');
    NEW.stems := NEW.stems || setweight(search_stem(lang, part), 'B');
  END IF;
  part := concat_ws(sep, NEW.caption, NEW.alt_text, NEW.event);
  IF part <> '' THEN
    part := search_clean(left(part || sep, 40000));
    NEW.words := NEW.words || setweight(to_tsvector('search_words', part), 'C');
    NEW.stems := NEW.stems || setweight(search_stem(lang, part), 'C');
  END IF;
  part := concat_ws(sep, NEW.location, NEW.city, NEW.country, NEW.author);
  IF part <> '' THEN
    part := search_clean(left(part, 40000));
    NEW.words := NEW.words || to_tsvector('search_words', part);
    NEW.stems := NEW.stems || search_stem(lang, part);
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION video_search() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  sep CONSTANT TEXT := U&'\001F';
  lang CONSTANT TEXT := NEW.lang::text;
  part TEXT;
BEGIN
  NEW.terms := search_terms(concat_ws(sep,
    search_pair('status', NEW.status), search_pair('city', NEW.city), search_pair('country', NEW.country),
    search_pair('author', NEW.author), search_pair('provider', NEW.provider), search_pair('medium', NEW.medium),
    search_pairs('keywords', NEW.keywords), search_pairs('categories', NEW.categories),
    search_pairs('collections', NEW.collections)));
  NEW.words := '';
  NEW.stems := '';
  part := concat_ws(sep, NEW.title, NEW.headline);
  IF part <> '' THEN
    part := search_clean(left(part || sep, 40000));
    NEW.words := setweight(to_tsvector('search_words', part), 'A');
    NEW.stems := setweight(search_stem(lang, part), 'A');
  END IF;
  part := concat_ws(sep, array_to_string(NEW.keywords, sep), array_to_string(NEW.categories, sep));
  IF part <> '' THEN
    part := search_clean(left(part || sep, 40000));
    NEW.words := NEW.words || setweight(to_tsvector('search_words', part), 'B');
    NEW.stems := NEW.stems || setweight(search_stem(lang, part), 'B');
  END IF;
  part := concat_ws(sep, NEW.description, NEW.alt_text, NEW.event);
  IF part <> '' THEN
    part := search_clean(left(part || sep, 40000));
    NEW.words := NEW.words || setweight(to_tsvector('search_words', part), 'C');
    NEW.stems := NEW.stems || setweight(search_stem(lang, part), 'C');
  END IF;
  part := concat_ws(sep, NEW.location, NEW.city, NEW.country, NEW.author);
  IF part <> '' THEN
    part := search_clean(left(part, 40000));
    NEW.words := NEW.words || to_tsvector('search_words', part);
    NEW.stems := NEW.stems || search_stem(lang, part);
  END IF;
  RETURN NEW;
END $$;

-- Records without a word that is kept bring nothing.
CREATE OR REPLACE FUNCTION search_learn() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "search_word" ("tenant_id", "word")
    SELECT "tenant_id", word FROM (
      SELECT DISTINCT "tenant_id", word FROM changed, unnest(tsvector_to_array("words")) AS word WHERE "words" <> ''
    ) AS own
    WHERE char_length(word) BETWEEN 4 AND 40 AND word !~ '[0-9&]'
      AND NOT EXISTS (SELECT FROM "search_word" AS known WHERE known."tenant_id" = own."tenant_id" AND known."word" = own.word)
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

-- Newest pictures first, and the pictures of a day.
CREATE INDEX "image_date_idx" ON "image" ("tenant_id", "date_start" DESC, "image_id") WHERE "date_start" IS NOT NULL;

-- Values and how many records have them, without a look at the records: the value as it is spelled is in the index too.
CREATE INDEX "image_country_idx" ON "image" ("tenant_id", search_fold("country")) INCLUDE ("country") WHERE "country" IS NOT NULL;
CREATE INDEX "image_city_idx" ON "image" ("tenant_id", search_fold("city")) INCLUDE ("city") WHERE "city" IS NOT NULL;
CREATE INDEX "image_author_idx" ON "image" ("tenant_id", search_fold("author")) INCLUDE ("author") WHERE "author" IS NOT NULL;
CREATE INDEX "image_status_idx" ON "image" ("tenant_id", search_fold("status")) INCLUDE ("status") WHERE "status" IS NOT NULL;
CREATE INDEX "image_provider_idx" ON "image" ("tenant_id", search_fold("provider")) INCLUDE ("provider") WHERE "provider" IS NOT NULL;
CREATE INDEX "image_medium_idx" ON "image" ("tenant_id", search_fold("medium")) INCLUDE ("medium") WHERE "medium" IS NOT NULL;

-- Plans know more of the frequent values and words, and so tell a rare one from them.
ALTER TABLE "image" ALTER COLUMN "terms" SET STATISTICS 400;
ALTER TABLE "image" ALTER COLUMN "stems" SET STATISTICS 400;
ALTER TABLE "image" ALTER COLUMN "words" SET STATISTICS 400;
