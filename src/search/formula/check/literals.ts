/** No real value has more digits. */
const maxDigits = 40;

/** Returns a decimal number in a form that PostgreSQL reads, or null. */
export function parseNumber(text: string): string | null {
  return text.length <= maxDigits && /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text) ? text : null;
}

const booleans: Readonly<Record<string, boolean | null>> = {
  true: true,
  yes: true,
  1: true,
  false: false,
  no: false,
  0: false,
  null: null,
};

/** true, false or null; undefined for any other word. */
export function parseBoolean(text: string): boolean | null | undefined {
  const word = text.toLowerCase();
  return Object.hasOwn(booleans, word) ? booleans[word] : undefined;
}

/** `16:9`, `16x9` or `1.78` as a positive number, or null. */
export function parseRatio(text: string): number | null {
  const [, width = '', height = '1'] = /^(\d{1,9}(?:\.\d{1,9})?)(?:[:x](\d{1,9}(?:\.\d{1,9})?))?$/i.exec(text) ?? [];
  const ratio = Number(width) / Number(height);
  return width !== '' && Number.isFinite(ratio) && ratio > 0 ? ratio : null;
}

/** `1h30m`, `90s` or `90` in seconds, or null. */
export function parseDuration(text: string): number | null {
  if (/^\d{1,12}(?:\.\d{1,9})?$/.test(text)) return Number(text);
  const match = /^(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9}(?:\.\d{1,9})?)s)?$/i.exec(text);
  if (match === null || text === '') return null;
  const [, hours = 0, minutes = 0, seconds = 0] = match;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}
