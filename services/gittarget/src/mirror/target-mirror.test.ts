import { type BranchWorker, type ChangeSet, type Confirmation, GitError } from '@agents/git'
import type { KubeObject } from '@agents/kube'
import { createLogger } from '@agents/log'
import { describe, expect, test } from 'vitest'
import { settled, stoppedClock } from '../testing/stopped-clock.ts'
import type { ObjectChange } from './authors/change-authors.ts'
import { DeletionJournal } from './deletions/deletion-journal.ts'
import type { MirrorSettings } from './mirror-settings.ts'
import type { StreamListener } from './stream/stream.ts'
import type { StreamPool } from './stream/stream-pool.ts'
import { TargetMirror } from './target-mirror.ts'

const type = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
}

const settings: MirrorSettings = {
  selections: [
    {
      rule: 'team/rule',
      type,
      namespace: 'team',
      operations: new Set(['CREATE', 'UPDATE', 'DELETE']),
      includesStatus: false,
      covers: () => true,
      selects: () => true,
    },
  ],
  rules: new Map([['team/rule', { uid: 'u', generation: 1 }]]),
  missing: [],
  encryption: undefined,
  prune: { mode: 'OnEvent', maxDeleteFraction: 0.5 },
  confirmed: undefined,
  ignoresFields: false,
  onDrift: 'Correct',
  driftCheckMs: 300_000,
  suspend: false,
  messageTemplate: undefined,
  attributesChanges: true,
  commitWindowMs: 1_000,
  maxWindowMs: 10_000,
  revision: '1',
}

function someChange(name: string, manager?: string): ObjectChange {
  return {
    object: { group: '', resource: 'configmaps', namespace: 'team', name },
    effect: 'update',
    write: manager === undefined ? undefined : { manager, time: '', subresources: [''] },
    resourceVersion: undefined,
    previousVersion: undefined,
    seenMs: 0,
  }
}

function configMap(name: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'team', name },
  }
}

/**
 * A mirror of an empty folder, with objects that the test creates and a branch whose responses the test determines.
 */
async function mirrorOf(answer: (set: ChangeSet) => Promise<Confirmation>) {
  const clock = stoppedClock()
  const objects = new Map<string, KubeObject>()
  const sets: ChangeSet[] = []
  let listener: StreamListener | undefined
  let checkCount = 0
  let retries = 0
  const stream = {
    objects: () => [...objects.values()],
    get: ({ name }: { name: string }) => objects.get(name),
    state: { kind: 'live' },
    hasSynced: true,
  }
  const pool = {
    acquire: (_type: unknown, _namespace: unknown, given: StreamListener) => {
      listener = given
      return { key: 'configmaps', stream, release: () => undefined }
    },
  } as unknown as StreamPool
  const worker = {
    list: async () => ({ commit: undefined, files: new Map() }),
    read: async () => new Map(),
    apply: (set: ChangeSet) => {
      sets.push(set)
      return answer(set)
    },
    refresh: async () => {
      checkCount += 1
    },
    retryNow: () => {
      retries += 1
    },
    state: { lastError: new GitError('rejected', 'a hook says no') },
  } as unknown as BranchWorker
  const log = createLogger({ level: 'error', sink: { write: () => true } })
  const mirror = new TargetMirror(
    {
      target: 'team/mirror',
      branch: 'main',
      folder: 'cluster',
      pool,
      clock,
      log,
      deletions: new DeletionJournal({ file: undefined, owner: '', fallback: [], log }),
      onChange: () => undefined,
    },
    settings,
  )
  await mirror.start({
    name: 'repository',
    uid: async () => 'uid',
    foreignChanges: 0,
    worker: async () => worker,
    update: async () => undefined,
    release: async () => undefined,
  })
  await settled()
  return {
    clock,
    mirror,
    sets,
    checkCount: () => checkCount,
    retries: () => retries,
    make: (name: string, manager?: string) => {
      objects.set(name, configMap(name))
      listener?.onObject({ namespace: 'team', name }, undefined, someChange(name, manager))
    },
    remove: (name: string) => {
      objects.delete(name)
      listener?.onObject({ namespace: 'team', name }, configMap(name), {
        ...someChange(name),
        effect: 'delete',
      })
    },
  }
}

async function written({ changes }: ChangeSet): Promise<Confirmation> {
  return {
    commit: 'c1',
    written: true,
    changed: [...changes.keys()],
    refused: [],
  }
}

