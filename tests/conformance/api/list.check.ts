import { beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from './client.ts'
import { conformance, type Row, stringAt, valueAt } from './suite.ts'
import { fullWidgetDefinition, serve, widgetsOf } from './widget.ts'

const colors = ['red', 'green', 'blue', 'red', 'green']
const encode = encodeURIComponent

conformance('list', (suite) => {
  const { client, namespace, group, same, sameEach } = suite
  const { path, everywhere, widget } = widgetsOf(suite)
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  const ours = `${maps}?fieldSelector=metadata.name%21%3Dkube-root-ca.crt`
  const namesIn = (answer: Answer): string[] =>
    (valueAt(answer, 'items') as { metadata: { name: string } }[]).map(
      ({ metadata }) => metadata.name,
    )

  beforeAll(async () => {
    await serve(client, fullWidgetDefinition(group))
    for (const [index, color] of colors.entries()) {
      const labels = { color, index: `${index}`, ...(index > 2 && { late: '' }) }
      const made = widget(`w${index}`, { spec: { color, size: index } }, { labels })
      expect((await client.send('POST', path, made)).code).toBe(201)
      await client.send('POST', maps, { metadata: { name: `m${index}`, labels } })
    }
  })

  describe('label selectors', () => {
    const selectors: readonly (readonly [selector: string, code: number])[] = [
      ['color=red', 200],
      ['color==red', 200],
      ['color!=red', 200],
      ['color in (red,blue)', 200],
      ['color in ( red , blue )', 200],
      ['color notin (red,blue)', 200],
      ['late', 200],
      ['!late', 200],
      ['late=', 200],
      ['index>2', 200],
      ['index<2', 200],
      ['color=red,index>1', 200],
      ['color=red,color=blue', 200],
      ['absent!=x', 200],
      ['absent notin (x)', 200],
      ['color in ()', 200],
      ['color in (red,)', 200],
      ['', 200],
      [' color = red ', 200],
      ['color=red,', 400],
      [',color=red', 400],
      ['color=', 200],
      ['=red', 400],
      ['color in red', 400],
      ['color in (red', 400],
      ['color=not valid', 400],
      ['index>x', 400],
      ['a b', 400],
      ['!', 400],
      ['!color=red', 400],
      ['color=red=blue', 400],
      ['a/b/c=d', 400],
      ['-a=b', 400],
      ['color=-x', 400],
      ['color===red', 400],
      ['color>=1', 400],
      ['(color)', 400],
    ]
    sameEach(
      selectors.flatMap(([selector, code]): Row[] => [
        [
          `the labels "${selector}" on config maps`,
          code,
          'GET',
          `${ours}&labelSelector=${encode(selector)}`,
        ],
        [
          `the labels "${selector}" on widgets`,
          code,
          'GET',
          `${path}?labelSelector=${encode(selector)}`,
        ],
      ]),
    )
  })

  describe('field selectors', () => {
    const selectors: readonly (readonly [selector: string, code: number])[] = [
      ['metadata.name=w1', 200],
      ['metadata.name==w1', 200],
      ['metadata.name!=w1', 200],
      [`metadata.namespace=${namespace}`, 200],
      ['metadata.namespace=other', 200],
      ['metadata.name=w1,metadata.namespace!=other', 200],
      ['spec.color=red', 200],
      ['spec.color!=red', 200],
      ['spec.size=1', 400],
      ['status.phase=x', 400],
      ['metadata.uid=x', 400],
      ['nonsense', 400],
      ['', 200],
      ['metadata.name=', 200],
      ['metadata.name=a\\,b', 200],
      ['metadata.name=a\\x', 400],
      ['metadata.name=a=b', 400],
      ['metadata.name in (a)', 400],
    ]
    sameEach(
      selectors.map(
        ([selector, code]): Row => [
          `the fields "${selector}" on widgets`,
          code,
          'GET',
          `${path}?fieldSelector=${encode(selector)}`,
        ],
      ),
    )
    sameEach([
      ['a config map by name', 200, 'GET', `${maps}?fieldSelector=metadata.name%3Dm1`],
      ['no other field of a config map', 400, 'GET', `${maps}?fieldSelector=data.a%3D1`],
      [
        'both kinds of selector together',
        200,
        'GET',
        `${path}?fieldSelector=spec.color%3Dred&labelSelector=late`,
      ],
      [
        'a namespace across all',
        200,
        'GET',
        `${everywhere}?fieldSelector=metadata.namespace%3D${namespace}`,
      ],
      ['a namespace that has nothing', 200, 'GET', path.replace(namespace, 'no-such')],
    ])
  })

  describe('paging', () => {
    same('a limit gives a page and tells how many are left', 200, () =>
      client.get(`${path}?limit=2`),
    )
    same('a selector hides how many are left', 200, () =>
      client.get(`${path}?limit=1&labelSelector=color%3Dred`),
    )
    same('a limit as large as the list ends it', 200, () => client.get(`${path}?limit=5`))
    sameEach([
      ['a negative limit', 200, 'GET', `${path}?limit=-1`],
      ['a limit of 0 means no limit', 200, 'GET', `${path}?limit=0`],
      ['a limit must be a number', 400, 'GET', `${path}?limit=many`],
      ['a token that is nonsense', 400, 'GET', `${path}?limit=1&continue=nonsense`],
      ['a token that is not valid JSON', 400, 'GET', `${path}?limit=1&continue=bm9wZQ`],
      [
        'a token of another version',
        400,
        'GET',
        `${path}?limit=1&continue=${Buffer.from('{"v":"v9"}').toString('base64url')}`,
      ],
      [
        'a token without a start',
        400,
        'GET',
        `${path}?limit=1&continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":1}').toString('base64url')}`,
      ],
      [
        'a token that climbs out',
        400,
        'GET',
        `${path}?continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":"../x"}').toString('base64url')}`,
      ],
    ])

    test('pages together are the list as it was at the first', async () => {
      const first = await client.get(`${path}?limit=2`)
      await client.send('POST', path, widget('w9-later'))
      const next = `${path}?limit=2&continue=${stringAt(first, 'metadata.continue')}`
      const second = await client.get(next)
      const third = await client.get(`${path}?continue=${stringAt(second, 'metadata.continue')}`)
      await client.send('DELETE', `${path}/w9-later`)
      expect([first, second, third].flatMap(namesIn)).toEqual(['w0', 'w1', 'w2', 'w3', 'w4'])
      expect(stringAt(second, 'metadata.resourceVersion')).toBe(
        stringAt(first, 'metadata.resourceVersion'),
      )
      expect(valueAt(second, 'metadata.remainingItemCount')).toBe(1)
      expect(valueAt(third, 'metadata.continue') ?? '').toBe('')
    })

    same('a token and a resource version exclude each other', 400, async () => {
      const first = await client.get(`${path}?limit=2`)
      const token = stringAt(first, 'metadata.continue')
      return client.get(`${path}?limit=2&resourceVersion=5&continue=${token}`)
    })
    same('a token and resource version 0 go together', 200, async () => {
      const first = await client.get(`${path}?limit=4`)
      const token = stringAt(first, 'metadata.continue')
      return client.get(`${path}?limit=4&resourceVersion=0&continue=${token}`)
    })
    same('a token and a match exclude each other', 422, async () => {
      const first = await client.get(`${path}?limit=2`)
      const token = stringAt(first, 'metadata.continue')
      return client.get(`${path}?limit=2&resourceVersionMatch=Exact&continue=${token}`)
    })
  })

  describe('resource versions', () => {
    const matches = ['', '&resourceVersionMatch=Exact', '&resourceVersionMatch=NotOlderThan']
    const versions = ['', '?resourceVersion=0', '?resourceVersion=']
    const codes: Record<string, number> = {
      '&resourceVersionMatch=Exact': 422,
      '?resourceVersion=0&resourceVersionMatch=Exact': 422,
      '?resourceVersion=&resourceVersionMatch=Exact': 422,
      '&resourceVersionMatch=NotOlderThan': 422,
      '?resourceVersion=&resourceVersionMatch=NotOlderThan': 422,
    }
    sameEach(
      versions.flatMap((version) =>
        matches.map((match): Row => {
          const query = `${version}${match}`
          const sent = query.startsWith('&') ? `?${query.slice(1)}` : query
          return [`a list with ${query || 'neither'}`, codes[query] ?? 200, 'GET', `${path}${sent}`]
        }),
      ),
    )
    sameEach([
      ['an unknown match', 422, 'GET', `${path}?resourceVersion=1&resourceVersionMatch=Maybe`],
      ['a version that is not a number', 400, 'GET', `${path}?resourceVersion=abc`],
      ['a negative version', 400, 'GET', `${path}?resourceVersion=-1`],
      [
        'one object at a version that is not a number',
        500,
        'GET',
        `${path}/w1?resourceVersion=abc`,
      ],
      ['one object at version 0', 200, 'GET', `${path}/w1?resourceVersion=0`],
      ['config maps at a version that is not a number', 400, 'GET', `${maps}?resourceVersion=abc`],
      [
        'initial events are for watches',
        422,
        'GET',
        `${path}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
      ],
    ])

    same('an exact version is the list as it was', 200, async () => {
      const before = stringAt(await client.get(path), 'metadata.resourceVersion')
      await client.send('POST', path, widget('w9-exact'))
      const then = await client.get(`${path}?resourceVersion=${before}&resourceVersionMatch=Exact`)
      await client.send('DELETE', `${path}/w9-exact`)
      expect(namesIn(then)).not.toContain('w9-exact')
      expect(stringAt(then, 'metadata.resourceVersion')).toBe(before)
      return then
    })
    same('not older than an old version is fresh', 200, async () => {
      const before = stringAt(await client.get(path), 'metadata.resourceVersion')
      return client.get(`${path}?resourceVersion=${before}&resourceVersionMatch=NotOlderThan`)
    })
    same('an exact version with a limit pages', 200, async () => {
      const before = stringAt(await client.get(path), 'metadata.resourceVersion')
      return client.get(`${path}?limit=2&resourceVersion=${before}&resourceVersionMatch=Exact`)
    })
    const numbers = [[/\d{3,}/g, '<number>']] as const
    same(
      'a version of the future is waited for and then refused',
      504,
      () => client.get(`${path}?resourceVersion=99999999`),
      numbers,
    )
    same(
      'an object of the future is waited for and then refused',
      504,
      () => client.get(`${path}/w1?resourceVersion=99999999`),
      numbers,
    )
    same(
      'an exact version of the future is refused',
      504,
      () => client.get(`${path}?resourceVersion=99999999&resourceVersionMatch=Exact`),
      numbers,
    )

    test('a version of the future says when to try again', async () => {
      const answer = await client.get(`${path}?resourceVersion=99999999`)
      expect(answer.headers['retry-after']).toBe('1')
    })

    test('a list is at least as new as its items', async () => {
      const list = await client.get(everywhere)
      const items = valueAt(list, 'items') as { metadata: { resourceVersion: string } }[]
      const own = Number(stringAt(list, 'metadata.resourceVersion'))
      expect(items.length).toBeGreaterThanOrEqual(5)
      for (const { metadata } of items) {
        expect(Number(metadata.resourceVersion)).toBeLessThanOrEqual(own)
      }
    })

    test('a read that follows a write sees it', async () => {
      for (const size of [11, 12, 13]) {
        await client.send(
          'PATCH',
          `${path}/w4`,
          { spec: { size } },
          {
            type: 'application/merge-patch+json',
          },
        )
        const list = await client.get(`${path}?fieldSelector=metadata.name%3Dw4`)
        expect(valueAt(list, 'items.0.spec.size')).toBe(size)
      }
    })
  })

  describe('what does not exist', () => {
    sameEach([
      ['an object', 404, 'GET', `${path}/none`],
      ['a built-in object', 404, 'GET', `${maps}/none`],
      ['a resource', 404, 'GET', `/apis/${group}/v1/none`],
      ['a version', 404, 'GET', `/apis/${group}/v9/widgets`],
      ['a group', 404, 'GET', '/apis/none.example.dev/v1/widgets'],
      ['a core resource', 404, 'GET', '/api/v1/none'],
      ['a core version', 404, 'GET', '/api/v9/pods'],
      ['a subresource', 404, 'GET', `${path}/w1/none`],
      ['a subresource of a built-in', 404, 'GET', `${maps}/m1/status`],
      ['a path too long is cut', 200, 'GET', `${path}/w1/status/more`],
      ['a namespaced object without its namespace', 404, 'GET', `${everywhere}/w1`],
      ['any other path', 404, 'GET', '/nothing/here'],
    ])
  })

  describe('order', () => {
    test('items are sorted by namespace and name', async () => {
      for (const name of ['z', 'a-b', 'a', 'a.b']) {
        await client.send('POST', maps, { metadata: { name: `order.${name}` } })
      }
      const names = namesIn(await client.get(maps)).filter((name) => name.startsWith('order'))
      expect(names).toEqual(['order.a', 'order.a-b', 'order.a.b', 'order.z'])
    })
  })
})
