import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChangeHandlers, ResourceCache } from '@agents/controller'
import type { ClusterWatchRule } from '@agents/gittarget-api'
import type { KubeObject, Labels, Namespace } from '@agents/kube'
import { silentLogger } from '@agents/log'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { namespaceLabels } from '../git-target/target-plan.ts'
import { DeletedNamespaces } from '../kubernetes/deleted-namespaces.ts'
import { MemoryBranch } from '../testing/memory-branch.ts'
import { configMapType, mirrorLocation, mirrorSettings } from '../testing/mirror-setup.ts'
import { stoppedClock } from '../testing/stopped-clock.ts'
import { Mirrors } from './mirrors.ts'
import { selectByClusterWatchRule } from './selection/selection.ts'
import type { StreamListener } from './stream/stream.ts'
import type { StreamPool } from './stream/stream-pool.ts'

const key = 'team/mirror'
const path = 'cluster/shop/core/configmaps/a.yaml'
const mirrored = { mirror: 'yes' }

const rule = {
  metadata: { name: 'rule' },
  spec: {
    rules: [
      {
        scope: 'Namespaced',
        operations: ['*'],
        resources: ['configmaps'],
        namespaceSelector: { matchLabels: mirrored },
      },
    ],
  },
} as unknown as ClusterWatchRule

const configMap: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name: 'a' },
}

/** The namespaces watch, whose events the test makes. */
function namespaceCache() {
  let labels: Labels | undefined = mirrored
  let handlers: ChangeHandlers<Namespace> | undefined
  const shop = () => ({ metadata: { name: 'shop', labels } }) as Namespace
  const cache = {
    get: () => (labels === undefined ? undefined : shop()),
    list: () => (labels === undefined ? [] : [shop()]),
    subscribe: (given: ChangeHandlers<Namespace>) => {
      handlers = given
      return { hasSynced: () => true, remove: () => undefined }
    },
  } as unknown as ResourceCache<Namespace>
  return {
    cache,
    label: (given: Labels) => {
      const before = shop()
      labels = given
      handlers?.onUpdate(before, shop())
    },
    delete: () => {
      const before = shop()
      labels = undefined
      handlers?.onDelete(before)
    },
  }
}

let stateDir: string
let branch: MemoryBranch
let mirrors: Mirrors
let namespaces: ReturnType<typeof namespaceCache>
let deleteConfigMap: () => void
let compare: (revision: string) => Promise<void>

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'agents-mirrors-'))
  branch = new MemoryBranch()
  namespaces = namespaceCache()
  let listener: StreamListener | undefined
  let object: KubeObject | undefined = configMap
  const stream = {
    ...{ state: { kind: 'live' }, hasSynced: true },
    objects: () => (object === undefined ? [] : [object]),
    get: () => object,
  }
  const pool = {
    acquire: (_type: unknown, _scope: unknown, given: StreamListener) => {
      listener = given
      return { key: 'configmaps', stream, release: () => undefined }
    },
  }
  mirrors = new Mirrors({
    pool: pool as unknown as StreamPool,
    ...{ writers: branch.writers, clock: stoppedClock(), log: silentLogger, stateDir },
  })
  deleteConfigMap = () => {
    object = undefined
    listener?.onObject({ namespace: 'shop', name: 'a' }, configMap, {
      object: { group: '', resource: 'configmaps', namespace: 'shop', name: 'a' },
      ...{ effect: 'delete', write: undefined, seenMs: 0 },
      ...{ resourceVersion: undefined, previousVersion: undefined },
    })
  }
  const labelsOf = namespaceLabels({
    namespaces: namespaces.cache,
    deletedNamespaces: new DeletedNamespaces(namespaces.cache),
  })
  const served = [
    {
      ...{ ...configMapType, verbs: ['list', 'watch'] },
      ...{ shortNames: [], categories: [], subresources: [] },
    },
  ]
  compare = async (revision) => {
    const { selections } = selectByClusterWatchRule(rule, { served, encrypts: false }, labelsOf)
    await mirrors.ensure(key, mirrorLocation(), mirrorSettings({ selections, revision }))
    await expect.poll(() => mirrors.state(key)?.isSyncing).toBe(false)
  }
  await compare('1')
  expect([...branch.files.keys()]).toContain(path)
})
afterEach(async () => {
  await mirrors.stopAll(0)
  await rm(stateDir, { recursive: true, force: true })
})

async function untilWritten(): Promise<void> {
  await expect.poll(() => mirrors.state(key)?.waiting).toBe(0)
}

test('an object is deleted before its namespace: its file is deleted', async () => {
  deleteConfigMap()
  await untilWritten()
  namespaces.delete()
  expect([...branch.files.keys()]).not.toContain(path)
})

test('the deletion of the namespace is reported first: the file is deleted all the same', async () => {
  namespaces.delete()
  deleteConfigMap()
  await untilWritten()
  expect([...branch.files.keys()]).not.toContain(path)
})

test('a comparison in between does not give up the file', async () => {
  namespaces.delete()
  await compare('2')
  expect(mirrors.state(key)?.retainedFiles, 'the stream still has the object').toBe(0)
  deleteConfigMap()
  await untilWritten()
  expect([...branch.files.keys()]).not.toContain(path)
})

test('an object of a namespace that lost its labels is not watched: its file is kept', async () => {
  namespaces.label({})
  await compare('2')
  namespaces.delete()
  deleteConfigMap()
  await untilWritten()
  expect([...branch.files.keys()]).toContain(path)
  expect(mirrors.state(key)?.retainedFiles).toBe(1)
})