describe('a file whose path is blocked', () => {
  const because = 'a symbolic link exists at this path'
  const path = (name: string): string => `cluster/team/core/configmaps/${name}.yaml`
  const refusing =
    (...names: string[]) =>
    async (set: ChangeSet): Promise<Confirmation> => {
      const all = await written(set)
      const blockedPaths = (file: string): boolean => names.map(path).includes(file)
      return {
        ...all,
        changed: all.changed.filter((file) => !blockedPaths(file)),
        refused: all.changed.filter(blockedPaths).map((file) => ({ path: file, because })),
      }
    }
  const failure = { kind: 'failed', isStuck: true }

  test('is reported as long as it is missing, whatever else is written', async () => {
    const { mirror, make, clock, sets } = await mirrorOf(refusing('a'))
    expect(mirror.state.snapshot).toMatchObject({ kind: 'completed' })
    make('a')
    await clock.pass(1_000)
    const message = expect.stringContaining(`${path('a')} cannot be written: ${because}`)
    expect(mirror.state).toMatchObject({ snapshot: { ...failure, message } })
    make('b')
    await clock.pass(1_000)
    expect(sets.at(-1)?.changes.has(path('b'))).toBe(true)
    expect(mirror.state).toMatchObject({
      snapshot: { ...failure, message },
      push: { lastError: message },
    })
  })

  test('is no longer reported if no rule selects it', async () => {
    const { mirror, make, remove, clock } = await mirrorOf(refusing('a'))
    make('a')
    make('b')
    await clock.pass(1_000)
    expect(mirror.state.snapshot).toMatchObject(failure)
    await mirror.configure({ ...settings, selections: [], revision: '2' }, 'uid')
    remove('a')
    await clock.pass(1_000)
    expect(mirror.state.snapshot).toMatchObject({ kind: 'completed' })
    expect(mirror.state.push.lastError).toBeUndefined()
  })

  test('is no longer reported after its object was deleted', async () => {
    const { mirror, make, remove, clock, sets } = await mirrorOf((set) =>
      sets.length <= 2 ? refusing('a')(set) : written(set),
    )
    make('a')
    await clock.pass(1_000)
    expect(mirror.state.snapshot).toMatchObject(failure)
    remove('a')
    await clock.pass(1_000)
    expect(mirror.state.snapshot).toMatchObject({ kind: 'completed' })
    expect(mirror.state.push.lastError).toBeUndefined()
  })

  test('is deleted with its object, although it could not be changed', async () => {
    const { make, remove, clock, sets } = await mirrorOf((set) =>
      sets.length === 3 ? refusing('a')(set) : written(set),
    )
    for (const change of [make, make, remove]) {
      change('a')
      await clock.pass(1_000)
    }
    expect(sets.map(({ changes }) => changes.has(path('a')))).toEqual([false, true, true, true])
  })

  test('is rechecked at once and then periodically', async () => {
    const { mirror, make, clock, checkCount, sets } = await mirrorOf(refusing('a'))
    make('a')
    await clock.pass(1_000)
    expect(checkCount()).toBe(1)
    await clock.pass(59_000)
    expect(checkCount()).toBe(1)
    await clock.pass(1_000)
    expect(checkCount()).toBe(2)
    const before = sets.length
    mirror.compareAgain()
    await settled()
    expect(sets[before]?.changes.has(path('a'))).toBe(true)
  })
})

describe('the authors of a window', () => {
  const authorOf = (set: ChangeSet | undefined): string | undefined => set?.author?.name
  const messageOf = (set: ChangeSet | undefined): string | undefined =>
    set?.message([...set.changes.keys()], { created: new Set(), deleted: new Set() })

  test('each have a commit; who changed a file last has it, and names the others', async () => {
    const { make, clock, sets } = await mirrorOf(written)
    make('a', 'developer')
    make('b', 'maintainer')
    make('a', 'deputy')
    make('a', 'developer')
    await clock.pass(1_000)
    const [, first, second, ...others] = sets
    expect(others).toEqual([])
    expect(authorOf(first)).toBe('developer (field manager)')
    expect([...(first?.changes.keys() ?? [])]).toEqual(['cluster/team/core/configmaps/a.yaml'])
    expect(messageOf(first)).toBe(
      'Update team/core/configmaps/a\n\nCo-authored-by: deputy (field manager) <deputy@manager.agents.invalid>',
    )
    expect(authorOf(second)).toBe('maintainer (field manager)')
    expect(messageOf(second)).toBe('Update team/core/configmaps/b')
  })

  test('do not include who changed an object that somebody unknown deleted', async () => {
    const { make, remove, clock, sets } = await mirrorOf(written)
    make('a', 'developer')
    await clock.pass(1_000)
    make('a', 'maintainer')
    remove('a')
    await clock.pass(1_000)
    expect(sets.map(authorOf)).toEqual([undefined, 'developer (field manager)', undefined])
    expect(messageOf(sets[2])).toContain('Co-authored-by: maintainer ')
  })

  test('are kept if the attempt fails, and are not repeated if it succeeds', async () => {
    const { make, clock, sets } = await mirrorOf((set) =>
      sets.length === 2 ? Promise.reject(new Error('no disk')) : written(set),
    )
    make('a', 'developer')
    await clock.pass(1_000)
    await clock.pass(60_000)
    make('a', 'maintainer')
    await clock.pass(1_000)
    const own = sets.filter(({ changes }) =>
      [...changes.keys()].some((path) => /a.yaml/.test(path)),
    )
    expect(own.map(authorOf)).toEqual([
      'developer (field manager)',
      'developer (field manager)',
      'maintainer (field manager)',
    ])
    expect(messageOf(own[2])).not.toContain('developer')
  })

  test('are ignored if the provider sets the committer as author', async () => {
    const { mirror, make, clock, sets } = await mirrorOf(written)
    await mirror.configure({ ...settings, attributesChanges: false }, 'uid')
    make('a', 'developer')
    await clock.pass(1_000)
    expect(sets.map(authorOf)).toEqual([undefined, undefined])
  })
})

