import { type KindRef, type KubeObject, kindRef, SecretKind } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { kindOf, readManifests } from '../kinds/manifests.ts'
import { type AgentsBench, startAgents } from './agents-bench.ts'
import { agentsServer } from './agents-server.ts'

/** What `Ready` says of an example once everything is there. Not named: ready. */
const unready: Readonly<Record<string, string>> = {
  // Their Secrets hold no more than a place for the real thing.
  'VersionControlProvider github-app': 'InvalidPrivateKey',
  'Memory sample': 'Unreachable',
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

/** Whoever runs the tests may have a PostgreSQL at its usual port. */
function withClosedPort(secret: KubeObject): KubeObject {
  return JSON.parse(JSON.stringify(secret).replace('127.0.0.1:5432', '127.0.0.1:1'))
}

async function apply({ client, namespace }: AgentsBench, some: readonly Example[]): Promise<void> {
  for (const { kind, object } of some) {
    const metadata = { ...object.metadata, namespace }
    await client.create(kind, { ...object, metadata } as never)
  }
}

describe('the examples', () => {
  const client = agentsServer()

  test('are there for every living kind', () => {
    const seen = new Set(living.map(({ object }) => object.kind))
    expect([...seen].sort()).toEqual(livingKinds.toSorted())
  })

  test.each([
    { because: 'in the order of their files', order: examples },
    { because: 'the other way round', order: examples.toReversed() },
    { because: 'with their Secrets last', order: living },
    { because: 'mixed', order: examples.toSorted((a, b) => mixed(a) - mixed(b)) },
  ])('settle when they are applied $because', async ({ order }) => {
    const bench = await startAgents(client())
    await apply(bench, order)
    await apply(
      bench,
      examples.filter((one) => !order.includes(one)),
    )
    for (const { name, kind, object } of living) {
      const reason = unready[name]
      if (reason === undefined) await bench.ready(kind, object.metadata.name)
      else await bench.told(kind, object.metadata.name, 'Ready', reason)
    }
  })

  test('say which Secret they lack', async () => {
    const bench = await startAgents(client())
    await apply(bench, living)
    for (const { kind, object } of living) {
      const secret = /"secretRef":{"name":"([^"]+)"|SecretRef":{"name":"([^"]+)"/.exec(
        JSON.stringify(object.spec),
      )
      const { name } = object.metadata
      if (!secret) await bench.ready(kind, name)
      else {
        const wanted = secret[1] ?? secret[2] ?? ''
        expect(await bench.told(kind, name, 'Ready', 'SecretNotFound')).toContain(wanted)
      }
    }
  })
})

/** The same each time, and like no order that anybody would choose. */
function mixed({ name, object }: Example): number {
  let value = 7
  for (const letter of name + object.metadata.name)
    value = (value * 31 + letter.charCodeAt(0)) % 997
  return value
}
