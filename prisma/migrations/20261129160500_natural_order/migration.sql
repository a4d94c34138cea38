-- Texts are sorted as people do it, whatever the locale of the database: "élite" beside "Elite", "10" after "9".
DO $$ BEGIN
  CREATE COLLATION natural_order (provider = icu, locale = 'und-u-kn-true');
EXCEPTION WHEN feature_not_supported THEN
  -- This PostgreSQL was built without ICU.
  CREATE COLLATION natural_order FROM "C";
END $$;
