/** Text with a filter: as a formula, and as a direct Meilisearch query. */
export const queries: readonly Readonly<{ q: string; text: string; filter: string }>[] = [
  { q: 'vista country:es', text: 'vista', filter: 'terms = "country=es"' },
  { q: 'fotografia -status:archived', text: 'fotografia', filter: 'NOT (terms = "status=archived")' },
  { q: 'ciudad playa width:1920..', text: 'ciudad playa', filter: 'n_width >= 1920' },
  { q: 'playa country:es,fr,us has:caption', text: 'playa', filter: 'terms IN ["country=es", "country=fr", "country=us"] AND has = "caption"' }, // prettier-ignore
  { q: 'personas date:2010..2018', text: 'personas', filter: 'n_date_from >= 14610 AND n_date_to < 17897' },
];
