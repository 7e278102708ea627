import { type ContainerStatus, NodeKind, type Pod, PodKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  inDefault,
  logOf,
  type Platform,
  type PodParts,
  podOf,
  runPod,
  startPlatform,
  untilGone,
  untilObject,
} from './platform.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform({ mounts: 'paths' })
})
afterAll(() => platform.stop())

function sh(name: string, script: string, more: object = {}) {
  return {
    name,
    image: 'local',
    command: ['sh', '-c', script],
    ...more,
  }
}

/** A command line that is unique on this machine, even among concurrent runs of these tests. */
function sleep(seconds: number): string {
  return `sleep ${seconds}.${process.pid}`
}

function stateOf({ status }: Pod, name = 'main'): ContainerStatus['state'] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].find(
    (one) => one.name === name,
  )?.state
}

function running(name: string) {
  return untilObject(
    platform.client,
    PodKind,
    inDefault(name),
    ({ status }) => status?.phase === 'Running',
  )
}

test('the node is registered and ready', async () => {
  const node = await platform.client.get(NodeKind, { name: 'local' })
  expect(node.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Ready', status: 'True' }),
  )
  expect(node.status?.capacity).toMatchObject({ pods: '110' })
})

describe('how a pod ends', () => {
  test.each([
    {
      because: 'its container succeeds',
      parts: { name: 'ok', script: 'true' },
      phase: 'Succeeded',
      terminated: { exitCode: 0, reason: 'Completed' },
    },
    {
      because: 'its container fails',
      parts: { name: 'failing', script: 'exit 7' },
      phase: 'Failed',
      terminated: { exitCode: 7, reason: 'Error' },
    },
    {
      because: 'its container is killed by a signal',
      parts: { name: 'signalled', script: 'kill -USR1 $$$$' },
      phase: 'Failed',
      terminated: { exitCode: 138, reason: 'Error' },
    },
    {
      because: 'there is no such program',
      parts: {
        name: 'no-program',
        containers: [{ name: 'main', image: 'x', command: ['no-such'] }],
      },
      phase: 'Failed',
      terminated: { exitCode: 128, reason: 'StartError' },
    },
    {
      because: 'a shell built-in is not a program',
      parts: {
        name: 'builtin',
        containers: [{ name: 'main', image: 'x', command: ['exit', '3'] }],
      },
      phase: 'Failed',
      terminated: { exitCode: 128, reason: 'StartError' },
    },
    {
      because: 'its deadline has passed',
      parts: { name: 'deadline', script: 'sleep 60', activeDeadlineSeconds: 3 },
      phase: 'Failed',
      terminated: { exitCode: 143 },
    },
    {
      because: 'it wrote a termination message',
      parts: { name: 'message', script: 'echo all well > /dev/termination-log' },
      phase: 'Succeeded',
      terminated: { exitCode: 0, message: 'all well\n' },
    },
    {
      because: 'it wrote no message and the log is used instead',
      parts: {
        name: 'log-message',
        containers: [
          sh('main', 'echo what went wrong; exit 1', {
            terminationMessagePolicy: 'FallbackToLogsOnError',
          }),
        ],
      },
      phase: 'Failed',
      terminated: { exitCode: 1, message: 'what went wrong\n' },
    },
    {
      because: 'the log is not used as the message unless requested',
      parts: { name: 'no-message', script: 'echo what; exit 1' },
      phase: 'Failed',
      terminated: { exitCode: 1, message: undefined },
    },
    {
      because: 'one of two containers fails, and the other one runs to its end',
      parts: { name: 'two', containers: [sh('main', 'exit 1'), sh('other', 'sleep 0.3')] },
      phase: 'Failed',
      terminated: { exitCode: 1 },
    },
  ] satisfies { because: string; parts: PodParts; phase: string; terminated: object }[])(
    '$because',
    async ({ parts, phase, terminated }) => {
      const pod = await runPod(platform.client, parts)
      expect(pod.status?.phase).toBe(phase)
      const ended: object = stateOf(pod)?.terminated ?? {}
      expect({ ...terminated, ...ended }).toMatchObject(terminated)
      expect(pod.status).toMatchObject({ podIP: '127.0.0.1', startTime: expect.any(String) })
      const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready')
      expect(ready).toMatchObject({
        status: 'False',
        reason: phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed',
      })
    },
  )

  test('a pod past its deadline reports it', async () => {
    const pod = await platform.client.get(PodKind, inDefault('deadline'))
    expect(pod.status).toMatchObject({ reason: 'DeadlineExceeded' })
  })
})

