-- Counts deleted records.
CREATE OR REPLACE FUNCTION record_total_subtract() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  UPDATE record_total AS total SET count = total.count - gone.count
    FROM (SELECT tenant_id, count(*) AS count FROM changed GROUP BY tenant_id) AS gone
    WHERE total.tenant_id = gone.tenant_id AND total.resource = TG_TABLE_NAME::operation_resource;
  RETURN NULL;
END $$;
