import type { Json } from '@agents/crd'
import { afterAll, beforeAll, expect } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import type { Fields } from './client.ts'
import {
  type ConversionWebhook,
  type Sabotage,
  startConversionWebhook,
} from './conversion-webhook.ts'
import { merge } from './patch-formats.ts'
import { conformance, stringAt, valueAt } from './suite.ts'
import { until200 } from './until-200.ts'

const apply = { type: 'application/apply-patch+yaml' }

conformance('conversions', ({ client, namespace, group, same }) => {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const at = (version: string, name = '') =>
    `/apis/${group}/${version}/namespaces/${namespace}/gadgets${name === '' ? '' : `/${name}`}`
  const gadget = (version: string, name: string, spec: Fields): Fields => ({
    apiVersion: `${group}/${version}`,
    kind: 'Gadget',
    metadata: { name },
    spec,
  })
  let webhook: ConversionWebhook

  beforeAll(async () => {
    webhook = await startConversionWebhook()
    const answer = await client.send('POST', definitions, definition(group, webhook))
    expect(answer.code, answer.text).toBe(201)
    await until200(client, at('v1'))
    await until200(client, at('v2'))
  })
  // Without its webhook, the kind could not be listed, and no namespace of the server could be deleted any more.
  afterAll(async () => {
    await client.send('DELETE', `${definitions}/gadgets.${group}`)
    await until(async () => (await client.get(`${definitions}/gadgets.${group}`)).code === 404)
    await webhook.close()
  })

  same('a write in another version loses nothing', 200, async () => {
    const created = await client.send(
      'POST',
      at('v2'),
      gadget('v2', 'a', { dimensions: { width: 3 }, color: 'red' }),
    )
    return [created, await client.get(at('v1', 'a')), await client.get(at('v2', 'a'))]
  })
  same('an update in another version', 200, async () => {
    const live = (await client.get(at('v2', 'a'))).body as Fields
    const spec = { dimensions: { width: 4 }, color: 'red' }
    return [
      await client.send('PUT', at('v2', 'a'), { ...live, spec }),
      await client.get(at('v1', 'a')),
    ]
  })
  same('a patch in another version', 200, async () => {
    const patch = { spec: { dimensions: { width: 5 } } }
    return [
      await client.send('PATCH', at('v2', 'a'), patch, merge),
      await client.get(at('v1', 'a')),
    ]
  })
  same('an apply in another version', 201, async () => {
    const object = gadget('v2', 'applied', { dimensions: { width: 1 } })
    const created = await client.send(
      'PATCH',
      `${at('v2', 'applied')}?fieldManager=one`,
      object,
      apply,
    )
    return [await client.get(at('v1', 'applied')), created]
  })
  same('a dry run in another version', 200, async () => {
    const patch = { spec: { dimensions: { width: 50 } } }
    const tried = await client.send('PATCH', `${at('v2', 'a')}?dryRun=All`, patch, merge)
    // Upstream converts the result to the stored version and back, which drops defaults.
    const width = valueAt(tried, 'spec.dimensions.width') ?? null
    return [{ ...tried, body: width }, await client.get(at('v1', 'a'))]
  })
  same('a status in another version', 200, async () => {
    const patch = { status: { phase: 'Ready' } }
    return [
      await client.send('PATCH', `${at('v2', 'a')}/status`, patch, merge),
      await client.get(at('v1', 'a')),
    ]
  })
  same('a list in another version', 200, () => client.get(at('v2')))
  same('a list by field in another version', 200, () =>
    client.get(`${at('v2')}?fieldSelector=metadata.name%3Da`),
  )
  same('a wrong object in another version', 422, () =>
    client.send('POST', at('v2'), gadget('v2', 'wrong', { dimensions: { width: 'x' } })),
  )
  same('an unknown field in another version', 400, () =>
    client.send('POST', `${at('v2')}?fieldValidation=Strict`, gadget('v2', 'wrong', { size: 1 })),
  )
  same('a watch in another version', 200, async () => {
    const { code, headers, text, body } = await client.get(at('v2'))
    const version = stringAt({ code, headers, text, body }, 'metadata.resourceVersion')
    const watch = await client.watch(`${at('v2')}?watch=1&resourceVersion=${version}`)
    await client.send('PATCH', at('v1', 'a'), { spec: { size: 6 } }, merge)
    await client.send('PATCH', at('v1', 'a'), { spec: { size: 7 } }, merge)
    await client.send('DELETE', at('v1', 'applied'))
    const events = await watch.take(3)
    watch.close()
    const objects = events.map(({ type, object }) => ({ type, object: unmanaged(object) }))
    return { code, headers, text: '', body: objects as unknown as Json }
  })
  same('deleting with a finalizer in another version', 200, async () => {
    const held = gadget('v2', 'held', { dimensions: { width: 2 } })
    const metadata = { name: 'held', finalizers: ['example.dev/hold'] }
    await client.send('POST', at('v2'), { ...held, metadata })
    const deleted = await client.send('DELETE', at('v2', 'held'))
    const released = await client.send(
      'PATCH',
      at('v2', 'held'),
      { metadata: { finalizers: null } },
      merge,
    )
    return [deleted, released]
  })

  /** Reads an object in the other version while the webhook responds wrongly. */
  const sabotaged = (because: string, change: Sabotage): void => {
    same(
      because,
      500,
      async () => {
        webhook.sabotage(change)
        // A write that needs no conversion, so that no earlier one can be used.
        await client.send('PATCH', at('v1', 'a'), { metadata: { annotations: { because } } }, merge)
        const read = await client.get(at('v2', 'a'))
        const written = await client.send(
          'PATCH',
          at('v2', 'a'),
          { spec: { color: 'blue' } },
          merge,
        )
        webhook.sabotage(undefined)
        expect(written.code, written.text).toBe(500)
        return read
      },
      [[/"[0-9a-f-]{36}"/g, '"<uid>"']],
    )
  }
  const changed =
    (change: (object: Fields) => Fields): Sabotage =>
    (review) =>
      ({
        ...review,
        response: {
          ...review.response,
          convertedObjects: review.response.convertedObjects.map(change),
        },
      }) as unknown as Json
  const metadata = (change: Fields) =>
    changed((object) => ({ ...object, metadata: { ...(object.metadata as Fields), ...change } }))
  const response =
    (change: Fields): Sabotage =>
    (review) =>
      ({ ...review, response: { ...review.response, ...change } }) as unknown as Json

  sabotaged('another name', metadata({ name: 'other' }))
  sabotaged('another namespace', metadata({ namespace: 'kube-system' }))
  sabotaged('another uid', metadata({ uid: 'other' }))
  sabotaged(
    'another kind',
    changed((object) => ({ ...object, kind: 'Widget' })),
  )
  sabotaged(
    'another version',
    changed((object) => ({ ...object, apiVersion: 'example.dev/v1' })),
  )
  sabotaged('no object', response({ convertedObjects: [] }))
  sabotaged('too many objects', (review) => {
    const [object] = review.response.convertedObjects
    return {
      ...review,
      response: { ...review.response, convertedObjects: [object, object] },
    } as Json
  })
  sabotaged(
    'a failure with a message',
    response({ result: { status: 'Failure', message: 'no such size' } }),
  )
  sabotaged('a failure without a message', response({ result: { status: 'Failure' } }))
  sabotaged('a response to another request', response({ uid: 'other' }))
  sabotaged('no response', (review) => ({ apiVersion: review.apiVersion, kind: review.kind }))
  sabotaged(
    'a review of another version',
    (review) => ({ ...review, apiVersion: 'apiextensions.k8s.io/v9' }) as unknown as Json,
  )

  same('a webhook cannot change other metadata', 200, async () => {
    webhook.sabotage(
      metadata({
        finalizers: ['example.dev/held'],
        generation: 99,
        labels: { by: 'webhook' },
        ownerReferences: [],
      }),
    )
    await client.send(
      'PATCH',
      at('v1', 'a'),
      { metadata: { annotations: { because: 'metadata' } } },
      merge,
    )
    const read = await client.get(at('v2', 'a'))
    webhook.sabotage(undefined)
    return { ...read, body: unmanaged(read.body as Fields) }
  })
  same('the stored version needs no webhook', 200, async () => {
    webhook.sabotage(() => null)
    const read = await client.get(at('v1', 'a'))
    webhook.sabotage(undefined)
    return { ...read, body: unmanaged(read.body as Fields) }
  })
})

/** Upstream converts the fields of other managers with the webhook too; the embedded server does not. */
function unmanaged(object: Fields): Fields {
  const { metadata, ...rest } = object
  const { managedFields: _managers, ...others } = metadata as Fields
  return { ...rest, metadata: others }
}

function definition(group: string, { url, caBundle }: ConversionWebhook): Fields {
  const schemaOf = (spec: Fields): Fields => ({
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { color: { type: 'string' }, ...spec } },
        status: { type: 'object', properties: { phase: { type: 'string' } } },
      },
    },
  })
  const width = {
    type: 'object',
    properties: { width: { type: 'integer' }, depth: { type: 'integer', default: 1 } },
  }
  const version = (name: string, storage: boolean, spec: Fields): Fields => ({
    name,
    served: true,
    storage,
    schema: schemaOf(spec),
    subresources: { status: {} },
  })
  return {
    metadata: { name: `gadgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'gadgets', kind: 'Gadget' },
      versions: [
        version('v1', true, { size: { type: 'integer' } }),
        version('v2', false, { dimensions: width }),
      ],
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { url, caBundle }, conversionReviewVersions: ['v1'] },
      },
    },
  }
}
