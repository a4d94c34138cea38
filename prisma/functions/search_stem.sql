-- The stems of folded words, by the rules of a language.
CREATE OR REPLACE FUNCTION search_stem(lang TEXT, clean TEXT) RETURNS TSVECTOR
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
