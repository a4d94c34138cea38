-- Storing a record costs half of what it did: texts of ASCII alone, most of them, need no regular expression, and
-- terms are put together where they are used.

CREATE OR REPLACE FUNCTION search_clean(value TEXT) RETURNS TEXT
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
  RETURN NEW;
END $$;

DROP FUNCTION search_pair(TEXT, TEXT);
DROP FUNCTION search_pairs(TEXT, TEXT[]);
