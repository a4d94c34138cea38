-- Keeps what searches look in. Of each part the first 40 000 characters: a tsvector holds at most one megabyte.
-- Generated from src/catalog/fields.ts by `npm run generate`.
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

CREATE OR REPLACE TRIGGER video_search_new BEFORE INSERT ON "video"
  FOR EACH ROW EXECUTE FUNCTION video_search();
CREATE OR REPLACE TRIGGER video_search_changed BEFORE UPDATE ON "video" FOR EACH ROW
  WHEN ((NEW.title, NEW.headline, NEW.description, NEW.alt_text, NEW.event, NEW.location, NEW.city, NEW.country, NEW.author, NEW.status, NEW.provider, NEW.medium, NEW.keywords, NEW.categories, NEW.collections, NEW.concepts, NEW.lang)
    IS DISTINCT FROM
        (OLD.title, OLD.headline, OLD.description, OLD.alt_text, OLD.event, OLD.location, OLD.city, OLD.country, OLD.author, OLD.status, OLD.provider, OLD.medium, OLD.keywords, OLD.categories, OLD.collections, OLD.concepts, OLD.lang)
    OR NEW.words IS NULL)
  EXECUTE FUNCTION video_search();
