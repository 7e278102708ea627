import type { ResourceCache } from '@agents/controller'
import { type OrchestrationRun, orchestrationRun } from '@agents/jangar-api'
import { formatKey, type KubeObject, kindRef, type OwnerReference } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { budgetOf, namespace, runOf, startBook } from '../../budgets/testing/test-book.ts'
import { treeStopper } from './stop-trees.ts'

const apiVersion = 'orchestration.proompteng.ai/v1alpha1'

function refTo(name: string, other: Partial<OwnerReference> = {}): OwnerReference {
  const kind = 'OrchestrationRun'
  return { apiVersion, kind, name, uid: `uid-${name}`, controller: true, ...other }
}

function treeOf(name: string, ownerReferences: OwnerReference[] = []): OrchestrationRun {
  const metadata = { name, namespace, uid: `uid-${name}`, ownerReferences }
  return { apiVersion, kind: 'OrchestrationRun', metadata, spec: {} } as never
}

/** An AgentRun below these owners. */
function owned(run: KubeObject, ...ownerReferences: OwnerReference[]) {
  return { ...run, metadata: { ...run.metadata, ownerReferences } } as ReturnType<typeof runOf>
}

const active = {
  conditions: [{ type: 'Admitted', status: 'True' }],
  usage: { totalTokens: 200 },
}

function stopped(finishedAt = '2026-03-29T11:00:00Z') {
  const conditions = [
    { type: 'Admitted', status: 'True' },
    { type: 'Finished', status: 'True', reason: 'BudgetExceeded' },
  ]
  return { conditions, finishedAt, usage: { totalTokens: 0 } }
}

/** The OrchestrationRuns that an exceeded Budget of agent `coder` cancels. */
async function cancelled(
  runs: readonly ReturnType<typeof runOf>[],
  trees: readonly OrchestrationRun[],
): Promise<string[]> {
  const books = startBook()
  const limits = { tokens: '100' }
  const scope = { agentRef: { name: 'coder' } }
  const budget = budgetOf('limit', { limits, scope, window: 'day', onExceeded: 'Stop' })
  books.budgets.put(budget)
  // The Budget is exceeded by a run that belongs to no tree.
  books.runs.put(runOf('spender', active))
  for (const run of runs) books.runs.put(run)
  const book = books.open()
  const patched: string[] = []
  const none = { get: () => undefined, list: () => [] } as unknown as ResourceCache
  const stop = treeStopper({
    client: {
      patch: (_kind, { name }) => {
        patched.push(name)
        return Promise.resolve({} as never)
      },
    },
    book,
    events: { record: () => undefined } as never,
    caches: {
      agentRuns: books.runs.cache,
      toolRuns: none,
      orchestrationRuns: {
        kind: kindRef<OrchestrationRun>(orchestrationRun),
        get: (key: string) => trees.find(({ metadata }) => formatKey(metadata) === key),
      } as unknown as ResourceCache<OrchestrationRun>,
    },
  })
  const entry = book.entryOf(budget)
  if (entry === undefined) throw new Error('the Budget has no account')
  expect(entry.exceeded(true)).toBe('tokens')
  await stop(entry, new AbortController().signal)
  return patched
}

describe('a Budget that is exceeded cancels', () => {
  test('the top of the tree that an active run belongs to', async () => {
    const trees = [treeOf('top'), treeOf('below', [refTo('top')])]
    expect(await cancelled([owned(runOf('leaf', active), refTo('below'))], trees)).toEqual(['top'])
  })

  test('the tree of a run that it stopped before', async () => {
    const leaf = owned(runOf('leaf', stopped()), refTo('top'))
    expect(await cancelled([leaf], [treeOf('top')])).toEqual(['top'])
  })

  test.each<{ because: string; reference: OwnerReference }>([
    {
      because: 'the reference is not that of a controller',
      reference: refTo('victim', { controller: false }),
    },
    { because: 'the reference has another uid', reference: refTo('victim', { uid: 'guessed' }) },
    { because: 'the reference has another name', reference: refTo('other', { uid: 'uid-victim' }) },
    {
      because: 'the kind is of another group',
      reference: refTo('victim', { apiVersion: 'example.com/v1' }),
    },
    {
      because: 'the group only begins with the same text',
      reference: refTo('victim', { apiVersion: 'orchestration.proompteng.ai.example.com/v1' }),
    },
    { because: 'the kind is another', reference: refTo('victim', { kind: 'Orchestration' }) },
  ])('no tree that a run merely claims to belong to: $because', async ({ reference }) => {
    const trees = [treeOf('victim'), treeOf('other')]
    for (const status of [active, stopped()]) {
      expect(await cancelled([owned(runOf('attacker', status), reference)], trees)).toEqual([])
    }
  })

  test('no tree above one that merely claims to belong to it', async () => {
    const trees = [treeOf('victim'), treeOf('own', [refTo('victim', { controller: false })])]
    expect(await cancelled([owned(runOf('leaf', active), refTo('own'))], trees)).toEqual(['own'])
  })

  test('no tree whose runs another Budget stopped', async () => {
    const agentRef = { name: 'reviewer' }
    const leaf = owned(runOf('leaf', stopped(), { agentRef }), refTo('top'))
    expect(await cancelled([leaf], [treeOf('top')])).toEqual([])
  })

  test('no tree whose runs were stopped in an earlier window', async () => {
    const leaf = owned(runOf('leaf', stopped('2026-03-27T11:00:00Z')), refTo('top'))
    expect(await cancelled([leaf], [treeOf('top')])).toEqual([])
  })

  test('nothing in a cycle of owners, which has no top', async () => {
    const trees = [treeOf('a', [refTo('b')]), treeOf('b', [refTo('a')])]
    expect(await cancelled([owned(runOf('leaf', active), refTo('a'))], trees)).toEqual([])
  })
})
