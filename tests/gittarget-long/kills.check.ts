import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FaultServer, faultServers } from '../controller/fault-servers.ts'
import { type Team, TestBed, until } from '../gittarget/test-bed.ts'
import { untilEqual } from './branch-contents.ts'
import { OperatorChild } from './operator-child.ts'

const KILLS = 50
/** Beside the time that it takes to start and take a snapshot. */
const LONGEST_LIFE_MS = 1_500

let server: FaultServer
let bed: TestBed
let operator: OperatorChild | undefined

beforeAll(async () => {
  server = await faultServers.embedded()
  const { connection } = server
  bed = await TestBed.start(async () => ({
    name: 'embedded',
    connection,
    stop: () => server.stop(),
  }))
})

afterAll(async () => {
  await operator?.end('SIGKILL')
  await bed.stop()
})

const start = async (): Promise<void> => {
  operator = await OperatorChild.start(server.kubeconfigPath, bed.stateDir)
}

/** A change of any kind, to one of a few objects, until told to stop. */
async function change(team: Team, random: () => number): Promise<void> {
  const name = `c${Math.floor(random() * 12)}`
  if (random() < 0.3) await team.deleteConfigMap(name).catch(() => undefined)
  else await team.configMap(name, { value: String(random()) })
}

test(`killed -9 at ${KILLS} points: the branch equals the cluster afterwards, and its history is whole`, {
  timeout: 900_000,
}, async () => {
  const team = await bed.team('kills', await bed.remote(), {
    target: { prune: { mode: 'Always', maxDeleteFraction: 1 } },
    resources: ['configmaps'],
  })
  const random = generator(42)
  await team.configMap('first', { value: '1' })
  const started = performance.now()
  await start()
  await untilEqual(team)
  let longest = performance.now() - started + LONGEST_LIFE_MS
  await operator?.end('SIGKILL')
  let ended = false
  const changing = (async () => {
    while (!ended) {
      await change(team, random)
      await delay(20)
    }
  })()
  const tips: string[] = []
  // Until enough of them came after a push: a machine that has become slower gives it more time.
  for (let kill = 0; kill < KILLS || new Set(tips).size <= KILLS / 5; kill += 1) {
    if (kill >= KILLS) longest *= 1.5
    await start()
    await delay(random() * longest)
    await operator?.end('SIGKILL')
    const tip = await team.remote.tip('main')
    if (tip !== undefined) tips.push(tip)
  }
  ended = true
  await changing
  await start()
  await untilEqual(team)
  await team.isReady()
  await team.remote.git('fsck', '--strict')
  // Nothing that was pushed once was ever taken back.
  for (const tip of new Set(tips)) await team.remote.git('merge-base', '--is-ancestor', tip, 'main')
  const last = await team.remote.tip('main')
  await operator?.end('SIGKILL')
  await start()
  await until(async () => (await operator?.metric('gittarget_in_sync', team.namespace)) === 1)
  await team.isReady()
  expect(await team.remote.tip('main')).toBe(last)
})

test('asked to end with an open window: it is pushed first', async () => {
  await operator?.end('SIGKILL')
  const team = await bed.team('gently', await bed.remote(), {
    provider: { push: { commitWindow: '5m', maxWindow: '10m' } },
    resources: ['configmaps'],
  })
  await team.configMap('a', { version: '1' })
  await start()
  await team.isReady()
  await untilEqual(team)
  await team.configMap('a', { version: '2' })
  const pending = () => operator?.metric('gittarget_pending_changes', team.namespace)
  await until(async () => (await pending()) === 1)
  expect(await operator?.end('SIGTERM')).toBe(0)
  expect((await team.files())[team.path('configmaps', 'a')]).toContain('version: "2"')
})

/** The same numbers in every run. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}
