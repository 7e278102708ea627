import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Orchestration,
  type OrchestrationRun,
  orchestration,
  orchestrationRun,
} from '@agents/jangar-api'
import { kindRef } from '@agents/kube'
import { isFinished } from '@agents/status'
import { expect, onTestFinished, test } from 'vitest'
import {
  limitName,
  namespace,
  runKind,
  type ServerName,
  startRunPlatform,
  unlimited,
} from '../../support/run-platform/run-platform.ts'
import { attemptsOf, expectedSteps, orchestrationSpec, shapes } from './graph-of-runs.ts'

const orchestrations = kindRef<Orchestration>(orchestration)
const runs = kindRef<OrchestrationRun>(orchestrationRun)
/** Attempts that may be missing when the controllers are killed: those that run, and as many that wait. */
const slack = 24
const settings = { ...unlimited, [limitName('CONCURRENCY_CLUSTER')]: '12' }

/** Kills the controllers while OrchestrationRuns are in progress, and compares with what must come out. */
export function testOrchestrationKills(server: ServerName, count: number, kills: number): void {
  test(`${count} OrchestrationRuns on the ${server} server end as they must while the controllers are killed ${kills} times`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'agents-graphs-'))
    const platform = await startRunPlatform(server)
    onTestFinished(async () => {
      await platform.stop()
      await rm(folder, { recursive: true, force: true })
    })
    const { client } = platform
    await platform.startNode()
    for (let shape = 0; shape < shapes; shape += 1) {
      const metadata = { name: `shape-${shape}`, namespace }
      await client.create(orchestrations, {
        metadata,
        spec: orchestrationSpec(shape, folder),
      } as never)
    }
    const names = Array.from({ length: count }, (_, at) => `run-${at}`)
    const shapeOf = (name: string): number => Number(name.slice('run-'.length)) % shapes
    const create = (name: string) =>
      client.create(runs, {
        metadata: { name, namespace },
        spec: { orchestrationRef: { name: `shape-${shapeOf(name)}` } },
      } as never)
    const list = async () => (await client.list(runs, { namespace })).items
    const unfinished = async () =>
      (await list()).filter(({ status }) => !isFinished(status?.conditions))
    /** Those with a step that has begun. Their own status says so only a little later. */
    const inProgress = async () => {
      const { items } = await client.list(runKind, { namespace })
      const owners = new Set(
        items.flatMap(({ metadata }) => metadata.ownerReferences ?? []).map(({ uid }) => uid),
      )
      return (await unfinished()).filter(({ metadata }) => owners.has(metadata.uid ?? ''))
    }
    /** Whether there is work and none of it has begun. */
    const isIdle = async () => (await unfinished()).length > 0 && (await inProgress()).length === 0
    const finishedChildren = async () =>
      (await client.list(runKind, { namespace })).items.filter(({ status }) =>
        isFinished(status?.conditions),
      ).length
    const attempts = names.reduce((sum, name) => sum + attemptsOf(shapeOf(name)), 0)
    let interrupted = 0
    for (let life = 0; life < kills; life += 1) {
      const controllers = await platform.startControllers(settings)
      const from = Math.floor((life * count) / kills)
      await Promise.all(names.slice(from, Math.floor(((life + 1) * count) / kills)).map(create))
      // Two of three kills wait until a run is in progress: on a busy machine the first one starts late.
      while (life % 3 !== 0 && (await isIdle())) await delay(100)
      // Spreads the kills over the whole work. In one of three lives the next one follows before anything has ended.
      while (life % 3 !== 0 && (await finishedChildren()) < (attempts * life) / kills - slack) {
        await delay(1000)
      }
      // Varies the moment of the kill, but on a fast machine, something must be left to be interrupted.
      const killAt = performance.now() + ((life * 137) % 1500)
      while (performance.now() < killAt && (await unfinished()).length > 1) await delay(20)
      await controllers.kill()
      interrupted += (await inProgress()).length > 0 ? 1 : 0
    }
    // A kill that interrupts nothing would prove nothing.
    expect(interrupted).toBeGreaterThan(kills / 2)
    await platform.startControllers(settings)
    while (!(await list()).every(({ status }) => isFinished(status?.conditions))) await delay(500)
    const { items: children } = await client.list(runKind, { namespace })
    const found = await Promise.all(
      (await list()).map(async ({ metadata: { name }, status }) => {
        const steps = await Promise.all(
          (status?.stepStatuses ?? []).map(async (step) => {
            const text = await readFile(join(folder, `${name}.${step.name}`), 'utf8').catch(
              () => '',
            )
            const begun = text.split('\n').filter((line) => line !== '').length
            return [step.name, { phase: step.phase, begun }]
          }),
        )
        const owned = children.filter(
          ({ metadata }) => metadata.ownerReferences?.[0]?.name === name,
        )
        return [
          name,
          { steps: Object.fromEntries(steps), children: owned.length, phase: status?.phase },
        ]
      }),
    )
    const expected = names.map((name) => {
      const steps = expectedSteps(shapeOf(name))
      const ends = Object.values(steps)
      const begun = attemptsOf(shapeOf(name))
      const phase = ends.some((end) => end.phase === 'Failed') ? 'Failed' : 'Succeeded'
      return [name, { steps, children: begun, phase }]
    })
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected))
  })
}