describe('a running pod', () => {
  test('is ready, and reports its start time', async () => {
    await platform.client.create(PodKind, podOf({ name: 'runs', script: 'sleep 300' }))
    const pod = await running('runs')
    expect(pod.status?.conditions?.map(({ type, status }) => `${type}=${status}`).sort()).toEqual([
      'ContainersReady=True',
      'Initialized=True',
      'PodReadyToStartContainers=True',
      'PodScheduled=True',
      'Ready=True',
    ])
    expect(stateOf(pod)?.running?.startedAt).toMatch(/^\d{4}-/)
    expect(pod.status?.containerStatuses?.[0]).toMatchObject({ ready: true, restartCount: 0 })
  })

  test('gets SIGTERM before SIGKILL, and can exit by itself', async () => {
    const script = 'trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.05; done'
    await platform.client.create(
      PodKind,
      podOf({ name: 'polite', script, terminationGracePeriodSeconds: 30 }),
    )
    await running('polite')
    const output: string[] = []
    const log = await platform.client.podLog(inDefault('polite'), { follow: true })
    for await (const line of log.lines()) {
      output.push(line)
      // From here on it handles the signal.
      if (line === 'up') await platform.client.delete(PodKind, inDefault('polite'))
    }
    expect(output.at(-1)).toBe('bye')
    await untilGone(platform.client, PodKind, inDefault('polite'))
  })

  test('that ignores SIGTERM is killed with all its children', async () => {
    const script = `trap "" TERM; (${sleep(4242)} & ${sleep(4243)}) & while :; do sleep 0.05; done`
    await platform.client.create(PodKind, podOf({ name: 'deaf', script }))
    await running('deaf')
    await platform.client.delete(PodKind, inDefault('deaf'))
    await untilGone(platform.client, PodKind, inDefault('deaf'))
    const left = await commandLines()
    for (const seconds of [4242, 4243]) expect(left).not.toContain(sleep(seconds))
  })

  test('that is force-deleted leaves no process running', async () => {
    await platform.client.create(PodKind, podOf({ name: 'forced', script: sleep(4244) }))
    await running('forced')
    await platform.client.delete(PodKind, inDefault('forced'), { gracePeriodSeconds: 0 })
    await untilGone(platform.client, PodKind, inDefault('forced'))
    await expect.poll(commandLines, { timeout: 200_000 }).not.toContain(sleep(4244))
  })

  test('leaves no process behind when it has ended, not even outside of its process group', async () => {
    const script = `setsid ${sleep(4245)} & setsid ${sleep(4246)} >/dev/null 2>&1 & sleep 0.2`
    await runPod(platform.client, { name: 'escaping', script })
    expect(await commandLines()).not.toContain(sleep(4245))
    await platform.client.delete(PodKind, inDefault('escaping'))
    await expect.poll(commandLines, { timeout: 200_000 }).not.toContain(sleep(4246))
  })
})

