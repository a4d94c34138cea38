/** The languages of labels, captions, OCR and country names. */
export const languages = ['en', 'es', 'pt', 'fr', 'ru'] as const;
export type Language = (typeof languages)[number];
