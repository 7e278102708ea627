import type { ChartSnapshot, Decisions } from '@agents/chart-tools'
import { changed } from './mutate.ts'

export const nothingDecided: Decisions = { additions: [], removedValues: [], accepted: [] }

type Steps = readonly (string | number)[]
/** A modification of a chart. */
export type Change = (snapshot: ChartSnapshot) => ChartSnapshot

export const container = ['spec', 'template', 'spec', 'containers', 0]
export const run = 'agentruns.agents.proompteng.ai'
export const version = ['spec', 'versions', 0]
export const schema = [...version, 'schema', 'openAPIV3Schema', 'properties', 'spec']

export const inProfileCalled =
  (profile: string) =>
  (kind: string, path: Steps, value: unknown, name?: string): Change =>
  (snapshot) => ({
    ...snapshot,
    profiles: {
      ...snapshot.profiles,
      [profile]: changed(snapshot.profiles[profile] ?? [], kind, path, value, name),
    },
  })

/** Changes a field in the profile with both Deployments. */
export const inProfile = inProfileCalled('controllers')
/** Changes a field in the profile with every optional object. */
export const inEverything = inProfileCalled('everything')

/** Applies two changes in order. */
export const both =
  (first: Change, second: Change): Change =>
  (snapshot) =>
    second(first(snapshot))

export const without =
  (profile: string, name: string): Change =>
  (snapshot) => ({
    ...snapshot,
    profiles: {
      ...snapshot.profiles,
      [profile]: (snapshot.profiles[profile] ?? []).filter(
        ({ metadata }) => metadata.name !== name,
      ),
    },
  })

export const inDefinition =
  (path: Steps, value: unknown): Change =>
  (snapshot) => ({
    ...snapshot,
    definitions: changed(snapshot.definitions, 'CustomResourceDefinition', path, value, run),
  })

export const inValues =
  (path: Steps, value: unknown): Change =>
  (snapshot) => {
    const copy = {
      kind: 'Schema',
      apiVersion: '',
      metadata: { name: '' },
      ...snapshot.valuesSchema,
    }
    const [valuesSchema = copy] = changed([copy], 'Schema', path, value)
    return { ...snapshot, valuesSchema }
  }

const extra = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'new', namespace: 'agents' },
}

export const adding: Change = (snapshot) => ({
  ...snapshot,
  profiles: { ...snapshot.profiles, default: [...(snapshot.profiles.default ?? []), extra] },
})
