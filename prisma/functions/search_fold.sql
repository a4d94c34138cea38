-- Letter case and accents taken off; й keeps its breve, for it is a letter of its own.
-- words.ts of the formula does the same; a test compares them.
CREATE OR REPLACE FUNCTION search_fold(value TEXT) RETURNS TEXT
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 5 AS $$
DECLARE
  folded TEXT;
BEGIN
  IF octet_length(value) = char_length(value) THEN
    RETURN lower(value COLLATE "C");
  END IF;
  folded := regexp_replace(normalize(value, NFKD), '[\u0300-\u0305\u0307-\u036f]|(?<![иИ])\u0306', '', 'g');
  IF octet_length(folded) = char_length(folded) THEN
    RETURN lower(folded COLLATE "C");
  END IF;
  folded := lower(normalize(folded, NFC) COLLATE "C");
  IF folded ~ '[А-ЯЀ-ЏΑ-ΩÆŒØĐŁÞÐ]' THEN
    folded := translate(folded,
      'АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩÆŒØĐŁÞÐ',
      'абвгдежзийклмнопрстуфхцчшщъыьэюяѐёђѓєѕіїјљњћќѝўџαβγδεζηθικλμνξοπρστυφχψωæœøđłþð');
  END IF;
  IF folded ~ '[ßæœøđłıς]' THEN
    folded := translate(replace(replace(replace(folded, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'øđłıς', 'odliσ');
  END IF;
  RETURN folded;
END $$;
