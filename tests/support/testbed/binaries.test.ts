import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { binariesAvailable, ensureBinaries } from './binaries.ts'
import { realClusterAvailable } from './real-cluster.ts'

// A substitute for Go that logs each call and writes "binary" to the file after -o.
const fakeGo = `#!/bin/sh
if [ "$1" = env ]; then echo "$FAKE_GO_VERSION"; exit 0; fi
echo "$*" >> "$FAKE_GO_CALLS"
if [ -n "$FAKE_GO_FAILS" ]; then echo "some/package: cannot be compiled" >&2; exit 1; fi
echo some/package >&2
while [ "$1" != -o ]; do shift; done
sleep 0.1
echo binary > "$2"
`

describe('the binaries of the testbed', () => {
  let directory = ''
  let env: NodeJS.ProcessEnv = {}

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'agents-binaries-'))
    await writeFile(join(directory, 'go'), fakeGo)
    await chmod(join(directory, 'go'), 0o755)
    env = {
      PATH: `${directory}:/usr/bin:/bin`,
      AGENTS_TESTBED_CACHE: join(directory, 'cache'),
      FAKE_GO_VERSION: 'go1.26.8',
      FAKE_GO_CALLS: join(directory, 'calls'),
    }
  })
  afterEach(() => rm(directory, { recursive: true, force: true }))

  const silent = (): void => undefined
  const calls = async (): Promise<string[]> =>
    (await readFile(join(directory, 'calls'), 'utf8')).trim().split('\n')

  test('are built once, by the first of several concurrent callers', {
    timeout: 20_000,
  }, async () => {
    const both = await Promise.all([ensureBinaries(silent, env), ensureBinaries(silent, env)])
    const later = await ensureBinaries(silent, env)
    expect(both).toEqual([later, later])
    expect(await readFile(later['kube-apiserver'], 'utf8')).toBe('binary\n')
    expect(await readFile(later.etcd, 'utf8')).toBe('binary\n')
    expect(await calls()).toHaveLength(4)
  })

  test('report their version as a release build does', async () => {
    await ensureBinaries(silent, env)
    const apiServer = (await calls()).find((call) => call.endsWith('/cmd/kube-apiserver'))
    expect(apiServer).toContain('-X k8s.io/component-base/version.gitVersion=v1.36.4')
  })

  test('leave nothing behind when the build fails, and report why', async () => {
    const failing = ensureBinaries(silent, { ...env, FAKE_GO_FAILS: '1' })
    await expect(failing).rejects.toThrow('some/package: cannot be compiled')
    expect(await readdir(join(directory, 'cache', 'agents-testbed'))).toEqual(['lock.sqlite'])
    await expect(ensureBinaries(silent, env)).resolves.toHaveProperty('etcd')
  })

  test.each([
    { because: 'a Go that is new enough can build them', version: 'go1.26.8', available: true },
    { because: 'an old Go cannot', version: 'go1.25.1', available: false },
  ])('$because', async ({ version, available }) => {
    const answer = await binariesAvailable({ ...env, FAKE_GO_VERSION: version })
    expect(answer.available).toBe(available)
  })

  test('are available without Go once they are built', async () => {
    const noGo = { ...env, PATH: '/nowhere' }
    expect(await binariesAvailable(noGo)).toMatchObject({ available: false })
    await ensureBinaries(silent, env)
    expect(await binariesAvailable(noGo)).toEqual({ available: true })
  })

  test('may be missing on a laptop but not on CI', async () => {
    const noGo = { ...env, PATH: '/nowhere' }
    expect(await realClusterAvailable(noGo)).toMatchObject({
      available: false,
      reason: expect.stringContaining('no Go'),
    })
    await expect(realClusterAvailable({ ...noGo, CI: 'true' })).rejects.toThrow('no Go')
  })
})
