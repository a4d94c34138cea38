/** The languages of labels, captions, OCR and names of countries. */
export const languages = ['en', 'es', 'pt', 'fr', 'ru'] as const;
export type Language = (typeof languages)[number];
