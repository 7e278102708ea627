import { maxFileBytes, objectId } from '@agents/git'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changeFile } from '../../document/change-file.ts'
import { identityKey, type ManifestIdentity } from '../../document/identity.ts'
import { manifestPath } from '../../document/manifest-path.ts'
import { writeManifest } from '../../document/write-manifest.ts'
import type { DesiredManifest } from './desired-state.ts'
import { planSnapshot } from './plan-snapshot.ts'

function identityOf(name: string): ManifestIdentity {
  return {
    group: '',
    kind: 'ConfigMap',
    namespace: 'team',
    name,
  }
}

function objectOf(name: string, value: string) {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'team' },
    data: { value },
  }
}

function home(name: string): string {
  return `cluster/${manifestPath({ group: '', resource: 'configmaps', namespace: 'team', name })}`
}

function desiredOf(
  values: Readonly<Record<string, string>>,
  operations: readonly string[] = ['CREATE', 'UPDATE', 'DELETE'],
) {
  return new Map<string, DesiredManifest>(
    Object.entries(values).map(([name, value]) => [
      identityKey(identityOf(name)),
      {
        identity: identityOf(name),
        object: objectOf(name, value),
        isSecret: false,
        ignoredFields: [],
        includesStatus: false,
        path: home(name).slice('cluster/'.length),
        operations: new Set(operations) as DesiredManifest['operations'],
      },
    ]),
  )
}

async function plan(
  files: Readonly<Record<string, string>>,
  desired: ReadonlyMap<string, DesiredManifest>,
  options: { sweeps?: boolean; deletions?: readonly string[] } = {},
) {
  const read: string[] = []
  let mostBytes = 0
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
    blobs: {
      sizes: async (oids) => new Map(oids.map((oid) => [oid, blobs.get(oid)?.length ?? 0])),
      read: async (oids) => {
        read.push(...oids)
        const found = oids.flatMap((oid) => blobs.get(oid) ?? [])
        mostBytes = Math.max(mostBytes, Buffer.concat(found).length)
        return new Map(oids.map((oid, index) => [oid, found[index] ?? Buffer.alloc(0)]))
      },
    },
    desired,
    render: async (_path, current, { identity, object }, impliesNamespace) =>
      changeFile(current, { identity, object, impliesNamespace }).text ?? '',
    isSwept: () => options.sweeps ?? false,
    deletions: new Map(
      (options.deletions ?? []).map((name) => [identityKey(identityOf(name)), identityOf(name)]),
    ),
  })
  const paths = (placed: readonly { path: string }[]): string[] =>
    placed.map(({ path }) => path).sort()
  return {
    read: read.length,
    mostBytes,
    created: paths(result.created),
    updated: paths(result.updated),
    deleted: paths(result.deleted),
    swept: paths(result.swept),
  }
}

function text(name: string, value: string): string {
  return writeManifest(objectOf(name, value))
}

/** Without a namespace. */
const bare = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {value: "1"}\n'

const nothing = { created: [], updated: [], deleted: [], swept: [] }

