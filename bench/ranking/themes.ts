/**
 * Themes of pictures as listed in `themes.txt`: a line has a theme, a colon, and names of pictures, either single or
 * `from..to`. Pictures that no line names have no theme.
 */
export function readThemes(text: string, names: readonly string[]): Map<string, string> {
  const themes = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [theme = '', list] = line.split(':');
    if (list === undefined || line.startsWith('#')) continue;
    for (const entry of list.trim().split(/\s+/)) {
      const [from = '', to = from] = entry.split('..');
      for (const name of names) if (name >= from && name <= to) themes.set(name, theme);
    }
  }
  return themes;
}
