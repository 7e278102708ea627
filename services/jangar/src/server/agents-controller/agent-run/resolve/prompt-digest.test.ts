import { createHash } from 'node:crypto'
import { type ConfigMap, KubeError } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { type PromptDigestPorts, promptDigest } from './prompt-digest.ts'

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function configMap(version: string, data: Record<string, string>): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'house-style', namespace: 'agents', uid: 'u', resourceVersion: version },
    data,
  }
}

/** An API server and a cache of it that is updated only when `learn` is called. */
function serverWith(stored: ConfigMap) {
  const cache = new Map<string, ConfigMap>()
  const state = { stored: stored as ConfigMap | undefined, reads: 0 }
  const client = {
    get: async () => {
      state.reads += 1
      if (state.stored) return state.stored
      throw new KubeError('gone', { code: 404, reason: 'NotFound' })
    },
  } as unknown as PromptDigestPorts['client']
  const learn = (): void => {
    const { metadata, data = {}, ...rest } = state.stored ?? stored
    const keys = Object.fromEntries(Object.keys(data).map((key) => [key, '']))
    cache.set('agents/house-style', { ...rest, metadata, data: keys })
  }
  const digest = promptDigest({ client, configMaps: { get: (key) => cache.get(key) } })
  const { signal } = new AbortController()
  const ask = (key = 'text', kind: 'ConfigMap' | 'Secret' = 'ConfigMap') =>
    digest({ kind, name: 'house-style', key }, 'agents', signal)
  learn()
  return { state, learn, ask }
}

describe('the digest of a system prompt', () => {
  test('is read once and then reused', async () => {
    const { state, ask } = serverWith(configMap('1', { text: 'Be brief.', other: 'Be kind.' }))
    const all = [await ask(), await ask(), await ask('other'), await ask('other'), await ask()]
    expect(all.map((one) => one === sha256('Be brief.'))).toEqual([true, true, false, false, true])
    expect(all[3]).toBe(sha256('Be kind.'))
    expect(state.reads).toBe(2)
  })

  test('changes once the cache has the new version', async () => {
    const { state, learn, ask } = serverWith(configMap('1', { text: 'Be brief.' }))
    await ask()
    state.stored = configMap('2', { text: 'Be thorough.' })
    learn()
    expect([await ask(), await ask()]).toEqual([sha256('Be thorough.'), sha256('Be thorough.')])
    expect(state.reads).toBe(2)
  })

  test('is read again if the ConfigMap did not exist', async () => {
    const { state, ask } = serverWith(configMap('1', { text: 'Be brief.' }))
    state.stored = undefined
    expect(await ask()).toBeUndefined()
    state.stored = configMap('2', { text: 'Be thorough.' })
    expect(await ask()).toBe(sha256('Be thorough.'))
  })

  test('is never computed for a Secret', async () => {
    const { state, ask } = serverWith(configMap('1', { text: 'Be brief.' }))
    expect(await ask('text', 'Secret')).toBeUndefined()
    expect(state.reads).toBe(0)
  })
})
