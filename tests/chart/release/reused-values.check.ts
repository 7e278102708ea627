import { readFileSync } from 'node:fs'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readValueTree, valuesSchema } from '@agents/chart-tools'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { chart } from '../../support/chart/render.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { runTool } from '../../support/tools/run-tool.ts'

const timeout = 120_000
let server: EmbeddedServer
let next: string

beforeAll(async () => {
  ;[server, next] = await Promise.all([
    startEmbeddedServer(),
    mkdtemp(join(tmpdir(), 'agents-next-')),
  ])
  await cp(chart, next, { recursive: true })
  const read = (path: string) => readFileSync(join(chart, path), 'utf8')
  const values = read('values.yaml').replace(/^enabled: true$/m, '$&\n# -- New.\nfresh: x')
  await writeFile(join(next, 'values.yaml'), values)
  const schema = valuesSchema(readValueTree(values), parse(read('files/removed-values.yaml')))
  await writeFile(join(next, 'values.schema.json'), schema)
}, timeout)

afterAll(async () => {
  await server.stop()
  await rm(next, { recursive: true, force: true })
})

test('user-set values are kept by an upgrade to a version with a new value, and by the way back', {
  timeout,
}, async () => {
  const helm = (...args: string[]) =>
    runTool(['helm', '4'], args, { kubeconfig: server.kubeconfigPath })
  const set = ['--set', 'revisionHistoryLimit=3']
  expect(await helm('install', 'agents', chart, ...set)).toMatchObject({ code: 0 })
  for (const to of [next, chart]) {
    const refused = await helm('upgrade', 'agents', to, '--reuse-values')
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('fresh') })
    const taken = await helm('upgrade', 'agents', to, '--reset-then-reuse-values')
    expect(taken).toMatchObject({ code: 0, stderr: '' })
  }
  const { stdout } = await helm('get', 'manifest', 'agents')
  expect(stdout).toContain('revisionHistoryLimit: 3')
})
