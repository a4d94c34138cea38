-- Counts the standing formulas of a tenant and marks that they, or a saved formula that they may name, have changed.
CREATE OR REPLACE FUNCTION standing_formulas_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  added int := CASE WHEN TG_TABLE_NAME = 'saved_formula' THEN 0 WHEN TG_OP = 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  IF added = 1 THEN
    INSERT INTO standing_tenant AS t (tenant_id, formulas)
      SELECT tenant_id, count(*) FROM changed GROUP BY tenant_id ORDER BY tenant_id
      ON CONFLICT (tenant_id) DO UPDATE SET formulas = t.formulas + EXCLUDED.formulas, version = t.version + 1,
        clock_at = CASE t.formulas WHEN 0 THEN now() ELSE t.clock_at END;
    RETURN NULL;
  END IF;
  UPDATE standing_tenant t SET formulas = t.formulas + added * c.count, version = t.version + 1
    FROM (SELECT tenant_id, count(*) FROM changed GROUP BY tenant_id) AS c WHERE t.tenant_id = c.tenant_id;
  DELETE FROM standing_outbox o USING standing_tenant t
    WHERE o.tenant_id = t.tenant_id AND t.formulas = 0 AND t.tenant_id IN (SELECT tenant_id FROM changed);
  DELETE FROM standing_match m USING standing_tenant t
    WHERE m.tenant_id = t.tenant_id AND t.formulas = 0 AND t.tenant_id IN (SELECT tenant_id FROM changed);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER standing_formulas_added AFTER INSERT ON "standing_formula"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_formulas_changed();
CREATE OR REPLACE TRIGGER standing_formulas_removed AFTER DELETE ON "standing_formula"
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_formulas_changed();
CREATE OR REPLACE TRIGGER standing_formulas_named AFTER INSERT ON "saved_formula"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_formulas_changed();
CREATE OR REPLACE TRIGGER standing_formulas_saved AFTER UPDATE ON "saved_formula"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_formulas_changed();
CREATE OR REPLACE TRIGGER standing_formulas_forgotten AFTER DELETE ON "saved_formula"
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_formulas_changed();
