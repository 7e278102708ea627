import type { ReconcileContext } from '@agents/controller'
import {
  type ImplementationSource,
  type ImplementationSpec,
  implementationSource,
  implementationSpec,
} from '@agents/jangar-api'
import { type KindRef, KubeError, kindRef, type ObjectKey } from '@agents/kube'
import { silentLogger } from '@agents/log'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { specName } from '../../../services/jangar/src/server/agents-controller/implementation-source/import/imported-spec.ts'
import { synchronizer } from '../../../services/jangar/src/server/agents-controller/implementation-source/sync/sync-part.ts'
import {
  type LinearService,
  type StubIssue,
  startLinearService,
} from '../../support/forge-api/linear-service.ts'

const key = 'lin_api_test'
const { signal } = new AbortController()
const startMs = Date.UTC(2026, 10, 17)
const minuteMs = 60_000

let linear: LinearService
let source: ImplementationSource
let specs: Map<string, ImplementationSpec>
let reconcile: ReturnType<typeof synchronizer>

beforeEach(async () => {
  linear = await startLinearService(key)
  specs = new Map()
  source = {
    metadata: { namespace: 'agents', name: 'listed', uid: 'u', generation: 1 },
    spec: {
      ...{ provider: 'linear', apiBaseUrl: linear.url, sync: { intervalSeconds: 600 } },
      ...{ auth: { apiKeySecretRef: { name: 'key' } }, scope: { team: 'ENG' } },
    },
  } as unknown as ImplementationSource
  const client = {
    get: async ({ kind }: KindRef, { name }: ObjectKey) => {
      if (kind === 'Secret') return { data: { apiKey: Buffer.from(key).toString('base64') } }
      const found = specs.get(name)
      if (found === undefined) throw new KubeError('none', { code: 404, reason: 'NotFound' })
      return found
    },
    create: async (_kind: KindRef, spec: ImplementationSpec) =>
      specs.set(spec.metadata.name ?? '', spec),
    update: async (_kind: KindRef, { status }: ImplementationSource) => ({ ...source, status }),
  }
  reconcile = synchronizer({
    client,
    caches: {
      secrets: { get: () => undefined },
      implementationSources: { kind: kindRef(implementationSource) },
      implementationSpecs: {
        kind: kindRef(implementationSpec),
        list: () => [...specs.values()],
      },
    },
    config: { agents: { admission: { blockedSecrets: [], platformSecrets: [] } }, runner: {} },
    isPlatformAccount: () => false,
  } as unknown as Parameters<typeof synchronizer>[0])
})
afterEach(() => linear.close())

function issue(number: number): StubIssue {
  const at = new Date(startMs - 86_400_000 + number).toISOString()
  return {
    ...{ identifier: `ENG-${number}`, previousIdentifiers: [], title: `Issue ${number}` },
    ...{ description: 'x', url: `https://linear.app/example/issue/ENG-${number}` },
    ...{ createdAt: at, updatedAt: at, archivedAt: null, trashed: null, project: null },
    ...{ team: { key: 'ENG' }, state: { type: 'unstarted' }, labels: { nodes: [] } },
  }
}

/** What happens so long after the start: the requests to Linear, and what the source says then. */
async function after(minutes: number) {
  const { length } = linear.requests
  const context = {
    ...{ now: new Date(startMs + minutes * minuteMs), signal, log: silentLogger },
    remember: (written: ImplementationSource) => {
      source = written
    },
  }
  const result = await reconcile(source, context as ReconcileContext<ImplementationSource>)
  const lists = linear.requests.slice(length).map(({ variables }) => {
    return variables.filter !== undefined && 'updatedAt' in variables.filter ? 'changes' : 'full'
  })
  return { lists, error: source.status?.lastSync?.error, result }
}

test('an issue that cannot be imported is reported and tried again, and no reason to list more', async () => {
  linear.issues.push(issue(1), issue(2))
  const name = specName(source, { externalId: 'ENG-2' })
  const foreign = { metadata: { namespace: 'agents', name }, spec: { text: 'x' } }
  specs.set(name, foreign as ImplementationSpec)
  const problem = `ImplementationSpec ${name} exists and was not imported by this source`
  expect(await after(0)).toMatchObject({ lists: ['full'], error: problem })
  expect(await after(1)).toEqual({
    ...{ lists: [], error: problem, result: { recheckAfterMs: 9 * minuteMs } },
  })
  expect(await after(10)).toMatchObject({ lists: ['changes'], error: problem })
  expect(await after(20)).toMatchObject({ lists: ['changes'], error: problem })
  specs.delete(name)
  expect(await after(30)).toMatchObject({ lists: ['changes'], error: undefined })
  expect(specs.get(name)?.spec.summary).toBe('Issue 2')
})

test('a list that fails is repeated soon, and in full', async () => {
  linear.issues.push(issue(1))
  expect(await after(0)).toMatchObject({ lists: ['full'], error: undefined })
  linear.answer(403, {})
  expect((await after(10)).error).toBeDefined()
  expect(await after(11)).toMatchObject({ lists: ['full'], error: undefined })
  expect((await after(12)).lists).toEqual([])
})
