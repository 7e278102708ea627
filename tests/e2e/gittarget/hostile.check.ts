import { execFileSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { RoleKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { generateAgeKey } from '../../../packages/git/src/sops/age-key.ts'
import { untilEqual } from '../../support/gittarget/branch-contents.ts'
import { type Team, TestBed } from '../../support/gittarget/test-bed.ts'
import { until } from '../../support/testbed/until.ts'
import { yamlTraps } from './tricky-objects.ts'

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.start()
  await bed.startOperator()
})
afterAll(() => bed.stop())

const path = '/usr/local/bin:/usr/bin:/bin'

describe('names', () => {
  const names = [
    ...[
      'a:b',
      'a b',
      ' a',
      'a ',
      '-x',
      '--exec=x',
      'CON',
      'nul.txt',
      '..a',
      'a..',
      '...',
      '.git',
      '.GIT',
      '~',
    ],
    ...[
      'a\nb',
      'a\tb',
      'a\rb',
      'a\u0001b',
      'a\u007fb',
      'a\u0085b',
      'a\u2028b',
      'a\u202eb',
      '\ufeff',
      'a\\b',
      '..\\x',
    ],
    ...[
      '$(x)',
      '`x`',
      '"',
      "'",
      ';',
      '|',
      '*',
      '?',
      '<a>',
      '#a',
      '!a',
      '&a',
      '@{u}',
      'a^b',
      'README.md',
      '.sops.yaml',
    ],
    ...[
      'é',
      'e\u0301',
      '😀',
      'A',
      'a',
      'Admin',
      'admin',
      'aDMIN',
      'true',
      'null',
      '1',
      '2026-01-02',
      'x'.repeat(253),
      'é'.repeat(120),
      '{{.}}',
      '---',
    ],
  ]

  test('of any form: one file for each object, below the path, with the same contents', async () => {
    const team = await bed.team('names', await bed.remote())
    const accepted: string[] = []
    for (const name of names) {
      const metadata = { name, namespace: 'names' }
      const created = await team.client.create(RoleKind, { metadata }).catch(() => undefined)
      if (created !== undefined) accepted.push(name)
    }
    expect(accepted.length).toBeGreaterThan(30)
    await team.watch(['roles'])
    await team.isReady()
    const isRole = ([file]: [string, string]): boolean => file.includes('/roles/')
    await team.untilFiles(
      (files) => Object.entries(files).filter(isRole).length === accepted.length,
    )
    const listing = await team.remote.git('ls-tree', '-r', '-z', '--name-only', 'main')
    const paths = listing.split('\0').filter((file) => file !== '')
    for (const file of paths)
      expect(file).toMatch(
        /^cluster\/(?:[a-z0-9A-F%_-][a-z0-9A-F%._-]*\/?)+$|^cluster\/README\.md$/,
      )
    // Paths must also differ on file systems that ignore case.
    expect(new Set(paths.map((file) => file.toLowerCase())).size).toBe(paths.length)
    const files = await team.files()
    const found = Object.entries(files)
      .filter(isRole)
      .map(([, text]) => parse(text).metadata.name)
    expect(found.sort()).toEqual([...accepted].sort())
    await team.remote.git('fsck', '--strict')
    const clone = join(team.remote.directory, 'clone')
    execFileSync('git', ['clone', '-q', team.remote.path, clone], { env: { PATH: path } })
    const checkedOut = await readdir(join(clone, 'cluster'), { recursive: true })
    expect(checkedOut.filter((file) => file.endsWith('.yaml'))).toHaveLength(accepted.length)
    for (const name of accepted) {
      await team.client.delete(RoleKind, { name, namespace: 'names' })
    }
    await team.untilFiles((all) => !Object.entries(all).some(isRole))
  })
})

describe('contents', () => {
  test.concurrent.each([
    { because: 'one line without end', text: 'x'.repeat(1_000_000) },
    { because: 'line ends', text: '\n'.repeat(1_000_000) },
    { because: 'short lines', text: 'a: b\n'.repeat(200_000) },
    { because: 'quotes', text: '"'.repeat(900_000) },
    { because: 'characters of four bytes', text: '😀'.repeat(250_000) },
    { because: 'what has to be escaped', text: '\u0001'.repeat(150_000) },
  ])('of a megabyte of $because are not corrupted', async ({ text }) => {
    const namespace = `big-${text.codePointAt(0)}-${text.length}`
    const team = await bed.team(namespace, await bed.remote(), { resources: ['configmaps'] })
    await team.configMap('big', { text })
    await team.configMap('small', { a: 'b' })
    await team.isReady()
    await untilEqual(team)
    const file = (await team.files())[team.path('configmaps', 'big')] ?? ''
    expect(parse(file).data.text === text).toBe(true)
    await team.configMap('big', { text: `${text.slice(0, -10)}y` })
    await untilEqual(team)
  })

  test('that YAML parsers disagree on are parsed the same by all of them', async () => {
    const team = await bed.team('traps', await bed.remote(), { resources: ['configmaps'] })
    const data = yamlTraps()
    await team.configMap('traps', data)
    await team.isReady()
    await untilEqual(team)
    const file = (await team.files())[team.path('configmaps', 'traps')] ?? ''
    for (const version of ['1.1', '1.2'] as const) {
      expect(
        parse(file, { version, schema: version === '1.1' ? 'yaml-1.1' : 'core' }).data,
      ).toEqual(data)
    }
  })
})

