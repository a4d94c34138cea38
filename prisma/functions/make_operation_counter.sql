-- Gives a new tenant its counter of operations, at a random place that no other tenant has.
CREATE OR REPLACE FUNCTION make_operation_counter() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  LOOP
    INSERT INTO operation_counter (tenant_id, place, last)
    VALUES (NEW.id, floor(random() * 1048576)::int, (SELECT last_value FROM operation_id_seq) / 1048576)
    ON CONFLICT (place) DO NOTHING;
    EXIT WHEN FOUND;
  END LOOP;
  RETURN NULL;
END $$;
