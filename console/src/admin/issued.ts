/** A new key with its secret, which is nowhere else. */
export type IssuedKey = Readonly<{ secret: string; key: Readonly<{ name: string }> }>;
