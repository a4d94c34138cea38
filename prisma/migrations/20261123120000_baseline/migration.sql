-- The database of Vitrine. Every row names its tenant. What changed since then is in the later migrations;
-- prisma/schema.prisma describes the tables as they are now, prisma/functions/ has each function as it is now.
--
-- Identifiers are compared byte by byte (COLLATE "C"): the order of ties must not depend on the locale of the machine.

CREATE EXTENSION IF NOT EXISTS btree_gin;
CREATE EXTENSION IF NOT EXISTS fuzzystrmatch;

CREATE TYPE "role" AS ENUM ('viewer', 'tagger', 'editor', 'admin');
CREATE TYPE "language" AS ENUM ('en', 'es', 'pt', 'fr', 'ru');
CREATE TYPE "operation_method" AS ENUM ('add', 'upd', 'del', 'multiple');
CREATE TYPE "operation_resource" AS ENUM ('video', 'image', 'celebs');
CREATE TYPE "operation_state" AS ENUM ('queued', 'running', 'aborting', 'analyzing', 'finished');

--
-- Tenants and access
--

CREATE TABLE "tenant" (
  "id" SERIAL PRIMARY KEY,
  "name" TEXT NOT NULL,
  "search_verify" BOOLEAN NOT NULL DEFAULT false,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "max_images" INTEGER,
  "rate_read" TEXT,
  "rate_write" TEXT,
  "rate_tag" TEXT,
  "rate_query_image" TEXT,
  "time_zone" TEXT,
  "analysis" BOOLEAN,
  "ai_fill" BOOLEAN NOT NULL DEFAULT false,
  "on_duplicate" TEXT NOT NULL DEFAULT 'keep',
  -- Largest PDQ distances of i=== and i==, such as 10,31; null is the default.
  "duplicate_distances" TEXT,
  "max_videos" INTEGER,
  CONSTRAINT "tenant_on_duplicate" CHECK ("on_duplicate" IN ('keep', 'flag', 'reject'))
);
CREATE UNIQUE INDEX "tenant_name_key" ON "tenant" ("name");

