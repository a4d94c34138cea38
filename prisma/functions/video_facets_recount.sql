-- Counts the values of facets of all records anew. Writes wait until the transaction has ended.
-- Generated from src/catalog/fields.ts by `npm run generate`.
CREATE OR REPLACE FUNCTION video_facets_recount() RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE "video" IN SHARE ROW EXCLUSIVE MODE;
  DELETE FROM facet_change WHERE resource = 'video';
  DELETE FROM facet_total WHERE resource = 'video';
  INSERT INTO facet_total (tenant_id, resource, field, digest, value, count)
  SELECT tenant_id, 'video', field, md5(value), value, n FROM (
      SELECT tenant_id, field, value, sum(number)::integer AS n FROM (
        SELECT tenant_id,
          unnest(ARRAY['ai_generated', 'model_release', 'property_release', 'nsfw', 'status', 'location', 'city', 'country', 'event', 'author', 'provider', 'medium', 'keywords', 'categories', 'collections', 'orientation', 'bw']
            || array_fill('keywords'::text, ARRAY[COALESCE(cardinality(keywords), 0)])
            || array_fill('categories'::text, ARRAY[COALESCE(cardinality(categories), 0)])
            || array_fill('collections'::text, ARRAY[COALESCE(cardinality(collections), 0)])) AS field,
          unnest(ARRAY[ai_generated::text, model_release::text, property_release::text, nsfw::text, NULLIF(status, ''), NULLIF(location, ''), NULLIF(city, ''), NULLIF(country, ''), NULLIF(event, ''), NULLIF(author, ''), NULLIF(provider, ''), NULLIF(medium, ''), CASE WHEN cardinality(keywords) > 0 THEN '' END, CASE WHEN cardinality(categories) > 0 THEN '' END, CASE WHEN cardinality(collections) > 0 THEN '' END, NULLIF((CASE WHEN width >= 2 * height THEN 'panorama'
  WHEN 100 * greatest(width, height) <= 105 * least(width, height) THEN 'square'
  WHEN width > height THEN 'landscape' ELSE 'portrait' END), ''), bw::text]
            || COALESCE(array_replace(keywords, '', NULL), '{}')
            || COALESCE(array_replace(categories, '', NULL), '{}')
            || COALESCE(array_replace(collections, '', NULL), '{}')) AS value,
          sign * unnest(ARRAY[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, 1, 1]
            || array_fill(1, ARRAY[COALESCE(cardinality(keywords), 0)])
            || array_fill(1, ARRAY[COALESCE(cardinality(categories), 0)])
            || array_fill(1, ARRAY[COALESCE(cardinality(collections), 0)])) AS number
        FROM (SELECT 1 AS sign, * FROM "video") AS rows
      ) AS counted
      WHERE value IS NOT NULL GROUP BY 1, 2, 3 HAVING sum(number) <> 0
  ) AS summed;
END $$;
