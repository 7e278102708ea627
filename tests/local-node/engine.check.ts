import { spawnSync } from 'node:child_process'
import { ConfigMapKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inDefault, logOf, type Platform, runPod, startPlatform } from './platform.ts'

const image = 'docker.io/library/busybox:stable'

/** The program alone is not enough: it must have somebody to talk to, and the image. */
const engine = (['docker', 'podman'] as const).find(
  (name) => spawnSync(name, ['image', 'inspect', image], { timeout: 20_000 }).status === 0,
)

describe('images', () => {
  if (engine === undefined) {
    test.skip(`SKIPPED: neither docker nor podman has ${image} here, so images are not run`)
    return
  }
  let platform: Platform
  beforeAll(async () => {
    platform = await startPlatform({ containerRuntime: engine })
    await platform.client.create(ConfigMapKind, {
      metadata: inDefault('settings'),
      data: { key: 'value' },
    })
  })
  afterAll(() => platform.stop())

  test('run with their mounts, variables and exit codes', async () => {
    const pod = await runPod(platform.client, {
      name: 'boxed',
      containers: [
        {
          name: 'main',
          image,
          imagePullPolicy: 'IfNotPresent',
          command: [
            'sh',
            '-c',
            'cat /config/key; echo " $WHO"; echo bye > /dev/termination-log; exit 3',
          ],
          env: [{ name: 'WHO', value: 'you' }],
          volumeMounts: [{ name: 'v', mountPath: '/config' }],
        },
      ],
      volumes: [{ name: 'v', configMap: { name: 'settings' } }],
    })
    expect(pod.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({
      exitCode: 3,
      message: 'bye\n',
    })
    expect(await logOf(platform.client, 'boxed')).toBe('value you\n')
  })
})
