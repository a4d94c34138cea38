import { SetupError } from '../lib/errors.ts';
import { packageVersion } from '../lib/package-root.ts';

/** The kind of an archive entry. */
export type Kind = 'manifest' | 'table' | 'data' | 'upload' | 'media' | 'end' | 'contents' | 'signature';

type Row = Readonly<{ kind: Kind; pattern: RegExp; mostBytes: number; isOne?: true }>;

const mebibyte = 2 ** 20;

/**
 * Everything that an archive may contain, in the order of the entries. Nothing else is written or read: none of
 * PostgreSQL's own files, no hidden files, no path that leads out of its folder.
 */
const members: readonly Row[] = [
  { kind: 'manifest', pattern: /^manifest\.json$/, mostBytes: 16 * mebibyte, isOne: true },
  { kind: 'table', pattern: /^tables\/[a-z][a-z0-9_]{0,62}\/\d{6,9}\.copy$/, mostBytes: Infinity },
  { kind: 'data', pattern: /^data\/admin-key$/, mostBytes: 4096 },
  { kind: 'upload', pattern: /^uploads(?:\/(?!\.)[^/\0]+)+$/, mostBytes: Infinity },
  { kind: 'media', pattern: /^media\d{0,3}(?:\/(?!\.)[^/\0]+)+$/, mostBytes: Infinity },
  { kind: 'end', pattern: /^end\.json$/, mostBytes: 16 * mebibyte, isOne: true },
  { kind: 'contents', pattern: /^contents\.txt$/, mostBytes: Infinity, isOne: true },
  { kind: 'signature', pattern: /^signature\.json$/, mostBytes: 4096, isOne: true },
];

/** The kind of an entry by its name; null for a name that does not belong in an archive. */
export function memberKindOf(name: string): Kind | null {
  return members.find(({ pattern }) => pattern.test(name))?.kind ?? null;
}

/** Quotes untrusted text for a message: escapes control characters and truncates it. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

/**
 * Checks entries as they arrive: all required ones must be present, each once, in the order of the table, and none
 * too large.
 *
 * @throws SetupError, from both functions, that names the entry.
 */
export function memberCheck(): Readonly<{ add(name: string, size: number): Kind; end(): void }> {
  const names = new Set<string>();
  let place = 0;
  return {
    add(name, size) {
      const found = members.findIndex(({ pattern }) => pattern.test(name));
      const row = members[found];
      if (names.size === 0 && row?.kind !== 'manifest') throw noArchive();
      if (row === undefined)
        throw new SetupError(
          `The archive contains ${quoted(name)}, which does not belong in a backup. Nothing was changed.`,
        );
      if (names.has(name) || found < place || (row.isOne && names.has(row.kind))) {
        throw new SetupError(`The archive is damaged: ${quoted(name)} is in it twice, or in the wrong place.`);
      }
      if (size > row.mostBytes) throw new SetupError(`The archive is damaged: ${quoted(name)} is too large.`);
      if (members.slice(place, found).some(({ kind, isOne }) => isOne && !names.has(kind))) throw cutOff();
      names.add(name);
      if (row.isOne) names.add(row.kind);
      place = found;
      return row.kind;
    },
    end() {
      if (names.size === 0) throw noArchive();
      if (members.some(({ kind, isOne }) => isOne && !names.has(kind))) throw cutOff();
    },
  };
}

/** The error for a file that is not an archive at all. */
export function noArchive(): SetupError {
  return new SetupError('This is not an archive of "vitrine backup", or it is damaged.');
}

/** The error for an archive that is missing a part. */
export function cutOff(): SetupError {
  return new SetupError('The archive is cut off or damaged: a part of it is missing.');
}

/** The error for an archive in another version's format. */
export function otherFormat(): SetupError {
  return new SetupError(
    `This archive has another format than those of version ${packageVersion}. Restore it with the version that made it.`,
  );
}
