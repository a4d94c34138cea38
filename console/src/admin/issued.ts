/** A new key with its secret, which is available nowhere else. */
export type IssuedKey = Readonly<{ secret: string; key: Readonly<{ name: string }> }>;
