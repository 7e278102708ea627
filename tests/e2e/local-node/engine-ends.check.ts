import { type Pod, PodKind } from '@agents/kube'
import { beforeAll, describe, expect, test } from 'vitest'
import { tinyImage } from '../../support/testbed/container-engine.ts'
import { until } from '../../support/testbed/until.ts'
import { describePlatforms } from './engines.ts'
import {
  inDefault,
  isOver,
  logOf,
  type PodParts,
  podOf,
  untilGone,
  untilObject,
} from './platform.ts'

const quitImage = 'localhost/agents-test/quit:1'

await describePlatforms('an image', (on) => {
  const { engine } = on
  beforeAll(async () => {
    await engine.importImage(engine.tinyRoot, quitImage, ['STOPSIGNAL SIGQUIT'])
  })

  const podWith = (name: string, script: string, more: Partial<PodParts> = {}) =>
    podOf({
      name,
      containers: [{ name: 'main', image: tinyImage, command: ['sh', '-c', script] }],
      ...more,
    })
  const create = async (pod: ReturnType<typeof podOf>) => {
    await on.platform.client.create(PodKind, pod)
    return inDefault(pod.metadata.name)
  }
  const untilPod = (key: { name: string; namespace: string }, isThere: (pod: Pod) => boolean) =>
    untilObject(on.platform.client, PodKind, key, isThere)
  const mainOf = ({ status }: Pod) => status?.containerStatuses?.[0]
  const says = (name: string, word: string) =>
    until(
      async () =>
        (await logOf(on.platform.client, name).catch(() => '')).includes(word) ? true : undefined,
      `waited in vain for: ${name} says ${word}`,
    )
  /** The log as a client sees it that follows it to the end. */
  const followed = (name: string) => logOf(on.platform.client, name, { follow: true })
  const containers = () => engine.ask(['ps', '--all', '--quiet'])

  describe('that is asked to stop', () => {
    test('gets the signal, and its last output is kept', async () => {
      const script = 'trap "echo told; exit 0" TERM; echo up; while :; do sleep 0.1; done'
      const key = await create(podWith('gentle', script, { terminationGracePeriodSeconds: 120 }))
      await says('gentle', 'up')
      const heard = followed('gentle')
      await on.platform.client.delete(PodKind, key)
      await untilGone(on.platform.client, PodKind, key)
      expect(await heard).toBe('up\ntold\n')
      expect(await containers()).toBe('')
    })

    test('gets the stop signal of its image', async () => {
      const pod = podWith(
        'quit',
        'trap "echo quit; exit 0" QUIT; echo up; while :; do sleep 0.1; done',
        {
          terminationGracePeriodSeconds: 120,
        },
      )
      const [container] = pod.spec.containers
      if (container !== undefined) container.image = quitImage
      const key = await create(pod)
      await says('quit', 'up')
      const heard = followed('quit')
      await on.platform.client.delete(PodKind, key)
      await untilGone(on.platform.client, PodKind, key)
      expect(await heard).toBe('up\nquit\n')
    })

    test('is killed if it ignores the signal', async () => {
      const script = 'trap "" TERM; echo up; while :; do sleep 0.1; done'
      const key = await create(podWith('deaf', script))
      await says('deaf', 'up')
      await on.platform.client.delete(PodKind, key)
      await untilGone(on.platform.client, PodKind, key)
      expect(await containers()).toBe('')
    })

    test('is killed if it has just started', async () => {
      const key = await create(podWith('young', 'sleep 600'))
      await untilPod(key, ({ status }) => status?.phase === 'Running')
      await on.platform.client.delete(PodKind, key, { gracePeriodSeconds: 0 })
      await until(
        async () => ((await containers()) === '' ? true : undefined),
        'waited in vain for: no containers',
      )
    })

    test('ends at its pod’s deadline', async () => {
      const key = await create(podWith('late', 'sleep 600', { activeDeadlineSeconds: 1 }))
      const pod = await untilPod(key, isOver)
      expect(pod.status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' })
      expect(mainOf(pod)?.state?.terminated?.exitCode).toBe(137)
      expect(await containers()).toBe('')
    })
  })

  describe('that exceeds its memory limit', () => {
    const greedy = async (name: string) => {
      const command = ['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=200M', 'count=1']
      const resources = { limits: { memory: '32Mi' } }
      const containers = [{ name: 'main', image: tinyImage, command, resources }]
      const pod = await untilPod(await create(podOf({ name, containers })), isOver)
      return mainOf(pod)?.state?.terminated
    }

    test('is killed', async () => {
      // Engines do not always detect the reason.
      expect(await greedy('greedy')).toMatchObject({
        exitCode: 137,
        reason: expect.stringMatching(/^(OOMKilled|Error)$/),
      })
    })

    // On some machines podman never reports it; docker nearly always does, unless it is notified of the exit first.
    if (engine.name === 'docker') {
      test('is reported as OOMKilled', async () => {
        let reason: string | undefined
        for (let tries = 1; tries <= 6 && reason !== 'OOMKilled'; tries += 1) {
          reason = (await greedy(`greedy-${tries}`))?.reason
        }
        expect(reason).toBe('OOMKilled')
      })
    }
  })

  test('that fails is restarted, and its previous log is kept', async () => {
    const script =
      'echo "try $(cat /v/n)"; echo second > /v/n; [ -e /v/done ] || { touch /v/done; exit 7; }'
    const pod = podWith('again', script, {
      restartPolicy: 'OnFailure',
      volumes: [{ name: 'v', emptyDir: {} }],
    })
    const [container] = pod.spec.containers
    if (container !== undefined) container.volumeMounts = [{ name: 'v', mountPath: '/v' }]
    const over = await untilPod(await create(pod), isOver)
    expect(mainOf(over)).toMatchObject({
      restartCount: 1,
      state: { terminated: { exitCode: 0 } },
      lastState: { terminated: { exitCode: 7 } },
    })
    expect(await logOf(on.platform.client, 'again')).toBe('try second\n')
  })

  const nowhere = { command: ['pwd'], workingDir: '/nowhere' }
  test.each([
    {
      because: 'without the program',
      command: ['no-such-program'],
      says: /^(?!.*--help).*no-such-program/,
    },
    // Docker creates it, as a cluster does.
    ...(engine.name === 'podman'
      ? [{ because: 'without the folder to work in', ...nowhere, says: /nowhere/ }]
      : []),
  ])('$because fails to start', async ({ because, says, ...container }) => {
    const name = `unstartable-${because.length}`
    const containers = [{ name: 'main', image: tinyImage, ...container }]
    const pod = await untilPod(await create(podOf({ name, containers })), isOver)
    expect(mainOf(pod)?.state?.terminated).toMatchObject({
      exitCode: 128,
      reason: 'StartError',
      message: expect.stringMatching(says),
    })
  })

  if (engine.name === 'docker') {
    test('gets its working directory created', async () => {
      const containers = [{ name: 'main', image: tinyImage, ...nowhere }]
      await untilPod(await create(podOf({ name: 'new-place', containers })), isOver)
      expect(await logOf(on.platform.client, 'new-place')).toBe('/nowhere\n')
    })
  }

  test('whose program exits with a code that engines use too is reported with that code', async () => {
    const pod = await untilPod(await create(podWith('own-code', 'exit 125')), isOver)
    expect(mainOf(pod)?.state?.terminated).toMatchObject({ exitCode: 125, reason: 'Error' })
  })

  test('that runs as root is rejected if the pod forbids root', async () => {
    const more = { securityContext: { runAsNonRoot: true } }
    const pod = await untilPod(
      await create(podWith('rootless', 'true', more)),
      (one) => mainOf(one)?.state?.waiting?.reason === 'CreateContainerConfigError',
    )
    expect(mainOf(pod)?.state?.waiting?.message).toMatch(/image will run as root/)
  })

  describe('that is missing', () => {
    const missing = 'localhost:1/agents-test/missing:1'
    const wanting = (name: string, policy: 'Never' | 'IfNotPresent', image = missing) =>
      podOf({
        name,
        containers: [{ name: 'main', image, imagePullPolicy: policy, command: ['true'] }],
      })
    const waiting = (reason: string) => (pod: Pod) => mainOf(pod)?.state?.waiting?.reason === reason

    test('is reported as missing', async () => {
      const key = await create(wanting('missing', 'IfNotPresent'))
      const failed = await untilPod(key, waiting('ErrImagePull'))
      expect(failed.status?.phase).toBe('Pending')
      expect(mainOf(failed)?.state?.waiting?.message).toMatch(/^failed to pull image .*refused/)
      const later = await untilPod(key, waiting('ImagePullBackOff'))
      expect(mainOf(later)?.state?.waiting?.message).toMatch(/^Back-off pulling image/)
    })

    test('runs as soon as it is available', async () => {
      const image = 'localhost:1/agents-test/late:1'
      const key = await create(wanting('awaited', 'IfNotPresent', image))
      await untilPod(key, waiting('ErrImagePull'))
      await engine.ask(['tag', tinyImage, image])
      expect((await untilPod(key, isOver)).status?.phase).toBe('Succeeded')
    })

    test('is reported as invalid if its name is', async () => {
      const pod = await untilPod(
        await create(wanting('no-image', 'IfNotPresent', 'what??')),
        waiting('InvalidImageName'),
      )
      expect(mainOf(pod)?.state?.waiting?.message).toContain('"what??"')
    })

    test('is not pulled if the pod forbids it', async () => {
      const pod = await untilPod(
        await create(wanting('never', 'Never')),
        waiting('ErrImageNeverPull'),
      )
      expect(mainOf(pod)?.state?.waiting?.message).toBe(
        `Container image "${missing}" is not present with pull policy of Never`,
      )
    })

    test('does not delay the deletion of its pod', async () => {
      const key = await create(wanting('impatient', 'IfNotPresent'))
      await untilPod(key, ({ status }) => status?.phase === 'Pending')
      await on.platform.client.delete(PodKind, key)
      await untilGone(on.platform.client, PodKind, key)
    })
  })
})
