import { systemClock } from '@agents/controller'
import type { Container, Pod } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { ConfigError } from '../../pod-config/config-error.ts'
import { EngineError, type ImageFacts } from './engine.ts'
import { EngineImages } from './engine-images.ts'

const facts: ImageFacts = { user: '5', stopSignal: undefined }

function pod(uid: string) {
  return { metadata: { name: 'pod', uid }, spec: {} } as unknown as Pod
}

function wanting(imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never', image = 'image:1') {
  return { name: 'main', image, imagePullPolicy } as Container
}

/** A registry with the images `offers`, and a machine with the images `here`. */
function images(here: string[], offers: string[]) {
  const pulled: string[] = []
  let now = 0
  const engine = {
    image: async (reference: string) => {
      if (reference === '') throw new EngineError('invalid reference format')
      return here.includes(reference) ? facts : undefined
    },
    pull: async (reference: string) => {
      pulled.push(reference)
      if (!offers.includes(reference)) throw new EngineError('manifest unknown')
      here.push(reference)
    },
  }
  const clock = { ...systemClock, elapsed: () => now }
  const backoff = { baseMs: 10, capMs: 1000 }
  const all = new EngineImages({ engine, clock, backoff, events: undefined })
  const ask = async (container: Container, uid = 'a') => {
    try {
      return await all.ready(pod(uid), container)
    } catch (error) {
      if (error instanceof ConfigError) return error
      throw error
    }
  }
  /** The result after pending pulls have ended. */
  const settled = async (container: Container, uid = 'a') => {
    const answer = await ask(container, uid)
    if (!(answer instanceof ConfigError) || answer.until === undefined) return answer
    expect(answer.reason).toBe('ContainerCreating')
    await answer.until
    return ask(container, uid)
  }
  const pass = (ms: number) => {
    now += ms
  }
  return { pulled, ask, settled, pass, offers }
}

describe('an image', () => {
  test.each([
    { because: 'that is present is not pulled', policy: 'IfNotPresent', here: true, pulls: 0 },
    { because: 'that is missing is pulled', policy: 'IfNotPresent', here: false, pulls: 1 },
    { because: 'is pulled again with Always', policy: 'Always', here: true, pulls: 1 },
    { because: 'that is present is used with Never', policy: 'Never', here: true, pulls: 0 },
  ] as const)('$because', async ({ policy, here, pulls }) => {
    const { settled, pulled } = images(here ? ['image:1'] : [], ['image:1'])
    expect(await settled(wanting(policy))).toEqual(facts)
    expect(pulled).toHaveLength(pulls)
  })

  test('is pulled once for concurrent requests', async () => {
    const { settled, pulled } = images([], ['image:1'])
    const all = ['a', 'b', 'c'].map((uid) => settled(wanting('IfNotPresent'), uid))
    expect(await Promise.all(all)).toEqual([facts, facts, facts])
    expect(pulled).toEqual(['image:1'])
  })

  test('is pulled for each start with Always', async () => {
    const { settled, pulled } = images([], ['image:1'])
    await settled(wanting('Always'))
    await settled(wanting('Always'))
    expect(pulled).toHaveLength(2)
  })

  test('that does not exist is pulled with backoff', async () => {
    const { settled, pulled, pass, offers } = images([], [])
    const missing = wanting('IfNotPresent')
    expect(await settled(missing)).toMatchObject({
      reason: 'ErrImagePull',
      message: 'failed to pull image "image:1": manifest unknown',
    })
    expect(await settled(missing)).toMatchObject({
      reason: 'ImagePullBackOff',
      message:
        'Back-off pulling image "image:1": ErrImagePull: failed to pull image "image:1": manifest unknown',
    })
    pass(10)
    expect(await settled(missing)).toMatchObject({ reason: 'ErrImagePull' })
    pass(10)
    expect(await settled(missing)).toMatchObject({ reason: 'ImagePullBackOff' })
    expect(pulled).toHaveLength(2)
    pass(10)
    offers.push('image:1')
    expect(await settled(missing)).toEqual(facts)
  })

  test('is not pulled with Never', async () => {
    const { ask, pulled } = images([], ['image:1'])
    expect(await ask(wanting('Never'))).toMatchObject({ reason: 'ErrImageNeverPull' })
    expect(pulled).toEqual([])
  })

  test('must have a name', async () => {
    const { ask } = images([], [])
    expect(await ask(wanting('IfNotPresent', ''))).toMatchObject({ reason: 'InvalidImageName' })
  })
})
