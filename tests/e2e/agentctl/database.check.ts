import { writeFileSync } from 'node:fs'
import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalPlatform, startPlatformIn } from '../../support/agentctl/local-platform.ts'
import { until } from '../../support/testbed/until.ts'
import { isFull } from '../../support/tier.ts'

let platform: LocalPlatform
beforeAll(async () => {
  platform = await startPlatformIn({})
}, 300_000)
afterAll(() => platform.remove(), 120_000)

const scripted = ['run', '--agent', 'scripted', '--text', 'x', '-p', 'scriptedMode=succeed']

test.runIf(isFull)(
  'a killed database is restarted, runs that finished meanwhile are archived, and doctor reports both states',
  async () => {
    const folder = join(platform.stateDir, 'postgres')
    const data = join(folder, 'data')
    await until(async () => (await doctor()).includes('finished runs are archived'))
    await until(async () => (await archived()).includes('first-run'))

    const [pid = ''] = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')
    // Without its data directory it cannot be restarted, which leaves time for the checks.
    await rename(data, `${data}.away`)
    process.kill(Number(pid), 'SIGKILL')
    await until(async () =>
      (await doctor()).includes('PostgreSQL has stopped and is being restarted'),
    )
    expect((await platform.agentctl('doctor')).code).toBe(1)
    expect((await platform.agentctl(...scripted, '--name', 'meanwhile')).code).toBe(0)

    await rename(`${data}.away`, data)
    await until(async () => (await doctor()).includes('finished runs are archived'))
    await until(async () => (await archived()).includes('meanwhile'))
    expect((await platform.agentctl(...scripted, '--name', 'after')).code).toBe(0)
    await until(async () => (await archived()).includes('after'))
    expect((await platform.agentctl('doctor')).code).toBe(0)

    async function archived(): Promise<string[]> {
      return (await rows<{ name: string }>('select name from run_archive')).map(({ name }) => name)
    }
  },
  400_000,
)

test('runs of tools and orchestrations are archived before retention deletes them', async () => {
  const path = join(platform.stateDir, 'kept.yaml')
  writeFileSync(
    path,
    `apiVersion: tools.proompteng.ai/v1alpha1
kind: Tool
metadata: {name: kept}
spec:
  image: docker.io/library/busybox:1.37.0
  command: [/bin/sh, -c, 'printf "{\\"n\\": 1}" > "$TOOL_OUTPUTS"']
---
apiVersion: orchestration.proompteng.ai/v1alpha1
kind: Orchestration
metadata: {name: kept}
spec:
  steps: [{name: only, kind: ToolRun, toolRef: {name: kept}}]
---
apiVersion: orchestration.proompteng.ai/v1alpha1
kind: OrchestrationRun
metadata: {name: kept}
spec:
  orchestrationRef: {name: kept}
  ttlSecondsAfterFinished: 1
`,
  )
  expect(await platform.agentctl('apply', '-f', path)).toMatchObject({ code: 0 })
  const kept = await until(async () => {
    const all = await rows<ArchivedRow>('select * from run_archive')
    const found = all.filter((row) => row.tool === 'kept' || row.orchestration === 'kept')
    return found.length === 2 ? found : undefined
  })
  expect(
    kept.map(({ kind, agent, phase, reason }) => [kind, agent, phase, reason]).toSorted(),
  ).toEqual([
    ['OrchestrationRun', null, 'Succeeded', 'Succeeded'],
    ['ToolRun', null, 'Succeeded', 'Succeeded'],
  ])
  const tool = kept.find(({ kind }) => kind === 'ToolRun')
  expect(tool?.object).toMatchObject({ status: { outputs: { n: 1 } } })
  // Deleted from the cluster, with what belongs to it.
  await until(async () => {
    const runs = ['get', 'orchestrationruns,toolruns', '-o', 'name']
    return !(await platform.agentctl(...runs)).stdout.includes('kept')
  })
  expect(await rows("select name from run_archive where kind <> 'AgentRun'")).toHaveLength(2)
})

interface ArchivedRow {
  readonly kind: string
  readonly agent: string | null
  readonly tool: string | null
  readonly orchestration: string | null
  readonly phase: string
  readonly reason: string
  readonly object: object
}

/** None while the database cannot be reached. */
async function rows<Row extends object>(query: string): Promise<Row[]> {
  const folder = join(platform.stateDir, 'postgres')
  const lock = await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8').catch(() => '')
  const port = Number(lock.split('\n')[3])
  const password = await readFile(join(folder, 'password'), 'utf8')
  const login = { host: '127.0.0.1', port, user: 'agents', database: 'agents', password }
  const client = new Client(login)
  try {
    await client.connect()
    return (await client.query<Row>(query)).rows
  } catch {
    return []
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function doctor(): Promise<string> {
  return (await platform.agentctl('doctor')).stdout
}
