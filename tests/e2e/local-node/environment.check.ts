import { ConfigMapKind, PodKind, SecretKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  inDefault,
  logOf,
  type Platform,
  podOf,
  runPod,
  startPlatform,
  untilObject,
} from './platform.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform({ mounts: 'paths' })
  const { client } = platform
  await client.create(ConfigMapKind, {
    metadata: inDefault('settings'),
    data: { COLOUR: 'blue', 'not.a.name': 'x' },
  })
  await client.create(SecretKind, {
    metadata: inDefault('password'),
    stringData: { TOKEN: 'hush', lines: 'a\nb' },
  })
})
afterAll(() => platform.stop())

describe('a container has in its environment', () => {
  test.each(
    [
      {
        because: 'values, and values that refer to earlier ones',
        env: [
          { name: 'A', value: 'one' },
          { name: 'B', value: '$(A)-two' },
          { name: 'C', value: '$(LATER)$$(A)' },
          { name: 'LATER', value: 'x' },
        ],
        shows: { A: 'one', B: 'one-two', C: '$(LATER)$(A)' },
      },
      {
        because: 'a key of a ConfigMap and one of a Secret',
        env: [
          { name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'COLOUR' } } },
          { name: 'B', valueFrom: { secretKeyRef: { name: 'password', key: 'lines' } } },
        ],
        shows: { A: 'blue', B: 'a\nb' },
      },
      {
        because: 'nothing for optional sources that are missing',
        env: [
          { name: 'A', valueFrom: { configMapKeyRef: { name: 'none', key: 'x', optional: true } } },
          { name: 'B', value: 'there' },
        ],
        shows: { A: undefined, B: 'there' },
      },
      {
        because: 'fields of the pod',
        env: [
          { name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'B', valueFrom: { fieldRef: { fieldPath: "metadata.labels['team']" } } },
          { name: 'C', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
          { name: 'D', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
          {
            name: 'E',
            valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } },
          },
        ],
        shows: { A: 'env-3', B: 'blue', C: 'local', D: '127.0.0.1', E: '64' },
      },
      {
        because: 'all keys of a ConfigMap and of a Secret, with an optional prefix',
        env: [{ name: 'COLOUR', value: 'red' }],
        envFrom: [
          { configMapRef: { name: 'settings' } },
          { prefix: 'S_', secretRef: { name: 'password' } },
          { secretRef: { name: 'none', optional: true } },
        ],
        shows: { COLOUR: 'red', S_TOKEN: 'hush' },
      },
      {
        because: 'the PATH of the machine and its host name, and nothing else of the node',
        env: [],
        shows: {
          PATH: '/usr/local/bin:/usr/bin:/bin',
          HOSTNAME: 'env-5',
          HOME: undefined,
          NODE_ENV: undefined,
        },
      },
    ].map((row, index) => ({ ...row, name: `env-${index}` })),
  )('$because', async ({ name, env, envFrom, shows }) => {
    const main = {
      name: 'main',
      image: 'local',
      // NUL-separated, because values may contain newlines.
      command: ['env', '-0'],
      resources: { limits: { memory: '64Mi' } },
      ...(env && { env }),
      ...(envFrom && { envFrom }),
    }
    const { client } = platform
    const pod = podOf({ name, containers: [main] })
    await client.create(PodKind, {
      ...pod,
      metadata: { ...pod.metadata, labels: { team: 'blue' } },
    })
    await untilObject(
      client,
      PodKind,
      inDefault(name),
      ({ status }) => status?.phase === 'Succeeded',
    )
    const shown = new Map(
      (await logOf(client, name)).split('\0').map((entry) => {
        const at = entry.indexOf('=')
        return [entry.slice(0, at), entry.slice(at + 1)] as const
      }),
    )
    const seen = Object.fromEntries(Object.keys(shows).map((key) => [key, shown.get(key)]))
    expect(seen).toEqual(shows)
  })
})

test('arguments can refer to variables', async () => {
  const main = {
    name: 'main',
    image: 'local',
    command: ['echo'],
    args: ['$(WHO)', '$$(WHO)', '$(NOBODY)'],
    env: [{ name: 'WHO', value: 'you' }],
  }
  await runPod(platform.client, { name: 'args', containers: [main] })
  expect(await logOf(platform.client, 'args')).toBe('you $(WHO) $(NOBODY)\n')
})

test.each([
  {
    because: 'a missing Secret is named',
    name: 'no-secret',
    env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'nowhere', key: 'x' } } }],
    message: 'secret "nowhere" not found',
  },
  {
    because: 'a missing key is named',
    name: 'no-key',
    env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'nope' } } }],
    message: "couldn't find key nope in ConfigMap default/settings",
  },
])('$because', async ({ name, env, message }) => {
  const { client } = platform
  const containers = [{ name: 'main', image: 'local', command: ['true'], env }]
  await client.create(PodKind, podOf({ name, containers }))
  const pod = await untilObject(
    client,
    PodKind,
    inDefault(name),
    ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.message !== undefined,
  )
  expect(pod.status?.containerStatuses?.[0]?.state?.waiting).toEqual({
    reason: 'CreateContainerConfigError',
    message,
  })
})
