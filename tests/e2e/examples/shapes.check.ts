import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { unreconciledKinds } from '@agents/jangar-api'
import { type Condition, type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kindOf, type Manifest, readManifests } from '../../support/kinds/manifests.ts'
import { createNamespace } from '../../support/testbed/server.ts'
import { serversOfTier } from '../../support/testbed/servers-of-tier.ts'
import { until } from '../../support/testbed/until.ts'
import { runTool } from '../../support/tools/run-tool.ts'
import { type Platform, platforms } from './platform.ts'

const examples = join(import.meta.dirname, '../../../charts/agents/examples')
/** What the manifests refer to. */
const needed = [
  'agentprovider-smoke.yaml',
  'agent-smoke.yaml',
  'implementationspec-smoke.yaml',
  'agentrun-smoke.yaml',
].flatMap((file) => ['-f', join(examples, file)])
const namespace = 'shapes'

/** Manifests as users of the predecessor have them: the shape that each kind had there. */
const shapes = readManifests('tests/e2e/examples/shapes/*.yaml').map((manifest) => ({
  ...manifest,
  title: `${manifest.object.kind} ${nameOf(manifest)}`,
  because: /^because: (.+)$/m.exec(manifest.comment)?.[1] ?? '',
  ends: /^ends: (.+)$/m.exec(manifest.comment)?.[1],
}))

const servers = await serversOfTier()

describe.each(servers)('on the %s server', (server) => {
  let platform: Platform

  beforeAll(async () => {
    platform = await platforms[server]()
    const { client, kubeconfig } = platform
    await createNamespace(client, namespace)
    const args = ['-n', namespace, 'apply', ...needed]
    expect(await runTool(['kubectl', '1.36'], args, { kubeconfig })).toMatchObject({ code: 0 })
    // Deliveries first: those that are older than a step must not satisfy it. Policies, too, which hold runs back.
    const create = async (manifests: readonly Manifest[]): Promise<void> => {
      for (const { object } of manifests) {
        const kind = kindOf(object)
        if (kind === undefined) throw new Error(`${object.kind} is not a kind of the platform`)
        await client.create(kindRef(kind), withNamespace(object) as never)
      }
    }
    await create(shapes.filter(isFirst))
    // Times have whole seconds: what is created in the second in which a step starts is not older.
    await delay(1100)
    await create(shapes.filter((shape) => !isFirst(shape)))
  })

  afterAll(() => platform?.stop())

  test('there are manifests of every kind that the predecessor had besides agents', () => {
    expect(new Set(shapes.map(({ object }) => object.kind)).size).toBe(12)
    expect(shapes.length).toBeGreaterThanOrEqual(30)
  })

  test.each(shapes)('$title: $because', async (shape) => {
    const { object, ends } = shape
    const kind = kindOf(object)
    if (kind === undefined) throw new Error(`${object.kind} is not a kind of the platform`)
    const isReconciled = !unreconciledKinds.includes(kind)
    if (isReconciled && ends === undefined) {
      await until(async () => (await conditions(shape)).size > 0)
      return
    }
    const wanted = ends ?? 'Ready=False NotReconciled'
    let last = ''
    await until(
      async () => {
        last = [...(await conditions(shape))].join(', ')
        return last.split(', ').includes(wanted)
      },
      `expected ${wanted}`,
      { timeoutMs: 200_000, everyMs: 100 },
    ).catch(async (error: unknown) => {
      throw new Error(`${String(error)}, found ${last}: ${await messages(shape)}`)
    })
  })

  async function messages(shape: Manifest): Promise<string> {
    const kind = kindOf(shape.object)
    if (kind === undefined) return ''
    const key = { namespace, name: nameOf(shape) }
    const { status } = (await platform.client.get(kindRef(kind), key)) as Observed
    return [...new Set((status?.conditions ?? []).map(({ message }) => message))].join('; ')
  }

  /** Such as `Ready=True OK`, of the current generation only. */
  async function conditions(shape: Manifest): Promise<ReadonlySet<string>> {
    const kind = kindOf(shape.object)
    if (kind === undefined) return new Set()
    const key = { namespace, name: nameOf(shape) }
    const { metadata, status } = (await platform.client.get(kindRef(kind), key)) as Observed
    if (status?.observedGeneration !== metadata.generation) return new Set()
    return new Set(
      (status?.conditions ?? []).map((one) => `${one.type}=${one.status} ${one.reason}`),
    )
  }
})

interface Observed extends KubeObject {
  readonly status?: {
    readonly observedGeneration?: number
    readonly conditions?: readonly Condition[]
  }
}

function nameOf({ object }: Pick<Manifest, 'object'>): string {
  return String((object.metadata as { name?: string }).name)
}

function withNamespace(object: Manifest['object']): object {
  return { ...object, metadata: { ...(object.metadata as object), namespace } }
}

function isFirst({ object }: Manifest): boolean {
  return object.kind === 'SignalDelivery' || object.kind === 'ApprovalPolicy'
}
