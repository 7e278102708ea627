import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { WatchRule } from '@agents/gittarget-api'
import {
  type Condition,
  DeploymentKind,
  type KindRef,
  type KubeClient,
  type KubeObject,
  SecretKind,
} from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ClusterWatchRuleKind,
  type Team,
  TestBed,
  WatchRuleKind,
} from '../../support/gittarget/test-bed.ts'
import { until } from '../../support/testbed/until.ts'

let bed: TestBed
/** While it is pending, the reconcile of a target whose key is a Secret does not get beyond EncryptionConfigured. */
let keyReads: Promise<void> = Promise.resolve()
/** How many of these reads have begun. */
let begunKeyReads = 0

beforeAll(async () => {
  bed = await TestBed.start()
  const get: KubeClient['get'] = async (kind, key, options) => {
    if ((kind as KindRef) === SecretKind) {
      begunKeyReads += 1
      await keyReads
    }
    return bed.client.get(kind, key, options)
  }
  await bed.startOperator({ ...bed.client, get })
})
afterAll(() => bed.stop())

function holdKeyReads(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  keyReads = promise
  return resolve
}

type Rule = KubeObject & Pick<WatchRule, 'status'>

interface Version {
  readonly generation: number | undefined
  readonly observedGeneration: number | undefined
  readonly ready: Condition | undefined
  readonly streams: string | undefined
}

/** What a client that waits would see: every version of the rule since the call. */
async function versionsOf(kind: KindRef<Rule>, key: { namespace?: string; name: string }) {
  const { namespace } = key
  const scope = namespace === undefined ? {} : { namespace }
  const { metadata } = await bed.client.list(kind, scope)
  const control = new AbortController()
  const stream = await bed.client.watch(kind, {
    ...scope,
    resourceVersion: metadata.resourceVersion,
    signal: control.signal,
  })
  const versions: Version[] = []
  const reading = (async () => {
    for await (const event of stream) {
      if (!('object' in event) || event.object.metadata.name !== key.name) continue
      const { metadata: its, status } = event.object as Rule
      const conditions = status?.conditions as Condition[] | undefined
      versions.push({
        generation: its.generation,
        observedGeneration: status?.observedGeneration,
        ready: conditions?.find(({ type }) => type === 'Ready'),
        streams: status?.streams?.summary,
      })
    }
  })().catch(() => undefined)
  return {
    versions,
    stop: async () => {
      control.abort(new Error('seen enough'))
      await reading
    },
  }
}

/** As kubectl wait decides it. */
function isReadyFor(generation: number) {
  return ({ observedGeneration, ready }: Version): boolean =>
    ready?.status === 'True' &&
    (observedGeneration === generation || ready.observedGeneration === generation)
}

async function createDeployment(namespace: string): Promise<void> {
  const labels = { app: 'web' }
  await bed.client.create(DeploymentKind, {
    metadata: { name: 'web', namespace },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'web', image: 'example.test/web' }] },
      },
    },
  } as never)
}

async function teamWithKey(namespace: string): Promise<Team> {
  const team = await bed.team(namespace, await bed.remote(), {
    target: {
      allowClusterRules: true,
      encryption: { provider: 'sops', secretRef: { name: 'key' }, autoCreate: true },
    },
  })
  await team.configMap('a', {})
  await createDeployment(namespace)
  return team
}

const both = ['configmaps', 'deployments']

/** Adds Deployments to a live rule while its target is slow, and checks every status of the rule. */
async function addDeployments(
  team: Team,
  kind: KindRef<Rule>,
  key: { namespace?: string; name: string },
  rules: readonly object[],
): Promise<void> {
  await until(async () => {
    const { status } = await bed.client.get(kind, key)
    return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True')
  })
  await team.isReady()
  const seen = await versionsOf(kind, key)
  const begun = begunKeyReads
  const release = holdKeyReads()
  try {
    await bed.client.patch(kind, key, { type: 'merge', body: { spec: { rules } } })
    await until(() => seen.versions.some(({ generation }) => generation === 2))
    // Rule and target have begun with the new rule, and the target cannot go on: the rule is not ready yet.
    await until(() => begunKeyReads > begun)
    await until(() => seen.versions.some(({ observedGeneration }) => observedGeneration === 2))
    expect(seen.versions.filter(isReadyFor(2))).toEqual([])
  } finally {
    release()
  }
  const ready = await until(() => seen.versions.find(isReadyFor(2)))
  expect(ready.streams).toBe('2/2')
  const files = Object.keys(await team.files())
  expect(files).toContain(`cluster/${team.namespace}/apps/deployments/web.yaml`)
  await seen.stop()
}

test('a changed WatchRule is ready when what it selects now is mirrored, and not before', async () => {
  const team = await teamWithKey('changed-rule')
  await team.watch(['configmaps'])
  const key = { namespace: team.namespace, name: 'rule' }
  await addDeployments(team, WatchRuleKind, key, [
    { resources: both, excludeNames: ['kube-root-ca.crt'] },
  ])
})

test('a changed ClusterWatchRule is ready when what it selects now is mirrored, and not before', async () => {
  const team = await teamWithKey('changed-cluster-rule')
  const { namespace } = team
  const terms = (resources: readonly string[]) => ({
    scope: 'Namespaced',
    resources,
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
  })
  await bed.client.create(ClusterWatchRuleKind, {
    metadata: { name: 'changed' },
    spec: { targetRef: { namespace, name: 'mirror' }, rules: [terms(['configmaps'])] },
  } as never)
  await addDeployments(team, ClusterWatchRuleKind, { name: 'changed' }, [terms(both)])
})

test('a target is not in sync while the first comparison with a new rule takes long', async () => {
  const team = await bed.team('slow-rule', await bed.remote())
  await team.configMap('a', {})
  await team.isReady()
  const gate = join(team.remote.directory, 'closed')
  const hook = join(team.remote.path, 'hooks', 'pre-receive')
  await writeFile(gate, '')
  await mkdir(dirname(hook), { recursive: true })
  await writeFile(hook, `#!/bin/sh\nwhile [ -e '${gate}' ]; do sleep 0.05; done\n`, { mode: 0o755 })
  await team.watch(['configmaps'])
  await team.until('SnapshotSynced=False/Running')
  await rm(gate)
  await team.isReady()
  await team.untilFiles((files) => team.path('configmaps', 'a') in files)
})
