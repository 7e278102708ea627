import { type BranchWorker, type ChangeSet, objectId } from '@agents/git'
import type { KubeObject } from '@agents/kube'
import { createLogger } from '@agents/log'
import { describe, expect, test } from 'vitest'
import { identityKey } from '../../document/identity.ts'
import { sanitize } from '../../document/sanitize.ts'
import { writeManifest } from '../../document/write-manifest.ts'
import { stoppedClock } from '../../testing/stopped-clock.ts'
import { ChangeAuthors } from '../authors/change-authors.ts'
import { DeletionJournal } from '../deletions/deletion-journal.ts'
import type { StreamState } from '../stream/stream.ts'
import type { WatchedStreams, WatchedType } from '../stream/watched-streams.ts'
import { ChangedObjects } from './changed-objects.ts'
import { MirroredFolder } from './mirrored-folder.ts'

const identity = { group: '', kind: 'ConfigMap', namespace: 'team', name: 'a' }
const path = 'cluster/team/core/configmaps/a.yaml'
const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'team', name: 'a' },
} as KubeObject

interface Scene {
  /** Objects of the stream; undefined if no rule watches ConfigMaps. */
  objects: readonly KubeObject[] | undefined
  state: StreamState
  mode: 'Never' | 'OnEvent'
  isResourceMissing: boolean
}

/** A folder with the file of a ConfigMap whose deletion an earlier process saw. */
function folderAfterRestart(given: Partial<Scene>) {
  const live: StreamState = { kind: 'live' }
  const scene: Scene = {
    ...{ objects: [], state: live, mode: 'OnEvent', isResourceMissing: false },
    ...given,
  }
  const log = createLogger({ level: 'error', sink: { write: () => true } })
  const deletions = new DeletionJournal({ file: undefined, owner: '', fallback: [], log })
  deletions.add(identityKey(identity), identity)
  const watched = { list: () => typesOf(scene), markSeen: () => typesOf(scene) }
  const folder = new MirroredFolder({
    ...{ target: 'team/mirror', branch: 'main', folder: 'cluster', log, deletions },
    clock: stoppedClock(),
    watched: watched as unknown as WatchedStreams,
    changed: new ChangedObjects(),
    authors: new ChangeAuthors(undefined),
    settings: () => ({
      encryption: undefined,
      prune: { mode: scene.mode, maxDeleteFraction: 1 },
      confirmed: undefined,
      ignoresFields: false,
      onDrift: 'Correct',
      suspend: false,
      messageTemplate: undefined,
      attributesChanges: false,
    }),
    isResourceMissing: () => scene.isResourceMissing,
    hasMovedBefore: () => false,
  })
  const compare = async (): Promise<boolean> => {
    let isDeleted = false
    const text = Buffer.from(writeManifest(sanitize(object)))
    const oid = objectId('blob', text)
    const worker = {
      list: async () => ({ commit: 'tip', files: new Map([[path, { kind: 'file', oid }]]) }),
      sizes: async () => new Map([[oid, text.length]]),
      read: async () => new Map([[oid, text]]),
      apply: async ({ changes }: ChangeSet) => {
        const change = changes.get(path)
        if (change && 'from' in change) isDeleted = (await change.from(text)) === null
        return { commit: 'next', written: isDeleted, changed: [], refused: [] }
      },
    } as unknown as BranchWorker
    await folder.compare(worker, {
      batch: new Map(),
      isForeign: () => false,
      compared: () => undefined,
    })
    return isDeleted
  }
  return { scene, folder, deletions, compare }
}

function typesOf({ objects, state }: Scene): WatchedType[] {
  if (objects === undefined) return []
  const type = {
    ...{ group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap' },
    namespaced: true,
  }
  const stream = {
    ...{ state, hasSynced: state.kind === 'live' },
    objects: () => [...objects],
    get: () => objects[0],
  }
  const selection = {
    ...{ rule: 'team/rule', type, namespace: 'team' },
    operations: new Set(['CREATE', 'UPDATE', 'DELETE'] as const),
    covers: () => true,
    selects: () => true,
    includesStatus: false,
  }
  return [{ type, stream, selections: [selection] }]
}

describe('a deletion that an earlier process saw', () => {
  test('deletes the file once, if a live stream does not have the object', async () => {
    const { compare, deletions, folder } = folderAfterRestart({})
    expect(await compare()).toBe(true)
    expect(deletions.entries.size).toBe(0)
    expect(folder.retainedFiles).toBe(0)
    expect(await compare(), 'a person put the file back').toBe(false)
    expect(folder.retainedFiles).toBe(1)
  })

  test('keeps the file if the object was recreated', async () => {
    const { compare, deletions } = folderAfterRestart({ objects: [object] })
    expect(await compare()).toBe(false)
    expect(deletions.entries.size).toBe(0)
  })

  test('waits for a stream that is not live', async () => {
    const state: StreamState = { kind: 'forbidden', message: 'not allowed' }
    const { scene, compare, deletions } = folderAfterRestart({ state })
    expect(await compare()).toBe(false)
    expect(deletions.entries.size).toBe(1)
    scene.state = { kind: 'live' }
    expect(await compare()).toBe(true)
  })

  test('waits while the kind is not served', async () => {
    const { scene, compare, deletions } = folderAfterRestart({
      objects: undefined,
      isResourceMissing: true,
    })
    expect(await compare()).toBe(false)
    expect(deletions.entries.size).toBe(1)
    scene.objects = [object]
    scene.isResourceMissing = false
    expect(await compare(), 'the object exists').toBe(false)
    expect(deletions.entries.size).toBe(0)
  })

  test('deletes the file although the rule was removed since', async () => {
    const { compare } = folderAfterRestart({ objects: undefined })
    expect(await compare()).toBe(true)
  })

  test('keeps the file if prune.mode is Never, and counts it', async () => {
    const { compare, deletions, folder } = folderAfterRestart({ mode: 'Never' })
    expect(await compare()).toBe(false)
    expect(deletions.entries.size).toBe(0)
    expect(folder.retainedFiles).toBe(1)
  })
})
