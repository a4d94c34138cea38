-- Analysis: what is seen in pictures, where it comes from, and the second stage of operations.

ALTER TYPE "operation_state" ADD VALUE 'analyzing' BEFORE 'finished';

ALTER TABLE "tenant"
  ADD COLUMN "analysis" BOOLEAN,
  ADD COLUMN "ai_fill" BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE "operation"
  ADD COLUMN "num_to_analyze" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "num_analyzed" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "num_analysis_bad" INTEGER NOT NULL DEFAULT 0,
  ADD CONSTRAINT "operation_analysis_counters" CHECK ("num_analyzed" + "num_analysis_bad" <= "num_to_analyze");

-- What a worker may still have to store: operations that are only being analysed stand in nobody's way.
DROP INDEX "operation_unfinished_idx";
CREATE INDEX "operation_unstored_idx" ON "operation" ("tenant_id", "do_urgent" DESC, "id")
  WHERE "state" IN ('queued', 'running', 'aborting');

-- Stored elements that wait for their analysis, a chunk a row; a row goes when all of it is done.
CREATE TABLE "operation_analysis" (
  "operation_id" BIGINT NOT NULL REFERENCES "operation" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "number" INTEGER NOT NULL,
  "tenant_id" INTEGER NOT NULL,
  "positions" INTEGER[],
  "refs" TEXT[],
  "done" INTEGER[],
  "begun_by" UUID,
  "trying" INTEGER,
  "deaths" JSONB,
  PRIMARY KEY ("operation_id", "number")
);
CREATE INDEX "operation_analysis_waiting_idx" ON "operation_analysis" ("tenant_id", "operation_id", "number")
  WHERE "begun_by" IS NULL;

CREATE TABLE "operation_analysis_error" (
  "operation_id" BIGINT NOT NULL REFERENCES "operation" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "position" INTEGER NOT NULL,
  "tenant_id" INTEGER NOT NULL,
  "ref" TEXT NOT NULL,
  "analyzer" TEXT,
  "code" TEXT NOT NULL,
  "message" TEXT NOT NULL,
  PRIMARY KEY ("operation_id", "position")
);

-- What each analyser found, or why it found nothing. `checksum` is that of the file that was analysed.
CREATE TABLE "image_analysis" (
  "row_id" BIGINT PRIMARY KEY REFERENCES "image" ("row_id") ON DELETE CASCADE ON UPDATE CASCADE,
  "tenant_id" INTEGER NOT NULL,
  "checksum" BYTEA NOT NULL,
  "signature" TEXT COLLATE "C" NOT NULL,
  "facts" JSONB NOT NULL,
  "analyzed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
-- Records that another version analysed are found by their signature.
CREATE INDEX "image_analysis_signature_row_id_idx" ON "image_analysis" ("signature", "row_id");

-- Models whose vectors can be compared with each other, named once: a row of ten million has two bytes of it.
CREATE TABLE "embedding_model" (
  "id" SMALLSERIAL PRIMARY KEY,
  "name" TEXT NOT NULL
);
CREATE UNIQUE INDEX "embedding_model_name_key" ON "embedding_model" ("name");

-- What pictures are compared by, in narrow rows of their own: similarity reads all of a tenant's at a time.
CREATE TABLE "image_fingerprint" (
  "row_id" BIGINT PRIMARY KEY REFERENCES "image" ("row_id") ON DELETE CASCADE ON UPDATE CASCADE,
  "tenant_id" INTEGER NOT NULL,
  "pdq_quality" SMALLINT,
  "model_id" SMALLINT REFERENCES "embedding_model" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  "pdq" BYTEA,
  "embedding" BYTEA
);
ALTER TABLE "image_fingerprint" ALTER COLUMN "pdq" SET STORAGE PLAIN, ALTER COLUMN "embedding" SET STORAGE MAIN;
CREATE INDEX "image_fingerprint_tenant_id_row_id_idx" ON "image_fingerprint" ("tenant_id", "row_id");

-- Names of what is seen, a text for each of en, es, pt, fr, ru with U+001F between them. Searches see
-- them last; the record's own fields stay as they were sent.
ALTER TABLE "image" ADD COLUMN "concepts" TEXT[];

CREATE OR REPLACE FUNCTION image_search() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  sep CONSTANT TEXT := U&'\001F';
  lang CONSTANT TEXT := NEW.lang::text;
  a CONSTANT TEXT := search_clean(left(concat_ws(sep, NEW.title, NEW.headline, ''), 40000));
  b CONSTANT TEXT := search_clean(left(concat_ws(sep,
    array_to_string(NEW.keywords, sep), array_to_string(NEW.categories, sep), ''), 40000));
  c CONSTANT TEXT := search_clean(left(concat_ws(sep, NEW.caption, NEW.alt_text, NEW.event, ''), 40000));
  d CONSTANT TEXT := search_clean(left(concat_ws(sep, NEW.location, NEW.city, NEW.country, NEW.author), 40000));
BEGIN
  NEW.terms := search_terms(concat_ws(sep,
    search_pair('status', NEW.status), search_pair('city', NEW.city), search_pair('country', NEW.country),
    search_pair('author', NEW.author), search_pair('provider', NEW.provider), search_pair('shot', NEW.shot),
    search_pair('scene', NEW.scene), search_pair('technique', NEW.technique), search_pair('medium', NEW.medium),
    search_pairs('keywords', NEW.keywords), search_pairs('categories', NEW.categories),
    search_pairs('collections', NEW.collections)));
  NEW.words := setweight(to_tsvector('search_words', a), 'A') || setweight(to_tsvector('search_words', b), 'B')
    || setweight(to_tsvector('search_words', c), 'C') || to_tsvector('search_words', d);
  NEW.stems := setweight(search_stem(lang, a), 'A') || setweight(search_stem(lang, b), 'B')
    || setweight(search_stem(lang, c), 'C') || search_stem(lang, d);
  IF NEW.concepts IS NOT NULL THEN
    NEW.words := NEW.words || to_tsvector('search_words', search_clean(array_to_string(NEW.concepts, sep)));
    NEW.stems := NEW.stems || search_stem('en', search_clean(NEW.concepts[1]))
      || search_stem('es', search_clean(NEW.concepts[2])) || search_stem('pt', search_clean(NEW.concepts[3]))
      || search_stem('fr', search_clean(NEW.concepts[4])) || search_stem('ru', search_clean(NEW.concepts[5]));
  END IF;
  RETURN NEW;
END $$;

DROP TRIGGER image_search_changed ON "image";
CREATE TRIGGER image_search_changed BEFORE UPDATE ON "image" FOR EACH ROW
  WHEN ((NEW.title, NEW.headline, NEW.caption, NEW.alt_text, NEW.event, NEW.location, NEW.city, NEW.country,
         NEW.author, NEW.status, NEW.provider, NEW.shot, NEW.scene, NEW.technique, NEW.medium, NEW.keywords,
         NEW.categories, NEW.collections, NEW.concepts, NEW.lang)
    IS DISTINCT FROM
        (OLD.title, OLD.headline, OLD.caption, OLD.alt_text, OLD.event, OLD.location, OLD.city, OLD.country,
         OLD.author, OLD.status, OLD.provider, OLD.shot, OLD.scene, OLD.technique, OLD.medium, OLD.keywords,
         OLD.categories, OLD.collections, OLD.concepts, OLD.lang)
    OR NEW.words IS NULL)
  EXECUTE FUNCTION image_search();
