import { type KubeClient, KubeError, type KubeObject } from '@agents/kube'
import { expect, test } from 'vitest'
import { applyMirror } from './apply-mirror.ts'

/** A server that may have a provider, whose URL cannot be changed. */
function serverWith(url: string | undefined) {
  const done: string[] = []
  let provider = url
  const client = {
    get: async ({ kind }: { kind: string }) => {
      if (kind !== 'GitProvider' || provider === undefined) {
        throw new KubeError('not found', { code: 404, reason: 'NotFound' })
      }
      return { metadata: { resourceVersion: '1' }, spec: { url: provider } }
    },
    delete: async ({ kind }: { kind: string }) => {
      done.push(`delete ${kind}`)
      provider = undefined
    },
    apply: async ({ kind }: { kind: string }, object: KubeObject & { spec: { url?: string } }) => {
      if (kind === 'GitProvider' && provider !== undefined && provider !== object.spec.url) {
        throw new KubeError('url cannot be changed', { code: 422, reason: 'Invalid' })
      }
      done.push(`apply ${kind}`)
      return object
    },
  } as unknown as KubeClient
  return { client, done }
}

const applied = ['apply GitProvider', 'apply ClusterWatchRule', 'apply GitTarget']

test.each([
  { because: 'there was no provider', before: undefined, does: applied },
  { because: 'the provider has the same URL', before: 'file:///new.git', does: applied },
  {
    because: 'the URL of a provider cannot be changed',
    before: 'file:///old.git',
    does: ['delete GitProvider', ...applied],
  },
])('mirrors into the requested repository: $because', async ({ before, does }) => {
  const { client, done } = serverWith(before)
  await applyMirror(client, { url: 'file:///new.git', needsCredentials: false })
  expect(done).toEqual(does)
})
