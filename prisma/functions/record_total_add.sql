-- Counts new records.
CREATE OR REPLACE FUNCTION record_total_add() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO record_total AS total (tenant_id, resource, count)
    SELECT tenant_id, TG_TABLE_NAME::operation_resource, count(*) FROM changed GROUP BY tenant_id ORDER BY tenant_id
    ON CONFLICT (tenant_id, resource) DO UPDATE SET count = total.count + EXCLUDED.count;
  RETURN NULL;
END $$;
