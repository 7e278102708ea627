import { describe, expect, test } from 'vitest'
import { customResources } from '../custom-resources/custom-resource.ts'
import type { Definition } from '../custom-resources/definition.ts'
import { lenientRules, widgetDefinition } from '../endpoints/testing/test-server.ts'
import type { Resource } from '../registry/resource.ts'
import { ApiError } from '../status/api-error.ts'
import { openEphemeralStore } from '../store/ephemeral-store.ts'
import { listObjects } from './list.ts'
import { type ListOptions, parseListOptions } from './list-options.ts'
import { watchObjects } from './watch.ts'
import type { WatchEvent } from './watch-event.ts'

const [served] = customResources(
  widgetDefinition() as Definition,
  lenientRules,
  0,
  () => false,
  undefined,
)
if (served === undefined) throw new Error('the definition serves one version')
const resource: Resource = served
const prefix = `${resource.storagePrefix}default/`

function optionsOf(query: string, watch = false): ListOptions {
  return parseListOptions(new URLSearchParams(query), resource, watch)
}

/** A store with a history of three events and five objects. */
async function storeWithShortHistory() {
  const store = openEphemeralStore({ historyEvents: 3 })
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    await store.write(`${prefix}${name}`, () => ({
      value: {
        apiVersion: 'example.dev/v1',
        kind: 'Widget',
        metadata: { name, namespace: 'default' },
      },
    }))
  }
  return store
}

describe('an expired revision', () => {
  test('ends a watch with an error event', async () => {
    const store = await storeWithShortHistory()
    const events: WatchEvent[] = []
    await watchObjects(
      store,
      resource,
      'default',
      optionsOf('resourceVersion=2', true),
      (event) => events.push(event),
      { isClosed: () => false, caughtUp: () => undefined },
    )
    expect(events).toEqual([
      {
        type: 'ERROR',
        status: {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: `too old resource version: 2 (${store.oldestRevision})`,
          reason: 'Expired',
          code: 410,
        },
      },
    ])
  })

  test('ends a paged list with a token to continue with the current state', async () => {
    const store = await storeWithShortHistory()
    const first = await listObjects(store, resource, 'default', optionsOf('limit=2'))
    for (let count = 0; count < 5; count++) {
      await store.write(`${prefix}a`, (current) => ({
        value: {
          ...(current?.value ?? { apiVersion: '', kind: '', metadata: { name: 'a' } }),
          spec: { count },
        },
      }))
    }
    const expired: unknown = await listObjects(
      store,
      resource,
      'default',
      optionsOf(`limit=2&continue=${first.continueToken}`),
    ).catch((error: unknown) => error)
    if (!(expired instanceof ApiError)) throw new Error('the page should have expired')
    expect(expired.status()).toMatchObject({
      code: 410,
      reason: 'Expired',
      message: expect.stringMatching(/^The provided continue parameter is too old/),
    })
    const rest = await listObjects(
      store,
      resource,
      'default',
      optionsOf(`continue=${expired.continueToken ?? ''}`),
    )
    expect(rest.entries.map(({ value }) => value.metadata.name)).toEqual(['c', 'd', 'e'])
  })

  test('cannot be listed exactly', async () => {
    const store = await storeWithShortHistory()
    const options = optionsOf('resourceVersion=2&resourceVersionMatch=Exact')
    await expect(listObjects(store, resource, 'default', options)).rejects.toMatchObject({
      code: 410,
    })
  })
})
