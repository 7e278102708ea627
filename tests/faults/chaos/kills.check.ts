import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { AgentRun } from '@agents/jangar-api'
import { JobKind } from '@agents/kube'
import { isFinished } from '@agents/status'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createRun,
  limitName,
  namespace,
  type RunPlatform,
  runKind,
  startRunPlatform,
  unlimited,
} from '../../support/run-platform/run-platform.ts'
import { isFull } from '../../support/tier.ts'
import { type JobLedger, keepLedger } from './job-ledger.ts'

const runs = isFull ? 300 : 45
const kills = isFull ? 20 : 3
const places = 12
const settings = { ...unlimited, [limitName('CONCURRENCY_CLUSTER')]: `${places}` }

/** The behaviours of the runs: each attempt appends one line to the run's file, and the first `fails` attempts fail. */
const sorts = [
  { fails: 0, retries: 0, seconds: 0 },
  { fails: 0, retries: 0, seconds: 0 },
  { fails: 0, retries: 1, seconds: 0.5 },
  { fails: 1, retries: 1, seconds: 0 },
  { fails: 2, retries: 1, seconds: 0.1 },
] as const

let platform: RunPlatform
let ledger: JobLedger
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agents-chaos-'))
  platform = await startRunPlatform('embedded')
  ledger = await keepLedger(platform.client, namespace)
  await platform.startNode()
})
afterAll(async () => {
  await ledger.close()
  await platform.stop()
  await rm(folder, { recursive: true, force: true })
})

test(`${runs} runs end as they should while the controllers are killed with SIGKILL ${kills} times`, async () => {
  const names = Array.from({ length: runs }, (_, at) => `run-${at}`)
  const mostRunning: number[] = []
  for (let life = 0; life < kills; life += 1) {
    const controllers = await platform.startControllers(settings)
    const share = runs / kills
    const creating = Promise.all(names.slice(life * share, (life + 1) * share).map(create))
    // A kill that interrupts nothing would prove nothing: every other kill waits until a run is in progress.
    while (life % 2 === 1 && (await running()) === 0) await delay(20)
    // Varies the moment of the kill.
    await delay(50 + ((life * 137) % 750))
    await controllers.kill()
    await creating
    mostRunning.push(await running())
  }
  await platform.startControllers(settings)
  await untilAllFinished()
  expect(Math.max(...mostRunning)).toBeLessThanOrEqual(places)
  await ledger.isUpToDate()
  const histories = await Promise.all(names.map(historyOf))
  expect(histories).toEqual(names.map(expectedHistory))
})

async function create(name: string): Promise<void> {
  const { fails, retries, seconds } = sortOf(name)
  const file = join(folder, name)
  const script = `echo begun >>${file}; sleep ${seconds}; test $(wc -l <${file}) -gt ${fails}`
  await createRun(platform.client, name, script, { retries, retryBackoffSeconds: 0 })
}

function sortOf(name: string): (typeof sorts)[number] {
  return sorts[Number(name.slice('run-'.length)) % sorts.length] ?? sorts[0]
}

interface RunHistory {
  readonly name: string
  readonly phase: string | undefined
  readonly attempts: number | undefined
  /** How often its program was started. */
  readonly begun: number
  /** How many Jobs of each name were ever created. */
  readonly jobs: Readonly<Record<string, number>>
}

async function historyOf(name: string): Promise<RunHistory> {
  const { status } = await platform.client.get(runKind, { namespace, name })
  const lines = await readFile(join(folder, name), 'utf8').catch(() => '')
  return {
    name,
    phase: status?.phase,
    attempts: status?.attempts,
    begun: lines.split('\n').filter((line) => line !== '').length,
    jobs: ledger.jobsOf(name),
  }
}

function expectedHistory(name: string): RunHistory {
  const { fails, retries } = sortOf(name)
  const attempts = Math.min(fails, retries) + 1
  const jobs = ['job', 'job-attempt-2'].slice(0, attempts).map((job) => [`${name}-${job}`, 1])
  return {
    name,
    phase: fails > retries ? 'Failed' : 'Succeeded',
    attempts,
    begun: attempts,
    jobs: Object.fromEntries(jobs),
  }
}

async function listRuns(): Promise<AgentRun[]> {
  const { items } = await platform.client.list(runKind, { namespace })
  return items
}

/** Runs that occupy a slot: admitted, or with an unfinished Job, which exists a moment before the status reports it. */
async function running(): Promise<number> {
  const { items } = await platform.client.list(JobKind, { namespace })
  const working = items.filter(({ status }) => !isOver(status?.conditions))
  const owners = working.flatMap(({ metadata }) => metadata.ownerReferences ?? [])
  const admitted = (await listRuns()).filter(({ status }) => {
    const place = status?.conditions?.find(({ type }) => type === 'Admitted')
    return place?.status === 'True' && !isFinished(status?.conditions)
  })
  return new Set([...owners, ...admitted.map(({ metadata }) => metadata)].map(({ name }) => name))
    .size
}

function isOver(conditions: readonly { type: string; status: string }[] = []): boolean {
  return conditions.some(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  )
}

async function untilAllFinished(): Promise<void> {
  for (;;) {
    const all = await listRuns()
    if (all.length === runs && all.every(({ status }) => isFinished(status?.conditions))) return
    await delay(500)
  }
}
