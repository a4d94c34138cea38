import { follow } from './events.ts';
import type { Formula } from './formula.ts';
import type { SavedFormula } from './generated/graphql.ts';
import type { Cancelable } from './operations.ts';
import type { Transport } from './transport.ts';

/** A record started or stopped matching a standing formula. */
export type FormulaEvent = Readonly<{
  /** Increases; pass it as `after` to continue after this event. */
  number: number;
  kind: 'matched' | 'unmatched';
  at: string;
  /** Name of the formula. */
  formula: string;
  resource: 'image' | 'video';
  /** Id of the record. */
  id: string;
  /** Whether it no longer matches because it was deleted. */
  deleted: boolean;
}>;

export type SaveOptions = Cancelable &
  Readonly<{
    /** Whether it reports records that start or stop matching. */
    watching?: boolean;
    /** Whether it replaces an existing formula of this name. */
    replace?: boolean;
  }>;

type RunGraphQL = <Data>(document: string, variables: object, options: Cancelable) => Promise<Data>;

const shown = '{ name formula watching createdAt updatedAt }';
const save = `mutation ($name: String!, $formula: String!, $watching: Boolean, $replace: Boolean!) {
  saved: saveFormula(name: $name, formula: $formula, watching: $watching, replace: $replace) ${shown} }`;
const remove = `mutation ($name: String!) { saved: deleteSavedFormula(name: $name) ${shown} }`;

/** Saved formulas, which can also watch the catalog. */
export class Formulas {
  readonly #transport: Transport;
  readonly #graphql: RunGraphQL;

  constructor(transport: Transport, graphql: RunGraphQL) {
    this.#transport = transport;
    this.#graphql = graphql;
  }

  /** Saves a formula under a name. If it watches, it reports changes from now on. */
  async save(
    name: string,
    formula: string | Formula,
    { watching, replace = false, signal }: SaveOptions = {},
  ): Promise<SavedFormula> {
    const variables = { name, formula: String(formula), watching, replace };
    return (await this.#graphql<{ saved: SavedFormula }>(save, variables, { ...(signal && { signal }) })).saved;
  }

  /** Deletes a saved formula, but no records; null if there is none of that name. */
  async delete(name: string, options: Cancelable = {}): Promise<SavedFormula | null> {
    return (await this.#graphql<{ saved: SavedFormula | null }>(remove, { name }, options)).saved;
  }

  /**
   * Reports records as they start or stop matching a standing formula, until the reader stops, reconnecting if the
   * connection breaks. Without `after`, reports only new events; after 0, all events that are kept.
   */
  follow(
    name: string,
    { after, signal }: Cancelable & Readonly<{ after?: number }> = {},
  ): AsyncGenerator<FormulaEvent, void> {
    const path = `/formulas/${encodeURIComponent(name)}/events`;
    return follow<FormulaEvent>(this.#transport, { path, after: after === undefined ? null : String(after), signal });
  }
}
