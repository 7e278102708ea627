import { type KnowingChange, objectId } from '@agents/git'
import type { KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { identityKey } from '../../document/identity.ts'
import { sanitize } from '../../document/sanitize.ts'
import { writeManifest } from '../../document/write-manifest.ts'
import type { Operation } from '../selection/selection.ts'
import type { WatchedType } from '../stream/watched-streams.ts'
import { ManifestWriter } from './manifest-writer.ts'

const identity = { group: '', kind: 'ConfigMap', namespace: 'team', name: 'a' }
const key = identityKey(identity)
const path = 'cluster/team/core/configmaps/a.yaml'

function configMap(value: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'team', name: 'a' },
    data: { key: value },
  } as KubeObject
}

function textOf(object: KubeObject): Buffer {
  return Buffer.from(writeManifest(sanitize(object)))
}

interface Scene {
  object: KubeObject | undefined
  operations: Operation[]
  prune: 'Never' | 'OnEvent'
  /** Whether the manifest has no known path in the folder. */
  isNew?: boolean
}

function writerOf(scene: Scene, missed: string[] = []): ManifestWriter {
  const type = {
    group: '',
    version: 'v1',
    resource: 'configmaps',
    kind: 'ConfigMap',
    namespaced: true,
  }
  const watched = (): WatchedType[] => [
    {
      type,
      stream: {
        objects: () => (scene.object ? [scene.object] : []),
        get: () => scene.object,
        state: { kind: 'live' },
        hasSynced: true,
      },
      selections: [
        {
          rule: 'team/rule',
          type,
          namespace: 'team',
          includesStatus: false,
          operations: new Set(scene.operations),
          covers: () => true,
          selects: () => true,
        },
      ],
    },
  ]
  return new ManifestWriter({
    clock: { now: () => new Date(0) },
    watched,
    settings: () => ({
      encryption: undefined,
      ignoresFields: false,
      prune: { mode: scene.prune, maxDeleteFraction: 0.5 },
    }),
    isLocated: () => scene.isNew !== true,
    isImplied: () => false,
    isDeleted: () => false,
    missed: ({ name }) => missed.push(name),
  })
}

function changeBy(writer: ManifestWriter): KnowingChange {
  const change = writer.changes([{ identity, path }]).get(path)
  if (change === undefined || change === null || !('knows' in change)) throw new Error('no change')
  return change
}

describe('a file that the mirror knows', () => {
  const before = textOf(configMap('before'))
  const known = objectId('blob', before)
  const all: Operation[] = ['CREATE', 'UPDATE', 'DELETE']

  test('is recognised by its blob ID after a comparison', () => {
    const writer = writerOf({ object: configMap('after'), operations: all, prune: 'OnEvent' })
    expect(changeBy(writer).knows(known)).toBe(false)
    writer.know(new Map([[key, known]]))
    expect(changeBy(writer).knows(known)).toBe(true)
    expect(changeBy(writer).knows(objectId('blob', Buffer.from('edited')))).toBe(false)
  })

  test('is recognised after it was written', async () => {
    const object = configMap('before')
    const scene: Scene = { object, operations: all, prune: 'OnEvent', isNew: true }
    const writer = writerOf(scene)
    expect(await changeBy(writer).from(undefined)).toEqual(before)
    expect(changeBy(writer).knows(known)).toBe(true)
  })

  test.each<Scene & { because: string; becomes: Buffer | null | undefined }>([
    {
      because: 'it changed',
      object: configMap('after'),
      operations: all,
      prune: 'OnEvent',
      becomes: textOf(configMap('after')),
    },
    {
      because: 'no rule mirrors its updates',
      object: configMap('after'),
      operations: ['CREATE', 'DELETE'],
      prune: 'OnEvent',
      becomes: undefined,
    },
    {
      because: 'it was deleted',
      object: undefined,
      operations: all,
      prune: 'OnEvent',
      becomes: null,
    },
    {
      because: 'it was deleted and files may not be deleted',
      object: undefined,
      operations: all,
      prune: 'Never',
      becomes: undefined,
    },
    {
      because: 'it was deleted and no rule mirrors deletions',
      object: undefined,
      operations: ['CREATE', 'UPDATE'],
      prune: 'OnEvent',
      becomes: undefined,
    },
  ])('gets the same content as if it had been read: $because', async ({ becomes, ...scene }) => {
    const writer = writerOf(scene)
    writer.know(new Map([[key, known]]))
    expect(await changeBy(writer).fromKnown()).toEqual(becomes)
    const read = await changeBy(writerOf(scene)).from(before)
    expect(read).toEqual(becomes === undefined ? before : becomes)
  })
})

describe('a file that was changed in the repository', () => {
  const all: Operation[] = ['CREATE', 'UPDATE', 'DELETE']
  const elsewhere = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: b, namespace: team }\n'

  test.each([
    { because: 'it was removed', file: undefined },
    { because: 'its manifest was moved', file: elsewhere },
    { because: 'it was made invalid', file: 'nonsense: [' },
  ])('is not changed, and the manifest is searched for: $because', async ({ file }) => {
    const current = file === undefined ? undefined : Buffer.from(file)
    for (const object of [configMap('after'), undefined]) {
      const missed: string[] = []
      const writer = writerOf({ object, operations: all, prune: 'OnEvent' }, missed)
      expect(await changeBy(writer).from(current)).toEqual(current ?? null)
      expect(missed).toEqual(['a'])
    }
  })

  test('is written if the manifest had no known path', async () => {
    const missed: string[] = []
    const scene: Scene = { object: configMap('after'), operations: all, prune: 'OnEvent' }
    const writer = writerOf({ ...scene, isNew: true }, missed)
    const written = await changeBy(writer).from(Buffer.from(elsewhere))
    expect(written?.toString()).toBe(`${elsewhere}---\n${textOf(configMap('after'))}`)
    expect(missed).toEqual([])
  })
})

describe('a file that is too large to be read', () => {
  test.each<Omit<Scene, 'prune'> & { because: string; accepts: boolean; misses: string[] }>([
    {
      because: 'an object has to be written there',
      object: configMap('after'),
      operations: ['CREATE'],
      isNew: true,
      accepts: false,
      misses: [],
    },
    {
      because: 'no rule mirrors new objects',
      object: configMap('after'),
      operations: ['UPDATE', 'DELETE'],
      isNew: true,
      accepts: true,
      misses: [],
    },
    {
      because: 'the object was deleted',
      object: undefined,
      operations: ['CREATE', 'UPDATE', 'DELETE'],
      isNew: true,
      accepts: true,
      misses: [],
    },
    {
      because: 'a manifest was there, which is searched for',
      object: configMap('after'),
      operations: ['CREATE', 'UPDATE', 'DELETE'],
      accepts: true,
      misses: ['a'],
    },
  ])('is no obstacle: $accepts, because $because', ({ accepts, misses, ...scene }) => {
    const missed: string[] = []
    const writer = writerOf({ ...scene, prune: 'OnEvent' }, missed)
    expect(changeBy(writer).acceptsLarge?.()).toBe(accepts)
    expect(missed).toEqual(misses)
  })
})
