-- Search: folded values and words beside each record, kept by triggers, so that every way of writing
-- a record keeps them. Nothing here depends on the locale of the database: letters are named.

CREATE EXTENSION IF NOT EXISTS btree_gin;

-- Facts of analysis that formulas ask for.
ALTER TABLE "image"
  ADD COLUMN "ocr" TEXT,
  ADD COLUMN "bw" BOOLEAN,
  -- [{ "name": "navy", "hex": "1e3a5f", "percent": 41.5 }, …], the largest first.
  ADD COLUMN "colors" JSONB,
  ADD COLUMN "ai_status" TEXT;

-- terms: `country=es`, `keywords=dog`, … folded, of every facet. words: the folded words of the default
-- fields in order. stems: the same words, each reduced by the rules of the record's language.
ALTER TABLE "image"
  ADD COLUMN "terms" TEXT[],
  ADD COLUMN "words" TSVECTOR,
  ADD COLUMN "stems" TSVECTOR;
ALTER TABLE "video"
  ADD COLUMN "terms" TEXT[],
  ADD COLUMN "words" TSVECTOR,
  ADD COLUMN "stems" TSVECTOR;

-- Letter case and accents taken off; й keeps its breve, for it is a letter of its own.
-- src/search/formula/words.ts does the same; a test compares them.
CREATE FUNCTION search_fold(value TEXT) RETURNS TEXT
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
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

-- Folded words with a space between; U+001F, which stands between values, becomes a word of its own
-- that no formula can name, so that a phrase does not go on from one value to the next.
CREATE FUNCTION search_clean(value TEXT) RETURNS TEXT
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN replace(
    regexp_replace(
      search_fold(value),
      '[\u0001-\u001e\u0020-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u02b9-\u02ff\u2000-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\ufe00-\ufe6f\ufff0-\uffff\U0001f000-\U0001faff]+',
      ' ', 'g'),
    U&'\001F', ' &amp; ');
END $$;

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

CREATE FUNCTION search_pair(name TEXT, value TEXT) RETURNS TEXT
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN name || '=' || NULLIF(value, '');

CREATE FUNCTION search_pairs(name TEXT, elements TEXT[]) RETURNS TEXT
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN name || '=' || NULLIF(array_to_string(elements, U&'\001F' || name || '='), '');

-- A part has its first 40 000 characters searched: a tsvector holds at most one megabyte.
CREATE FUNCTION image_search() RETURNS TRIGGER LANGUAGE plpgsql AS $$
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
  RETURN NEW;
END $$;

CREATE FUNCTION video_search() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  sep CONSTANT TEXT := U&'\001F';
  lang CONSTANT TEXT := NEW.lang::text;
  a CONSTANT TEXT := search_clean(left(concat_ws(sep, NEW.title, NEW.headline, ''), 40000));
  b CONSTANT TEXT := search_clean(left(concat_ws(sep,
    array_to_string(NEW.keywords, sep), array_to_string(NEW.categories, sep), ''), 40000));
  c CONSTANT TEXT := search_clean(left(concat_ws(sep, NEW.description, NEW.alt_text, NEW.event, ''), 40000));
  d CONSTANT TEXT := search_clean(left(concat_ws(sep, NEW.location, NEW.city, NEW.country, NEW.author), 40000));
BEGIN
  NEW.terms := search_terms(concat_ws(sep,
    search_pair('status', NEW.status), search_pair('city', NEW.city), search_pair('country', NEW.country),
    search_pair('author', NEW.author), search_pair('provider', NEW.provider), search_pair('medium', NEW.medium),
    search_pairs('keywords', NEW.keywords), search_pairs('categories', NEW.categories),
    search_pairs('collections', NEW.collections)));
  NEW.words := setweight(to_tsvector('search_words', a), 'A') || setweight(to_tsvector('search_words', b), 'B')
    || setweight(to_tsvector('search_words', c), 'C') || to_tsvector('search_words', d);
  NEW.stems := setweight(search_stem(lang, a), 'A') || setweight(search_stem(lang, b), 'B')
    || setweight(search_stem(lang, c), 'C') || search_stem(lang, d);
  RETURN NEW;
