import { systemClock } from '@agents/controller'
import { ForgeError } from '@agents/forge'
import { implementationSpec } from '@agents/jangar-api'
import { KubeError, kindRef } from '@agents/kube'
import { silentLogger } from '@agents/log'
import { expect, test } from 'vitest'
import type { TakenDelivery } from '../../inbox/inbox.ts'
import { type AttemptPorts, attemptDelivery } from './attempt-delivery.ts'

const signal = new AbortController().signal
const retries = { retryBaseDelayMs: 100, retryMaxDelayMs: 1000, maxAttempts: 3 }
const source = {
  metadata: { namespace: 'agents', name: 'issues', uid: 'u' },
  spec: { provider: 'github', webhook: { enabled: true } },
}

function taken(attempts: number): TakenDelivery {
  const issue = { number: 1, title: 'x', state: 'open', updated_at: '2026-11-17T08:00:00Z' }
  const payload = { action: 'edited', issue, repository: { full_name: 'o/r' } }
  return {
    ...{ id: '1', sourceUid: 'u', namespace: 'agents', source: 'issues', provider: 'github' },
    ...{ event: 'issues', deliveryId: undefined, subject: 'o/r#1', attempts },
    payload: Buffer.from(JSON.stringify(payload)),
    receivedAt: new Date(0),
  }
}

/** Every request to the API server ends in this error. */
function ports(error: Error): AttemptPorts {
  const fail = () => Promise.reject(error)
  return {
    client: { get: fail, create: fail, patch: fail, list: fail },
    caches: {
      implementationSources: { get: () => source },
      implementationSpecs: { kind: kindRef(implementationSpec) },
    },
    ...{ openForge: fail, events: { record: () => undefined }, retries },
    ...{ log: silentLogger, clock: systemClock },
  } as unknown as AttemptPorts
}

test.each([
  { because: 'a fault that nobody foresaw', error: new TypeError('boom'), ends: true },
  { because: 'a forge that refuses', error: new ForgeError('forbidden', 'no'), ends: true },
  { because: 'a forge that is down', error: new ForgeError('unreachable', 'down'), ends: false },
  {
    because: 'an API server that is down',
    error: new KubeError('down', { code: 503, reason: 'ServiceUnavailable' }),
    ends: false,
  },
])('a delivery is tried again and then set aside: $because', async ({ error, ends }) => {
  const outcomes = await Promise.all(
    [1, 2, 3, 1000].map(async (attempts) => {
      const { outcome } = await attemptDelivery(ports(error), taken(attempts), signal)
      return outcome
    }),
  )
  const last = { kind: ends ? 'dead' : 'again', error: error.message }
  expect(outcomes).toMatchObject([{ kind: 'again' }, { kind: 'again' }, last, last])
})

test('a delivery that came before the source got another provider does nothing', async () => {
  const failing = ports(new TypeError('boom'))
  const waiting = { ...taken(1), provider: 'linear', event: 'Issue' }
  const payload = {
    type: 'Issue',
    data: { identifier: 'ENG-1', updatedAt: '2026-11-17T08:00:00Z' },
  }
  const delivery = { ...waiting, payload: Buffer.from(JSON.stringify(payload)) }
  expect(await attemptDelivery(failing, delivery, signal)).toEqual({
    outcome: { kind: 'done', reason: 'ImplementationSource issues has another provider' },
  })
})
