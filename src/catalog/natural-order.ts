/**
 * Sorts texts as people do it, whatever the locale of the database: by ICU's root order, in which letter case and accents
 * only decide between equal letters, and numbers count by their value. Texts that differ are never equal. Byte order where
 * PostgreSQL was built without ICU.
 */
export const naturalOrder = 'COLLATE natural_order';
