import type { Formulas } from '../../src/lib/http-api.ts';
import type { Reply } from '../../src/lib/http-contract.ts';
import type { EndpointAnswer as Described } from './answers.ts';
import type { BodyField, ObjectType, ValueType } from './types.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type ExampleId = Readonly<{ read: unknown; written: unknown }>;

/**
 * A parameter of the path, query or headers. A list parameter may be repeated and all its values count; otherwise the
 * last value counts.
 */
export type Parameter = Readonly<{
  name: string;
  /** The schema argument that it maps to, if that is not its own name in camelCase. */
  as?: string;
  in: 'path' | 'query' | 'header';
  type: ValueType;
  description: string;
  /** The format in OpenAPI; the code that reads the value checks it. */
  pattern?: string;
  /** For path parameters: the id of a record in examples/, and for writes an id that matches no record. */
  example?: ExampleId;
  /** Example values, keyed by what each shows; the interactive page fills in the first. */
  examples?: Readonly<Record<string, unknown>>;
  /** Whether it must be sent; path parameters always must. */
  required?: true;
  /** The value that applies if it is absent. */
  default?: unknown;
  /** Whether an empty header counts as sent; other headers count as absent when empty. */
  mayBeEmpty?: true;
}>;

/** What a request sends: JSON, or a form (multipart/form-data or urlencoded). */
export type Body =
  /**
   * `name` is the name of the object in the documentation, unless it is a record. `withFormula` is the body of a
   * request with a formula in `q`; if it has no fields, the body may be omitted.
   */
  | Readonly<{ kind: 'json'; type: ValueType; description: string; name?: string; withFormula?: ObjectType }>
  /** `streamed` names the only file, which is read as it arrives: in a form, or as a body of any other type. */
  | Readonly<{ kind: 'form'; fields: readonly BodyField[]; description: string; streamed?: string }>;

/** The content of a request that has been validated. */
export type Input = Readonly<{
  /** Path and query values by name, defaults filled in. */
  values: Readonly<Record<string, unknown>>;
  /** Names of the parameters that the request contained. */
  given: ReadonlySet<string>;
  /** The JSON value, or the values of the form by name, defaults filled in. */
  body: unknown;
  /** Seconds of `Prefer: wait=N`. */
  preferWait: number | undefined;
  /** Path and query as requested, for links. */
  target: string;
}>;

/** The shape of a request to an endpoint: plain data, which the documentation reads too. */
type Request = Readonly<{
  method: Method;
  path: string;
  summary: string;
  /** The required scope, by its name in the schema. A test checks that the document's field requires the same. */
  scope: string;
  parameters: readonly Parameter[];
  body?: Body;
  /** Contract names of the fields to select by default, if the document leaves the selection open. */
  defaultFields?: readonly string[];
  /** The type of the schema that has these fields. */
  recordType?: 'Image' | 'Video';
  /** Checks the values in combination, after each has been checked by itself. @throws ReplyError */
  check?: (input: Input) => void;
}>;

/** How the schema answers it: by one document in documents/. */
type Answer = Readonly<{
  document: string;
  /** Its successful replies, one for each status. */
  answers: readonly Described[];
  variables: (input: Input, formulas: Formulas) => Record<string, unknown>;
  reply: (data: Record<string, unknown>, input: Input) => Reply;
}>;

/** An endpoint that sends its reply as a whole. */
export type ServedEndpoint = Request & Answer;

/** One server-sent event. */
export type ServerEvent = Readonly<{ id: number; event: string; data: unknown }>;

/** An endpoint that replies with a stream of events; its document is a subscription. */
export type StreamEndpoint = Request &
  Omit<Answer, 'reply'> &
  Readonly<{
    /** Turns one result of the subscription into an event. */
    stream: (data: Readonly<Record<string, unknown>>) => ServerEvent;
  }>;

/** An endpoint: one row of the table. */
export type Endpoint = ServedEndpoint | StreamEndpoint;
