import { type KnowingChange, objectId } from '@agents/git'
import type { KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { identityKey } from '../document/identity.ts'
import { sanitize } from '../document/sanitize.ts'
import { writeManifest } from '../document/write-manifest.ts'
import type { WatchedType } from './desired-state.ts'
import { ManifestWriter } from './manifest-writer.ts'
import type { Operation } from './selection.ts'

const identity = { group: '', kind: 'ConfigMap', namespace: 'team', name: 'a' }
const key = identityKey(identity)
const path = 'cluster/team/core/configmaps/a.yaml'

const configMap = (value: string): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'team', name: 'a' },
    data: { key: value },
  }) as KubeObject

const textOf = (object: KubeObject): Buffer => Buffer.from(writeManifest(sanitize(object)))

interface Scene {
  object: KubeObject | undefined
  operations: Operation[]
  prune: 'Never' | 'OnEvent'
  /** Not known to be in the folder. */
  isNew?: boolean
}

const writerOf = (scene: Scene, missed: string[] = []): ManifestWriter => {
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
          operations: new Set(scene.operations),
          covers: () => true,
          chooses: () => true,
        },
      ],
    },
  ]
  return new ManifestWriter({
    clock: { now: () => new Date(0) },
    watched,
    settings: () => ({
      encryption: undefined,
      prune: { mode: scene.prune, maxDeleteFraction: 0.5 },
    }),
    isLocated: () => scene.isNew !== true,
    isGone: () => false,
    missed: ({ name }) => missed.push(name),
  })
}

const changeBy = (writer: ManifestWriter): KnowingChange => {
  const change = writer.changes([{ identity, path }]).get(path)
  if (change === undefined || change === null || !('knows' in change)) throw new Error('no change')
  return change
}

describe('a file that the mirror knows', () => {
  const before = textOf(configMap('before'))
  const known = objectId('blob', before)
  const all: Operation[] = ['CREATE', 'UPDATE', 'DELETE']

  test('is known by its name after a comparison, and no other is', () => {
    const writer = writerOf({ object: configMap('after'), operations: all, prune: 'OnEvent' })
    expect(changeBy(writer).knows(known)).toBe(false)
    writer.know(new Map([[key, known]]))
    expect(changeBy(writer).knows(known)).toBe(true)
    expect(changeBy(writer).knows(objectId('blob', Buffer.from('edited')))).toBe(false)
  })

  test('is known after it was written', async () => {
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
      because: 'no rule wants its updates',
      object: configMap('after'),
      operations: ['CREATE', 'DELETE'],
      prune: 'OnEvent',
      becomes: undefined,
    },
    {
      because: 'it is gone',
      object: undefined,
      operations: all,
      prune: 'OnEvent',
      becomes: null,
    },
    {
      because: 'it is gone and nothing may be deleted',
      object: undefined,
      operations: all,
      prune: 'Never',
      becomes: undefined,
    },
    {
      because: 'it is gone and no rule wants to know',
      object: undefined,
      operations: ['CREATE', 'UPDATE'],
      prune: 'OnEvent',
      becomes: undefined,
    },
  ])('becomes what reading it would have made of it: $because', async ({ becomes, ...scene }) => {
    const writer = writerOf(scene)
    writer.know(new Map([[key, known]]))
    expect(await changeBy(writer).fromKnown()).toEqual(becomes)
    const read = await changeBy(writerOf(scene)).from(before)
    expect(read).toEqual(becomes === undefined ? before : becomes)
  })
})

describe('a file that is not what it was', () => {
  const all: Operation[] = ['CREATE', 'UPDATE', 'DELETE']
  const elsewhere = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: b, namespace: team }\n'

  test.each([
    { because: 'somebody removed it', file: undefined },
    { because: 'somebody moved what was in it', file: elsewhere },
    { because: 'somebody broke it', file: 'nonsense: [' },
  ])('stays, and the manifest is looked for: $because', async ({ file }) => {
    const current = file === undefined ? undefined : Buffer.from(file)
    for (const object of [configMap('after'), undefined]) {
      const missed: string[] = []
      const writer = writerOf({ object, operations: all, prune: 'OnEvent' }, missed)
      expect(await changeBy(writer).from(current)).toEqual(current ?? null)
      expect(missed).toEqual(['a'])
    }
  })

  test('is written when it was not known to be there: nothing has been moved', async () => {
    const missed: string[] = []
    const scene: Scene = { object: configMap('after'), operations: all, prune: 'OnEvent' }
    const writer = writerOf({ ...scene, isNew: true }, missed)
    const written = await changeBy(writer).from(Buffer.from(elsewhere))
    expect(written?.toString()).toBe(`${elsewhere}---\n${textOf(configMap('after'))}`)
    expect(missed).toEqual([])
  })
})
