import type { WatchRule } from '@agents/gittarget-api'
import { describe, expect, test } from 'vitest'
import type { MirrorState } from '../../mirror/mirror-state.ts'
import type { Selection } from '../../mirror/selection/selection.ts'
import type { StreamReport } from '../../mirror/stream/watched-streams.ts'
import { mirrorState } from '../../testing/mirror-state.ts'
import type { ResolvedRule } from '../resolved-rule.ts'
import { streamsLive } from './streams-live.ts'

const id = 'team/rule'

function selectionOf(resource: string): Selection {
  return {
    rule: id,
    type: { group: '', version: 'v1', resource, kind: resource, namespaced: true },
    namespace: 'team',
    operations: new Set(['CREATE', 'UPDATE', 'DELETE']),
    includesStatus: false,
    covers: () => true,
    selects: () => true,
  }
}

function streamOf(resource: string, kind: 'live' | 'listing' = 'live'): StreamReport {
  return { resource, rules: [id], state: { kind } }
}

const forbidden: StreamReport = {
  resource: 'secrets',
  rules: [id],
  state: { kind: 'forbidden', message: 'secrets may not be read' },
}

/** The verdict on generation 2 of a rule, whose target has a mirror in this state. */
async function verdictOf(resources: readonly string[], mirror: MirrorState | undefined) {
  const resolved: ResolvedRule = {
    id,
    version: { uid: 'u', generation: 2 },
    selected: { selections: resources.map(selectionOf), problems: [] },
    mirror,
  }
  const gate = streamsLive<WatchRule>({
    mirrors: { until: async () => mirror },
    resolve: () => resolved,
    targetKeyOf: () => 'team/mirror',
  })
  const { signal } = new AbortController()
  const verdict = await gate.check({} as WatchRule, {}, { now: new Date(0), signal })
  return { ...verdict, streams: verdict.detail?.streams }
}

function rulesAt(generation: number, uid = 'u'): MirrorState['rules'] {
  return new Map([[id, { uid, generation }]])
}

const waiting = { kind: 'wait', reason: 'InitialSync' }

describe('StreamsLive', () => {
  test('passes when all streams of the current rule are live', async () => {
    const streams = [streamOf('configmaps'), streamOf('deployments')]
    const mirror = mirrorState({ rules: rulesAt(2), streams })
    expect(await verdictOf(['configmaps', 'deployments'], mirror)).toMatchObject({
      kind: 'pass',
      message: '2 watch streams are live',
      streams: { summary: '2/2' },
    })
  })

  test('waits while the target has only the streams of the previous rule', async () => {
    const mirror = mirrorState({ rules: rulesAt(1), streams: [streamOf('configmaps')] })
    expect(await verdictOf(['configmaps', 'deployments'], mirror)).toMatchObject({
      ...waiting,
      message: 'the GitTarget has not opened the streams of the current rule yet',
      streams: { summary: '1/2', total: 2, live: 1 },
    })
  })

  test('waits for the target also if the change needs no other stream, such as that of a selector', async () => {
    const streams = [streamOf('configmaps')]
    const verdict = await verdictOf(['configmaps'], mirrorState({ rules: rulesAt(1), streams }))
    expect(verdict).toMatchObject(waiting)
  })

  test('waits for the target after the rule was deleted and created again', async () => {
    const streams = [streamOf('configmaps')]
    const rules = rulesAt(2, 'earlier')
    expect(await verdictOf(['configmaps'], mirrorState({ rules, streams }))).toMatchObject(waiting)
  })

  test('waits for a resource that the server has begun to serve', async () => {
    const mirror = mirrorState({ rules: rulesAt(2), streams: [streamOf('configmaps')] })
    expect(await verdictOf(['configmaps', 'gadgets'], mirror)).toMatchObject(waiting)
  })

  test('waits while a stream lists, and while the objects are compared', async () => {
    const streams = [streamOf('configmaps'), streamOf('deployments', 'listing')]
    const listing = mirrorState({ rules: rulesAt(2), streams })
    expect(await verdictOf(['configmaps', 'deployments'], listing)).toMatchObject({
      ...waiting,
      streams: { summary: '1/2' },
    })
    const syncing = mirrorState({
      rules: rulesAt(2),
      streams: [streamOf('configmaps')],
      isSyncing: true,
    })
    expect(await verdictOf(['configmaps'], syncing)).toMatchObject(waiting)
  })

  test('does not report a stream that the rule has given up', async () => {
    const streams = [streamOf('configmaps'), forbidden]
    const given = mirrorState({ rules: rulesAt(1), streams })
    const verdict = await verdictOf(['configmaps'], given)
    expect(verdict).toMatchObject(waiting)
    expect(verdict.streams).toEqual({ summary: '1/1', total: 1, live: 1 })
  })

  test('reports a stream of the current rule that cannot be opened', async () => {
    const streams = [streamOf('configmaps'), forbidden]
    const mirror = mirrorState({ rules: rulesAt(2), streams })
    expect(await verdictOf(['configmaps', 'secrets'], mirror)).toMatchObject({
      kind: 'wait',
      reason: 'Forbidden',
      streams: { summary: '1/2', blocked: [{ resource: 'secrets' }] },
    })
  })

  test('waits for the mirror of the target', async () => {
    const verdict = await verdictOf(['configmaps'], undefined)
    expect(verdict).toMatchObject({ kind: 'wait', reason: 'TargetNotReady' })
  })
})
