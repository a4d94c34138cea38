import { ElementError } from '../lib/errors.ts';
import type { WriteElement } from './check-element.ts';
import type { Resource } from './fields.ts';
import { fromRecord } from './from-record.ts';

/**
 * Returns the write element for a record that brings its analysis along: a line of an export in the format
 * `analyzed`.
 *
 * @throws ElementError `invalid_field` for a record with an invalid shape or without an analysis
 */
export function fromAnalyzedRecord(record: Readonly<Record<string, unknown>>, resource: Resource): WriteElement {
  const { analysis, ...rest } = record;
  const element = fromRecord(rest, resource);
  if (typeof analysis === 'object' && analysis !== null) return { ...element, analysis };
  throw new ElementError('invalid_field', 'the record has no analysis, and its source is not read', 'analysis');
}
