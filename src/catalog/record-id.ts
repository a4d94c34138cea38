/** Whether a record can have this id: none contains NUL, and PostgreSQL rejects a text that does. */
export function canBeId(id: string): boolean {
  return !id.includes('\0');
}
