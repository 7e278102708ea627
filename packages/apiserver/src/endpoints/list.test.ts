import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Answer,
  startWidgetServer,
  type TestServer,
  widget,
  widgetDefinition,
  widgets,
} from './testing/test-server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startWidgetServer(
    widgetDefinition({}, { selectableFields: [{ jsonPath: '.spec.color' }] }),
  )
  for (const [index, name] of ['a', 'b', 'c', 'd', 'e'].entries()) {
    const labels = {
      name,
      parity: index % 2 === 0 ? 'even' : 'odd',
      ...(index > 2 ? { late: '' } : {}),
    }
    const spec = { color: index < 2 ? 'red' : 'blue' }
    await server.send('POST', widgets, widget(name, { spec }, { labels }))
  }
})

afterAll(async () => {
  await server.stop()
})

function namesOf({ body }: Answer) {
  return (body.items as { metadata: { name: string } }[])
    .map(({ metadata }) => metadata.name)
    .join('')
}
function metaOf({ body }: Answer) {
  return body.metadata as { continue: string; resourceVersion: string; remainingItemCount?: number }
}
function list(query: string) {
  return server.send('GET', `${widgets}?${query}`)
}
function select(kind: string, text: string) {
  return list(`${kind}Selector=${encodeURIComponent(text)}`)
}

describe('selectors', () => {
  test.each([
    { selector: 'name=a', found: 'a' },
    { selector: 'name==a', found: 'a' },
    { selector: 'name!=a', found: 'bcde' },
    { selector: 'name in (a, c),parity=even', found: 'ac' },
    { selector: 'name notin (a,b)', found: 'cde' },
    { selector: 'late', found: 'de' },
    { selector: '!late', found: 'abc' },
    { selector: 'late=', found: 'de' },
    { selector: 'absent!=x', found: 'abcde' },
    { selector: 'name=a,name=b', found: '' },
    { selector: '', found: 'abcde' },
  ])('labels $selector: $found', async ({ selector, found }) => {
    expect(namesOf(await select('label', selector))).toBe(found)
  })

  test.each([
    { selector: 'metadata.name=b', found: 'b' },
    { selector: 'metadata.name!=b', found: 'acde' },
    { selector: 'metadata.namespace=default', found: 'abcde' },
    { selector: 'metadata.namespace==other', found: '' },
    { selector: 'spec.color=red', found: 'ab' },
    { selector: 'spec.color!=red,metadata.name!=e', found: 'cd' },
  ])('fields $selector: $found', async ({ selector, found }) => {
    expect(namesOf(await select('field', selector))).toBe(found)
  })

  test.each([
    {
      kind: 'label',
      selector: 'a b',
      expectedMessage:
        "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
    },
    { kind: 'label', selector: 'a,', expectedMessage: "found '', expected: identifier after ','" },
    {
      kind: 'label',
      selector: '=x',
      expectedMessage: "found '=', expected: !, identifier, or 'end of string'",
    },
    {
      kind: 'label',
      selector: '!a=b',
      expectedMessage: "found '=', expected: ',' or 'end of string'",
    },
    {
      kind: 'field',
      selector: 'spec.size=1',
      expectedMessage: 'field label not supported: spec.size',
    },
    {
      kind: 'field',
      selector: 'x',
      expectedMessage: "invalid selector: 'x'; can't understand 'x'",
    },
    {
      kind: 'field',
      selector: 'metadata.name=a\\x',
      expectedMessage: 'invalid field selector: invalid escape sequence: \\x',
    },
  ])('$kind $selector is rejected', async ({ kind, selector, expectedMessage }) => {
    expect((await select(kind, selector)).body).toMatchObject({
      code: 400,
      message: expectedMessage,
    })
  })
})

