import { SetupError } from '../../lib/errors.ts';

export type AppliedMigration = Readonly<{ name: string; checksum: string }>;

/** The migration that does in a single step what all the former ones did. */
export const baseline = '20261123120000_baseline';

/** The migrations before the baseline. Databases and archives from that time list these names. */
export const formerMigrations: readonly string[] = [
  '20261121000000_first',
  '20261121010000_access',
  '20261121020000_search',
  '20261121030000_live',
  '20261121040000_crash',
  '20261121041000_videos',
  '20261121050000_saved_formulas',
  '20261121050100_time_zone',
  '20261121060000_analysis',
  '20261121061000_search_speed',
  '20261121070000_similarity',
  '20261121090000_cheaper_search',
  '20261121110000_engine',
  '20261121110100_engine_told',
  '20261121130000_query_images',
  '20261121140000_verdicts',
  '20261121140001_duplicate_groups',
  '20261121140002_on_duplicate',
  '20261121140003_distances',
  '20261121150000_video_frames',
  '20261122000000_record_total',
  '20261122001000_value_statistics',
  '20261122050000_page_indexes',
  '20261122060000_begun_index',
  '20261122070000_warnings_and_roots',
  '20261122080000_environment_key',
  '20261122081000_analysis_rank',
  '20261122090000_operation_numbers',
  '20261123000000_values_by_date',
  '20261123060000_top_words',
];

/**
 * The migrations that a database or an archive has applied, with the baseline in place of all former ones.
 *
 * @param owner what has applied them, for error messages.
 * @param baselineChecksum the checksum to list the baseline with.
 * @throws SetupError if it has only some of the former migrations.
 */
export function withBaseline(
  applied: readonly AppliedMigration[],
  owner: string,
  baselineChecksum: string,
): readonly AppliedMigration[] {
  const former = new Set(formerMigrations);
  const later = applied.filter(({ name }) => !former.has(name));
  const count = applied.length - later.length;
  if (count === 0) return applied;
  if (count < formerMigrations.length) {
    throw new SetupError(
      `${owner} has ${count} of the ${formerMigrations.length} migrations from before the first release, and this version starts after them all. ` +
        `Update it first with the version whose last migration is ${formerMigrations.at(-1)}.`,
    );
  }
  return later.some(({ name }) => name === baseline)
    ? later
    : [{ name: baseline, checksum: baselineChecksum }, ...later];
}
