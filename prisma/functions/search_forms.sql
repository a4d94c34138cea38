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
