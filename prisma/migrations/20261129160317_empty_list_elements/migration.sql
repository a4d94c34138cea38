-- Records how often values of facets come and go; facet_total has the sums (see src/catalog/facet-totals.ts).
-- Generated from src/catalog/fields.ts by `npm run generate`.
CREATE OR REPLACE FUNCTION image_facets() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO facet_change (tenant_id, resource, fields, "values", counts)
    SELECT tenant_id, 'image', array_agg(field), array_agg(value), array_agg(n) FROM (
      SELECT tenant_id, field, value, sum(number)::integer AS n FROM (
        SELECT tenant_id,
          unnest(ARRAY['ai_generated', 'model_release', 'property_release', 'nsfw', 'status', 'location', 'city', 'country', 'event', 'author', 'provider', 'shot', 'scene', 'technique', 'medium', 'keywords', 'categories', 'collections', 'orientation', 'bw']
            || array_fill('keywords'::text, ARRAY[COALESCE(cardinality(keywords), 0)])
            || array_fill('categories'::text, ARRAY[COALESCE(cardinality(categories), 0)])
            || array_fill('collections'::text, ARRAY[COALESCE(cardinality(collections), 0)])) AS field,
          unnest(ARRAY[ai_generated::text, model_release::text, property_release::text, nsfw::text, NULLIF(status, ''), NULLIF(location, ''), NULLIF(city, ''), NULLIF(country, ''), NULLIF(event, ''), NULLIF(author, ''), NULLIF(provider, ''), NULLIF(shot, ''), NULLIF(scene, ''), NULLIF(technique, ''), NULLIF(medium, ''), CASE WHEN cardinality(keywords) > 0 THEN '' END, CASE WHEN cardinality(categories) > 0 THEN '' END, CASE WHEN cardinality(collections) > 0 THEN '' END, NULLIF((CASE WHEN width >= 2 * height THEN 'panorama'
  WHEN 100 * greatest(width, height) <= 105 * least(width, height) THEN 'square'
  WHEN width > height THEN 'landscape' ELSE 'portrait' END), ''), bw::text]
            || COALESCE(array_replace(keywords, '', NULL), '{}')
            || COALESCE(array_replace(categories, '', NULL), '{}')
            || COALESCE(array_replace(collections, '', NULL), '{}')) AS value,
          sign * unnest(ARRAY[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, 1, 1]
            || array_fill(1, ARRAY[COALESCE(cardinality(keywords), 0)])
            || array_fill(1, ARRAY[COALESCE(cardinality(categories), 0)])
            || array_fill(1, ARRAY[COALESCE(cardinality(collections), 0)])) AS number
        FROM (SELECT 1 AS sign, * FROM changed) AS rows
      ) AS counted
      WHERE value IS NOT NULL GROUP BY 1, 2, 3 HAVING sum(number) <> 0
    ) AS summed GROUP BY tenant_id;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO facet_change (tenant_id, resource, fields, "values", counts)
    SELECT tenant_id, 'image', array_agg(field), array_agg(value), array_agg(n) FROM (
      SELECT tenant_id, field, value, sum(number)::integer AS n FROM (
        SELECT tenant_id,
          unnest(ARRAY['ai_generated', 'model_release', 'property_release', 'nsfw', 'status', 'location', 'city', 'country', 'event', 'author', 'provider', 'shot', 'scene', 'technique', 'medium', 'keywords', 'categories', 'collections', 'orientation', 'bw']
            || array_fill('keywords'::text, ARRAY[COALESCE(cardinality(keywords), 0)])
            || array_fill('categories'::text, ARRAY[COALESCE(cardinality(categories), 0)])
            || array_fill('collections'::text, ARRAY[COALESCE(cardinality(collections), 0)])) AS field,
          unnest(ARRAY[ai_generated::text, model_release::text, property_release::text, nsfw::text, NULLIF(status, ''), NULLIF(location, ''), NULLIF(city, ''), NULLIF(country, ''), NULLIF(event, ''), NULLIF(author, ''), NULLIF(provider, ''), NULLIF(shot, ''), NULLIF(scene, ''), NULLIF(technique, ''), NULLIF(medium, ''), CASE WHEN cardinality(keywords) > 0 THEN '' END, CASE WHEN cardinality(categories) > 0 THEN '' END, CASE WHEN cardinality(collections) > 0 THEN '' END, NULLIF((CASE WHEN width >= 2 * height THEN 'panorama'
  WHEN 100 * greatest(width, height) <= 105 * least(width, height) THEN 'square'
  WHEN width > height THEN 'landscape' ELSE 'portrait' END), ''), bw::text]
            || COALESCE(array_replace(keywords, '', NULL), '{}')
            || COALESCE(array_replace(categories, '', NULL), '{}')
            || COALESCE(array_replace(collections, '', NULL), '{}')) AS value,
          sign * unnest(ARRAY[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, 1, 1]
            || array_fill(1, ARRAY[COALESCE(cardinality(keywords), 0)])
            || array_fill(1, ARRAY[COALESCE(cardinality(categories), 0)])
            || array_fill(1, ARRAY[COALESCE(cardinality(collections), 0)])) AS number
        FROM (SELECT 1 AS sign, * FROM changed UNION ALL SELECT -1, * FROM former) AS rows
      ) AS counted
      WHERE value IS NOT NULL GROUP BY 1, 2, 3 HAVING sum(number) <> 0
    ) AS summed GROUP BY tenant_id;
  ELSE
    -- Records that go with their tenant are of nobody.
    INSERT INTO facet_change (tenant_id, resource, fields, "values", counts)
    SELECT tenant_id, 'image', array_agg(field), array_agg(value), array_agg(n) FROM (
      SELECT tenant_id, field, value, sum(number)::integer AS n FROM (
        SELECT tenant_id,
          unnest(ARRAY['ai_generated', 'model_release', 'property_release', 'nsfw', 'status', 'location', 'city', 'country', 'event', 'author', 'provider', 'shot', 'scene', 'technique', 'medium', 'keywords', 'categories', 'collections', 'orientation', 'bw']
            || array_fill('keywords'::text, ARRAY[COALESCE(cardinality(keywords), 0)])
            || array_fill('categories'::text, ARRAY[COALESCE(cardinality(categories), 0)])
            || array_fill('collections'::text, ARRAY[COALESCE(cardinality(collections), 0)])) AS field,
          unnest(ARRAY[ai_generated::text, model_release::text, property_release::text, nsfw::text, NULLIF(status, ''), NULLIF(location, ''), NULLIF(city, ''), NULLIF(country, ''), NULLIF(event, ''), NULLIF(author, ''), NULLIF(provider, ''), NULLIF(shot, ''), NULLIF(scene, ''), NULLIF(technique, ''), NULLIF(medium, ''), CASE WHEN cardinality(keywords) > 0 THEN '' END, CASE WHEN cardinality(categories) > 0 THEN '' END, CASE WHEN cardinality(collections) > 0 THEN '' END, NULLIF((CASE WHEN width >= 2 * height THEN 'panorama'
  WHEN 100 * greatest(width, height) <= 105 * least(width, height) THEN 'square'
  WHEN width > height THEN 'landscape' ELSE 'portrait' END), ''), bw::text]
            || COALESCE(array_replace(keywords, '', NULL), '{}')
            || COALESCE(array_replace(categories, '', NULL), '{}')
            || COALESCE(array_replace(collections, '', NULL), '{}')) AS value,
          sign * unnest(ARRAY[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, 1, 1]
            || array_fill(1, ARRAY[COALESCE(cardinality(keywords), 0)])
            || array_fill(1, ARRAY[COALESCE(cardinality(categories), 0)])
            || array_fill(1, ARRAY[COALESCE(cardinality(collections), 0)])) AS number
        FROM (SELECT -1 AS sign, * FROM former WHERE tenant_id IN (SELECT id FROM tenant)) AS rows
      ) AS counted
      WHERE value IS NOT NULL GROUP BY 1, 2, 3 HAVING sum(number) <> 0
    ) AS summed GROUP BY tenant_id;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER image_facets_created AFTER INSERT ON "image"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION image_facets();
