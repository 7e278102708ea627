import { isDeepStrictEqual } from 'node:util'
import { parseAllDocuments } from 'yaml'

/** A Kubernetes object as a chart renders it. */
export interface RenderedObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly [field: string]: unknown
}

/** The parts of a chart that others depend on: its objects for fixed values, its CRDs, its values and variables. */
export interface ChartSnapshot {
  /** Objects by profile; "default" sets no value. */
  readonly profiles: Readonly<Record<string, readonly RenderedObject[]>>
  readonly definitions: readonly RenderedObject[]
  readonly valuesSchema: Readonly<Record<string, unknown>>
  /** The environment variables that each process reads, whether or not the chart sets them. */
  readonly variables: Readonly<Record<string, readonly string[]>>
}

/** A change that can break an upgrade, a rollback or another component. */
export interface Finding {
  readonly rule: 'C1' | 'C2' | 'C3' | 'C4' | 'C5' | 'C6' | 'C7' | 'C8'
  /** Identifies the finding. Stable across runs, because entries of accepted-changes.yaml refer to it. */
  readonly subject: string
  readonly problem: string
}

/** The objects of a rendered manifest. */
export function readManifest(text: string): readonly RenderedObject[] {
  return parseAllDocuments(text)
    .map((document) => document.toJSON() as RenderedObject | null)
    .filter((object) => object !== null)
}

/** Group, kind, namespace and name, which identify an object across upgrades. */
export function identity({ apiVersion, kind, metadata }: RenderedObject): string {
  const group = apiVersion.includes('/') ? `${apiVersion.split('/')[0]}/` : ''
  return `${group}${kind} ${metadata.namespace ?? ''}/${metadata.name}`
}

export interface Pair {
  readonly profile: string
  readonly subject: string
  readonly before: RenderedObject
  readonly after: RenderedObject
}

/** The objects that are in both charts, profile by profile. */
export function survivors(before: ChartSnapshot, after: ChartSnapshot): readonly Pair[] {
  return Object.entries(before.profiles).flatMap(([profile, objects]) => {
    const now = new Map((after.profiles[profile] ?? []).map((object) => [identity(object), object]))
    return objects.flatMap((object) => {
      const subject = identity(object)
      const successor = now.get(subject)
      return successor === undefined ? [] : [{ profile, subject, before: object, after: successor }]
    })
  })
}

/** The value at a path below an object; undefined if there is none. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (node, key) =>
      typeof node === 'object' && node !== null
        ? (node as Record<string, unknown>)[key]
        : undefined,
    value,
  )
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

/** Whether two values are equal, whatever the order of their keys. */
export function same(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b)
}
