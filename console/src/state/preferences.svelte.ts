/** The user's preferences in this browser. */

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export const languages = { en: 'English', es: 'Español' } as const;
export type Language = keyof typeof languages;

type Preferences = { theme: Theme; language: Language; columns: string[]; recent: string[] };

const name = 'vitrine:console';

function load(): Preferences {
  const spoken = navigator.language.slice(0, 2);
  const language: Language = spoken in languages ? (spoken as Language) : 'en';
  const standard: Preferences = { theme: 'system', language, columns: [], recent: [] };
  try {
    return { ...standard, ...(JSON.parse(localStorage.getItem(name) ?? '{}') as Partial<Preferences>) };
  } catch {
    return standard;
  }
}

export const preferences = $state(load());

/** Stores the preferences and applies them to the page, for as long as the page is open. */
export function keepPreferences(): void {
  $effect(() => {
    document.documentElement.dataset['theme'] = preferences.theme;
    document.documentElement.lang = preferences.language;
    localStorage.setItem(name, JSON.stringify(preferences));
  });
  // Another tab has stored its own preferences, which the next change in this tab would overwrite.
  addEventListener('storage', ({ key }) => {
    if (key === name) Object.assign(preferences, load());
  });
}

const mostRecent = 12;

/** Puts a formula at the start of the recent searches. */
export function rememberFormula(formula: string): void {
  if (formula === '' || preferences.recent[0] === formula) return;
  preferences.recent = [formula, ...preferences.recent.filter((each) => each !== formula)].slice(0, mostRecent);
}