CREATE OR REPLACE TRIGGER image_facets_changed AFTER UPDATE ON "image"
  REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION image_facets();
CREATE OR REPLACE TRIGGER image_facets_deleted AFTER DELETE ON "image"
  REFERENCING OLD TABLE AS former FOR EACH STATEMENT EXECUTE FUNCTION image_facets();

-- Counts the values of facets of all records anew. Writes wait until the transaction has ended.
-- Generated from src/catalog/fields.ts by `npm run generate`.
CREATE OR REPLACE FUNCTION image_facets_recount() RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE "image" IN SHARE ROW EXCLUSIVE MODE;
  DELETE FROM facet_change WHERE resource = 'image';
  DELETE FROM facet_total WHERE resource = 'image';
  INSERT INTO facet_total (tenant_id, resource, field, digest, value, count)
  SELECT tenant_id, 'image', field, md5(value), value, n FROM (
      SELECT tenant_id, field, value, sum(number)::integer AS n FROM (
        SELECT tenant_id,
          unnest(ARRAY['ai_generated', 'model_release', 'property_release', 'nsfw', 'status', 'location', 'city', 'country', 'event', 'author', 'provider', 'shot', 'scene', 'technique', 'medium', 'keywords', 'categories', 'collections', 'orientation', 'bw']
            || array_fill('keywords'::text, ARRAY[COALESCE(cardinality(keywords), 0)])
            || array_fill('categories'::text, ARRAY[COALESCE(cardinality(categories), 0)])
            || array_fill('collections'::text, ARRAY[COALESCE(cardinality(collections), 0)])) AS field,
          unnest(ARRAY[ai_generated::text, model_release::text, property_release::text, nsfw::text, NULLIF(status, ''), NULLIF(location, ''), NULLIF(city, ''), NULLIF(country, ''), NULLIF(event, ''), NULLIF(author, ''), NULLIF(provider, ''), NULLIF(shot, ''), NULLIF(scene, ''), NULLIF(technique, ''), NULLIF(medium, ''), CASE WHEN cardinality(keywords) > 0 THEN '' END, CASE WHEN cardinality(categories) > 0 THEN '' END, CASE WHEN cardinality(collections) > 0 THEN '' END, NULLIF((CASE WHEN width >= 2 * height THEN 'panorama'
  WHEN 100 * greatest(width, height) <= 105 * least(width, height) THEN 'square'
  WHEN width > height THEN 'landscape' ELSE 'portrait' END), ''), bw::text]
            || COALESCE(array_replace(keywords, '', NULL), '{}')
            || COALESCE(array_replace(categories, '', NULL), '{}')
            || COALESCE(array_replace(collections, '', NULL), '{}')) AS value,
          sign * unnest(ARRAY[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, 1, 1]
            || array_fill(1, ARRAY[COALESCE(cardinality(keywords), 0)])
            || array_fill(1, ARRAY[COALESCE(cardinality(categories), 0)])
            || array_fill(1, ARRAY[COALESCE(cardinality(collections), 0)])) AS number
        FROM (SELECT 1 AS sign, * FROM "image") AS rows
      ) AS counted
      WHERE value IS NOT NULL GROUP BY 1, 2, 3 HAVING sum(number) <> 0
  ) AS summed;
