/** Maximum characters of a line or a row: many times what a record may have. */
export const maxRecordCharacters = 4 * 2 ** 20;

/** Maximum characters of a JSON file, which is read as a whole; one of lines can have any size. */
export const maxJsonCharacters = 2 ** 28;

/** The fault of a record that is longer. */
export const tooLong = `longer than ${maxRecordCharacters / 2 ** 20} million characters`;
