-- A folded word in the forms that these languages give it.
CREATE OR REPLACE FUNCTION search_forms(langs TEXT[], word TEXT) RETURNS TSQUERY
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
