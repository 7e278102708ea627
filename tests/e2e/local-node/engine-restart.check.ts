import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ApiServer, startApiServer } from '@agents/apiserver'
import { JobKind, type KubeClient, PodKind } from '@agents/kube'
import { createPodLogs } from '@agents/local-node'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { tinyImage } from '../../support/testbed/container-engine.ts'
import { until } from '../../support/testbed/until.ts'
import { describeEngines } from './engines.ts'
import {
  clientOf,
  inDefault,
  isFinished,
  isOver,
  logger,
  logOf,
  podOf,
  untilFile,
  untilObject,
} from './platform.ts'

await describeEngines('a node that was killed while images ran', (engine) => {
  let stateDir: string
  /** Mounted into the containers under the same path. */
  let shared: string
  let server: ApiServer
  let client: KubeClient
  let kubeconfig: string
  let node: ChildProcess | undefined

  beforeAll(async () => {
    stateDir = await realpath(await mkdtemp(join(tmpdir(), 'agents-engine-restart-')))
    shared = join(stateDir, 'shared')
    await mkdir(shared)
    server = await startApiServer({ logger, podLogs: createPodLogs(stateDir) })
    client = clientOf(server)
    kubeconfig = join(stateDir, 'kubeconfig')
    await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 })
    await startNode()
  })
  afterAll(async () => {
    await killNode()
    client?.close()
    await server?.stop()
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5 })
  })

  const nodeArguments = () => [
    join(import.meta.dirname, 'main', 'node.ts'),
    ...[kubeconfig, stateDir, engine.name],
  ]
  const startedNode = async (file: string, args: readonly string[]): Promise<ChildProcess> => {
    const { environment: env } = engine
    const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    await new Promise((resolve) => child.stdout?.once('data', resolve))
    return child
  }
  const killed = async (child: ChildProcess): Promise<void> => {
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }
  const startNode = async (): Promise<void> => {
    node = await startedNode(process.execPath, nodeArguments())
  }
  const killNode = async (): Promise<void> => {
    if (node !== undefined) await killed(node)
    node = undefined
  }
  const specOf = (name: string, script: string) =>
    podOf({
      name,
      containers: [
        {
          name: 'main',
          image: tinyImage,
          command: ['sh', '-c', script],
          volumeMounts: [{ name: 'shared', mountPath: shared }],
        },
      ],
      volumes: [{ name: 'shared', hostPath: { path: shared } }],
    })
  const file = (name: string) => join(shared, name)
  const there = (path: string) =>
    until(async () => (existsSync(path) ? true : undefined), `waited in vain for: ${path}`)
  // A node that is killed between reading the pipe and writing the log loses what it read.
  const logged = (name: string, end: string) =>
    until(
      async () => ((await logOf(client, name)).endsWith(end) ? true : undefined),
      `waited in vain for the log of ${name} to end with ${JSON.stringify(end)}`,
    )
  const over = (name: string) => untilObject(client, PodKind, inDefault(name), isOver)
  const linesIn = async (path: string) =>
    (await readFile(path, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
  const containers = () => engine.ask(['ps', '--all', '--format', '{{.Names}}'])
  const noContainers = () =>
    until(
      async () => ((await containers()) === '' ? true : undefined),
      'waited in vain for: no containers',
    )

  test('adopts running containers, with their complete output', async () => {
    const script = `seq 0 19; touch ${file('begun')}; ${untilFile(file('go'))}; seq 20 39; exit 4`
    await client.create(PodKind, specOf('adopted', script))
    await there(file('begun'))
    await logged('adopted', '19\n')
    await killNode()
    await startNode()
    await writeFile(file('go'), '')
    const pod = await over('adopted')
    expect(pod.status?.containerStatuses?.[0]).toMatchObject({
      restartCount: 0,
      state: { terminated: { exitCode: 4 } },
    })
    const expected = Array.from({ length: 40 }, (_, index) => `${index}\n`).join('')
    expect(await logOf(client, 'adopted')).toBe(expected)
    await noContainers()
  })

  test('loses no output, even more than pipes can buffer', async () => {
    const script = `touch ${file('quiet')}; ${untilFile(file('flood'))}; seq 0 99999`
    await client.create(PodKind, specOf('flooding', script))
    await there(file('quiet'))
    await killNode()
    await writeFile(file('flood'), '')
    await startNode()
    expect((await over('flooding')).status?.phase).toBe('Succeeded')
    const lines = (await logOf(client, 'flooding')).split('\n')
    expect(lines.length).toBe(100_001)
    expect(lines.findIndex((line, index) => line !== String(index))).toBe(100_000)
    await noContainers()
  })

  test('learns the exit code and the last output of a container that exited meanwhile', async () => {
    const script = `echo first; touch ${file('up')}; ${untilFile(file('end'))}; echo last; exit 6`
    await client.create(PodKind, specOf('ended-meanwhile', script))
    await there(file('up'))
    await logged('ended-meanwhile', 'first\n')
    await killNode()
    await writeFile(file('end'), '')
    await until(
      async () => ((await engine.ask(['ps', '--quiet'])) === '' ? true : undefined),
      'waited in vain for: its end',
    )
    await startNode()
    const pod = await over('ended-meanwhile')
    expect(pod.status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(6)
    expect(await logOf(client, 'ended-meanwhile')).toBe('first\nlast\n')
    await noContainers()
  })

  test('stops a container that it lost, and does not run it again', async () => {
    const script = `echo run >> ${file('runs')}; exec sleep 600`
    await client.create(PodKind, specOf('lost', script))
    await there(file('runs'))
    await killNode()
    // Kills all processes that watch the container, but not the container.
    const [name = ''] = (await containers()).split('\n')
    const { stdout } = await promisify(execFile)('ps', ['-eo', 'pgid=,args='])
    const watchers = stdout.split('\n').filter((line) => line.includes(`run --name ${name}`))
    for (const line of watchers) killGroup(Number.parseInt(line, 10))
    await startNode()
    const pod = await over('lost')
    expect(pod.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
    })
    expect(await linesIn(file('runs'))).toHaveLength(1)
    await noContainers()
  })

  test('stops containers of pods that were force-deleted meanwhile', async () => {
    await client.create(PodKind, specOf('deleted', `touch ${file('d')}; exec sleep 600`))
    await there(file('d'))
    await killNode()
    await client.delete(PodKind, inDefault('deleted'), { gracePeriodSeconds: 0 })
    await startNode()
    await noContainers()
  })

  test('stops containers of force-deleted pods even if it lost its state', async () => {
    await client.create(PodKind, specOf('forgotten', `touch ${file('f')}; exec sleep 600`))
    await there(file('f'))
    await killNode()
    await client.delete(PodKind, inDefault('forgotten'), { gracePeriodSeconds: 0 })
    await rm(join(stateDir, 'pods'), { recursive: true })
    await rm(join(stateDir, 'node-id'))
    await startNode()
    await noContainers()
  })

  // Only root can mount another folder at the same path.
  if (process.getuid?.() === 0) {
    test('does not touch containers of another state folder with the same path', async () => {
      await client.create(PodKind, specOf('neighbour', `touch ${file('n')}; exec sleep 600`))
      await there(file('n'))
      const before = await containers()
      const elsewhere = await startApiServer({ logger })
      onTestFinished(() => elsewhere.stop())
      const folder = await mkdtemp(join(tmpdir(), 'agents-engine-elsewhere-'))
      onTestFinished(() => rm(folder, { recursive: true, force: true }))
      await writeFile(join(folder, 'kubeconfig'), elsewhere.kubeconfig, { mode: 0o600 })
      const line = 'mount --bind "$0" "$1"; shift; exec "$@"'
      const through = ['--mount', 'sh', '-c', line, folder, stateDir]
      const other = await startedNode('unshare', [...through, process.execPath, ...nodeArguments()])
      await killed(other)
      // The other node used that folder.
      expect(existsSync(join(folder, 'node-id'))).toBe(true)
      expect(await containers()).toBe(before)
      await client.delete(PodKind, inDefault('neighbour'))
      await noContainers()
    })
  }

  test('runs each Job once, however often it is killed', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `chaos-${index}`)
    for (const name of names) {
      const { spec } = specOf(name, `echo ${name} >> ${file('jobs')}; sleep 0.3`)
      const job = { backoffLimit: 0, template: { spec } }
      await client.create(JobKind, { metadata: inDefault(name), spec: job })
    }
    for (let kills = 1; kills <= 3; kills += 1) {
      await until(
        async () => ((await linesIn(file('jobs'))).length >= kills ? true : undefined),
        'waited in vain for: some more',
      )
      await killNode()
      await startNode()
    }
    const jobs = await Promise.all(
      names.map((name) => untilObject(client, JobKind, inDefault(name), isFinished)),
    )
    expect(jobs.map(({ status }) => status?.succeeded ?? 0)).toEqual(names.map(() => 1))
    expect((await linesIn(file('jobs'))).toSorted()).toEqual(names.toSorted())
    await noContainers()
  })
})

/** The last process of the group may have exited since it was listed. */
function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL')
  } catch {
    // Already exited.
  }
}
