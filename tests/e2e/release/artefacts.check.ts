import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agentctlPackage } from '../../../scripts/release/agentctl-package.ts'
import { makeArtefacts } from '../../../scripts/release/artefacts.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..', '..')
const version = '1.2.3'
const time = new Date('2026-03-04T05:06:07Z')

describe('artefacts', () => {
  let folder = ''
  const destinations = () => ['first', 'second'].map((name) => join(folder, name))

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agents-artefacts-'))
    for (const destination of destinations()) {
      await makeArtefacts(root, { version, time, destination, helm: undefined })
    }
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('are the chart, the CRDs, agentctl, a bill of materials and checksums', async () => {
    const names = await readdir(join(folder, 'first'))
    const chart = names.find((name) => /^agents-\d+\.\d+\.\d+\.tgz$/.test(name))
    const others = [
      'SHA256SUMS',
      'agentctl-1.2.3.tgz',
      'agents-1.2.3.cdx.json',
      'agents-crds-1.2.3.yaml',
    ]
    expect(names.toSorted()).toEqual([...others, chart].toSorted())
  })

  test('are reproducible', async () => {
    const [first = '', second = ''] = destinations()
    for (const name of await readdir(first)) {
      const [a, b] = await Promise.all([first, second].map((path) => readFile(join(path, name))))
      expect(a?.equals(b ?? Buffer.alloc(0)), name).toBe(true)
    }
  })

  test('match their checksums', async () => {
    const { stdout } = await run('sha256sum', ['--check', 'SHA256SUMS'], {
      cwd: join(folder, 'first'),
    })
    expect(stdout.trim().split('\n')).toHaveLength(4)
  })

  test('can be unpacked by tar', async () => {
    const archive = join(folder, 'first', 'agentctl-1.2.3.tgz')
    const { stdout } = await run('tar', ['--list', '--verbose', '--file', archive])
    expect(stdout).toMatch(/^-rwxr-xr-x .* package\/apps\/agentctl\/src\/main\/agentctl\.mjs$/m)
    expect(stdout).toMatch(/^-rw-r--r-- .* package\/package\.json$/m)
  })

  test('list every package of the lock file with its hash and licence', async () => {
    const path = join(folder, 'first', 'agents-1.2.3.cdx.json')
    const { components } = JSON.parse(await readFile(path, 'utf8'))
    const yaml = components.find(({ name }: { name: string }) => name === 'yaml')
    expect(yaml).toMatchObject({
      purl: expect.stringMatching(/^pkg:npm\/yaml@\d/),
      scope: 'required',
      hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
      licenses: [{ expression: 'ISC' }],
    })
    const scopeOf = (wanted: string) =>
      components.find(({ name }: { name: string }) => name === wanted)?.scope
    expect(scopeOf('vitest')).toBe('excluded')
    // It is part of the console's files.
    expect(scopeOf('react-dom')).toBe('required')
  })
})

describe('the package of agentctl', () => {
  let entries: Awaited<ReturnType<typeof agentctlPackage>>
  let texts: ReadonlyMap<string, string>

  beforeAll(async () => {
    entries = await agentctlPackage(root, version)
    texts = new Map(entries.map(({ path, content }) => [path, content.toString('utf8')]))
  })

  test('contains JavaScript whose imports it can resolve', () => {
    const manifest = JSON.parse(texts.get('package/package.json') ?? '')
    const builtin = /^node:/
    const unresolved: string[] = []
    for (const [path, text] of texts) {
      if (!/\.m?js$/.test(path)) continue
      const imports = text.matchAll(
        /^(?:import|export)\b[^'"]*?\bfrom '([^']+)'|\bimport\('([^']+)'\)/gm,
      )
      for (const [, fixed, dynamic] of imports) {
        const specifier = fixed ?? dynamic ?? ''
        const target = posix.join(posix.dirname(path), specifier)
        const owner = specifier
          .split('/')
          .slice(0, specifier.startsWith('@') ? 2 : 1)
          .join('/')
        const isKnown =
          builtin.test(specifier) ||
          (specifier.startsWith('.') ? texts.has(target) : owner in manifest.dependencies)
        if (!isKnown) unresolved.push(`${path}: ${specifier}`)
      }
    }
    expect(unresolved).toEqual([])
  })

  test('contains the console as it is served', () => {
    const page = texts.get('package/apps/console/dist/index.html') ?? ''
    const [, script = ''] = /src="\/(assets\/[^"]+\.js)"/.exec(page) ?? []
    expect(texts.has(`package/apps/console/dist/${script}`)).toBe(true)
    expect(texts.get('package/apps/console/dist/licenses.md')).toContain('react')
    expect([...texts.keys()].filter((path) => /console\/(dist\/\.|src)/.test(path))).toEqual([])
  })

  test('contains no types and no tests', () => {
    const paths = entries.map(({ path }) => path)
    expect(
      paths.filter((path) => /\.ts$|\.(test|check|full|soak|bench)\.|\/testing\//.test(path)),
    ).toEqual([])
  })
})
