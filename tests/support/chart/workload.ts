import { at, listAt, type RenderedObject } from '@agents/chart-tools'

interface EnvEntry {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: unknown
}

/** The pod template of an object that has one, or the pod itself. */
export function podOf(object: RenderedObject): unknown {
  if (object.kind === 'Pod') return object
  return at(object, 'spec', 'template')
}

export function containersOf(object: RenderedObject): readonly unknown[] {
  const spec = at(podOf(object), 'spec')
  return [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers')]
}

export function envOf(object: RenderedObject): readonly EnvEntry[] {
  return listAt(containersOf(object)[0], 'env') as readonly EnvEntry[]
}

/** The literal values of the first container's variables, by name. */
export function variablesOf(object: RenderedObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    envOf(object).flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
  )
}

export function labelsOf(value: unknown): Readonly<Record<string, string>> {
  return (at(value, 'metadata', 'labels') ?? {}) as Record<string, string>
}

export function annotationsOf(value: unknown): Readonly<Record<string, string>> {
  return (at(value, 'metadata', 'annotations') ?? {}) as Record<string, string>
}
