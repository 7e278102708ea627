import type { AnyKind, Schema, SecretAccess } from '@agents/crd'
import * as mirror from '@agents/gittarget-api'
import * as agents from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'

const kinds: readonly AnyKind[] = [...agents.kinds, ...mirror.kinds]

const access: Readonly<Record<string, SecretAccess>> = {
  ...agents.secretAccessByKind,
  ...mirror.secretAccessByKind,
}

/** Fields that mention Secrets and are not checked by the policy of their kind, each with the reason. */
const exempt: Readonly<Record<string, string>> = {
  'Agent spec.mcpServers.env.valueFrom.secretKeyRef': 'the policy of mcpServers',
  'Agent spec.mcpServers.headers.valueFrom.secretKeyRef': 'the policy of mcpServers',
  'Agent spec.security.allowedSecrets': 'narrows what runs may use',
  'AgentRun spec.secrets': 'the policy of runSecrets',
  'AgentRun spec.systemPromptRef': 'the policy of runSecrets',
  'AgentRun spec.workload.volumes.secretName': 'the policy of runSecrets',
  'AgentRun spec.workflow.steps.workload.volumes.secretName': 'the policy of runSecrets',
  'AgentRun spec.policy.secretBindingRef': 'narrows what the run may use',
  'Orchestration spec.steps.secrets': 'the policy of runSecrets',
  'SecretBinding spec.allowedSecrets': 'the policy of SecretBindings',
}

/** The paths of all fields whose name or description says that they name a Secret; list items have no path segment. */
function secretFields(schema: Schema, path: string): readonly string[] {
  const { properties = {}, items, additionalProperties } = schema
  const nested = [
    ...Object.entries(properties).map(([name, field]) => [`${path}.${name}`, field] as const),
    ...(items === undefined ? [] : [[path, items] as const]),
    ...(typeof additionalProperties === 'object' ? [[path, additionalProperties] as const] : []),
  ]
  return nested.flatMap(([field, below]) => [
    ...(namesSecret(field, below) ? [field] : []),
    ...secretFields(below, field),
  ])
}

function namesSecret(path: string, { type, enum: choices, properties, description = '' }: Schema) {
  const name = path.split('.').at(-1) ?? ''
  if (/secret/i.test(name)) return true
  if (choices?.includes('Secret')) return true
  return type === 'object' && properties?.name !== undefined && /\bSecret\b/.test(description)
}

/** `spec.a.secretRef.name` is covered if it, a parent of it or the `kind` next to it is checked or exempt. */
function isCovered(kind: string, field: string): boolean {
  const checked = access[kind]?.secrets.map(({ path }) => path) ?? []
  const exempted = Object.keys(exempt)
    .filter((entry) => entry.startsWith(`${kind} `))
    .map((entry) => entry.slice(kind.length + 1))
  const parent = field.replace(/\.kind$/, '')
  return (
    checked.some((path) => path === field || path.startsWith(`${parent}.`)) ||
    exempted.some((path) => path === field || parent === path || field.startsWith(`${path}.`))
  )
}

describe('fields that name a Secret', () => {
  test('are all covered by an admission policy', () => {
    const found = kinds.flatMap(({ kind, spec }) =>
      secretFields(spec, 'spec').map((field) => [kind, field] as const),
    )
    expect(found.length).toBeGreaterThan(15)
    const forgotten = found.filter(([kind, field]) => !isCovered(kind, field))
    expect(forgotten.map((entry) => entry.join(' '))).toEqual([])
  })

  test('exist if they are exempt', () => {
    const paths = kinds.flatMap(({ kind, spec }) =>
      secretFields(spec, 'spec').map((field) => `${kind} ${field}`),
    )
    const unknown = Object.keys(exempt).filter(
      (entry) => !paths.some((path) => path === entry || path.startsWith(`${entry}.`)),
    )
    expect(unknown).toEqual([])
  })

  test.each(Object.keys(access))('every field of %s is decisive or harmless', (kind) => {
    const { decisive = [], harmless = [], secrets = [] } = access[kind] ?? {}
    const declared = kinds.find((each) => each.kind === kind)
    const classified = [...decisive, ...harmless]
    const unclassified = (schema: Schema, path: string): readonly string[] =>
      Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
        const at = `${path}.${name}`
        if (classified.includes(at)) return []
        const isAbove = classified.some((each) => each.startsWith(`${at}.`))
        return isAbove ? unclassified(field, at) : [at]
      })
    expect(unclassified(declared?.spec as Schema, 'spec')).toEqual([])
    for (const { path } of secrets) {
      expect(decisive.some((field) => path === field || path.startsWith(`${field}.`))).toBe(true)
    }
  })
})
