import type { Tree } from './ast.ts';

type Kinded = Readonly<{ kind: string }>;
/** Inner nodes. */
type Branch<L> = Exclude<Tree<L>, L>;

/** Tells branches from leaves. */
export function isBranch<L extends Kinded>(tree: Tree<L>): tree is Branch<L> {
  return tree.kind === 'and' || tree.kind === 'or' || tree.kind === 'not';
}

/** Returns the tree with each leaf replaced. */
export function mapTree<A extends Kinded, B>(tree: Tree<A>, map: (leaf: A) => Tree<B>): Tree<B> {
  if (!isBranch<A>(tree)) return map(tree as A);
  if (tree.kind === 'not') return { ...tree, item: mapTree<A, B>(tree.item, map) };
  return { ...tree, items: tree.items.map((item) => mapTree<A, B>(item, map)) };
}

/** Returns all leaves, from left to right. */
export function leavesOf<L extends Kinded>(tree: Tree<L>): L[] {
  if (!isBranch<L>(tree)) return [tree as L];
  return tree.kind === 'not' ? leavesOf<L>(tree.item) : tree.items.flatMap((item) => leavesOf<L>(item));
}

/**
 * Normalizes a tree: nested ANDs and nested ORs are merged, repeated parts and double negations removed.
 */
export function normalizeTree<L extends Kinded>(tree: Tree<L>, format: (tree: Tree<L>) => string): Tree<L> {
  if (!isBranch<L>(tree)) return tree;
  if (tree.kind === 'not') {
    const item = normalizeTree<L>(tree.item, format);
    return isBranch<L>(item) && item.kind === 'not' ? item.item : { ...tree, item };
  }
  const items = tree.items.flatMap((item) => {
    const own = normalizeTree<L>(item, format);
    return isBranch<L>(own) && own.kind === tree.kind ? own.items : [own];
  });
  const seen = new Set<string>();
  const unique = items.filter((item) => {
    const text = format(item);
    return !seen.has(text) && seen.add(text);
  });
  const [only] = unique;
  return unique.length === 1 && only !== undefined ? only : { ...tree, items: unique };
}
