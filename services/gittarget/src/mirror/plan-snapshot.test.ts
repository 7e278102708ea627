import { objectId } from '@agents/git'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changeFile } from '../document/change-file.ts'
import { identityKey, type ManifestIdentity } from '../document/identity.ts'
import { manifestPath } from '../document/manifest-path.ts'
import { writeManifest } from '../document/write-manifest.ts'
import type { DesiredManifest } from './desired-state.ts'
import { planSnapshot } from './plan-snapshot.ts'

const identityOf = (name: string): ManifestIdentity => ({
  group: '',
  kind: 'ConfigMap',
  namespace: 'team',
  name,
})

const objectOf = (name: string, value: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'team' },
  data: { value },
})

const home = (name: string): string =>
  `cluster/${manifestPath({ group: '', resource: 'configmaps', namespace: 'team', name })}`

const desiredOf = (
  values: Readonly<Record<string, string>>,
  operations: readonly string[] = ['CREATE', 'UPDATE', 'DELETE'],
) =>
  new Map<string, DesiredManifest>(
    Object.entries(values).map(([name, value]) => [
      identityKey(identityOf(name)),
      {
        identity: identityOf(name),
        object: objectOf(name, value),
        isSecret: false,
        path: home(name).slice('cluster/'.length),
        operations: new Set(operations) as DesiredManifest['operations'],
      },
    ]),
  )

const plan = async (
  files: Readonly<Record<string, string>>,
  desired: ReadonlyMap<string, DesiredManifest>,
  options: { sweeps?: boolean; gone?: readonly string[] } = {},
) => {
  const read: string[] = []
  const blobs = new Map(
    Object.values(files).map((text) => [objectId('blob', Buffer.from(text)), Buffer.from(text)]),
  )
  const result = await planSnapshot({
    folder: 'cluster',
    files: new Map(
      Object.entries(files).map(([path, text]) => [
        path,
        { kind: 'file', oid: objectId('blob', Buffer.from(text)) },
      ]),
    ),
    read: async (oids) => {
      read.push(...oids)
      return new Map(
        oids.flatMap((oid) => (blobs.has(oid) ? [[oid, blobs.get(oid) as Buffer]] : [])),
      )
    },
    desired,
    render: async (_path, current, { identity, object }) =>
      changeFile(current, { identity, object }) ?? '',
    isSwept: () => options.sweeps ?? false,
    gone: new Map(
      (options.gone ?? []).map((name) => [identityKey(identityOf(name)), identityOf(name)]),
    ),
  })
  const paths = (placed: readonly { path: string }[]): string[] =>
    placed.map(({ path }) => path).sort()
  return {
    read: read.length,
    created: paths(result.created),
    updated: paths(result.updated),
    deleted: paths(result.deleted),
    swept: paths(result.swept),
  }
}

const text = (name: string, value: string): string => writeManifest(objectOf(name, value))
const nothing = { created: [], updated: [], deleted: [], swept: [] }

describe('planSnapshot', () => {
  test('finds nothing to do, and reads nothing, where all is as it should be', async () => {
    const files = {
      [home('a')]: text('a', '1'),
      [home('b')]: text('b', '1'),
      'cluster/README.md': 'x',
    }
    expect(await plan(files, desiredOf({ a: '1', b: '1' }))).toEqual({ ...nothing, read: 0 })
  })

  test('tells what is missing from what is different', async () => {
    const found = await plan({ [home('a')]: text('a', '1') }, desiredOf({ a: '2', b: '1' }))
    expect(found).toEqual({ ...nothing, created: [home('b')], updated: [home('a')], read: 1 })
  })

  test('sees a moved and commented manifest, and leaves it where it is', async () => {
    const files = { 'cluster/apps/a.yaml': `# mine\n${text('a', '1')}` }
    expect(await plan(files, desiredOf({ a: '1' }))).toMatchObject(nothing)
    expect(await plan(files, desiredOf({ a: '2' }))).toMatchObject({
      ...nothing,
      updated: ['cluster/apps/a.yaml'],
    })
  })

  test.each<[{ sweeps?: boolean; gone?: string[] }, string[], string[], string]>([
    [{ sweeps: true }, [home('old')], [], 'it went away unseen, and everything is swept'],
    [{ sweeps: false }, [], [], 'nothing is swept'],
    [{ gone: ['old'] }, [], [home('old')], 'it was seen to go'],
  ])('with %j sweeps %j and deletes %j, because %s', async (options, swept, deleted) => {
    const files = {
      [home('old')]: text('old', '1'),
      'cluster/by-hand.yaml': text('never-applied', '1'),
    }
    expect(await plan(files, desiredOf({}), options)).toMatchObject({ ...nothing, swept, deleted })
  })

  test.each<[string[], { created: string[]; updated: string[] }, string]>([
    [['UPDATE', 'DELETE'], { created: [], updated: [home('a')] }, 'new ones are not asked for'],
    [['CREATE', 'DELETE'], { created: [home('b')], updated: [] }, 'changes are not asked for'],
  ])('with operations %j does only these', async (operations, expected) => {
    const files = { [home('a')]: text('a', '1') }
    expect(await plan(files, desiredOf({ a: '2', b: '1' }, operations))).toMatchObject(expected)
  })

  test('never sweeps what is not at home, nor what is desired, whatever the folder holds', async () => {
    const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'))
    await fc.assert(
      fc.asyncProperty(names, names, names, async (wanted, atHome, elsewhere) => {
        const files = Object.fromEntries([
          ...atHome.map((name) => [home(name), text(name, '1')]),
          ...elsewhere.map((name) => [`cluster/x/${name}.yaml`, text(name, '1')]),
        ])
        const { swept } = await plan(
          files,
          desiredOf(Object.fromEntries(wanted.map((name) => [name, '1']))),
          { sweeps: true },
        )
        expect(swept).toEqual(
          atHome
            .filter((name) => !wanted.includes(name))
            .map(home)
            .sort(),
        )
      }),
    )
  })
})
