-- Names that say what they hold.

ALTER TABLE "tenant_turn" RENAME TO "tenant_lease";
ALTER TABLE "tenant_lease" RENAME COLUMN "holder" TO "lease_id";
ALTER TABLE "tenant_lease" RENAME CONSTRAINT "tenant_turn_pkey" TO "tenant_lease_pkey";
ALTER TABLE "tenant_lease" RENAME CONSTRAINT "tenant_turn_tenant_id_fkey" TO "tenant_lease_tenant_id_fkey";

ALTER TABLE "rate_window" RENAME COLUMN "began_at" TO "started_at";

ALTER TABLE "operation_counter" RENAME COLUMN "place" TO "random_part";
ALTER TABLE "operation_counter" RENAME COLUMN "last" TO "last_number";
ALTER INDEX "operation_counter_place_key" RENAME TO "operation_counter_random_part_key";

ALTER TABLE "search_index" RENAME COLUMN "begun_in" TO "started_in";
ALTER TABLE "search_index" RENAME COLUMN "is_rebuild_asked" TO "is_rebuild_requested";
ALTER TABLE "search_index" RENAME COLUMN "holder" TO "lease_id";
ALTER TABLE "search_index" RENAME COLUMN "held_until" TO "lease_expires_at";
ALTER TABLE "search_index" RENAME COLUMN "told" TO "indexed_version";

ALTER INDEX "image_tops_idx" RENAME TO "image_top_words_idx";

ALTER FUNCTION search_tops(INTEGER, TSVECTOR) RENAME TO search_top_words;
ALTER FUNCTION search_tops_of(INTEGER, TSQUERY, INTEGER) RENAME TO search_top_word_keys;
ALTER FUNCTION search_clean(TEXT) RENAME TO search_normalize;
ALTER FUNCTION search_learn() RENAME TO search_word_add;
ALTER FUNCTION search_learn_changed() RENAME TO search_word_add_changed;
ALTER FUNCTION image_has_other_file() RENAME TO image_file_replaced;
ALTER FUNCTION images_gone() RENAME TO images_deleted;
ALTER FUNCTION duplicate_members_gone() RENAME TO duplicate_members_deleted;
ALTER FUNCTION make_operation_counter() RENAME TO operation_counter_add;

-- Functions that use one of these names.

-- Keeps what searches look in. Of each part the first 40 000 characters: a tsvector holds at most one megabyte.
CREATE OR REPLACE FUNCTION image_search() RETURNS TRIGGER LANGUAGE plpgsql AS $$
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
    part := search_normalize(left(part || sep, 40000));
    NEW.words := setweight(to_tsvector('search_words', part), 'A');
    NEW.stems := setweight(search_stem(lang, part), 'A');
  END IF;
  part := concat_ws(sep, array_to_string(NEW.keywords, sep), array_to_string(NEW.categories, sep));
  IF part <> '' THEN
    part := search_normalize(left(part || sep, 40000));
    NEW.words := NEW.words || setweight(to_tsvector('search_words', part), 'B');
    NEW.stems := NEW.stems || setweight(search_stem(lang, part), 'B');
  END IF;
  part := concat_ws(sep, NEW.caption, NEW.alt_text, NEW.event);
  IF part <> '' THEN
    part := search_normalize(left(part || sep, 40000));
    NEW.words := NEW.words || setweight(to_tsvector('search_words', part), 'C');
    NEW.stems := NEW.stems || setweight(search_stem(lang, part), 'C');
  END IF;
  part := concat_ws(sep, NEW.location, NEW.city, NEW.country, NEW.author);
  IF part <> '' THEN
    part := search_normalize(left(part, 40000));
    NEW.words := NEW.words || to_tsvector('search_words', part);
    NEW.stems := NEW.stems || search_stem(lang, part);
  END IF;
  IF NEW.concepts IS NOT NULL THEN
    NEW.words := NEW.words || to_tsvector('search_words', search_normalize(array_to_string(NEW.concepts, sep)));
    NEW.stems := NEW.stems || search_stem('en', search_normalize(NEW.concepts[1]))
      || search_stem('es', search_normalize(NEW.concepts[2])) || search_stem('pt', search_normalize(NEW.concepts[3]))
      || search_stem('fr', search_normalize(NEW.concepts[4])) || search_stem('ru', search_normalize(NEW.concepts[5]));
  END IF;
  RETURN NEW;
END $$;

-- Gives a new tenant its counter of operations, with a random part that no other tenant has.
CREATE OR REPLACE FUNCTION operation_counter_add() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  LOOP
    INSERT INTO operation_counter (tenant_id, random_part, last_number)
    VALUES (NEW.id, floor(random() * 1048576)::int, (SELECT last_value FROM operation_id_seq) / 1048576)
    ON CONFLICT (random_part) DO NOTHING;
    EXIT WHEN FOUND;
  END LOOP;
  RETURN NULL;
END $$;

-- The stems of one value, by the rules of a language.
CREATE OR REPLACE FUNCTION search_stems_of(lang TEXT, value TEXT) RETURNS TSVECTOR
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN search_stem(lang, search_normalize(value));
END $$;

-- The words of one value, as formulas that name a field compare them.
CREATE OR REPLACE FUNCTION search_words_of(value TEXT) RETURNS TSVECTOR
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN to_tsvector('search_words', search_normalize(value));
END $$;

-- Keeps what searches look in. Of each part the first 40 000 characters: a tsvector holds at most one megabyte.
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
    part := search_normalize(left(part || sep, 40000));
    NEW.words := setweight(to_tsvector('search_words', part), 'A');
    NEW.stems := setweight(search_stem(lang, part), 'A');
  END IF;
  part := concat_ws(sep, array_to_string(NEW.keywords, sep), array_to_string(NEW.categories, sep));
  IF part <> '' THEN
    part := search_normalize(left(part || sep, 40000));
    NEW.words := NEW.words || setweight(to_tsvector('search_words', part), 'B');
    NEW.stems := NEW.stems || setweight(search_stem(lang, part), 'B');
  END IF;
  part := concat_ws(sep, NEW.description, NEW.alt_text, NEW.event);
  IF part <> '' THEN
    part := search_normalize(left(part || sep, 40000));
    NEW.words := NEW.words || setweight(to_tsvector('search_words', part), 'C');
    NEW.stems := NEW.stems || setweight(search_stem(lang, part), 'C');
  END IF;
  part := concat_ws(sep, NEW.location, NEW.city, NEW.country, NEW.author);
  IF part <> '' THEN
    part := search_normalize(left(part, 40000));
    NEW.words := NEW.words || to_tsvector('search_words', part);
    NEW.stems := NEW.stems || search_stem(lang, part);
  END IF;
  IF NEW.concepts IS NOT NULL THEN
    NEW.words := NEW.words || to_tsvector('search_words', search_normalize(array_to_string(NEW.concepts, sep)));
    NEW.stems := NEW.stems || search_stem('en', search_normalize(NEW.concepts[1]))
      || search_stem('es', search_normalize(NEW.concepts[2])) || search_stem('pt', search_normalize(NEW.concepts[3]))
      || search_stem('fr', search_normalize(NEW.concepts[4])) || search_stem('ru', search_normalize(NEW.concepts[5]));
  END IF;
  RETURN NEW;
END $$;
