-- Key frames of videos are looked at as pictures are: what was seen, what searches ask for, fingerprints.

ALTER TABLE "tenant" ADD COLUMN "max_videos" INTEGER;

ALTER TABLE "video"
  ADD COLUMN "n_faces" INTEGER,
  ADD COLUMN "ocr" TEXT,
  ADD COLUMN "bw" BOOLEAN,
  -- [{ "name": "navy", "hex": "1e3a5f", "percent": 41.5 }, …], the largest first.
  ADD COLUMN "colors" JSONB,
  -- Names of what is seen, a text for each of en, es, pt, fr, ru with U+001F between them.
  ADD COLUMN "concepts" TEXT[],
  ADD COLUMN "bytes_read" BIGINT,
  -- Names the reading of the source that the facts come from: a video has no checksum.
  ADD COLUMN "reading" UUID NOT NULL DEFAULT gen_random_uuid();

-- What each analyser found in a video as a whole, and in each of its frames.
CREATE TABLE "video_analysis" (
  "row_id" BIGINT PRIMARY KEY REFERENCES "video" ("row_id") ON DELETE CASCADE ON UPDATE CASCADE,
  "tenant_id" INTEGER NOT NULL,
  "reading" UUID NOT NULL,
  "signature" TEXT COLLATE "C" NOT NULL,
  "facts" JSONB NOT NULL,
  -- [{ "timeSecs": 1.5, "facts": { … } }, …]
  "frames" JSONB NOT NULL,
  "analyzed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX "video_analysis_signature_row_id_idx" ON "video_analysis" ("signature", "row_id");

-- What frames are compared by, in narrow rows as those of images; details lie apart by themselves.
CREATE TABLE "video_frame" (
  "row_id" BIGSERIAL PRIMARY KEY,
  "tenant_id" INTEGER NOT NULL,
  "video_row_id" BIGINT NOT NULL REFERENCES "video" ("row_id") ON DELETE CASCADE ON UPDATE CASCADE,
  "number" SMALLINT NOT NULL,
  "time_secs" DOUBLE PRECISION NOT NULL,
  "pdq_quality" SMALLINT,
  "model_id" SMALLINT REFERENCES "embedding_model" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  "pdq" BYTEA,
  "embedding" BYTEA,
  "regions" BYTEA,
  "details" BYTEA
);
ALTER TABLE "video_frame"
  ALTER COLUMN "pdq" SET STORAGE PLAIN,
  ALTER COLUMN "regions" SET STORAGE PLAIN,
  ALTER COLUMN "embedding" SET STORAGE MAIN,
  ALTER COLUMN "details" SET STORAGE EXTERNAL;
CREATE UNIQUE INDEX "video_frame_video_row_id_number_key" ON "video_frame" ("video_row_id", "number");
CREATE INDEX "video_frame_tenant_id_row_id_idx" ON "video_frame" ("tenant_id", "row_id");

-- Which frames changed of late, as fingerprint_change tells of images.
CREATE TABLE "frame_change" (
  "id" BIGSERIAL PRIMARY KEY,
  "tenant_id" INTEGER NOT NULL,
  "row_id" BIGINT NOT NULL,
  "xact" XID8 NOT NULL DEFAULT pg_current_xact_id(),
  "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX "frame_change_tenant_id_xact_idx" ON "frame_change" ("tenant_id", "xact");
CREATE INDEX "frame_change_changed_at_idx" ON "frame_change" ("changed_at");

CREATE FUNCTION frame_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO frame_change (tenant_id, row_id) SELECT tenant_id, row_id FROM changed;
  RETURN NULL;
END $$;

CREATE TRIGGER frame_new AFTER INSERT ON "video_frame" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION frame_changed();
CREATE TRIGGER frame_replaced AFTER UPDATE ON "video_frame" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION frame_changed();
CREATE TRIGGER frame_gone AFTER DELETE ON "video_frame" REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION frame_changed();

-- Searches see what is seen in videos last, as in images.
CREATE OR REPLACE FUNCTION video_search() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  sep CONSTANT TEXT := U&'\001F';
  lang CONSTANT TEXT := NEW.lang::text;
  part TEXT;
BEGIN
  NEW.terms := search_terms(concat_ws(sep,
    'status=' || NULLIF(NEW.status, ''),
    'city=' || NULLIF(NEW.city, ''),
    'country=' || NULLIF(NEW.country, ''),
    'author=' || NULLIF(NEW.author, ''),
    'provider=' || NULLIF(NEW.provider, ''),
    'medium=' || NULLIF(NEW.medium, ''),
    'keywords=' || NULLIF(array_to_string(NEW.keywords, sep || 'keywords='), ''),
    'categories=' || NULLIF(array_to_string(NEW.categories, sep || 'categories='), ''),
    'collections=' || NULLIF(array_to_string(NEW.collections, sep || 'collections='), '')));
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
  IF NEW.concepts IS NOT NULL THEN
    NEW.words := NEW.words || to_tsvector('search_words', search_clean(array_to_string(NEW.concepts, sep)));
    NEW.stems := NEW.stems || search_stem('en', search_clean(NEW.concepts[1]))
      || search_stem('es', search_clean(NEW.concepts[2])) || search_stem('pt', search_clean(NEW.concepts[3]))
      || search_stem('fr', search_clean(NEW.concepts[4])) || search_stem('ru', search_clean(NEW.concepts[5]));
  END IF;
  RETURN NEW;
END $$;

DROP TRIGGER video_search_changed ON "video";
CREATE TRIGGER video_search_changed BEFORE UPDATE ON "video" FOR EACH ROW
  WHEN ((NEW.title, NEW.headline, NEW.description, NEW.alt_text, NEW.event, NEW.location, NEW.city, NEW.country,
         NEW.author, NEW.status, NEW.provider, NEW.medium, NEW.keywords, NEW.categories, NEW.collections,
         NEW.concepts, NEW.lang)
    IS DISTINCT FROM
        (OLD.title, OLD.headline, OLD.description, OLD.alt_text, OLD.event, OLD.location, OLD.city, OLD.country,
         OLD.author, OLD.status, OLD.provider, OLD.medium, OLD.keywords, OLD.categories, OLD.collections,
         OLD.concepts, OLD.lang)
    OR NEW.words IS NULL)
  EXECUTE FUNCTION video_search();
