import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { createKubeClient } from '../client/kube-client.ts'
import { ConfigMapKind } from '../kind/builtin-kinds.ts'
import type { ConfigMap } from '../kind/builtin-objects.ts'
import { recordHistory } from '../testing/history.ts'
import { answerJson, failure } from '../testing/scripted-server.ts'
import { type Fault, startWatchServer, type WatchServer } from '../testing/watch-server.ts'
import { createInformer } from './informer.ts'

type Step =
  | { do: 'put' | 'remove'; name: string }
  | { do: 'compact' | 'bookmark' | 'endWatches' | 'cutAll' | 'wait' }
  | { do: 'cutAfter'; bytes: number }
  | { do: 'fault'; fault: keyof typeof faults; times: number }

const refuse =
  (code: number, reason: string, headers: Record<string, string> = {}): Fault =>
  (_, response) => {
    answerJson(response, code, failure(code, reason), headers)
    return true
  }

const faults = {
  tooMany: refuse(429, 'TooManyRequests', { 'retry-after': '0' }),
  unavailable: refuse(503, 'ServiceUnavailable'),
  broken: refuse(500, 'InternalError'),
  expired: refuse(410, 'Expired'),
  garbage: (_, response) => {
    response.end('{"type":"ADDED","obj')
    return true
  },
  nonsense: (_, response) => {
    response.end('[]\nnull\n')
    return true
  },
  reset: (_, response) => {
    response.destroy()
    return true
  },
} satisfies Record<string, Fault>

const name = fc.constantFrom('a', 'b', 'c', 'd')
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), name }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('compact', 'bookmark', 'endWatches', 'cutAll', 'wait' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cutAfter' as const), bytes: fc.nat(500) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fault' as const),
      fault: fc.constantFrom(...(Object.keys(faults) as (keyof typeof faults)[])),
      times: fc.integer({ min: 1, max: 4 }),
    }),
  },
)

async function perform(truth: WatchServer, each: Step): Promise<void> {
  switch (each.do) {
    case 'put':
      truth.put(each.name, { at: String(truth.revision) })
      break
    case 'remove':
      truth.remove(each.name)
      break
    case 'cutAll':
      truth.server.cutAll()
      break
    case 'wait':
      await new Promise((resolve) => setTimeout(resolve, 3))
      break
    case 'cutAfter':
      truth.cutAfter = each.bytes
      break
    case 'fault': {
      let left = each.times
      truth.fault = (request, response) => left-- > 0 && faults[each.fault](request, response)
      break
    }
    default:
      truth[each.do]()
  }
}

test('the store converges to the state of the server after any changes and faults', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 40 }),
      fc.boolean(),
      async (steps, watchList) => {
        const truth = await startWatchServer()
        const client = createKubeClient(
          { server: truth.server.url, namespace: 'team' },
          { retry: { baseDelayMs: 1, maxDelayMs: 1 } },
        )
        const informer = createInformer({
          client,
          kind: ConfigMapKind,
          namespace: 'team',
          watchList,
          pageSize: 2,
          freeze: true,
          backoff: { baseMs: 1, maxMs: 3 },
        })
        const history = recordHistory<ConfigMap>()
        informer.addHandler(history.handler)
        informer.start()
        try {
          for (const each of steps) await perform(truth, each)
          truth.fault = undefined
          truth.cutAfter = undefined
          // One last change has to arrive over a healthy connection.
          truth.put('last')
          await vi.waitFor(() => {
            const seen = Object.fromEntries(informer.store.list().map((o) => [o.metadata.name, o]))
            expect(seen).toEqual(Object.fromEntries(truth.objects))
          }, 50_000)
          expect(history.contradictions).toEqual([])
          expect([...history.believed.keys()].sort()).toEqual(informer.store.keys().sort())
          for (const [key, believed] of history.believed) {
            expect(informer.store.get(key)).toBe(believed)
          }
        } finally {
          await informer.stop()
          client.close()
          await truth.server.stop()
        }
      },
    ),
    { numRuns: 60 },
  )
}, 150_000)
