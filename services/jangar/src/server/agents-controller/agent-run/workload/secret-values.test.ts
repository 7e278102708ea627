import type { KubeObject } from '@agents/kube'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { agent, keys, objectOf } from '../resolve/testing/resolution-fixture.ts'
import { built, onHub, provider, vcp } from './testing/built.ts'

/** Caches hold no values. These objects do, to simulate a cache that fails to strip them. */
function holding(value: string, object: KubeObject): KubeObject {
  const { data } = object as KubeObject & { data: Record<string, string> }
  const held = Object.fromEntries(Object.keys(data).map((key) => [key, value]))
  return { ...object, data: held } as KubeObject
}

const signIns = {
  token: { token: { secretRef: { name: 't' } } },
  ssh: { ssh: { privateKeySecretRef: { name: 't', key: 'token' }, hostKeyPolicy: 'AcceptNew' } },
}

test('no value of a Secret gets into the created objects, however the run uses it', () => {
  const value = fc.uuid()
  const signIn = fc.constantFrom(signIns.token, signIns.ssh)
  const prompt = fc.constantFrom({}, { systemPromptRef: { kind: 'Secret', name: 'p', key: 'k' } })
  const memoryKey = fc.constantFrom({ key: 'url' }, {})
  fc.assert(
    fc.property(value, signIn, prompt, memoryKey, (secret, auth, systemPrompt, key) => {
      const volumes = [{ type: 'secret', name: 'v', mountPath: '/v', secretName: 'p' }]
      const run = onHub({ secrets: ['s'], ...systemPrompt, workload: { volumes } })
      const connection = { secretRef: { name: 'c', ...key } }
      const secrets = [
        ['t', 'token'],
        ['s', 'API_KEY'],
        ['p', 'k'],
        ['c', 'url'],
        ['auth', 'auth.json'],
      ]
      const objects = built(
        run,
        [
          provider({ envTemplate: { MEMORY: '{{ memory }}', VCS: '{{ vcs }}' } }),
          agent({ memoryRef: { name: 'm' } }),
          objectOf('Memory', 'm', { type: 'redis', connection }),
          vcp({ auth }),
          ...secrets.map(([name = '', each = '']) => holding(secret, keys('Secret', name, each))),
        ],
        { env: { JANGAR_AGENTS_CONTROLLER_AUTH_SECRET_NAME: 'auth' } },
      )
      expect(JSON.stringify(objects)).not.toContain(secret)
    }),
    { numRuns: 50 },
  )
})