END $$;

-- Records how often values of facets come and go; facet_total has the sums (see src/catalog/facet-totals.ts).
-- Generated from src/catalog/fields.ts by `npm run generate`.
CREATE OR REPLACE FUNCTION video_facets() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO facet_change (tenant_id, resource, fields, "values", counts)
    SELECT tenant_id, 'video', array_agg(field), array_agg(value), array_agg(n) FROM (
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
        FROM (SELECT 1 AS sign, * FROM changed) AS rows
      ) AS counted
      WHERE value IS NOT NULL GROUP BY 1, 2, 3 HAVING sum(number) <> 0
    ) AS summed GROUP BY tenant_id;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO facet_change (tenant_id, resource, fields, "values", counts)
    SELECT tenant_id, 'video', array_agg(field), array_agg(value), array_agg(n) FROM (
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
        FROM (SELECT 1 AS sign, * FROM changed UNION ALL SELECT -1, * FROM former) AS rows
      ) AS counted
      WHERE value IS NOT NULL GROUP BY 1, 2, 3 HAVING sum(number) <> 0
    ) AS summed GROUP BY tenant_id;
  ELSE
    -- Records that go with their tenant are of nobody.
    INSERT INTO facet_change (tenant_id, resource, fields, "values", counts)
    SELECT tenant_id, 'video', array_agg(field), array_agg(value), array_agg(n) FROM (
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
        FROM (SELECT -1 AS sign, * FROM former WHERE tenant_id IN (SELECT id FROM tenant)) AS rows
      ) AS counted
      WHERE value IS NOT NULL GROUP BY 1, 2, 3 HAVING sum(number) <> 0
    ) AS summed GROUP BY tenant_id;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER video_facets_created AFTER INSERT ON "video"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION video_facets();
CREATE OR REPLACE TRIGGER video_facets_changed AFTER UPDATE ON "video"
  REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION video_facets();
CREATE OR REPLACE TRIGGER video_facets_deleted AFTER DELETE ON "video"
  REFERENCING OLD TABLE AS former FOR EACH STATEMENT EXECUTE FUNCTION video_facets();

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

-- Where lists have empty elements, totals count these.
LOCK TABLE "image", "video" IN SHARE ROW EXCLUSIVE MODE;
SELECT image_facets_recount() WHERE EXISTS (SELECT FROM "image" WHERE '' = ANY (keywords || categories || collections));
SELECT video_facets_recount() WHERE EXISTS (SELECT FROM "video" WHERE '' = ANY (keywords || categories || collections));