CREATE TABLE "api_key" (
  "id" SERIAL PRIMARY KEY,
  "tenant_id" INTEGER NOT NULL REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "name" TEXT NOT NULL,
  "prefix" TEXT NOT NULL,
  "hash" BYTEA NOT NULL,
  "role" "role" NOT NULL,
  "expires_at" TIMESTAMPTZ(3),
  "revoked_at" TIMESTAMPTZ(3),
  "last_used_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
  -- The key of ADMIN_API_KEY.
  "is_environment" BOOLEAN NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX "api_key_hash_key" ON "api_key" ("hash");
CREATE INDEX "api_key_tenant_id_idx" ON "api_key" ("tenant_id");

-- Requests of a key on a day, in UTC.
CREATE TABLE "key_use" (
  "api_key_id" INTEGER NOT NULL REFERENCES "api_key" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "day" DATE NOT NULL,
  "tenant_id" INTEGER NOT NULL,
  "count" INTEGER NOT NULL,
  PRIMARY KEY ("api_key_id", "day")
);

-- Unlogged: every limited request writes here, and a crash loses one window.
CREATE UNLOGGED TABLE "rate_window" (
  "api_key_id" INTEGER NOT NULL REFERENCES "api_key" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "class" TEXT NOT NULL,
  "tenant_id" INTEGER NOT NULL,
  "began_at" TIMESTAMPTZ(3) NOT NULL,
  "used" INTEGER NOT NULL,
  PRIMARY KEY ("api_key_id", "class")
);

CREATE TABLE "audit" (
  "id" BIGSERIAL PRIMARY KEY,
  "tenant_id" INTEGER NOT NULL REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "last_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "count" INTEGER NOT NULL DEFAULT 1,
  "action" TEXT NOT NULL,
  "subject" TEXT,
  "api_key_id" INTEGER,
  "key_prefix" TEXT,
  "operation_id" BIGINT,
  "request_id" TEXT,
  "address" TEXT,
  "bucket" TIMESTAMPTZ(3)
);
CREATE INDEX "audit_tenant_id_id_idx" ON "audit" ("tenant_id", "id" DESC);
CREATE INDEX "audit_at_idx" ON "audit" USING BRIN ("at");
-- Refusals of one kind share one row an hour, so that a flood of them stays small.
CREATE UNIQUE INDEX "audit_bucket_idx" ON "audit" ("tenant_id", "api_key_id", "action", "subject", "bucket")
  WHERE "bucket" IS NOT NULL;

--
-- Records
--

CREATE TABLE "image" (
  "row_id" BIGSERIAL PRIMARY KEY,
  "tenant_id" INTEGER NOT NULL REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "image_id" TEXT COLLATE "C" NOT NULL,
  "src" TEXT,
  "src_path" TEXT,
  "url_img_watermark" TEXT,
  "url_img_thumbnail" TEXT,
  "title" TEXT,
  "headline" TEXT,
  "caption" TEXT,
  "alt_text" TEXT,
  "ai_generated" BOOLEAN,
  "model_release" BOOLEAN,
  "property_release" BOOLEAN,
  "nsfw" BOOLEAN,
  "status" TEXT,
  "date" TEXT,
  "date_start" DATE,
  "date_end" DATE,
  "location" TEXT,
  "city" TEXT,
  "country" TEXT,
  "event" TEXT,
  "author" TEXT,
  "provider" TEXT,
  "shot" TEXT,
  "scene" TEXT,
  "technique" TEXT,
  "medium" TEXT,
  "keywords" TEXT[],
  "categories" TEXT[],
  "collections" TEXT[],
  "width" INTEGER NOT NULL,
  "height" INTEGER NOT NULL,
  "n_faces" INTEGER,
  "lang" "language" NOT NULL,
  "format" TEXT NOT NULL,
  "byte_size" BIGINT NOT NULL,
  "checksum" BYTEA NOT NULL,
  "provenance" JSONB,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "ocr" TEXT,
  "bw" BOOLEAN,
  -- [{ "name": "navy", "hex": "1e3a5f", "percent": 41.5 }, …], the largest first.
  "colors" JSONB,
  "ai_status" TEXT,
  -- `country=es`, `keywords=dog`, … folded, of every facet.
  "terms" TEXT[],
  -- The folded words of the default fields in order.
  "words" TSVECTOR,
  -- The same words, each reduced by the rules of the record's language.
  "stems" TSVECTOR,
  -- Names of what is seen, a text for each of en, es, pt, fr, ru with U+001F between them.
  "concepts" TEXT[],
  "duplicate_of" TEXT
);
-- Plans know more of the frequent values and words, and so tell a rare one from them.
ALTER TABLE "image" ALTER COLUMN "terms" SET STATISTICS 400, ALTER COLUMN "stems" SET STATISTICS 200;

CREATE TABLE "video" (
  "row_id" BIGSERIAL PRIMARY KEY,
  "tenant_id" INTEGER NOT NULL REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "video_id" TEXT COLLATE "C" NOT NULL,
  "src" TEXT,
  "src_path" TEXT,
  "thumbnail_url" TEXT,
  "preview_url" TEXT,
  "img_src" TEXT,
  "img_zoom" TEXT,
  "title" TEXT,
  "headline" TEXT,
  "description" TEXT,
  "alt_text" TEXT,
  "ai_generated" BOOLEAN,
  "model_release" BOOLEAN,
  "property_release" BOOLEAN,
  "nsfw" BOOLEAN,
  "status" TEXT,
  "date" TEXT,
  "date_start" DATE,
  "date_end" DATE,
  "location" TEXT,
  "city" TEXT,
  "country" TEXT,
  "event" TEXT,
  "author" TEXT,
  "provider" TEXT,
  "medium" TEXT,
  "keywords" TEXT[],
  "categories" TEXT[],
  "collections" TEXT[],
  "container" TEXT NOT NULL,
  "codec_video" TEXT,
  "codec_audio" TEXT,
  "width" INTEGER NOT NULL,
  "height" INTEGER NOT NULL,
  "fps" DOUBLE PRECISION,
  "duration_secs" DOUBLE PRECISION NOT NULL,
  "lang" "language" NOT NULL,
  "byte_size" BIGINT,
  "checksum" BYTEA,
  "provenance" JSONB,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "terms" TEXT[],
  "words" TSVECTOR,
  "stems" TSVECTOR,
  "poster" BYTEA,
  "ai_status" TEXT,
  "ai_reason" TEXT,
  "n_faces" INTEGER,
  "ocr" TEXT,
  "bw" BOOLEAN,
  "colors" JSONB,
  "concepts" TEXT[],
  "bytes_read" BIGINT,
  -- Names the reading of the source that the facts come from: a video has no checksum.
  "reading" UUID NOT NULL DEFAULT gen_random_uuid()
);

-- How many records of each kind a tenant has, kept by the transactions that add and remove them: right in every snapshot.
-- One worker stores for a tenant at a time, so its row is not fought over.
CREATE TABLE "record_total" (
  "tenant_id" INTEGER NOT NULL REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "resource" "operation_resource" NOT NULL,
  "count" BIGINT NOT NULL,
  PRIMARY KEY ("tenant_id", "resource")
) WITH (fillfactor = 50);

-- Counts new records.
CREATE FUNCTION record_total_add() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO record_total AS total (tenant_id, resource, count)
    SELECT tenant_id, TG_TABLE_NAME::operation_resource, count(*) FROM changed GROUP BY tenant_id ORDER BY tenant_id
    ON CONFLICT (tenant_id, resource) DO UPDATE SET count = total.count + EXCLUDED.count;
  RETURN NULL;
END $$;

-- Counts deleted records.
CREATE FUNCTION record_total_subtract() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  UPDATE record_total AS total SET count = total.count - gone.count
    FROM (SELECT tenant_id, count(*) AS count FROM changed GROUP BY tenant_id) AS gone
    WHERE total.tenant_id = gone.tenant_id AND total.resource = TG_TABLE_NAME::operation_resource;
  RETURN NULL;
END $$;

--
-- Text search: words of each record, kept by triggers. Nothing here depends on the locale of the database: letters are named.
--

CREATE TEXT SEARCH CONFIGURATION search_words (PARSER = default);
ALTER TEXT SEARCH CONFIGURATION search_words
  ADD MAPPING FOR asciiword, word, numword, int, uint, float, sfloat, version, entity WITH simple;

-- Without stop words: a word that is asked for is looked for.
CREATE TEXT SEARCH DICTIONARY search_en (TEMPLATE = snowball, LANGUAGE = english);
CREATE TEXT SEARCH DICTIONARY search_es (TEMPLATE = snowball, LANGUAGE = spanish);
CREATE TEXT SEARCH DICTIONARY search_pt (TEMPLATE = snowball, LANGUAGE = portuguese);
CREATE TEXT SEARCH DICTIONARY search_fr (TEMPLATE = snowball, LANGUAGE = french);
CREATE TEXT SEARCH DICTIONARY search_ru (TEMPLATE = snowball, LANGUAGE = russian);
CREATE TEXT SEARCH CONFIGURATION search_en (COPY = search_words);
CREATE TEXT SEARCH CONFIGURATION search_es (COPY = search_words);
CREATE TEXT SEARCH CONFIGURATION search_pt (COPY = search_words);
CREATE TEXT SEARCH CONFIGURATION search_fr (COPY = search_words);
CREATE TEXT SEARCH CONFIGURATION search_ru (COPY = search_words);
ALTER TEXT SEARCH CONFIGURATION search_en ALTER MAPPING FOR asciiword, word WITH search_en;
ALTER TEXT SEARCH CONFIGURATION search_es ALTER MAPPING FOR asciiword, word WITH search_es;
ALTER TEXT SEARCH CONFIGURATION search_pt ALTER MAPPING FOR asciiword, word WITH search_pt;
ALTER TEXT SEARCH CONFIGURATION search_fr ALTER MAPPING FOR asciiword, word WITH search_fr;
ALTER TEXT SEARCH CONFIGURATION search_ru ALTER MAPPING FOR asciiword, word WITH search_ru;

-- Letter case and accents taken off; й keeps its breve, for it is a letter of its own.
-- words.ts of the formula does the same; a test compares them.
CREATE FUNCTION search_fold(value TEXT) RETURNS TEXT
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 5 AS $$
DECLARE
  folded TEXT;
BEGIN
  IF octet_length(value) = char_length(value) THEN
    RETURN lower(value COLLATE "C");
  END IF;
  folded := regexp_replace(normalize(value, NFKD), '[\u0300-\u0305\u0307-\u036f]|(?<![иИ])\u0306', '', 'g');
  IF octet_length(folded) = char_length(folded) THEN
    RETURN lower(folded COLLATE "C");
  END IF;
  folded := lower(normalize(folded, NFC) COLLATE "C");
  IF folded ~ '[А-ЯЀ-ЏΑ-ΩÆŒØĐŁÞÐ]' THEN
    folded := translate(folded,
      'АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩÆŒØĐŁÞÐ',
      'абвгдежзийклмнопрстуфхцчшщъыьэюяѐёђѓєѕіїјљњћќѝўџαβγδεζηθικλμνξοπρστυφχψωæœøđłþð');
  END IF;
  IF folded ~ '[ßæœøđłıς]' THEN
    folded := translate(replace(replace(replace(folded, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'øđłıς', 'odliσ');
  END IF;
  RETURN folded;
END $$;

-- Folded words with a space between. U+001F stands between values and becomes a word of its own that no formula can
-- name, so that a phrase does not go on from one value to the next.
CREATE FUNCTION search_clean(value TEXT) RETURNS TEXT
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  folded CONSTANT TEXT := search_fold(value);
BEGIN
  IF octet_length(folded) = char_length(folded) THEN
    RETURN replace(
      translate(folded, E'\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x20\x21\x22\x23\x24\x25\x26\x27\x28\x29\x2a\x2b\x2c\x2d\x2e\x2f\x3a\x3b\x3c\x3d\x3e\x3f\x40\x5b\x5c\x5d\x5e\x5f\x60\x7b\x7c\x7d\x7e\x7f', repeat(' ', 64)),
      U&'\001F', ' &amp; ');
  END IF;
  RETURN replace(
    regexp_replace(
      folded,
      '[\u0001-\u001e\u0020-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u02b9-\u02ff\u2000-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\ufe00-\ufe6f\ufff0-\uffff\U0001f000-\U0001faff]+',
      ' ', 'g'),
    U&'\001F', ' &amp; ');
END $$;

-- Stemmers know the commonest Spanish and Portuguese ending by its accent, which folding took off.
CREATE FUNCTION search_accent(lang TEXT, clean TEXT) RETURNS TEXT
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF lang = 'es' AND clean LIKE '%ion%' THEN
    RETURN regexp_replace(clean, '([cs])ion(?= |$)', '\1ión', 'g');
  ELSIF lang = 'pt' AND clean ~ 'cao|coes' THEN
    RETURN regexp_replace(regexp_replace(clean, 'cao(?= |$)', 'ção', 'g'), 'coes(?= |$)', 'ções', 'g');
  END IF;
  RETURN clean;
END $$;

-- The stems of folded words, by the rules of a language.
CREATE FUNCTION search_stem(lang TEXT, clean TEXT) RETURNS TSVECTOR
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  CASE lang
    WHEN 'en' THEN RETURN to_tsvector('search_en', clean);
    WHEN 'es' THEN RETURN to_tsvector('search_es', search_accent('es', clean));
    WHEN 'pt' THEN RETURN to_tsvector('search_pt', search_accent('pt', clean));
    WHEN 'fr' THEN RETURN to_tsvector('search_fr', clean);
    WHEN 'ru' THEN RETURN to_tsvector('search_ru', clean);
  END CASE;
END $$;

-- The words of one value, as formulas that name a field compare them.
CREATE FUNCTION search_words_of(value TEXT) RETURNS TSVECTOR
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN to_tsvector('search_words', search_clean(value));
END $$;

-- The stems of one value, by the rules of a language.
CREATE FUNCTION search_stems_of(lang TEXT, value TEXT) RETURNS TSVECTOR
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN search_stem(lang, search_clean(value));
END $$;

-- A folded word in the forms that these languages give it.
CREATE FUNCTION search_forms(langs TEXT[], word TEXT) RETURNS TSQUERY
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  forms TSQUERY := ''::tsquery;
  form TSQUERY;
  lang TEXT;
BEGIN
  FOREACH lang IN ARRAY langs LOOP
    CASE lang
      WHEN 'en' THEN form := plainto_tsquery('search_en', word);
      WHEN 'es' THEN form := plainto_tsquery('search_es', search_accent('es', word));
      WHEN 'pt' THEN form := plainto_tsquery('search_pt', search_accent('pt', word));
      WHEN 'fr' THEN form := plainto_tsquery('search_fr', word);
      WHEN 'ru' THEN form := plainto_tsquery('search_ru', word);
    END CASE;
    IF NOT forms @> form OR numnode(forms) = 0 THEN
      forms := forms || form;
    END IF;
  END LOOP;
  RETURN forms;
END $$;

-- `name=value` tokens of a text of such, in which U+001F stands between them; long ones are cut.
CREATE FUNCTION search_terms(pairs TEXT) RETURNS TEXT[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  terms TEXT[] := string_to_array(search_fold(pairs), U&'\001F');
BEGIN
  IF char_length(pairs) > 240 THEN
    RETURN ARRAY(SELECT left(term, 240) FROM unnest(terms) AS term);
  END IF;
  RETURN terms;
END $$;

-- The forms of a word, or null where they are more than words joined by OR.
CREATE FUNCTION search_lexemes(forms TSQUERY) RETURNS TEXT[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN forms::text ~ '^''[^''\\ &]+''( \| ''[^''\\ &]+'')*$'
  THEN string_to_array(replace(forms::text, '''', ''), ' | ') END;

-- Two of the forms together, whose weights add up; null for one form.
CREATE FUNCTION search_pairs(forms TSQUERY) RETURNS TSQUERY
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (
  SELECT string_agg('''' || one || ''' & ''' || other || '''', ' | ')
  FROM unnest(search_lexemes(forms)) AS one, unnest(search_lexemes(forms)) AS other WHERE one < other)::tsquery;

-- The words of a record that weigh much, each with its tenant and level, as image_tops_idx has them. The levels are those of
-- best-answers.ts. Among 20 words and more only those of weight A (title, headline) reach the first: a word of
-- weight B has at most 0.4 / log2(21).
CREATE FUNCTION search_tops(tenant INTEGER, stems TSVECTOR) RETURNS TEXT[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  levels CONSTANT FLOAT4[] := '{0.1, 0.11, 0.12, 0.13, 0.14, 0.15, 0.16, 0.17, 0.18, 0.2, 0.23}';
  heavy CONSTANT TSVECTOR := CASE WHEN length(stems) < 20 THEN stems ELSE ts_filter(stems, '{a}') END;
  tops TEXT[] := '{}';
  lexeme TEXT;
  level INTEGER;
BEGIN
  FOREACH lexeme IN ARRAY tsvector_to_array(heavy) LOOP
    level := width_bucket(ts_rank(stems, quote_literal(lexeme)::tsquery, 1), levels);
    IF level > 0 AND lexeme <> 'IF level > 0 THENamp;' THEN
      tops := tops || (tenant || '~' || level || '~' || lexeme);
    END IF;
  END LOOP;
  RETURN tops;
END $$;

-- What image_tops_idx has the forms of a word under, from a level on.
CREATE FUNCTION search_tops_of(tenant INTEGER, forms TSQUERY, lowest INTEGER) RETURNS TEXT[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(
  SELECT tenant || '~' || level || '~' || lexeme
  FROM unnest(search_lexemes(forms)) AS lexeme, generate_series(lowest, 11) AS level);

-- Keeps what searches look in. Of each part the first 40 000 characters: a tsvector holds at most one megabyte.
CREATE FUNCTION image_search() RETURNS TRIGGER LANGUAGE plpgsql AS $$
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
    'shot=' || NULLIF(NEW.shot, ''),
    'scene=' || NULLIF(NEW.scene, ''),
    'technique=' || NULLIF(NEW.technique, ''),
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
  IF NEW.concepts IS NOT NULL THEN
    NEW.words := NEW.words || to_tsvector('search_words', search_clean(array_to_string(NEW.concepts, sep)));
    NEW.stems := NEW.stems || search_stem('en', search_clean(NEW.concepts[1]))
      || search_stem('es', search_clean(NEW.concepts[2])) || search_stem('pt', search_clean(NEW.concepts[3]))
      || search_stem('fr', search_clean(NEW.concepts[4])) || search_stem('ru', search_clean(NEW.concepts[5]));
  END IF;
  RETURN NEW;
END $$;

-- Keeps what searches look in. Of each part the first 40 000 characters: a tsvector holds at most one megabyte.
CREATE FUNCTION video_search() RETURNS TRIGGER LANGUAGE plpgsql AS $$
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

-- The words that a tenant's records have held: what a mistyped word may have meant. Numbers and words that are too short
-- or too long to be corrected are not in it.
CREATE TABLE "search_word" (
  "tenant_id" INTEGER NOT NULL REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "word" TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY ("tenant_id", "word")
);

-- Adds the words of new records to the words of the tenant. Records without such a word cost nothing.
CREATE FUNCTION search_learn() RETURNS TRIGGER LANGUAGE plpgsql AS $$
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

-- Adds the new words of changed records to the words of the tenant.
CREATE FUNCTION search_learn_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "search_word" ("tenant_id", "word")
    SELECT DISTINCT changed."tenant_id", word
    FROM changed JOIN former USING ("row_id"), unnest(tsvector_to_array(changed."words")) AS word
    WHERE changed."words" IS DISTINCT FROM former."words"
      AND char_length(word) BETWEEN 4 AND 40 AND word !~ '[0-9&]'
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

-- Formulas that a tenant keeps under names.
CREATE TABLE "saved_formula" (
  "tenant_id" INTEGER NOT NULL REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "name" TEXT NOT NULL,
  "formula" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY ("tenant_id", "name")
);

--
-- Indexes of records
--

CREATE UNIQUE INDEX "image_tenant_id_image_id_key" ON "image" ("tenant_id", "image_id");
CREATE INDEX "image_tenant_id_created_at_image_id_idx" ON "image" ("tenant_id", "created_at" DESC, "image_id");
CREATE UNIQUE INDEX "video_tenant_id_video_id_key" ON "video" ("tenant_id", "video_id");
CREATE INDEX "video_tenant_id_created_at_video_id_idx" ON "video" ("tenant_id", "created_at" DESC, "video_id");

-- One index answers for terms, words and stems of a tenant, and for their combinations.
CREATE INDEX "image_search_idx" ON "image" USING GIN ("tenant_id", "terms", "words", "stems");
CREATE INDEX "video_search_idx" ON "video" USING GIN ("tenant_id", "terms", "words", "stems");

-- The best answers to one word without a look at every record that holds it: the words that weigh much in a record, by how
-- much. A record that is not in it under a word answers that word worse than all that are.
CREATE INDEX "image_tops_idx" ON "image" USING GIN (search_tops("tenant_id", "stems"));

-- Files are looked up by their content, with each search for the same picture too.
CREATE INDEX "image_checksum_idx" ON "image" USING HASH ("checksum");
CREATE INDEX "image_duplicate_of_idx" ON "image" ("tenant_id", "duplicate_of") WHERE "duplicate_of" IS NOT NULL;

-- Latest dates first and behind them the records without one.
CREATE INDEX "image_by_date_idx" ON "image" ("tenant_id", "date_start" DESC NULLS LAST, "image_id");

-- The newest records of a value stand together. The value as it is spelled is in the index too, so that values and how many
-- records have them are counted without a look at the records.
CREATE INDEX "image_by_country_idx" ON "image" ("tenant_id", search_fold("country"), "created_at" DESC) INCLUDE ("country") WHERE "country" IS NOT NULL;
CREATE INDEX "image_by_city_idx" ON "image" ("tenant_id", search_fold("city"), "created_at" DESC) INCLUDE ("city") WHERE "city" IS NOT NULL;
CREATE INDEX "image_by_author_idx" ON "image" ("tenant_id", search_fold("author"), "created_at" DESC) INCLUDE ("author") WHERE "author" IS NOT NULL;
CREATE INDEX "image_by_status_idx" ON "image" ("tenant_id", search_fold("status"), "created_at" DESC) INCLUDE ("status") WHERE "status" IS NOT NULL;
CREATE INDEX "image_by_provider_idx" ON "image" ("tenant_id", search_fold("provider"), "created_at" DESC) INCLUDE ("provider") WHERE "provider" IS NOT NULL;
CREATE INDEX "image_by_medium_idx" ON "image" ("tenant_id", search_fold("medium"), "created_at" DESC) INCLUDE ("medium") WHERE "medium" IS NOT NULL;

-- The records of a value by their dates. Status and medium have few values; a page of those is soon full.
CREATE INDEX "image_country_by_date_idx" ON "image" ("tenant_id", search_fold("country"), "date_start" DESC NULLS LAST, "image_id") WHERE "country" IS NOT NULL;
CREATE INDEX "image_city_by_date_idx" ON "image" ("tenant_id", search_fold("city"), "date_start" DESC NULLS LAST, "image_id") WHERE "city" IS NOT NULL;
CREATE INDEX "image_author_by_date_idx" ON "image" ("tenant_id", search_fold("author"), "date_start" DESC NULLS LAST, "image_id") WHERE "author" IS NOT NULL;
CREATE INDEX "image_provider_by_date_idx" ON "image" ("tenant_id", search_fold("provider"), "date_start" DESC NULLS LAST, "image_id") WHERE "provider" IS NOT NULL;

-- How often each folded value is: the planner does not take it from indexes that leave out rows (PostgreSQL 18), and without
-- it thinks that every value is as rare as one in two hundred.
CREATE STATISTICS "image_country_folded" ON (search_fold("country")) FROM "image";
CREATE STATISTICS "image_city_folded" ON (search_fold("city")) FROM "image";
CREATE STATISTICS "image_author_folded" ON (search_fold("author")) FROM "image";
CREATE STATISTICS "image_status_folded" ON (search_fold("status")) FROM "image";
CREATE STATISTICS "image_provider_folded" ON (search_fold("provider")) FROM "image";
CREATE STATISTICS "image_medium_folded" ON (search_fold("medium")) FROM "image";

--
-- Operations
--

CREATE TABLE "operation" (
  "id" BIGSERIAL PRIMARY KEY,
  "tenant_id" INTEGER NOT NULL REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "api_key_id" INTEGER,
  "kind" TEXT NOT NULL,
  "method" "operation_method" NOT NULL,
  "resource" "operation_resource" NOT NULL,
  "state" "operation_state" NOT NULL DEFAULT 'queued',
  "is_aborted" BOOLEAN NOT NULL DEFAULT false,
  "num_total" INTEGER NOT NULL,
  "num_good" INTEGER NOT NULL DEFAULT 0,
  "num_bad" INTEGER NOT NULL DEFAULT 0,
  "num_created" INTEGER NOT NULL DEFAULT 0,
  "do_wait" BOOLEAN NOT NULL,
  "do_urgent" BOOLEAN NOT NULL,
  "do_strict" BOOLEAN NOT NULL,
  "lang" "language",
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "started_at" TIMESTAMPTZ(3),
  "finished_at" TIMESTAMPTZ(3),
  "num_to_analyze" INTEGER NOT NULL DEFAULT 0,
  "num_analyzed" INTEGER NOT NULL DEFAULT 0,
  "num_analysis_bad" INTEGER NOT NULL DEFAULT 0,
  "on_duplicate" TEXT,
  "warnings" JSONB,
  CONSTRAINT "operation_counters" CHECK ("num_good" + "num_bad" <= "num_total"),
  CONSTRAINT "operation_analysis_counters" CHECK ("num_analyzed" + "num_analysis_bad" <= "num_to_analyze"),
  CONSTRAINT "operation_on_duplicate" CHECK ("on_duplicate" IN ('keep', 'flag', 'reject'))
);
CREATE INDEX "operation_tenant_id_id_idx" ON "operation" ("tenant_id", "id" DESC);
-- Operations are kept for thirty days after their end.
CREATE INDEX "operation_finished_at_idx" ON "operation" ("finished_at");
-- The worker's question "what is next for this tenant": only what is still to be stored is in it.
CREATE INDEX "operation_unstored_idx" ON "operation" ("tenant_id", "do_urgent" DESC, "id")
  WHERE "state" IN ('queued', 'running', 'aborting');

-- Ids of operations are made of a number that each tenant counts by itself, and of a random place, its own, in the lowest
-- twenty bits: integers that are unique, that rise within a tenant, and that tell nothing of anybody else.
-- One row a tenant is changed by each write: room for its next versions on its page.
CREATE TABLE "operation_counter" (
  "tenant_id" INTEGER PRIMARY KEY REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "place" INTEGER NOT NULL,
  "last" BIGINT NOT NULL
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX "operation_counter_place_key" ON "operation_counter" ("place");

-- Gives a new tenant its counter of operations, at a random place that no other tenant has.
CREATE FUNCTION make_operation_counter() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  LOOP
    INSERT INTO operation_counter (tenant_id, place, last)
    VALUES (NEW.id, floor(random() * 1048576)::int, (SELECT last_value FROM operation_id_seq) / 1048576)
    ON CONFLICT (place) DO NOTHING;
    EXIT WHEN FOUND;
  END LOOP;
  RETURN NULL;
END $$;

CREATE TRIGGER tenant_operation_counter AFTER INSERT ON tenant
  FOR EACH ROW EXECUTE FUNCTION make_operation_counter();

CREATE TABLE "operation_chunk" (
  "operation_id" BIGINT NOT NULL REFERENCES "operation" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "number" INTEGER NOT NULL,
  "tenant_id" INTEGER NOT NULL,
  "first_position" INTEGER NOT NULL,
  "elements" JSON NOT NULL,
  "applied_at" TIMESTAMPTZ(3),
  "begun_by" UUID,
  "trying" INTEGER,
  "deaths" JSONB,
  PRIMARY KEY ("operation_id", "number")
);

CREATE TABLE "operation_error" (
  "operation_id" BIGINT NOT NULL REFERENCES "operation" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "position" INTEGER NOT NULL,
  "tenant_id" INTEGER NOT NULL,
  "ref" TEXT NOT NULL,
  "code" TEXT NOT NULL,
  "field" TEXT,
  "message" TEXT NOT NULL,
  PRIMARY KEY ("operation_id", "position")
);

CREATE TABLE "operation_event" (
  "operation_id" BIGINT NOT NULL REFERENCES "operation" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "sequence" INTEGER NOT NULL,
  "tenant_id" INTEGER NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "type" TEXT NOT NULL,
  "data" JSONB NOT NULL,
  PRIMARY KEY ("operation_id", "sequence")
);

-- Stored elements that wait for their analysis, a chunk a row; a row goes when all of it is done. The rank is 0 for an
-- urgent operation, else the digits of its number of elements: small ones come first.
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
  "rank" SMALLINT NOT NULL DEFAULT 5,
  PRIMARY KEY ("operation_id", "number")
);
CREATE INDEX "operation_analysis_waiting_idx" ON "operation_analysis" ("tenant_id", "operation_id", "number")
  WHERE "begun_by" IS NULL;
CREATE INDEX "operation_analysis_rank_idx" ON "operation_analysis" ("tenant_id", "rank", "operation_id", "number")
  WHERE "begun_by" IS NULL;
-- Workers look twice a second for chunks that a dead process has begun. They are few; those that wait may be a hundred thousand.
CREATE INDEX "operation_analysis_begun_idx" ON "operation_analysis" ("begun_by") WHERE "begun_by" IS NOT NULL;

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

-- Writes that are sent again are answered again, not applied again.
CREATE TABLE "idempotency_key" (
  "tenant_id" INTEGER NOT NULL REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "key" TEXT NOT NULL,
  "fingerprint" BYTEA NOT NULL,
  "operation_id" BIGINT REFERENCES "operation" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "answered_early" BOOLEAN NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  PRIMARY KEY ("tenant_id", "key")
);
CREATE INDEX "idempotency_key_expires_at_idx" ON "idempotency_key" ("expires_at");
CREATE INDEX "idempotency_key_operation_id_idx" ON "idempotency_key" ("operation_id");

-- Which worker stores for a tenant. The process is named, so that the leases of a dead one are free at once. Unlogged:
-- leases are worth nothing once the database itself has crashed, and taking one costs no flush.
CREATE UNLOGGED TABLE "tenant_turn" (
  "tenant_id" INTEGER PRIMARY KEY REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "holder" UUID NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "process_id" UUID NOT NULL
);

CREATE TABLE "service_process" (
  "id" UUID PRIMARY KEY,
  "role" TEXT NOT NULL,
  "pid" INTEGER NOT NULL,
  "host" TEXT NOT NULL,
  "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "session" TEXT NOT NULL,
  -- Where workers read sources, for the command line to know beside a running service.
  "media_roots" TEXT[] DEFAULT ARRAY[]::TEXT[]
);

--
-- Analysis
--

-- What each analyzer found, or why it found nothing. `checksum` is that of the file that was analyzed.
CREATE TABLE "image_analysis" (
  "row_id" BIGINT PRIMARY KEY REFERENCES "image" ("row_id") ON DELETE CASCADE ON UPDATE CASCADE,
  "tenant_id" INTEGER NOT NULL,
  "checksum" BYTEA NOT NULL,
  "signature" TEXT COLLATE "C" NOT NULL,
  "facts" JSONB NOT NULL,
  "analyzed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
-- Records that another version analyzed are found by their signature.
CREATE INDEX "image_analysis_signature_row_id_idx" ON "image_analysis" ("signature", "row_id");

-- The same for a video as a whole and for each of its frames: [{ "timeSecs": 1.5, "facts": { … } }, …]
CREATE TABLE "video_analysis" (
  "row_id" BIGINT PRIMARY KEY REFERENCES "video" ("row_id") ON DELETE CASCADE ON UPDATE CASCADE,
  "tenant_id" INTEGER NOT NULL,
  "reading" UUID NOT NULL,
  "signature" TEXT COLLATE "C" NOT NULL,
  "facts" JSONB NOT NULL,
  "frames" JSONB NOT NULL,
  "analyzed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX "video_analysis_signature_row_id_idx" ON "video_analysis" ("signature", "row_id");

--
-- Similarity
--

-- Models whose vectors can be compared with each other, named once: a row of ten million has two bytes of it.
CREATE TABLE "embedding_model" (
  "id" SMALLSERIAL PRIMARY KEY,
  "name" TEXT NOT NULL
);
CREATE UNIQUE INDEX "embedding_model_name_key" ON "embedding_model" ("name");

-- What pictures are compared by, in narrow rows of their own: similarity reads all of a tenant's at a time.
-- Regions are 20 hashes of 8 bytes.
CREATE TABLE "image_fingerprint" (
  "row_id" BIGINT PRIMARY KEY REFERENCES "image" ("row_id") ON DELETE CASCADE ON UPDATE CASCADE,
  "tenant_id" INTEGER NOT NULL,
  "pdq_quality" SMALLINT,
  "model_id" SMALLINT REFERENCES "embedding_model" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  "pdq" BYTEA,
  "embedding" BYTEA,
  "regions" BYTEA
);
ALTER TABLE "image_fingerprint"
  ALTER COLUMN "pdq" SET STORAGE PLAIN,
  ALTER COLUMN "regions" SET STORAGE PLAIN,
  ALTER COLUMN "embedding" SET STORAGE MAIN;
CREATE INDEX "image_fingerprint_tenant_id_row_id_idx" ON "image_fingerprint" ("tenant_id", "row_id");

-- A small picture and its corners, some 7 KB: read of a few candidates at a time, so they lie apart. Compression does not help.
CREATE TABLE "image_details" (
  "row_id" BIGINT PRIMARY KEY REFERENCES "image" ("row_id") ON DELETE CASCADE ON UPDATE CASCADE,
  "tenant_id" INTEGER NOT NULL,
  "details" BYTEA NOT NULL
);
ALTER TABLE "image_details" ALTER COLUMN "details" SET STORAGE EXTERNAL;

-- What frames of videos are compared by, in narrow rows as those of images.
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

-- Which fingerprints changed lately: every process keeps them in memory and catches up before it searches. Transactions end
-- in another order than they begin, so it asks by transaction, not by number.
CREATE TABLE "fingerprint_change" (
  "id" BIGSERIAL PRIMARY KEY,
  "tenant_id" INTEGER NOT NULL,
  "row_id" BIGINT NOT NULL,
  "xact" XID8 NOT NULL DEFAULT pg_current_xact_id(),
  "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX "fingerprint_change_tenant_id_xact_idx" ON "fingerprint_change" ("tenant_id", "xact");
CREATE INDEX "fingerprint_change_changed_at_idx" ON "fingerprint_change" ("changed_at");

CREATE TABLE "frame_change" (
  "id" BIGSERIAL PRIMARY KEY,
  "tenant_id" INTEGER NOT NULL,
  "row_id" BIGINT NOT NULL,
  "xact" XID8 NOT NULL DEFAULT pg_current_xact_id(),
  "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX "frame_change_tenant_id_xact_idx" ON "frame_change" ("tenant_id", "xact");
CREATE INDEX "frame_change_changed_at_idx" ON "frame_change" ("changed_at");

-- Notes which fingerprints of images changed, for the indexes in memory.
CREATE FUNCTION fingerprint_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO fingerprint_change (tenant_id, row_id) SELECT tenant_id, row_id FROM changed;
  RETURN NULL;
END $$;

-- Notes which fingerprints of video frames changed, for the indexes in memory.
CREATE FUNCTION frame_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO frame_change (tenant_id, row_id) SELECT tenant_id, row_id FROM changed;
  RETURN NULL;
END $$;

-- Pictures that are only asked about, kept for a while with what searches compare them by. `mirrored` is of the mirror
-- image: it finds flipped copies. `picture` is made smaller, for searches by a part of it.
CREATE TABLE "query_image" (
  "row_id" BIGSERIAL PRIMARY KEY,
  "tenant_id" INTEGER NOT NULL REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "hash" TEXT NOT NULL,
  "width" INTEGER NOT NULL,
  "height" INTEGER NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "checksum" BYTEA NOT NULL,
  "pdq" BYTEA,
  "pdq_quality" SMALLINT,
  "regions" BYTEA,
  "details" BYTEA,
  "mirrored" BYTEA,
  "model" TEXT,
  "embedding" BYTEA,
  "picture" BYTEA NOT NULL
);
ALTER TABLE "query_image"
  ALTER COLUMN "details" SET STORAGE EXTERNAL,
  ALTER COLUMN "mirrored" SET STORAGE EXTERNAL,
  ALTER COLUMN "picture" SET STORAGE EXTERNAL;
CREATE UNIQUE INDEX "query_image_tenant_id_hash_key" ON "query_image" ("tenant_id", "hash");
CREATE INDEX "query_image_expires_at_idx" ON "query_image" ("expires_at");

-- What people said of two pictures. A pair has one row, the older record first.
CREATE TABLE "pair_verdict" (
  "tenant_id" INTEGER NOT NULL REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "low_row" BIGINT NOT NULL REFERENCES "image" ("row_id") ON DELETE CASCADE ON UPDATE CASCADE,
  "high_row" BIGINT NOT NULL REFERENCES "image" ("row_id") ON DELETE CASCADE ON UPDATE CASCADE,
  "verdict" TEXT NOT NULL,
  "api_key_id" INTEGER,
  "key_prefix" TEXT,
  "said_by" TEXT,
  "said_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY ("tenant_id", "low_row", "high_row"),
  CONSTRAINT "pair_verdict_order" CHECK ("low_row" < "high_row"),
  CONSTRAINT "pair_verdict_word" CHECK ("verdict" IN ('same', 'variant', 'different'))
);
CREATE INDEX "pair_verdict_low_row_idx" ON "pair_verdict" ("low_row");
CREATE INDEX "pair_verdict_high_row_idx" ON "pair_verdict" ("high_row");

-- What operations that look for duplicates have found; it goes with the operation.
CREATE TABLE "duplicate_search" (
  "operation_id" BIGINT PRIMARY KEY REFERENCES "operation" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "tenant_id" INTEGER NOT NULL,
  "formula" TEXT NOT NULL,
  "tier" TEXT NOT NULL,
  "distance" SMALLINT NOT NULL,
  "num_images" INTEGER NOT NULL,
  "num_groups" INTEGER NOT NULL,
  "num_grouped" INTEGER NOT NULL,
  "found_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX "duplicate_search_tenant_id_operation_id_idx" ON "duplicate_search" ("tenant_id", "operation_id" DESC);

-- The largest group has the lowest number.
CREATE TABLE "duplicate_group" (
  "operation_id" BIGINT NOT NULL REFERENCES "duplicate_search" ("operation_id") ON DELETE CASCADE ON UPDATE CASCADE,
  "number" INTEGER NOT NULL,
  "tenant_id" INTEGER NOT NULL,
  "size" INTEGER NOT NULL,
  PRIMARY KEY ("operation_id", "number")
);

-- The oldest record of a group has the lowest row_id.
CREATE TABLE "duplicate_member" (
  "operation_id" BIGINT NOT NULL REFERENCES "duplicate_search" ("operation_id") ON DELETE CASCADE ON UPDATE CASCADE,
  "number" INTEGER NOT NULL,
  "row_id" BIGINT NOT NULL REFERENCES "image" ("row_id") ON DELETE CASCADE ON UPDATE CASCADE,
  "tenant_id" INTEGER NOT NULL,
  "distance" SMALLINT,
  PRIMARY KEY ("operation_id", "number", "row_id")
);
CREATE INDEX "duplicate_member_row_id_idx" ON "duplicate_member" ("row_id");

-- A group of which one record is left is none.
CREATE FUNCTION duplicate_members_gone() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  WITH lost AS (SELECT operation_id, number, count(*)::integer AS count FROM gone GROUP BY 1, 2)
  UPDATE duplicate_group g SET size = size - lost.count FROM lost
  WHERE g.operation_id = lost.operation_id AND g.number = lost.number;
  DELETE FROM duplicate_group g USING (SELECT DISTINCT operation_id, number FROM gone) AS lost
  WHERE g.operation_id = lost.operation_id AND g.number = lost.number AND g.size < 2;
  RETURN NULL;
END $$;

-- Another file is another picture: neither a verdict nor a group is about it.
CREATE FUNCTION image_has_other_file() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM pair_verdict WHERE low_row = NEW.row_id OR high_row = NEW.row_id;
  DELETE FROM duplicate_member WHERE row_id = NEW.row_id;
  RETURN NULL;
END $$;

-- A flag that names a deleted image says nothing.
CREATE FUNCTION images_gone() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  UPDATE image i SET duplicate_of = NULL FROM gone
  WHERE i.duplicate_of IS NOT NULL AND i.tenant_id = gone.tenant_id AND i.duplicate_of = gone.image_id;
  RETURN NULL;
END $$;

--
-- Meilisearch: which index holds what, and what it has still to be sent
--

-- One row for each kind of record while Meilisearch is configured; without rows no change is noted down.
CREATE TABLE "search_index" (
  "resource" TEXT PRIMARY KEY,
  -- The index that is asked, and the settings that it was made with; null until it holds everything.
  "uid" TEXT,
  "settings" TEXT,
  "filled_at" TIMESTAMPTZ(3),
  -- The index that is being filled: how far it has come, and of how many records.
  "next_uid" TEXT,
  "next_settings" TEXT,
  "filled_to" BIGINT NOT NULL DEFAULT 0,
  "filled" BIGINT NOT NULL DEFAULT 0,
  "to_fill" BIGINT NOT NULL DEFAULT 0,
  -- Transactions that may not have noted down what they change began before this one.
  "begun_in" XID8 NOT NULL DEFAULT pg_current_xact_id(),
  "is_rebuild_asked" BOOLEAN NOT NULL DEFAULT false,
  -- The process that sends the changes.
  "holder" UUID,
  "held_until" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- How often changes were struck off: an answer that was asked for meanwhile may lack them.
  "told" BIGINT NOT NULL DEFAULT 0
);

-- Records that are to be sent, once each, however often they change meanwhile.
CREATE TABLE "search_outbox" (
  "tenant_id" INTEGER NOT NULL,
  "resource" TEXT NOT NULL,
  "row_id" BIGINT NOT NULL,
  -- The transaction of the last change.
  "change" XID8 NOT NULL DEFAULT pg_current_xact_id(),
  "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- Why Meilisearch refused it; it is tried again when the record changes.
  "error" TEXT,
  PRIMARY KEY ("tenant_id", "resource", "row_id")
) WITH (fillfactor = 80);
CREATE INDEX "search_outbox_changed_at_idx" ON "search_outbox" ("changed_at");

-- Notes which records are to be sent to Meilisearch, while it is configured.
CREATE FUNCTION search_outbox_add() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM search_index WHERE resource = TG_TABLE_NAME) THEN
    RETURN NULL;
  END IF;
  INSERT INTO search_outbox AS o (tenant_id, resource, row_id)
    SELECT tenant_id, TG_TABLE_NAME, row_id FROM changed ORDER BY tenant_id, row_id
    ON CONFLICT (tenant_id, resource, row_id) DO UPDATE SET change = EXCLUDED.change, error = NULL;
  RETURN NULL;
END $$;

--
-- Triggers. Those of a statement run in the order of their names: the totals come last, so that their row is held for a
-- short time.
--

CREATE TRIGGER image_search_new BEFORE INSERT ON "image" FOR EACH ROW EXECUTE FUNCTION image_search();
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
CREATE TRIGGER video_search_new BEFORE INSERT ON "video" FOR EACH ROW EXECUTE FUNCTION video_search();
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

CREATE TRIGGER image_learn_new AFTER INSERT ON "image" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION search_learn();
CREATE TRIGGER image_learn_changed AFTER UPDATE ON "image" REFERENCING NEW TABLE AS changed OLD TABLE AS former
  FOR EACH STATEMENT EXECUTE FUNCTION search_learn_changed();
CREATE TRIGGER video_learn_new AFTER INSERT ON "video" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION search_learn();
CREATE TRIGGER video_learn_changed AFTER UPDATE ON "video" REFERENCING NEW TABLE AS changed OLD TABLE AS former
  FOR EACH STATEMENT EXECUTE FUNCTION search_learn_changed();

CREATE TRIGGER image_outbox_new AFTER INSERT ON "image" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION search_outbox_add();
CREATE TRIGGER image_outbox_changed AFTER UPDATE ON "image" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION search_outbox_add();
CREATE TRIGGER image_outbox_gone AFTER DELETE ON "image" REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION search_outbox_add();
CREATE TRIGGER video_outbox_new AFTER INSERT ON "video" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION search_outbox_add();
CREATE TRIGGER video_outbox_changed AFTER UPDATE ON "video" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION search_outbox_add();
CREATE TRIGGER video_outbox_gone AFTER DELETE ON "video" REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION search_outbox_add();

CREATE TRIGGER image_total_new AFTER INSERT ON "image" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION record_total_add();
CREATE TRIGGER image_total_gone AFTER DELETE ON "image" REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION record_total_subtract();
CREATE TRIGGER video_total_new AFTER INSERT ON "video" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION record_total_add();
CREATE TRIGGER video_total_gone AFTER DELETE ON "video" REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION record_total_subtract();

CREATE TRIGGER fingerprint_new AFTER INSERT ON "image_fingerprint" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fingerprint_changed();
CREATE TRIGGER fingerprint_replaced AFTER UPDATE ON "image_fingerprint" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fingerprint_changed();
CREATE TRIGGER fingerprint_gone AFTER DELETE ON "image_fingerprint" REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fingerprint_changed();
CREATE TRIGGER frame_new AFTER INSERT ON "video_frame" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION frame_changed();
CREATE TRIGGER frame_replaced AFTER UPDATE ON "video_frame" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION frame_changed();
CREATE TRIGGER frame_gone AFTER DELETE ON "video_frame" REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION frame_changed();

CREATE TRIGGER image_has_other_file AFTER UPDATE OF "checksum" ON "image" FOR EACH ROW
  WHEN (OLD.checksum IS DISTINCT FROM NEW.checksum) EXECUTE FUNCTION image_has_other_file();
CREATE TRIGGER images_gone AFTER DELETE ON "image" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION images_gone();
CREATE TRIGGER duplicate_members_gone AFTER DELETE ON "duplicate_member" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION duplicate_members_gone();