describe('pages', () => {
  test('come from one snapshot despite concurrent changes', async () => {
    const first = await list('limit=2')
    expect(namesOf(first)).toBe('ab')
    expect(metaOf(first).remainingItemCount).toBe(3)
    await server.send('POST', widgets, widget('bb'))
    const second = await list(`limit=2&continue=${metaOf(first).continue}`)
    expect(namesOf(second)).toBe('cd')
    expect(metaOf(second).resourceVersion).toBe(metaOf(first).resourceVersion)
    const third = await list(`limit=2&continue=${metaOf(second).continue}`)
    expect(namesOf(third)).toBe('e')
    expect(metaOf(third).continue).toBe('')
    await server.send('DELETE', `${widgets}/bb`)
  })

  test('are full even with a selector', async () => {
    const page = await list('limit=2&labelSelector=parity%3Deven')
    expect(namesOf(page)).toBe('ac')
    expect(metaOf(page).remainingItemCount).toBeUndefined()
  })

  test('of an expired snapshot have a token to continue inconsistently', async () => {
    const token = Buffer.from(
      JSON.stringify({ v: 'meta.k8s.io/v1', rv: 0.5, start: 'b\0' }),
    ).toString('base64url')
    expect((await list(`continue=${token}`)).body).toMatchObject({ code: 400 })
    const inconsistent = Buffer.from(
      JSON.stringify({ v: 'meta.k8s.io/v1', rv: -1, start: 'b\0' }),
    ).toString('base64url')
    expect(namesOf(await list(`continue=${inconsistent}`))).toBe('cde')
  })

  test.each([
    {
      query: 'continue=%21',
      code: 400,
      expectedMessage:
        'invalid continue token: continue key is not valid: illegal base64 data at input byte 0',
    },
    {
      query: 'limit=x',
      code: 400,
      expectedMessage: 'strconv.ParseInt: parsing "x": invalid syntax',
    },
    {
      query: 'resourceVersion=x',
      code: 400,
      expectedMessage:
        'invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    },
    {
      query: 'resourceVersionMatch=Exact',
      code: 422,
      expectedMessage:
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    },
    {
      query: 'resourceVersionMatch=Foo&resourceVersion=1',
      code: 422,
      expectedMessage:
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""',
    },
    {
      query: 'sendInitialEvents=true',
      code: 422,
      expectedMessage:
        'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    },
    {
      query: 'resourceVersion=999999&resourceVersionMatch=Exact',
      code: 504,
      expectedMessage: /^Timeout: Too large resource version: 999999, current: \d+$/,
    },
  ])('$query: $code', async ({ query, code, expectedMessage }) => {
    const { body } = await list(query)
    expect(body.code).toBe(code)
    expect(body.message).toEqual(
      expectedMessage instanceof RegExp ? expect.stringMatching(expectedMessage) : expectedMessage,
    )
  })
})

describe('forms', () => {
  test('a large list is compressed on request, with the same content', async () => {
    const path = widgets.replace('default', 'large')
    const spec = { text: 'x'.repeat(2000) }
    await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        server.send('POST', path, widget(`w${index}`, { spec })),
      ),
    )
    const packed = await server.send('GET', path, undefined, { 'Accept-Encoding': 'gzip' })
    const plain = await server.send('GET', path, undefined, { 'Accept-Encoding': 'identity' })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect((packed.body.items as unknown[]).length).toBe(300)
    expect(packed.body.items).toEqual(plain.body.items)
  })

  test.each([
    { accept: 'application/vnd.kubernetes.protobuf,application/json', type: 'application/json' },
    { accept: 'text/html;q=0.9,*/*;q=0.1', type: 'application/json' },
    { accept: 'application/yaml', type: 'application/yaml' },
  ])('$accept is answered with $type', async ({ accept, type }) => {
    const { headers, status } = await server.send('GET', `${widgets}/a`, undefined, {
      Accept: accept,
    })
    expect([status, headers.get('content-type')]).toEqual([200, type])
  })

  test.each(['application/cbor', 'application/vnd.kubernetes.protobuf', 'text/html'])(
    '%s cannot be served',
    async (accept) => {
      const { body } = await server.send('GET', `${widgets}/a`, undefined, { Accept: accept })
      expect(body).toMatchObject({ code: 406, reason: 'NotAcceptable' })
    },
  )

  test('integers beyond 2^53 are preserved', async () => {
    const big =
      '{"apiVersion":"example.dev/v1","kind":"Widget","metadata":{"name":"big"},"spec":{"n":9223372036854775807}}'
    await server.send('POST', widgets, big)
    const answer = await fetch(`${server.url}${widgets}/big`)
    expect(await answer.text()).toContain('"n":9223372036854775807')
  })
})
