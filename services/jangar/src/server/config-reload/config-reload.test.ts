import { startApiServer } from '@agents/apiserver'
import { type Clock, systemClock } from '@agents/controller'
import {
  bearer,
  ConfigMapKind,
  createKubeClient,
  type KubeClient,
  KubeError,
  SecretKind,
  staticCredentials,
} from '@agents/kube'
import { createLogger, silentLogger } from '@agents/log'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type ConfigReloadSettings, createConfigReload } from './config-reload.ts'

const silent = silentLogger
const timeout = 60_000
const namespace = 'default'
let server: Awaited<ReturnType<typeof startApiServer>>
let client: KubeClient

beforeAll(async () => {
  server = await startApiServer({ logger: silent })
  const connection = {
    server: server.url,
    namespace,
    tls: { authority: () => Promise.resolve(server.caCertificate) },
    credentials: staticCredentials({ authorization: bearer(server.adminToken) }),
  }
  client = createKubeClient(connection, { fieldManager: 'somebody' })
}, timeout)

afterAll(async () => {
  client.close()
  await server.stop()
})

/** A clock whose timers fire at once. `pauses` records their durations. */
function hastyClock(): { readonly clock: Clock; readonly pauses: number[] } {
  const pauses: number[] = []
  const after: Clock['after'] = (milliseconds, action) => {
    pauses.push(milliseconds)
    return systemClock.after(0, action)
  }
  return { clock: { ...systemClock, after }, pauses }
}

interface Line {
  readonly msg: string
  readonly object?: string
  readonly resourceVersion?: string
  readonly inMs?: number
}

function watch(settings: Partial<ConfigReloadSettings>, reader: typeof client = client) {
  const lines: Line[] = []
  const { clock, pauses } = hastyClock()
  const sightings = { count: 0 }
  const counted: Pick<KubeClient, 'get' | 'watch'> = {
    get: reader.get,
    watch: async (kind, options) => {
      const stream = await reader.watch(kind, options)
      sightings.count += 1
      return stream
    },
  }
  const reload = createConfigReload(
    {
      mode: 'exit',
      jitterMs: 10_000,
      drainTimeoutMs: 1_000,
      secrets: [],
      configMaps: [],
      ...settings,
    },
    {
      client: counted,
      namespace,
      clock,
      random: () => 0.25,
      log: createLogger({
        sink: { write: (line) => lines.push(JSON.parse(line)) },
        format: 'json',
      }),
    },
  )
  if (reload === undefined) return { reload, lines }
  const stop = new AbortController()
  const ended = reload.run(stop.signal)
  onTestFinished(async () => {
    stop.abort()
    await ended
  })
  return { reload, lines, pauses, ended, sightings, stop }
}

function named(name: string, keys: readonly string[] = []) {
  return { name, keys }
}

function setSecret(name: string, data: Record<string, string>, labels = {}) {
  return client.apply(SecretKind, { metadata: { name, namespace, labels }, stringData: data })
}

describe('a process whose configuration changes', () => {
  test('exits after a random delay, for a change of content but not of labels', {
    timeout,
  }, async () => {
    await setSecret('one', { token: 'first' })
    const { reload, lines, pauses, ended, sightings } = watch({ secrets: [named('one')] })
    await expect.poll(() => sightings?.count, { timeout }).toBe(1)
    expect(reload?.check(AbortSignal.timeout(1))).toBeUndefined()
    await setSecret('one', { token: 'first' }, { changed: 'yes' })
    const changed = await setSecret('one', { token: 'second' }, { changed: 'yes' })
    await ended
    expect(reload?.signal.aborted).toBe(true)
    expect(() => reload?.check(AbortSignal.timeout(1))).toThrow('the configuration has changed')
    expect(lines).toEqual([
      expect.objectContaining({
        object: 'Secret one',
        resourceVersion: changed.metadata.resourceVersion,
        inMs: 2_500,
      }),
    ])
    expect(pauses).toContain(2_500)
    expect(JSON.stringify(lines)).not.toMatch(/second|c2Vjb25k/)
  })

  test('waits for a ConfigMap that does not exist yet', { timeout }, async () => {
    const { lines, ended, sightings } = watch({
      secrets: [named('never-there')],
      configMaps: [named('flags', ['used'])],
    })
    await expect.poll(() => sightings?.count, { timeout }).toBe(2)
    await client.create(ConfigMapKind, {
      metadata: { name: 'flags', namespace },
      data: { used: '1' },
    })
    await ended
    expect(lines).toEqual([expect.objectContaining({ object: 'ConfigMap flags' })])
  })

  test('retries when access is denied, and logs it', { timeout }, async () => {
    await setSecret('later', { token: 'first' })
    let refusals = 2
    const reader: KubeClient = {
      ...client,
      get: (kind, key, options) => {
        refusals -= 1
        if (refusals < 0) return client.get(kind, key, options)
        return Promise.reject(new KubeError('forbidden', { code: 403, reason: 'Forbidden' }))
      },
    }
    const { lines, pauses, ended, sightings } = watch({ secrets: [named('later')] }, reader)
    await expect.poll(() => sightings?.count, { timeout }).toBe(1)
    expect(lines.map(({ object }) => object)).toEqual(['Secret later', 'Secret later'])
    expect(pauses).toEqual([2_000, 4_000])
    await setSecret('later', { token: 'second' })
    await ended
  })

  test('does not exit because of the configuration if it is stopped first', {
    timeout,
  }, async () => {
    const { reload, ended, sightings, stop } = watch({ secrets: [named('stopped')] })
    await expect.poll(() => sightings?.count, { timeout }).toBe(1)
    stop?.abort()
    await ended
    expect(reload?.signal.aborted).toBe(false)
  })
})

test.each<{ because: string; settings: Partial<ConfigReloadSettings>; says: number }>([
  { because: 'the mode is off', settings: { mode: 'off', secrets: [named('one')] }, says: 0 },
  { because: 'no object is listed, which is logged', settings: {}, says: 1 },
])('nothing is watched if $because', ({ settings, says }) => {
  const { reload, lines } = watch(settings)
  expect(reload).toBeUndefined()
  expect(lines).toHaveLength(says)
})