END $$;

CREATE TRIGGER image_search_new BEFORE INSERT ON "image" FOR EACH ROW EXECUTE FUNCTION image_search();
CREATE TRIGGER image_search_changed BEFORE UPDATE ON "image" FOR EACH ROW
  WHEN ((NEW.title, NEW.headline, NEW.caption, NEW.alt_text, NEW.event, NEW.location, NEW.city, NEW.country,
         NEW.author, NEW.status, NEW.provider, NEW.shot, NEW.scene, NEW.technique, NEW.medium, NEW.keywords,
         NEW.categories, NEW.collections, NEW.lang)
    IS DISTINCT FROM
        (OLD.title, OLD.headline, OLD.caption, OLD.alt_text, OLD.event, OLD.location, OLD.city, OLD.country,
         OLD.author, OLD.status, OLD.provider, OLD.shot, OLD.scene, OLD.technique, OLD.medium, OLD.keywords,
         OLD.categories, OLD.collections, OLD.lang)
    OR NEW.words IS NULL)
  EXECUTE FUNCTION image_search();
CREATE TRIGGER video_search_new BEFORE INSERT ON "video" FOR EACH ROW EXECUTE FUNCTION video_search();
CREATE TRIGGER video_search_changed BEFORE UPDATE ON "video" FOR EACH ROW
  WHEN ((NEW.title, NEW.headline, NEW.description, NEW.alt_text, NEW.event, NEW.location, NEW.city, NEW.country,
         NEW.author, NEW.status, NEW.provider, NEW.medium, NEW.keywords, NEW.categories, NEW.collections, NEW.lang)
    IS DISTINCT FROM
        (OLD.title, OLD.headline, OLD.description, OLD.alt_text, OLD.event, OLD.location, OLD.city, OLD.country,
         OLD.author, OLD.status, OLD.provider, OLD.medium, OLD.keywords, OLD.categories, OLD.collections, OLD.lang)
    OR NEW.words IS NULL)
  EXECUTE FUNCTION video_search();

-- One index answers for terms, words and stems of a tenant, and for their combinations.
CREATE INDEX "image_search_idx" ON "image" USING GIN ("tenant_id", "terms", "words", "stems");
CREATE INDEX "video_search_idx" ON "video" USING GIN ("tenant_id", "terms", "words", "stems");

-- The words that a tenant's records have held: what a mistyped word may have meant. Numbers and words
-- too short or too long to be corrected are not in it.
CREATE EXTENSION IF NOT EXISTS fuzzystrmatch;
CREATE TABLE "search_word" (
  "tenant_id" INTEGER NOT NULL REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "word" TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY ("tenant_id", "word")
);

CREATE FUNCTION search_learn() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "search_word" ("tenant_id", "word")
    SELECT DISTINCT "tenant_id", word FROM changed, unnest(tsvector_to_array("words")) AS word
    WHERE char_length(word) BETWEEN 4 AND 40 AND word !~ '[0-9&]'
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

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

CREATE TRIGGER image_learn_new AFTER INSERT ON "image" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION search_learn();
CREATE TRIGGER image_learn_changed AFTER UPDATE ON "image" REFERENCING NEW TABLE AS changed OLD TABLE AS former
  FOR EACH STATEMENT EXECUTE FUNCTION search_learn_changed();
CREATE TRIGGER video_learn_new AFTER INSERT ON "video" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION search_learn();
CREATE TRIGGER video_learn_changed AFTER UPDATE ON "video" REFERENCING NEW TABLE AS changed OLD TABLE AS former
  FOR EACH STATEMENT EXECUTE FUNCTION search_learn_changed();

-- What is there already goes through the triggers.
UPDATE "image" SET "words" = NULL;
UPDATE "video" SET "words" = NULL;
