-- A folded word in the forms that these languages give it.
CREATE OR REPLACE FUNCTION search_forms(langs TEXT[], word TEXT) RETURNS TSQUERY
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  forms TSQUERY := ''::tsquery;
  form TSQUERY;
  lang TEXT;
  written TEXT;
BEGIN
  FOREACH lang IN ARRAY langs LOOP
    FOREACH written IN ARRAY array_remove(ARRAY[word, search_other_number(lang, word)], NULL) LOOP
      CASE lang
        WHEN 'en' THEN form := plainto_tsquery('search_en', written);
        WHEN 'es' THEN form := plainto_tsquery('search_es', search_accent('es', written));
        WHEN 'pt' THEN form := plainto_tsquery('search_pt', search_accent('pt', written));
        WHEN 'fr' THEN form := plainto_tsquery('search_fr', written);
        WHEN 'ru' THEN form := plainto_tsquery('search_ru', written);
      END CASE;
      IF NOT forms @> form OR numnode(forms) = 0 THEN
        forms := forms || form;
      END IF;
    END LOOP;
  END LOOP;
  RETURN forms;
END $$;

-- The plural of a short Spanish or Portuguese singular, or the other way round, where stemmers keep both: isla and islas, luz and
-- luces. Null for other words.
CREATE OR REPLACE FUNCTION search_other_number(lang TEXT, word TEXT) RETURNS TEXT
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF lang NOT IN ('es', 'pt') THEN
    RETURN NULL;
  ELSIF word ~ '^([aeiou][^aeiou]+|[^aeiou][aeiou])[aeiou]s$' THEN
    RETURN left(word, -1);
  ELSIF word ~ '^([aeiou][^aeiou]+|[^aeiou][aeiou])[aeiou]$' THEN
    RETURN word || 's';
  ELSIF lang = 'es' AND word ~ '[aeiou]ces$' THEN
    RETURN left(word, -3) || 'z';
  ELSIF lang = 'es' AND word ~ '[aeiou]z$' THEN
    RETURN left(word, -1) || 'ces';
  END IF;
  RETURN NULL;
END $$;
