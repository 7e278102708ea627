import type { Schema } from '@agents/crd'

/** One definition of `generated/schemas.json`; tests/support/testbed/dump-builtin-schemas.ts describes the grammar. */
export interface CompactDefinition {
  readonly gvk?: readonly string[]
  readonly required?: readonly string[]
  readonly mapType?: 'atomic' | 'granular'
  readonly props?: Readonly<Record<string, CompactProperty>>
  /** For the few definitions that are not objects with properties. */
  readonly schema?: Schema
}

export type CompactProperty = string | readonly [type: string, extras: CompactExtras]

export interface CompactExtras {
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly patch?: string
  readonly mergeKey?: string
  readonly mapType?: 'atomic' | 'granular'
  readonly listType?: 'atomic' | 'set' | 'map'
}

/** The outermost layer of a property's type. */
type TypeLayer =
  | { readonly layer: 'list'; readonly list: string; readonly inner: string }
  | { readonly layer: 'map'; readonly mapType: string; readonly inner: string }
  /** `zero`: the default is the zero value of the type. */
  | { readonly layer: 'reference' | 'scalar'; readonly name: string; readonly zero: boolean }

export function typeLayer(type: string): TypeLayer {
  if (type.startsWith('[')) {
    const end = type.indexOf(']')
    return { layer: 'list', list: type.slice(1, end), inner: type.slice(end + 1) }
  }
  if (type.startsWith('{')) {
    const end = type.indexOf('}')
    return { layer: 'map', mapType: type.slice(1, end), inner: type.slice(end + 1) }
  }
  const zero = type.endsWith('=')
  const name = zero ? type.slice(0, -1) : type
  return { layer: name.includes('.') ? 'reference' : 'scalar', name, zero }
}

export function propertyType(property: CompactProperty): string {
  return typeof property === 'string' ? property : property[0]
}

export function propertyExtras(property: CompactProperty): CompactExtras {
  return typeof property === 'string' ? {} : property[1]
}