describe('while nothing can be pushed', () => {
  const away = (): Promise<Confirmation> => new Promise(() => undefined)

  test('short-lived objects do not accumulate, and each remaining change waits once', async () => {
    let isAway = false
    const { mirror, make, remove, clock } = await mirrorOf((set) =>
      isAway ? away() : written(set),
    )
    make('kept')
    await clock.pass(1_000)
    isAway = true
    make('pushing')
    await clock.pass(1_000)
    for (let round = 0; round < 1_000; round += 1) {
      make(`short-lived-${round}`)
      remove(`short-lived-${round}`)
      make('busy')
    }
    // A running push may have succeeded, and written files exist: both have to be deleted.
    remove('pushing')
    remove('kept')
    expect(mirror.state.waiting).toBe(['pushing under way', 'busy', 'pushing', 'kept'].length)
  })

  test('the error is reported, also if only the README has to be pushed', async () => {
    const { mirror } = await mirrorOf(away)
    expect(mirror.state.snapshot).toEqual({ kind: 'running' })
    await mirror.workerState()
    const message = expect.stringContaining('a hook says no')
    expect(mirror.state.snapshot).toEqual({ kind: 'failed', message, isStuck: true })
  })

  test('a new template is tried at once, also for changes that were rejected with the old one', async () => {
    const { mirror, sets, retries } = await mirrorOf(away)
    const message = () =>
      sets[0]?.message(['cluster/README.md'], { created: new Set(), deleted: new Set() })
    expect(message()).toBe('Update README.md')
    await mirror.configure({ ...settings, messageTemplate: 'T-1: {{ summary }}' }, 'uid')
    expect(message()).toBe('T-1: Update README.md')
    expect(retries()).toBe(1)
    await mirror.configure({ ...settings, messageTemplate: 'T-1: {{ summary }}' }, 'uid')
    expect(retries()).toBe(1)
  })

  test('a suspension holds back pending changes, reports their number, and keeps them for later', async () => {
    const results: PromiseWithResolvers<Confirmation>[] = []
    const { mirror, make, remove, clock, sets } = await mirrorOf((set) => {
      if (sets.length < 3) return written(set)
      results.push(Promise.withResolvers())
      return results.at(-1)?.promise ?? away()
    })
    make('kept')
    await clock.pass(1_000)
    remove('kept')
    await clock.pass(1_000)
    const [, , pushing] = sets
    const file = 'cluster/team/core/configmaps/kept.yaml'
    const madeOf = async (text: string): Promise<string | undefined> => {
      const change = pushing?.changes.get(file)
      if (change === undefined || change === null || !('from' in change)) throw new TypeError(file)
      return (await change.from(Buffer.from(text)))?.toString()
    }
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kept\n  namespace: team\n'
    expect(await madeOf(text), 'its object is gone').toBeUndefined()

    await mirror.configure({ ...settings, suspend: true, revision: '2' }, 'uid')
    expect(await madeOf(text), 'nothing is written while it is suspended').toBe(text)
    results[0]?.resolve({ commit: 'c2', written: false, changed: [], refused: [] })
    make('new')
    await clock.pass(60_000)
    expect(mirror.state.push).toMatchObject({ pendingChanges: 2, lastError: undefined })
    for (let round = 0; round < 100; round += 1) {
      make(`short-lived-${round}`)
      remove(`short-lived-${round}`)
    }
    expect(mirror.state.waiting).toBe(2)

    await mirror.configure({ ...settings, revision: '3' }, 'uid')
    await settled()
    expect(sets).toHaveLength(4)
    expect(await madeOf(text), 'it is still to be deleted').toBeUndefined()
  })

  test('a deletion of an unknown object is kept, because the folder may contain its file', async () => {
    const { mirror, make, remove } = await mirrorOf(away)
    make('a')
    remove('a')
    expect(mirror.state.waiting).toBe(1)
  })
})
