/** An operator that takes a name after its colon, as in `has:caption`. */
export type FlagOperatorRow = Readonly<{
  /** Which names it takes: all fields, or only flags such as `nsfw` and `landscape`. */
  takes: 'fields' | 'flags';
  /** Shown in the hint if the name is missing. */
  example: string;
  description: string;
  /** The description in Spanish. */
  es?: string;
}>;

/** One row per operator; `check-flag.ts` defines what they mean. */
export const flagOperators = {
  has: {
    takes: 'fields',
    example: 'has:caption',
    description: 'The field is present and not empty.',
    es: 'El campo tiene valor.',
  },
  no: {
    takes: 'fields',
    example: 'no:caption',
    description: 'The field is missing or empty.',
    es: 'El campo no tiene valor.',
  },
  is: {
    takes: 'flags',
    example: 'is:landscape or is:nsfw',
    description: 'A flag, such as is:nsfw or is:landscape.',
    es: 'Una característica, como is:nsfw o is:landscape.',
  },
} as const satisfies Readonly<Record<string, FlagOperatorRow>>;

export type FlagOperator = keyof typeof flagOperators;

export function isFlagOperator(name: string): name is FlagOperator {
  return Object.hasOwn(flagOperators, name);
}
