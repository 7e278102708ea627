import { type KindRef, type KubeObject, kindRef, SecretKind } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { kindOf, readManifests } from '../../support/kinds/manifests.ts'
import { type AgentsHarness, startAgents } from './agents-harness.ts'
import { agentsServer } from './agents-server.ts'

/** The reason of `Ready` for each example that is not ready although all its dependencies exist. */
const unready: Readonly<Record<string, string>> = {
  // Their Secrets contain only placeholders.
  'VersionControlProvider github-app': 'InvalidPrivateKey',
  'Memory sample': 'Unreachable',
  // No component of this release receives webhooks.
  'ImplementationSource github': 'NotServed',
  'ImplementationSource linear': 'NotServed',
}

const livingKinds = [
  'Agent',
  'AgentProvider',
  'ImplementationSpec',
  'ImplementationSource',
  'VersionControlProvider',
  'Memory',
]

interface Example {
  readonly name: string
  readonly kind: KindRef
  readonly object: KubeObject
}

const files = readManifests('charts/agents/examples/*.yaml')
const examples: Example[] = files.flatMap(({ object }) => {
  const word = String(object.kind)
  const declared = kindOf(object)
  const parsed = object as unknown as KubeObject
  if (livingKinds.includes(word) && declared) {
    return [{ name: `${word} ${parsed.metadata.name}`, kind: kindRef(declared), object: parsed }]
  }
  return word === 'Secret' ? [{ name: word, kind: SecretKind, object: withClosedPort(parsed) }] : []
})
const living = examples.filter(({ kind }) => kind !== SecretKind)

/** The machine that runs the tests may have a PostgreSQL on the default port. */
function withClosedPort(secret: KubeObject): KubeObject {
  return JSON.parse(JSON.stringify(secret).replace('127.0.0.1:5432', '127.0.0.1:1'))
}

async function apply(
  { client, namespace }: AgentsHarness,
  some: readonly Example[],
): Promise<void> {
  for (const { kind, object } of some) {
    const metadata = { ...object.metadata, namespace }
    await client.create(kind, { ...object, metadata } as never)
  }
}

describe('the examples', () => {
  const client = agentsServer()

  test('cover every living kind', () => {
    const seen = new Set(living.map(({ object }) => object.kind))
    expect([...seen].sort()).toEqual(livingKinds.toSorted())
  })

  test.each([
    { because: 'in the order of their files', order: examples },
    { because: 'the other way round', order: examples.toReversed() },
    { because: 'with their Secrets last', order: living },
    { because: 'mixed', order: examples.toSorted((a, b) => mixed(a) - mixed(b)) },
  ])('settle when they are applied $because', async ({ order }) => {
    const harness = await startAgents(client())
    await apply(harness, order)
    await apply(
      harness,
      examples.filter((one) => !order.includes(one)),
    )
    for (const { name, kind, object } of living) {
      const reason = unready[name]
      if (reason === undefined) await harness.ready(kind, object.metadata.name)
      else await harness.waitForCondition(kind, object.metadata.name, 'Ready', reason)
    }
  })

  test('report the Secret that is missing', async () => {
    const harness = await startAgents(client())
    await apply(harness, living)
    for (const { kind, object } of living) {
      const secret = /"secretRef":{"name":"([^"]+)"|SecretRef":{"name":"([^"]+)"/.exec(
        JSON.stringify(object.spec),
      )
      const { name } = object.metadata
      if (!secret) await harness.ready(kind, name)
      else {
        const wanted = secret[1] ?? secret[2] ?? ''
        expect(await harness.waitForCondition(kind, name, 'Ready', 'SecretNotFound')).toContain(
          wanted,
        )
      }
    }
  })
})

/** A deterministic order that is unlike any order a user would choose. */
function mixed({ name, object }: Example): number {
  let value = 7
  for (const letter of name + object.metadata.name)
    value = (value * 31 + letter.charCodeAt(0)) % 997
  return value
}
