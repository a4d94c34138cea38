import type { GroupMemberFragment, OneGroupQuery, Verdict } from '../api/documents.ts';
import { fileSize, moment, number, t } from '../i18n/index.svelte.ts';
import { nameOf } from '../results/items.ts';
import { shownValues } from '../i18n/shown-value.ts';
import { labelOf, recordFields } from '../state/fields.svelte.ts';
import type { CatalogField } from '../state/fields.svelte.ts';

export type OneGroup = OneGroupQuery['duplicates']['results'][number];
/** A picture of a group that still exists, or of a pair, whose files are unknown. */
export type Member = Omit<GroupMemberFragment, 'image' | 'format' | 'byteSize'> &
  Readonly<{ image: NonNullable<GroupMemberFragment['image']>; format: string | null; byteSize: number | null }>;

/** Pictures that are compared with one of them; `choose` chooses another picture, where that is possible. */
export type Compared = Readonly<{
  members: readonly Member[];
  reference: Member | undefined;
  chosen: Member | undefined;
  /** The text below the name of a picture. */
  tagOf: (member: Member) => string;
  choose?: (id: string) => void;
}>;

/** A row of the table: the value of each picture as text, and whether it is compared with the reference. */
export type Row = Readonly<{ key: string; label: string; values: readonly string[]; isCompared: boolean }>;

export function membersOf(group: OneGroup): readonly Member[] {
  return group.members.flatMap(({ image, ...member }) => (image === null ? [] : [{ ...member, image }]));
}

export function memberName({ image }: Member): string {
  return nameOf(image);
}

/** The verdict on two pictures of a group, in either order. */
export function verdictOn({ verdicts }: OneGroup, one: string, other: string): Verdict | null {
  const isOn = (id: string) => id === one || id === other;
  return verdicts.find(({ firstId, secondId }) => isOn(firstId) && isOn(secondId))?.verdict ?? null;
}

/** What is deleted when one picture is kept: the others with the verdict `same` or without a verdict. */
export function deletedWith(group: OneGroup, kept: Member): readonly Member[] {
  return membersOf(group).filter(
    ({ imageId }) => imageId !== kept.imageId && ['same', null].includes(verdictOn(group, imageId, kept.imageId)),
  );
}

/** The rows of the table: the file, then every field that one of the pictures has. */
export function rowsOf(members: readonly Member[]): readonly Row[] {
  const { rows, bits } = t().duplicates;
  const row = (key: string, label: string, value: (member: Member) => string): Row => {
    return { key, label, values: members.map(value), isCompared: key !== 'distance' };
  };
  const fields = recordFields().flatMap((field) => {
    const { name, property, isEditable } = field;
    if (!isEditable || property === null) return [];
    return [row(name, labelOf(name), ({ image }) => fieldText(image, field))];
  });
  return [
    row('pixels', rows.pixels, ({ image }) => `${number(image.width)} × ${number(image.height)}`),
    row('bytes', rows.bytes, ({ byteSize }) => (byteSize === null ? '' : fileSize(byteSize))),
    row('format', rows.format, ({ format }) => format?.toUpperCase() ?? ''),
    ...fields,
    row('stored', rows.stored, ({ image }) => moment(image.createdAt)),
    row('distance', rows.distance, ({ distance }) => (distance === null ? '' : bits(number(distance)))),
  ].filter(({ values }) => values.some((value) => value !== ''));
}

function fieldText(image: Member['image'], field: CatalogField): string {
  const value = (image as Readonly<Record<string, unknown>>)[field.property ?? ''];
  return shownValues(value, field).join(', ');
}
