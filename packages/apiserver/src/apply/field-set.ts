import { type PathElement, sortElements } from './path-element.ts'

/** A set of field paths as a tree. Immutable once built. Every leaf is a member. */
export type FieldSet = ReadonlyMap<PathElement, FieldNode>

export interface FieldNode {
  /** Whether the path that ends at this node is in the set, regardless of paths below it. */
  readonly member: boolean
  readonly children: FieldSet
}

/** A field set that is being built. */
export type GrowingSet = Map<PathElement, FieldNode>

export const emptySet: FieldSet = new Map()

export const leaf: FieldNode = { member: true, children: emptySet }

export function setOf(...paths: readonly (readonly PathElement[])[]): FieldSet {
  const set: GrowingSet = new Map()
  for (const path of paths) insertPath(set, path)
  return set
}

/**
 * Inserts a path. The empty path, which is the whole object, is never in a set. `set` must have been built by
 * insertions only, and nothing else may be inserted below a path that is inserted with `below`.
 */
export function insertPath(
  set: GrowingSet,
  path: readonly PathElement[],
  below: FieldSet = emptySet,
): void {
  let level = set
  for (let index = 0; index < path.length; index++) {
    const element = path[index] ?? ''
    const node = level.get(element)
    if (index === path.length - 1) {
      const children = below.size > 0 ? below : (node?.children ?? new Map())
      if (node?.member !== true) level.set(element, { member: true, children })
      return
    }
    const children = (node?.children ?? new Map()) as GrowingSet
    if (node === undefined) level.set(element, { member: false, children })
    level = children
  }
}

/** Adds a node to a growing set, unless it is empty. */
export function putNode(
  set: GrowingSet,
  element: PathElement,
  member: boolean,
  children: FieldSet,
): void {
  if (member || children.size > 0) set.set(element, { member, children })
}

/** The union of both sets. Returns `b` itself if `a` adds nothing. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a.size === 0) return b
  if (b.size === 0) return a
  let out: GrowingSet | undefined
  for (const [element, node] of a) {
    const other = b.get(element)
    if (other === undefined) {
      out ??= new Map(b)
      out.set(element, node)
      continue
    }
    const member = node.member || other.member
    const children = union(node.children, other.children)
    if (member === other.member && children === other.children) continue
    out ??= new Map(b)
    out.set(element, { member, children })
  }
  return out ?? b
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a.size === 0 || b.size === 0) return emptySet
  const out: GrowingSet = new Map()
  for (const [element, node] of a) {
    const other = b.get(element)
    if (other === undefined) continue
    putNode(out, element, node.member && other.member, intersection(node.children, other.children))
  }
  return out
}

/**
 * Paths of `a` that are not in `b`. A path in `b` does not remove paths below it. Returns `a` itself if nothing is
 * removed.
 */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return without(a, b, (node, other) => ({
    member: node.member && !other.member,
    children: difference(node.children, other.children),
  }))
}

/** Paths of `a` that are neither in `b` nor below a path of `b`. Returns `a` itself if nothing is removed. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return without(a, b, (node, other) =>
    other.member
      ? nothing
      : { member: node.member, children: recursiveDifference(node.children, other.children) },
  )
}

const nothing: FieldNode = { member: false, children: emptySet }

function without(
  a: FieldSet,
  b: FieldSet,
  rest: (node: FieldNode, other: FieldNode) => FieldNode,
): FieldSet {
  if (a.size === 0 || b.size === 0) return a
  let out: GrowingSet | undefined
  for (const [element, other] of b) {
    const node = a.get(element)
    if (node === undefined) continue
    const left = rest(node, other)
    if (left.member === node.member && left.children === node.children) continue
    out ??= new Map(a)
    if (left.member || left.children.size > 0) out.set(element, left)
    else out.delete(element)
  }
  return out ?? a
}

/** All paths in order: the members of a level come before the paths below them. */
export function pathsOf(set: FieldSet, prefix: readonly PathElement[] = []): PathElement[][] {
  const elements = sortElements([...set.keys()])
  const here = elements.filter((element) => set.get(element)?.member === true)
  return [
    ...here.map((element) => [...prefix, element]),
    ...elements.flatMap((element) =>
      pathsOf(set.get(element)?.children ?? emptySet, [...prefix, element]),
    ),
  ]
}
