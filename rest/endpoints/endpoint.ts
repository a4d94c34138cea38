import type { Formulas } from '../../src/lib/http-api.ts';
import type { Reply } from '../../src/lib/http-contract.ts';
import type { EndpointAnswer as Described } from './answers.ts';
import type { BodyField, ObjectType, ValueType } from './types.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type ExampleId = Readonly<{ read: unknown; written: unknown }>;

/** A parameter of path, query or headers. A list is repeatable, every value counts; of a single one the last counts. */
export type Parameter = Readonly<{
  name: string;
  /** The argument of the schema that it becomes, where that is not its own name in camelCase. */
  as?: string;
  in: 'path' | 'query' | 'header';
  type: ValueType;
  description: string;
  /** The format in OpenAPI; the code that reads the value checks it. */
  pattern?: string;
  /** In the path: the id of a record of examples/, and one that writes find nothing by. */
  example?: ExampleId;
  /** Values to try, each by what it shows; the first is what the page to try requests fills in. */
  examples?: Readonly<Record<string, unknown>>;
  /** Whether it has to be sent; parameters of the path always are. */
  required?: true;
  /** What its absence means. */
  default?: unknown;
}>;

/** What a request sends: JSON, or a form (multipart/form-data or urlencoded). */
export type Body =
  /**
   * `name` is that of the object in the documentation, where it is not one of a record. `withFormula` is the body of a
   * request with a formula in `q`; one without fields may be left out.
   */
  | Readonly<{ kind: 'json'; type: ValueType; description: string; name?: string; withFormula?: ObjectType }>
  /** `streamed` is the file that is taken as it arrives, alone: in a form, or as a body of any other type. */
  | Readonly<{ kind: 'form'; fields: readonly BodyField[]; description: string; streamed?: string }>;

/** What a request said, once it is known to be valid. */
export type Input = Readonly<{
  /** Path and query values by name, defaults filled in. */
  values: Readonly<Record<string, unknown>>;
  /** Names of the parameters that the request itself gave. */
  given: ReadonlySet<string>;
  /** The JSON value, or the values of the form by name, defaults filled in. */
  body: unknown;
  /** Seconds of `Prefer: wait=N`. */
  preferWait: number | undefined;
  /** Path and query as requested, for links. */
  target: string;
}>;

/** What a request to an endpoint looks like: data alone, which the documentation reads too. */
type Request = Readonly<{
  method: Method;
  path: string;
  summary: string;
  /** The right that it takes, by its name in the schema. A test holds it to what the document's field asks for. */
  scope: string;
  parameters: readonly Parameter[];
  body?: Body;
  /** Contract names of the fields to select by default, where the document leaves them open. */
  defaultFields?: readonly string[];
  /** The type of the schema that has these fields. */
  recordType?: 'Image' | 'Video';
  /** What the values must be together, beyond what each must be. @throws ReplyError */
  check?: (input: Input) => void;
}>;

/** How the schema answers it: one document in documents/. */
type Answer = Readonly<{
  document: string;
  /** What it answers when all went well, one for each status. */
  answers: readonly Described[];
  variables: (input: Input, formulas: Formulas) => Record<string, unknown>;
  reply: (data: Record<string, unknown>, input: Input) => Reply;
}>;

/** An endpoint that answers as a whole. */
export type ServedEndpoint = Request & Answer;

/** One server-sent event. */
export type ServerEvent = Readonly<{ id: number; event: string; data: unknown }>;

/** An endpoint that answers with a stream of events: its document is a subscription. */
export type StreamEndpoint = Request &
  Omit<Answer, 'reply'> &
  Readonly<{
    /** What one result of the subscription is as an event. */
    stream: (data: Readonly<Record<string, unknown>>) => ServerEvent;
  }>;

/** An endpoint: one row of the table. */
export type Endpoint = ServedEndpoint | StreamEndpoint;
