import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bench, runKind, said, startBench } from '../agent-runs/bench.ts'
import { type CreatedJobs, createdJobs } from '../agent-runs/created-jobs.ts'
import { type ChildProgram, startProgram } from '../testbed/child-program.ts'
import { freePort } from '../testbed/free-port.ts'
import { kubeconfigText } from '../testbed/kubeconfig.ts'

const runs = 300
const kills = 20

const main = join(import.meta.dirname, '../../services/jangar/src/main/controllers.ts')

let bench: Bench
let jobs: CreatedJobs
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agents-chaos-'))
  bench = await startBench({ controllers: false })
  jobs = await createdJobs(bench.client)
  const { url, caCertificate, adminToken } = bench.server
  const text = kubeconfigText({ url, caPem: caCertificate, token: adminToken })
  await writeFile(join(directory, 'kubeconfig'), text, { mode: 0o600 })
})
afterAll(async () => {
  await jobs.stop()
  await bench.stop()
  await rm(directory, { recursive: true, force: true })
})

test(`${runs} runs outlive ${kills} deaths of the controllers: one Job for each attempt, none lost, all finished`, async () => {
  const expectations = Array.from({ length: runs }, (_, number) => expectation(number))
  const creating = (async () => {
    for (const { name, script, spec } of expectations) {
      await bench.create(name, script, spec)
      await delay(20)
    }
  })()
  const port = await freePort()
  let controllers = await startProcess(port)
  for (let kill = 1; kill <= kills; kill += 1) {
    await delay(800 + (kill % 5) * 500)
    await controllers.stop('SIGKILL')
    controllers = await startProcess(port)
  }
  await creating
  await allFinished()
  await controllers.stop()
  const { items } = await bench.client.list(runKind, { namespace: 'agents' })
  const outcomes = new Map(items.map((run) => [run.metadata.name, run]))
  for (const { name, outcome, attempts } of expectations) {
    const run = outcomes.get(name)
    if (!run) throw new Error(`${name} is lost`)
    expect(said(run, 'Succeeded'), name).toBe(outcome)
    expect(run.status, name).toMatchObject({ attempts })
    expect(run.status?.finishedAt, name).toBeDefined()
    expect(jobs.of(name), name).toEqual(
      Array.from({ length: attempts }, (_, index) =>
        index === 0 ? `${name}-job` : `${name}-job-attempt-${index + 1}`,
      ),
    )
  }
})

/** Every fifth run fails, and once more. */
function expectation(number: number) {
  const name = `run-${number}`
  if (number % 5 !== 0) return { name, script: 'exit 0', outcome: 'True/Succeeded', attempts: 1 }
  const spec = { retries: 1, retryBackoffSeconds: 0 }
  return { name, script: 'exit 1', spec, outcome: 'False/RetriesExhausted', attempts: 2 }
}

function startProcess(port: number): Promise<ChildProgram> {
  const settings = {
    KUBECONFIG: join(directory, 'kubeconfig'),
    PORT: `${port}`,
    JANGAR_HTTP_HOST: '127.0.0.1',
    // One process at a time is what this test sees to itself; a lease would make each death last as long as it.
    JANGAR_LEADER_ELECTION_ENABLED: 'false',
    JANGAR_AGENT_RUNNER_IMAGE: 'local',
    JANGAR_AGENTS_CONTROLLER_CONCURRENCY_AGENT: '0',
    JANGAR_AGENTS_CONTROLLER_CONCURRENCY_NAMESPACE: '0',
    JANGAR_AGENTS_CONTROLLER_CONCURRENCY_CLUSTER: '20',
    JANGAR_AGENTS_CONTROLLER_QUEUE_NAMESPACE: '0',
    JANGAR_AGENTS_CONTROLLER_RATE_NAMESPACE: '0',
    JANGAR_AGENTS_CONTROLLER_RATE_CLUSTER: '0',
  }
  const assigned = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  return startProgram(
    'controllers',
    'env',
    [...assigned, process.execPath, main],
    join(directory, 'controllers.log'),
  )
}

async function allFinished(): Promise<void> {
  const end = performance.now() + 600_000
  for (;;) {
    const { items } = await bench.client.list(runKind, { namespace: 'agents' })
    const open = items.filter((run) => !said(run, 'Finished').startsWith('True'))
    if (items.length === runs && open.length === 0) return
    if (performance.now() > end) {
      const [first] = open
      throw new Error(
        `${open.length} runs never end; one of them: ${JSON.stringify(first?.status)}`,
      )
    }
    await delay(500)
  }
}
