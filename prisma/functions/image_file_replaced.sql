-- Another file is another picture: neither a verdict nor a group is about it.
CREATE OR REPLACE FUNCTION image_file_replaced() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM pair_verdict WHERE low_row = NEW.row_id OR high_row = NEW.row_id;
  DELETE FROM duplicate_member WHERE row_id = NEW.row_id;
  RETURN NULL;
END $$;
