import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OperatorChild } from '../../support/gittarget/operator-child.ts'
import { GitTargetKind, type Team, TestBed } from '../../support/gittarget/test-bed.ts'
import type { FaultServer } from '../../support/testbed/fault-servers.ts'
import { until } from '../../support/testbed/until.ts'
import { takeAway } from './remote-faults.ts'

let server: FaultServer
let bed: TestBed
let operator: OperatorChild | undefined

/** Ends of the operator between a deletion and its push. `isShort` selects those that depend on the API server most. */
export function deletionScenarios(
  startServer: () => Promise<FaultServer>,
  { isShort = false }: { readonly isShort?: boolean } = {},
): void {
  setUp(startServer)
  testSeenDeletions()
  if (!isShort) testOtherEnds()
}

function setUp(startServer: () => Promise<FaultServer>): void {
  beforeAll(async () => {
    server = await startServer()
    const { connection } = server
    bed = await TestBed.start(async () => ({
      name: 'server',
      connection,
      stop: () => server.stop(),
    }))
  })

  afterAll(async () => {
    await operator?.end('SIGKILL')
    await bed.stop()
  })
}

async function start(): Promise<void> {
  operator = await OperatorChild.start(server.kubeconfigPath, bed.stateDir)
}

const longWindow = { push: { commitWindow: '5m', maxWindow: '10m' } }

/** A mirror of the ConfigMaps `a` and `b`, whose changes wait in a long commit window. */
async function mirrorOfTwo(namespace: string): Promise<Team> {
  const team = await bed.team(namespace, await bed.remote(), {
    provider: longWindow,
    resources: ['configmaps'],
  })
  await team.configMap('a', { version: '1' })
  await team.configMap('b', { version: '1' })
  await start()
  await team.isReady()
  await untilNames(team, ['a', 'b'])
  return team
}

async function deleteAndSee(team: Team, name: string): Promise<void> {
  await team.deleteConfigMap(name)
  const pending = () => operator?.metric('gittarget_pending_changes', team.namespace)
  await until(async () => (await pending()) === 1)
}

async function untilNames(team: Team, names: readonly string[]): Promise<void> {
  const expected = names.map((name) => team.path('configmaps', name)).sort()
  await until(async () => {
    const files = Object.keys(await team.files().catch(() => ({})))
    const found = files.filter((path) => path.includes('/configmaps/')).sort()
    return JSON.stringify(found) === JSON.stringify(expected)
  })
}

async function endWhileRemoteIsAway(
  namespace: string,
  end: (team: Team) => Promise<void>,
): Promise<void> {
  const team = await mirrorOfTwo(namespace)
  const putBack = await takeAway(team.remote)
  await deleteAndSee(team, 'a')
  await end(team)
  await start()
  await until(async () => (await operator?.metric('gittarget_ready', namespace)) === 0)
  await putBack()
  await untilNames(team, ['b'])
  await team.isReady()
  expect((await team.target()).status?.push?.pendingDeletions ?? []).toEqual([])
  await operator?.end('SIGKILL')
}

async function retainedFiles(team: Team): Promise<number | undefined> {
  return (await team.target()).status?.snapshot?.retainedFiles
}

function testSeenDeletions(): void {
  test('killed in a commit window: the deletion is pushed by the next process', async () => {
    const team = await mirrorOfTwo('killed')
    await deleteAndSee(team, 'a')
    await operator?.end('SIGKILL')
    await start()
    await untilNames(team, ['b'])
    await team.isReady()
    expect(await retainedFiles(team)).toBe(0)
    await operator?.end('SIGKILL')
  })

  test('the pod is lost with its state directory: the next pod continues with the status', async () => {
    await endWhileRemoteIsAway('lost', async (team) => {
      await until(async () => (await team.target()).status?.push?.pendingDeletions?.length === 1)
      await operator?.end('SIGKILL')
      await loseState()
    })
  })

  test('the pod is lost before it could read the branch: the next pod continues with the status', async () => {
    const team = await mirrorOfTwo('unopened')
    await operator?.end('SIGKILL')
    // A target that is created again has no record of an earlier comparison.
    await bed.client.delete(GitTargetKind, { namespace: team.namespace, name: 'mirror' })
    await team.createTarget()
    await loseState()
    const putBack = await takeAway(team.remote)
    await start()
    await team.until('Bootstrapped=False/BootstrapFailed')
    await until(async () => (await team.target()).status?.stream?.live === 1)
    await team.deleteConfigMap('a')
    await until(async () => (await team.target()).status?.push?.pendingDeletions?.length === 1)
    await operator?.end('SIGKILL')
    await loseState()
    await start()
    await putBack()
    await untilNames(team, ['b'])
    await team.isReady()
    expect((await team.target()).status?.push?.pendingDeletions ?? []).toEqual([])
    await operator?.end('SIGKILL')
  })
}

/** As if the pod, whose state directory is an emptyDir, was deleted. */
async function loseState(): Promise<void> {
  await rm(bed.stateDir, { recursive: true, force: true })
}

function testOtherEnds(): void {
  test('stopped while the remote is away: the next process continues with the journal', async () => {
    await endWhileRemoteIsAway('stopped', async () => {
      expect(await operator?.end('SIGTERM')).toBe(0)
    })
  })

  test('an object that was recreated while the operator was stopped keeps its file', async () => {
    const team = await mirrorOfTwo('recreated')
    await deleteAndSee(team, 'a')
    await operator?.end('SIGKILL')
    await team.configMap('a', { version: '2' })
    await start()
    await team.untilFiles((files) => files[team.path('configmaps', 'a')]?.includes('"2"') === true)
    await untilNames(team, ['a', 'b'])
    await operator?.end('SIGKILL')
  })

  test('a deletion that nobody saw is kept by OnEvent and counted, until the object exists again', async () => {
    const team = await mirrorOfTwo('unseen')
    await operator?.end('SIGKILL')
    await team.deleteConfigMap('a')
    await start()
    await until(async () => (await retainedFiles(team)) === 1)
    await team.isReady()
    const { status } = await team.target()
    const synced = status?.conditions?.find(({ type }) => type === 'SnapshotSynced')
    expect(synced?.message).toContain('1 file ')
    await untilNames(team, ['a', 'b'])
    await operator?.end('SIGKILL')
    await team.configMap('a', { version: '2' })
    await start()
    await until(async () => (await retainedFiles(team)) === 0)
    await operator?.end('SIGKILL')
  })
}
