-- A group of which one record is left is none.
CREATE OR REPLACE FUNCTION duplicate_members_deleted() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  WITH lost AS (SELECT operation_id, number, count(*)::integer AS count FROM gone GROUP BY 1, 2)
  UPDATE duplicate_group g SET size = size - lost.count FROM lost
  WHERE g.operation_id = lost.operation_id AND g.number = lost.number;
  DELETE FROM duplicate_group g USING (SELECT DISTINCT operation_id, number FROM gone) AS lost
  WHERE g.operation_id = lost.operation_id AND g.number = lost.number AND g.size < 2;
  RETURN NULL;
END $$;
