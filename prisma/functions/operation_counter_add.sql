-- Gives a new tenant its counter of operations, with a random part that no other tenant has.
CREATE OR REPLACE FUNCTION operation_counter_add() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  LOOP
    INSERT INTO operation_counter (tenant_id, random_part, last_number)
    VALUES (NEW.id, floor(random() * 1048576)::int, (SELECT last_value FROM operation_id_seq) / 1048576)
    ON CONFLICT (random_part) DO NOTHING;
    EXIT WHEN FOUND;
  END LOOP;
  RETURN NULL;
END $$;