describe('files of other authors in the folder', () => {
  const bomb = `a: &a [x,x,x]\n${'bcdefghijk'
    .split('')
    .map(
      (name, index) => `${name}: &${name} [${Array(10).fill(`*${'abcdefghijk'[index]}`).join()}]`,
    )
    .join('\n')}\n`
  const configMap = (name: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: NAMESPACE\n`
  const secret = `apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\n  namespace: NAMESPACE\nstringData: {}\n`
  type Entry = readonly [mode: string, file: string, text: string]
  const entry = (...one: Entry): Entry[] => [one]

  test.concurrent.each([
    { because: 'an alias bomb', entries: entry('100644', 'cluster/bomb.yaml', bomb) },
    {
      because: 'brackets without end',
      entries: entry('100644', 'cluster/deep.yaml', '['.repeat(20_000)),
    },
    {
      because: 'maps without end',
      entries: entry('100644', 'cluster/deep.yaml', `${'{a: '.repeat(9_000)}`),
    },
    {
      because: 'bytes that are no text',
      entries: entry('100644', 'cluster/b.yaml', '\u0000\ufffd\n'),
    },
    {
      because: 'a Secret among other documents',
      entries: entry('100644', 'cluster/all.yaml', `${configMap('x')}---\n${secret}`),
    },
    {
      because: 'a Secret twice',
      entries: entry('100644', 'cluster/all.yaml', `${secret}---\n${secret}`),
    },
    {
      because: 'a link at the place of a manifest',
      entries: entry(
        '120000',
        'cluster/NAMESPACE/core/configmaps/a.yaml',
        '../../../../../etc/passwd',
      ),
    },
    {
      because: 'a link at the place of a folder',
      entries: entry('120000', 'cluster/NAMESPACE/core/configmaps', '/etc'),
    },
    {
      because: 'a file at the place of a folder',
      entries: entry('100644', 'cluster/NAMESPACE', 'x'),
    },
    {
      because: 'a folder at the place of a manifest',
      entries: entry('100644', 'cluster/NAMESPACE/core/configmaps/a.yaml/x', 'x'),
    },
    {
      because: 'instructions to Git',
      entries: [
        ...entry('100644', 'cluster/.gitattributes', '* filter=x\n'),
        ...entry('100644', '.gitmodules', '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c x\n'),
      ],
    },
    { because: 'a README of its own', entries: entry('100644', 'cluster/README.md', 'ours\n') },
  ])(
    '$because: everything that can be written is mirrored, and the rest is reported',
    async ({ because, entries }) => {
      const namespace = `f-${because.replaceAll(/[^a-z]+/gi, '-').toLowerCase()}`.slice(0, 40)
      const remote = await bed.remote()
      await remote.fastImport(commitOf(entries, namespace))
      const theirs = await remote.git('ls-tree', '-r', 'main')
      const { recipient } = await generateAgeKey()
      const team = await bed.team(namespace, remote, {
        target: { encryption: { provider: 'sops', recipients: [recipient] } } as never,
      })
      await team.configMap('a', { version: '1' })
      await team.configMap('b', { version: '1' })
      await team.secret('db', { password: 'hunter2-plaintext' })
      await team.secret('other', { password: 'hunter2-plaintext' })
      await team.watch(['configmaps', 'secrets', 'roles'])
      await team.client.create(RoleKind, { metadata: { name: 'r', namespace } })
      const isTaken = /place of a folder|place of a manifest/.test(because)
      const manifests = isTaken ? [] : [team.path('configmaps', 'a'), team.path('configmaps', 'b')]
      const wanted = because.startsWith('a file')
        ? []
        : [...manifests, team.path('secrets', 'other')]
      await team.untilFiles((files) => wanted.every((file) => file in files))
      if (isTaken || because.includes('among other documents')) {
        await until(async () => (await team.target()).status?.push?.lastError !== undefined)
      } else {
        await team.isReady()
      }
      await expectUntouched(team, theirs)
      // The mirror continues afterwards.
      await team.configMap('b', { version: '2' })
      if (!isTaken) {
        await team.untilFiles((all) => all[team.path('configmaps', 'b')]?.includes('"2"') === true)
      }
      await remote.git('fsck', '--strict').catch((error: Error) => {
        // Git may warn about the files of other authors.
        if (!/gitmodules/.test(String(error))) throw error
      })
    },
  )

  /** Expects the files of other authors unchanged, unless they describe one of our objects. */
  async function expectUntouched(team: Team, theirs: string): Promise<void> {
    const now = (await team.remote.git('ls-tree', '-r', 'main')).split('\n')
    for (const line of theirs.split('\n')) {
      if (/all\.yaml$/.test(line)) continue
      expect(now).toContain(line)
    }
  }

  const commitOf = (entries: readonly Entry[], namespace: string): string => {
    const fill = (text: string): string => text.replaceAll('NAMESPACE', namespace)
    const changes = entries.map(([mode, file, text]) => {
      const size = Buffer.byteLength(fill(text))
      return `M ${mode} inline ${fill(file)}\ndata ${size}\n${fill(text)}\n`
    })
    const head =
      'commit refs/heads/main\ncommitter somebody <somebody@example.test> 1700000000 +0000'
    return `${head}\ndata 6\ntheirs\n${changes.join('')}\n`
  }
})