describe('planSnapshot', () => {
  test('changes and reads nothing if the folder is up to date', async () => {
    const files = {
      [home('a')]: text('a', '1'),
      [home('b')]: text('b', '1'),
      'cluster/README.md': 'x',
    }
    expect(await plan(files, desiredOf({ a: '1', b: '1' }))).toMatchObject({ ...nothing, read: 0 })
  })

  test('distinguishes missing from changed manifests', async () => {
    const found = await plan({ [home('a')]: text('a', '1') }, desiredOf({ a: '2', b: '1' }))
    expect(found).toMatchObject({ ...nothing, created: [home('b')], updated: [home('a')], read: 1 })
  })

  describe('files of any size', () => {
    const comment = `#${' '.repeat(1023)}\n`
    const padded = (manifest: string, bytes: number): string =>
      comment.repeat(Math.ceil((bytes - manifest.length) / comment.length)) + manifest

    test('does not read a file that is too large, whatever it describes', async () => {
      const large = padded(text('a', '1'), maxFileBytes + 1)
      const old = padded(text('old', '1'), maxFileBytes + 1)
      const files = { 'cluster/large.yaml': large, [home('old')]: old }
      const found = await plan(files, desiredOf({ a: '1' }), { sweeps: true, deletions: ['old'] })
      expect(found).toMatchObject({ ...nothing, created: [home('a')], read: 0 })
    })

    test('plans to create a manifest where such a file is, so that the conflict is reported', async () => {
      const files = { [home('a')]: padded(text('a', '1'), maxFileBytes + 1) }
      expect(await plan(files, desiredOf({ a: '1' }))).toMatchObject({
        ...nothing,
        created: [home('a')],
        read: 0,
      })
    })

    test('reads many files in parts that fit into memory', async () => {
      const names = Array.from({ length: 12 }, (_, index) => `n${index}`)
      const files = Object.fromEntries(
        names.map((name) => [`cluster/x/${name}.yaml`, padded(text(name, '1'), 3_000_000)]),
      )
      const values = Object.fromEntries(names.map((name) => [name, '2']))
      const found = await plan(files, desiredOf(values))
      expect(found.updated).toEqual(Object.keys(files).sort())
      expect(found.mostBytes).toBeLessThanOrEqual(2 * maxFileBytes)
      // Some are read twice, because not all texts are kept for the comparison.
      expect(found.read).toBeGreaterThan(names.length)
      expect(found.read).toBeLessThan(2 * names.length)
    })

    test('reads files with the same content once, and finds all of them', async () => {
      const files = Object.fromEntries(
        ['x', 'y', 'a'].map((folder) => [`cluster/${folder}/a.yaml`, text('a', '1')]),
      )
      const found = await plan(files, desiredOf({ a: '2' }))
      expect(found).toMatchObject({ ...nothing, updated: ['cluster/x/a.yaml'], read: 1 })
    })

    test('refuses kustomizations that do not fit into memory together', async () => {
      const files = Object.fromEntries(
        Array.from({ length: 5 }, (_, index) => [
          `cluster/${index}/kustomization.yaml`,
          padded(`namespace: n${index}\n`, maxFileBytes - 2048),
        ]),
      )
      await expect(plan(files, desiredOf({}))).rejects.toThrow(/kustomizations .* 16 MiB/)
    })
  })

  test('finds a moved and commented manifest, and does not move it', async () => {
    const files = { 'cluster/apps/a.yaml': `# mine\n${text('a', '1')}` }
    expect(await plan(files, desiredOf({ a: '1' }))).toMatchObject(nothing)
    expect(await plan(files, desiredOf({ a: '2' }))).toMatchObject({
      ...nothing,
      updated: ['cluster/apps/a.yaml'],
    })
  })

  test.each<[{ sweeps?: boolean; deletions?: string[] }, string[], string[], string]>([
    [{ sweeps: true }, [home('old')], [], 'its deletion was not reported, and sweeping is enabled'],
    [{ sweeps: false }, [], [], 'sweeping is disabled'],
    [{ deletions: ['old'] }, [], [home('old')], 'its deletion was reported'],
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
  ])('with operations %j performs only these', async (operations, expected) => {
    const files = { [home('a')]: text('a', '1') }
    expect(await plan(files, desiredOf({ a: '2', b: '1' }, operations))).toMatchObject(expected)
  })

  test('never sweeps manifests at other paths, nor desired ones, whatever the folder contains', async () => {
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

  test.each<[Record<string, string>, string, string]>([
    [{ 'cluster/a.json': JSON.stringify(objectOf('a', '1')) }, 'cluster/a.json', 'it is JSON'],
    [
      {
        'cluster/all.yaml': `kind: List\napiVersion: v1\nitems: [${JSON.stringify(objectOf('a', '1'))}]\n`,
      },
      'cluster/all.yaml',
      'it is an item of a List',
    ],
    [{ 'cluster/team/a.yaml': bare }, 'cluster/team/a.yaml', 'its folder is the namespace'],
    [{ 'cluster/team/app/a.yaml': bare }, 'cluster/team/app/a.yaml', 'so is a folder above'],
    [
      {
        'cluster/app/kustomization.yaml': 'namespace: team\nresources: [base/]\n',
        'cluster/app/base/kustomization.yml': 'namespace: other\nresources:\n- ./a.yaml\n',
        'cluster/app/base/a.yaml': bare,
      },
      'cluster/app/base/a.yaml',
      'the outer kustomization sets the namespace',
    ],
  ])('finds a manifest instead of creating a second one: %#', async (files, path, _because) => {
    expect(await plan(files, desiredOf({ a: '1' }))).toMatchObject(nothing)
    expect(await plan(files, desiredOf({ a: '2' }))).toMatchObject({ ...nothing, updated: [path] })
    expect(await plan(files, desiredOf({}), { deletions: ['a'] })).toMatchObject({
      ...nothing,
      deleted: [path],
    })
  })

  test.each<[Record<string, string>, string]>([
    [{ 'cluster/app/a.yaml': bare }, 'nothing implies its namespace'],
    [
      {
        'cluster/one/kustomization.yaml': 'namespace: team\nresources: [../base]\n',
        'cluster/two/kustomization.yaml': 'namespace: other\nresources: [../base]\n',
        'cluster/base/kustomization.yaml': 'resources: [a.yaml]\n',
        'cluster/base/a.yaml': bare,
      },
      'two namespaces use it',
    ],
    [{ 'cluster/team/values.json': '{"apiVersion": "v1", "kind": "ConfigMap"}' }, 'it has no name'],
  ])('does not take another file for the manifest: %#', async (files, _because) => {
    expect(await plan(files, desiredOf({ a: '1' }))).toMatchObject({
      ...nothing,
      created: [home('a')],
    })
  })
})
