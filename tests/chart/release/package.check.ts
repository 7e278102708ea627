import { execFile } from 'node:child_process'
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ChartPackage, packageChart, sourceTime, toolPath } from '@agents/chart-tools'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chart } from '../../support/chart/render.ts'
import { runTool } from '../../support/tools/run-tool.ts'

const timeout = 60_000
const run = promisify(execFile)
const time = new Date(1_790_000_000_000)

let folder: string
let first: ChartPackage
let second: ChartPackage

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agents-package-'))
  const helm = await toolPath('helm', '4')
  first = await packageChart(helm, chart, join(folder, 'first'), time)
  second = await packageChart(helm, await otherCheckout(), join(folder, 'second'), time)
}, timeout)

afterAll(() => rm(folder, { recursive: true, force: true }))

/** Copies the same files as on another machine: created in another order, with other times, modes and folder name. */
async function otherCheckout(): Promise<string> {
  const other = join(folder, 'other-name')
  const entries = await readdir(chart, { recursive: true, withFileTypes: true })
  for (const entry of entries.toReversed()) {
    const from = join(entry.parentPath, entry.name)
    const to = join(other, from.slice(chart.length))
    if (entry.isDirectory()) await mkdir(to, { recursive: true })
    else {
      await mkdir(join(to, '..'), { recursive: true })
      await cp(from, to)
      await chmod(to, 0o600)
      await utimes(to, 1, Math.random() * 1e9)
    }
  }
  return other
}

describe('a package of the chart', () => {
  test('has the same bytes wherever the same files are packaged', async () => {
    expect(second.digest).toBe(first.digest)
    expect(await readFile(second.path)).toEqual(await readFile(first.path))
    expect(first.digest).toMatch(/^sha256:[a-f0-9]{64}$/)
  })

  test('has other bytes with another time or another file', { timeout }, async () => {
    const helm = await toolPath('helm', '4')
    const later = await packageChart(helm, chart, join(folder, 'later'), new Date(0))
    await writeFile(join(folder, 'other-name', 'LICENSE'), 'x')
    const more = await packageChart(helm, join(folder, 'other-name'), join(folder, 'more'), time)
    expect(new Set([first.digest, later.digest, more.digest]).size).toBe(3)
  })

  test.each(['3', '4'] as const)('equals the chart for Helm %s', { timeout }, async (helm) => {
    const say = async (...args: string[]) => {
      const { code, stdout, stderr } = await runTool(['helm', helm], args)
      expect([code, stderr]).toEqual([0, ''])
      return stdout
    }
    expect(await say('show', 'all', first.path)).toBe(await say('show', 'all', chart))
    const values = ['--values', join(chart, 'ci', 'everything-values.yaml'), '--include-crds']
    const packed = await say('template', 'agents', first.path, ...values)
    expect(packed).toBe(await say('template', 'agents', chart, ...values))
    expect(packed.length).toBeGreaterThan(10_000)
  })

  test('is refused with a Helm version that writes the time of packaging', {
    timeout,
  }, async () => {
    await expect(
      packageChart(await toolPath('helm', '3'), chart, join(folder, 'three'), time),
    ).rejects.toThrow('use Helm 4')
  })
})

describe('the time of a package', () => {
  test('is the configured one', async () => {
    expect(await sourceTime(folder, '12')).toEqual(new Date(12_000))
    await expect(sourceTime(folder, 'yesterday')).rejects.toThrow('yesterday')
  })

  test('defaults to that of the commit', { timeout }, async () => {
    const env = { GIT_COMMITTER_DATE: '1790000000 +0200', GIT_CONFIG_GLOBAL: '/dev/null' }
    const git = (...args: string[]) => run('git', ['-C', folder, ...args], { env })
    await git('init', '--quiet')
    const someone = ['-c', 'user.name=builder', '-c', 'user.email=builder@example.com']
    await git(...someone, 'commit', '--quiet', '--allow-empty', '--message', 'x')
    expect(await sourceTime(folder, undefined)).toEqual(time)
  })
})
