/** Maximum length of a line or a row in characters: many times what a record may have. */
export const maxRecordCharacters = 4 * 2 ** 20;

/** Maximum length in characters of a JSON file, which is read as a whole; one with lines can have any size. */
export const maxJsonCharacters = 2 ** 28;

/** The fault of a record that is longer. */
export const tooLong = `longer than ${maxRecordCharacters / 2 ** 20} million characters`;
