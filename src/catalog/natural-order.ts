/**
 * Sorts texts the way people do, no matter the locale of the database: by ICU's root order, in which case and accents
 * only break ties, and numbers sort by value. Texts that differ are never equal. Sorts by bytes if PostgreSQL was
 * built without ICU.
 */
export const naturalOrder = 'COLLATE natural_order';
