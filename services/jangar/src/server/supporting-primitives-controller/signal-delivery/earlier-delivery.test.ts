import type { SignalDelivery } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { type RunClaims, runClaims } from '../../kubernetes/run-claims.ts'
import { earlierDelivery } from './earlier-delivery.ts'

type State = 'new' | 'accepted' | 'rejected'

const seconds = { a: '01', b: '01', c: '02' }

function delivery(name: keyof typeof seconds, state: State = 'new'): SignalDelivery {
  const reason = state === 'accepted' ? 'Accepted' : 'Rejected'
  const conditions = [
    { type: 'Accepted', status: state === 'accepted' ? 'True' : 'False', reason },
    { type: 'Finished', status: 'True', reason: 'Ended' },
  ]
  return {
    metadata: {
      namespace: 'n',
      name,
      uid: name,
      creationTimestamp: `2026-01-01T00:00:${seconds[name]}Z`,
    },
    spec: { signalRef: { name: 's' }, deliveryId: 'event' },
    ...(state !== 'new' && { status: { conditions } }),
  } as SignalDelivery
}

function newClaims(): RunClaims {
  const subscription = { hasSynced: () => true, remove: () => undefined }
  return runClaims({ subscribe: () => subscription })
}

test.each([
  { because: 'the older one is checked first', of: 'c', others: [delivery('a')], first: 'a?' },
  { because: 'names break ties', of: 'b', others: [delivery('a')], first: 'a?' },
  { because: 'a newer one does not matter', of: 'a', others: [delivery('c')], first: 'none' },
  { because: 'it was accepted', of: 'a', others: [delivery('c', 'accepted')], first: 'c!' },
  { because: 'it was rejected', of: 'c', others: [delivery('a', 'rejected')], first: 'none' },
  { because: 'nobody else delivered it', of: 'c', others: [delivery('c')], first: 'none' },
] as const)('$because: $first', ({ of, others, first }) => {
  const found = earlierDelivery(delivery(of), () => others, newClaims())
  expect(found ? `${found.name}${found.isAccepted ? '!' : '?'}` : 'none').toBe(first)
})

test('the one that passed first is not overtaken while the cache does not show it', () => {
  const claims = newClaims()
  expect(earlierDelivery(delivery('c'), () => [delivery('c')], claims)).toBe(undefined)
  const both = () => [delivery('a'), delivery('c')]
  expect(earlierDelivery(delivery('a'), both, claims)).toEqual({ name: 'c', isAccepted: false })
  expect(earlierDelivery(delivery('c'), both, claims)).toBe(undefined)
})

test('deliveries without an identifier are events of their own', () => {
  const { metadata } = delivery('c')
  for (const deliveryId of [undefined, '']) {
    const one = { metadata, spec: { signalRef: { name: 's' }, deliveryId } } as SignalDelivery
    expect(earlierDelivery(one, () => [delivery('a', 'accepted')], newClaims())).toBe(undefined)
  }
})