describe('init containers', () => {
  test('run one at a time, before the others', async () => {
    const pod = await runPod(platform.client, {
      name: 'inits',
      initContainers: [
        sh('first', 'sleep 0.2; echo 1 >> /shared/order', { volumeMounts: shared }),
        sh('second', 'echo 2 >> /shared/order', { volumeMounts: shared }),
      ],
      containers: [sh('main', 'cat /shared/order', { volumeMounts: shared })],
      volumes: [{ name: 'shared', emptyDir: {} }],
    })
    expect(pod.status?.phase).toBe('Succeeded')
    expect(await logOf(platform.client, 'inits', { container: 'main' })).toBe('1\n2\n')
    expect(pod.status?.initContainerStatuses?.map(({ ready }) => ready)).toEqual([true, true])
  })

  test('that fail prevent the others from running', async () => {
    const pod = await runPod(platform.client, {
      name: 'init-fails',
      initContainers: [sh('first', 'exit 5')],
      containers: [sh('main', 'true')],
    })
    expect(pod.status?.phase).toBe('Failed')
    expect(stateOf(pod, 'first')?.terminated?.exitCode).toBe(5)
    expect(stateOf(pod)?.waiting?.reason).toBe('PodInitializing')
    expect(pod.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'Initialized',
        status: 'False',
        reason: 'ContainersNotInitialized',
      }),
    )
  })

  test('that are sidecars run next to the others and end with them', async () => {
    const pod = await runPod(platform.client, {
      name: 'sidecar',
      initContainers: [
        sh('side', `echo up > /shared/side; exec ${sleep(4247)}`, {
          volumeMounts: shared,
          restartPolicy: 'Always',
        }),
      ],
      containers: [
        sh('main', 'until [ -e /shared/side ]; do sleep 0.05; done; cat /shared/side', {
          volumeMounts: shared,
        }),
      ],
      volumes: [{ name: 'shared', emptyDir: {} }],
    })
    expect(pod.status?.phase).toBe('Succeeded')
    expect(stateOf(pod, 'side')?.terminated?.exitCode).toBe(143)
    expect(await commandLines()).not.toContain(sleep(4247))
  })
})

const shared = [{ name: 'shared', mountPath: '/shared' }]

describe('restarts', () => {
  test('a container that fails is restarted, with increasing delays', async () => {
    await platform.client.create(
      PodKind,
      podOf({ name: 'crashing', script: 'exit 1', restartPolicy: 'OnFailure' }),
    )
    const pod = await untilObject(
      platform.client,
      PodKind,
      inDefault('crashing'),
      (one) => (one.status?.containerStatuses?.[0]?.restartCount ?? 0) >= 2,
    )
    expect(pod.status?.phase).toBe('Running')
    const waits = await untilObject(
      platform.client,
      PodKind,
      inDefault('crashing'),
      (one) => stateOf(one)?.waiting?.reason === 'CrashLoopBackOff',
    )
    expect(waits.status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode).toBe(1)
    await platform.client.delete(PodKind, inDefault('crashing'))
  })

  test('with Always a container that succeeds is restarted too', async () => {
    await platform.client.create(
      PodKind,
      podOf({ name: 'always', script: 'true', restartPolicy: 'Always' }),
    )
    await untilObject(
      platform.client,
      PodKind,
      inDefault('always'),
      (one) => (one.status?.containerStatuses?.[0]?.restartCount ?? 0) >= 1,
    )
    await platform.client.delete(PodKind, inDefault('always'))
  })
})

test('a container without a command reports why it cannot run', async () => {
  const containers = [{ name: 'main', image: 'docker.io/library/nginx' }]
  await platform.client.create(PodKind, podOf({ name: 'image-only', containers }))
  const pod = await untilObject(
    platform.client,
    PodKind,
    inDefault('image-only'),
    (one) => stateOf(one)?.waiting?.message !== undefined,
  )
  expect(stateOf(pod)?.waiting).toMatchObject({
    reason: 'CreateContainerConfigError',
    message: expect.stringContaining('has no command'),
  })
})

async function commandLines(): Promise<string> {
  const { execFile } = await import('node:child_process')
  return new Promise((resolve, reject) => {
    execFile('ps', ['-eo', 'args'], (error, stdout) => (error ? reject(error) : resolve(stdout)))
  })
}
