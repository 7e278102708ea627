import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type ApiServer, startApiServer } from '@agents/apiserver'
import { JobKind, type KubeClient, PodKind } from '@agents/kube'
import { createPodLogs } from '@agents/local-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import { mountModes, unavailable } from './mount-modes.ts'
import {
  clientOf,
  inDefault,
  isFinished,
  isOver,
  jobOf,
  logger,
  logOf,
  podOf,
  untilFile,
  untilObject,
} from './platform.ts'

describe.each(mountModes)('a node that was killed, with mounts by %s', (mode) => {
  const reason = unavailable(mode)
  if (reason !== undefined) {
    test.skip(reason)
    return
  }
  let stateDir: string
  let server: ApiServer
  let client: KubeClient
  let kubeconfig: string
  let node: ChildProcess | undefined

  beforeAll(async () => {
    stateDir = await realpath(await mkdtemp(join(tmpdir(), 'agents-restart-')))
    server = await startApiServer({ logger, podLogs: createPodLogs(stateDir) })
    client = clientOf(server)
    kubeconfig = join(stateDir, 'kubeconfig')
    await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 })
  })
  afterAll(async () => {
    if (node === undefined) await startNode()
    for await (const pod of client.each(PodKind)) {
      await client.delete(PodKind, pod.metadata, { gracePeriodSeconds: 1 })
    }
    await until(
      async () => ((await client.list(PodKind)).items.length === 0 ? true : undefined),
      'waited in vain for: no pods',
    )
    await killNode()
    client.close()
    await server.stop()
    await rm(stateDir, { recursive: true, force: true })
  })

  const startNode = async (): Promise<void> => {
    const program = join(import.meta.dirname, 'main', 'node.ts')
    node = spawn(process.execPath, [program, kubeconfig, stateDir, mode], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await new Promise((resolve) => node?.stdout?.once('data', resolve))
  }
  const killNode = async (): Promise<void> => {
    const gone = new Promise((resolve) => node?.once('exit', resolve))
    node?.kill('SIGKILL')
    await gone
    node = undefined
  }
  const running = (name: string) =>
    untilObject(client, PodKind, inDefault(name), ({ status }) => status?.phase === 'Running')
  const over = (name: string) => untilObject(client, PodKind, inDefault(name), isOver)
  const linesIn = async (path: string) =>
    (await readFile(path, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')

  test('adopts running containers, with their complete output', async () => {
    const go = join(stateDir, 'go-on')
    const count = (from: number, to: number) => `for i in $(seq ${from} ${to}); do echo $i; done`
    const script = `${count(0, 19)}; ${untilFile(go)}; ${count(20, 39)}; exit 4`
    await startNode()
    await client.create(PodKind, podOf({ name: 'adopted', script }))
    await running('adopted')
    await killNode()
    await startNode()
    await writeFile(go, '')
    const pod = await over('adopted')
    expect(pod.status?.containerStatuses?.[0]).toMatchObject({
      restartCount: 0,
      state: { terminated: { exitCode: 4 } },
    })
    const expected = Array.from({ length: 40 }, (_, index) => `${index}\n`).join('')
    expect(await logOf(client, 'adopted')).toBe(expected)
  })

  test('learns the exit code and the last output of a container that exited meanwhile', async () => {
    const [go, last] = [join(stateDir, 'go-and-end'), join(stateDir, 'last')]
    const script = `echo first; ${untilFile(go)}; echo last; touch ${last}; exit 6`
    await client.create(PodKind, podOf({ name: 'ended-meanwhile', script }))
    await running('ended-meanwhile')
    await killNode()
    await writeFile(go, '')
    await until(
      async () => (existsSync(last) ? true : undefined),
      'waited in vain for: its last word',
    )
    await startNode()
    const pod = await over('ended-meanwhile')
    expect(pod.status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(6)
    expect(await logOf(client, 'ended-meanwhile')).toBe('first\nlast\n')
  })

  test('fails a container that was killed meanwhile, and does not run it again', async () => {
    const trace = join(stateDir, 'trace')
    const script = `echo $$$$ >> ${trace}; exec sleep 600`
    await client.create(PodKind, podOf({ name: 'killed-meanwhile', script }))
    await running('killed-meanwhile')
    const [pid = ''] = await until(async () => {
      const lines = await linesIn(trace)
      return lines.length > 0 ? lines : undefined
    }, 'waited in vain for: trace')
    await killNode()
    const { stdout } = await run('ps', ['-o', 'pgid=', '-p', pid])
    process.kill(-Number(stdout.trim()), 'SIGKILL')
    await startNode()
    const pod = await over('killed-meanwhile')
    expect(pod.status?.phase).toBe('Failed')
    expect(pod.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
    })
    expect(await linesIn(trace)).toHaveLength(1)
  })

  test('stops containers of pods that were force-deleted meanwhile', async () => {
    const sleep = `sleep 4251.${process.pid}`
    await client.create(PodKind, podOf({ name: 'deleted-meanwhile', script: `exec ${sleep}` }))
    await running('deleted-meanwhile')
    await killNode()
    await client.delete(PodKind, inDefault('deleted-meanwhile'), { gracePeriodSeconds: 0 })
    await startNode()
    const lines = async () => (await run('ps', ['-eo', 'args'])).stdout
    await expect.poll(lines, { timeout: 200_000 }).not.toContain(sleep)
  })

  test('runs each attempt of each Job once, however often it is killed', async () => {
    const trace = join(stateDir, 'runs')
    const names = Array.from({ length: 20 }, (_, index) => `chaos-${index}`)
    for (const name of names) {
      const script = `echo ${name} >> ${trace}; sleep 0.$(( $$$$ % 5 )); echo done`
      await client.create(JobKind, jobOf(name, script, { backoffLimit: 0 }))
    }
    for (let kills = 0; kills < 4; kills += 1) {
      await delay(150 + 200 * kills)
      await killNode()
      await startNode()
    }
    const jobs = await Promise.all(
      names.map((name) => untilObject(client, JobKind, inDefault(name), isFinished)),
    )
    expect(jobs.map(({ status }) => status?.succeeded ?? 0)).toEqual(names.map(() => 1))
    expect((await linesIn(trace)).toSorted()).toEqual(names.toSorted())
  })
})

function run(file: string, args: string[]): Promise<{ stdout: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args)
    let stdout = ''
    child.stdout.on('data', (piece: Buffer) => {
      stdout += piece
    })
    child.once('error', reject)
    child.once('close', () => resolve({ stdout }))
  })
}
