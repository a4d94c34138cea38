-- Analyzers under the names that they have in the API: text → ocr, colours → colors, likeness → localFeatures.
CREATE FUNCTION rename_analyzers(facts JSONB) RETURNS JSONB LANGUAGE sql IMMUTABLE AS $$
  SELECT COALESCE(jsonb_object_agg(
    CASE key WHEN 'text' THEN 'ocr' WHEN 'colours' THEN 'colors' WHEN 'likeness' THEN 'localFeatures' ELSE key END,
    CASE
      WHEN key = 'colours' AND value #> '{result,colours}' IS NOT NULL
        THEN jsonb_set(value #- '{result,colours}', '{result,dominant}', value #> '{result,colours}')
      -- Quotes in the text of a keyword are escaped, so only the property itself matches.
      WHEN key = 'concepts' THEN replace(value::text, '"source": "colours"', '"source": "colors"')::jsonb
      ELSE value
    END), '{}')
  FROM jsonb_each(facts)
$$;

UPDATE "image_analysis" SET "facts" = rename_analyzers("facts") WHERE "facts" ?| '{text,colours,likeness,concepts}';

UPDATE "video_analysis" SET
  "facts" = rename_analyzers("facts"),
  "frames" = (SELECT COALESCE(jsonb_agg(jsonb_set(frame, '{facts}', rename_analyzers(frame -> 'facts')) ORDER BY number), '[]')
              FROM jsonb_array_elements("frames") WITH ORDINALITY AS f(frame, number));

UPDATE "operation_analysis_error"
SET "analyzer" = CASE "analyzer" WHEN 'text' THEN 'ocr' WHEN 'colours' THEN 'colors' ELSE 'localFeatures' END
WHERE "analyzer" IN ('text', 'colours', 'likeness');

DROP FUNCTION rename_analyzers(JSONB);
