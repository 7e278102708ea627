import { beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from './client.ts'
import { normalise, type Replacements } from './normalise.ts'
import { merge } from './patch-formats.ts'
import { conformance, type Row, stringAt, valueAt } from './suite.ts'
import type { WatchEvent } from './watch-stream.ts'
import { definitionOf, definitionsPath, fullWidgetDefinition, serve, widgetsOf } from './widget.ts'

conformance('watch', (suite) => {
  const { client, namespace, group, same, sameEach } = suite
  const { path, everywhere, widget } = widgetsOf(suite)
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  const nameOf = ({ object }: WatchEvent): unknown => (object.metadata as { name?: string }).name
  const brief = (events: readonly WatchEvent[]): string[] =>
    events.map((event) => `${event.type} ${nameOf(event)}`)
  const versionNow = async (): Promise<string> =>
    stringAt(await client.get(path), 'metadata.resourceVersion')
  const asAnswer = (events: readonly WatchEvent[], code = 200): Answer => ({
    code,
    headers: {},
    text: '',
    body: JSON.parse(JSON.stringify(events)),
  })
  const isLast = (name: string) => (event: WatchEvent) => nameOf(event) === name

  beforeAll(async () => {
    await serve(client, fullWidgetDefinition(group))
    for (const name of ['first', 'second']) {
      await client.send('POST', path, widget(name, {}, { labels: { color: 'red' } }))
    }
  })

  describe('the beginning', () => {
    same('without a version there are events for what exists', 200, async () => {
      const watch = await client.watch(`${path}?watch=true`)
      const events = await watch.take(2)
      watch.close()
      return asAnswer(events)
    })

    test.each(['', '&resourceVersion=', '&resourceVersion=0'])(
      'what exists comes first, then what happens (%s)',
      async (query) => {
        const watch = await client.watch(`${path}?watch=true${query}`)
        const initial = await watch.take(2)
        const name = `later${query.length}`
        await client.send('POST', path, widget(name))
        await client.send('DELETE', `${path}/${name}`)
        const later = await watch.take(2)
        watch.close()
        expect(brief(initial).sort()).toEqual(['ADDED first', 'ADDED second'])
        expect(brief(later)).toEqual([`ADDED ${name}`, `DELETED ${name}`])
      },
    )

    test('with a version there is only what came after it', async () => {
      const from = await versionNow()
      await client.send('POST', path, widget('after'))
      const watch = await client.watch(`${path}?watch=1&resourceVersion=${from}`)
      await client.send('PATCH', `${path}/after`, { spec: { size: 1 } }, merge)
      await client.send('DELETE', `${path}/after`)
      const events = await watch.take(3)
      watch.close()
      expect(brief(events)).toEqual(['ADDED after', 'MODIFIED after', 'DELETED after'])
    })

    test('headers come at once, also when there is nothing to tell', async () => {
      const watch = await client.watch(`${path}?watch=true&resourceVersion=${await versionNow()}`)
      expect(watch.code).toBe(200)
      expect(watch.headers['content-type']).toBe('application/json')
      expect(watch.headers['transfer-encoding']).toBe('chunked')
      watch.close()
    })

    same(
      'an old version is answered with an error event',
      200,
      async () => {
        const watch = await client.watch(`${path}?watch=true&resourceVersion=1&timeoutSeconds=5`)
        const answer = asAnswer(await watch.rest())
        return { ...answer, code: watch.code, headers: watch.headers }
      },
      [[/\(\d+\)/g, '(<number>)']],
    )

    test('a version of the future is not waited for for ever', async () => {
      const watch = await client.watch(
        `${path}?watch=true&resourceVersion=99999999&timeoutSeconds=2`,
      )
      expect(brief(await watch.rest())).toEqual([])
    })
  })

  describe('what events carry', () => {
    same('the object as it is after the write, and before its deletion', 200, async () => {
      const watch = await client.watch(`${path}?watch=true&resourceVersion=${await versionNow()}`)
      await client.send('POST', path, widget('carried', { spec: { size: 1 } }))
      await client.send('PATCH', `${path}/carried`, { spec: { size: 2 } }, merge)
      await client.send('PATCH', `${path}/carried/status`, { status: { phase: 'Done' } }, merge)
      await client.send('DELETE', `${path}/carried`)
      const events = await watch.take(4)
      watch.close()
      return asAnswer(events)
    })

    test('the version of a deletion is newer than that of the last write', async () => {
      const watch = await client.watch(`${maps}?watch=true&resourceVersion=${await versionNow()}`)
      const made = await client.send('POST', maps, { metadata: { name: 'gone' } })
      await client.send('DELETE', `${maps}/gone`)
      const deleted = (await watch.takeUntil(({ type }) => type === 'DELETED')).at(-1)
      watch.close()
      const metadata = deleted?.object.metadata as { resourceVersion: string }
      expect(Number(metadata.resourceVersion)).toBeGreaterThan(
        Number(stringAt(made, 'metadata.resourceVersion')),
      )
    })

    test('a write that changes nothing is no event', async () => {
      const watch = await client.watch(`${path}?watch=true&resourceVersion=${await versionNow()}`)
      await client.send('PATCH', `${path}/first`, { metadata: { labels: { color: 'red' } } }, merge)
      await client.send('POST', path, widget('marker'))
      await client.send('DELETE', `${path}/marker`)
      const events = await watch.take(2)
      watch.close()
      expect(brief(events)).toEqual(['ADDED marker', 'DELETED marker'])
    })

    test('events come in the order of their versions', async () => {
      const watch = await client.watch(`${path}?watch=true&resourceVersion=${await versionNow()}`)
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          client.send('POST', path, widget(`ordered-${index}`)),
        ),
      )
      const events = await watch.take(20)
      watch.close()
      await client.send(
        'DELETE',
        `${path}?fieldSelector=metadata.name!%3Dfirst,metadata.name!%3Dsecond`,
      )
      const versions = events.map(({ object }) =>
        Number((object.metadata as { resourceVersion: string }).resourceVersion),
      )
      expect(versions).toEqual([...versions].sort((a, b) => a - b))
      expect(new Set(versions).size).toBe(20)
    })
  })

  describe('selectors', () => {
    const selectorCase = (title: string, query: string, name: string) =>
      same(title, 200, async () => {
        const watch = await client.watch(
          `${path}?watch=true&resourceVersion=${await versionNow()}&${query}`,
        )
        const at = `${path}/${name}`
        await client.send(
          'POST',
          path,
          widget(name, { spec: { color: 'blue' } }, { labels: { in: 'no' } }),
        )
        const patches = [
          { metadata: { labels: { in: 'yes' } }, spec: { color: 'red' } },
          { spec: { size: 1 } },
          { metadata: { labels: { in: 'no' } }, spec: { color: 'green', size: 2 } },
          { spec: { size: 3 } },
          { metadata: { labels: { in: 'yes' } }, spec: { color: 'red' } },
        ]
        for (const patch of patches) await client.send('PATCH', at, patch, merge)
        await client.send('DELETE', at)
        const events = await watch.take(5)
        watch.close()
        expect(events.map(({ type }) => type)).toEqual([
          'ADDED',
          'MODIFIED',
          'DELETED',
          'ADDED',
          'DELETED',
        ])
        return asAnswer(events)
      })
    selectorCase(
      'a label that comes and goes is an object that comes and goes',
      'labelSelector=in%3Dyes',
      'by-label',
    )
    selectorCase(
      'a field that comes and goes is an object that comes and goes',
      'fieldSelector=spec.color%3Dred',
      'by-field',
    )

    test('a name selects one object', async () => {
      const watch = await client.watch(
        `${path}?watch=true&resourceVersion=${await versionNow()}&fieldSelector=metadata.name%3Dchosen`,
      )
      for (const name of ['other', 'chosen']) {
        await client.send('POST', path, widget(name))
        await client.send('DELETE', `${path}/${name}`)
      }
      const events = await watch.take(2)
      watch.close()
      expect(brief(events)).toEqual(['ADDED chosen', 'DELETED chosen'])
    })

    test('one namespace does not hear of another', async () => {
      const from = await versionNow()
      const here = await client.watch(`${path}?watch=true&resourceVersion=${from}`)
      const all = await client.watch(`${everywhere}?watch=true&resourceVersion=${from}`)
      await client.send('POST', path.replace(namespace, 'default'), widget('there'))
      await client.send('POST', path, widget('here'))
      expect(brief(await here.take(1))).toEqual(['ADDED here'])
      expect(brief(await all.take(2))).toEqual(['ADDED there', 'ADDED here'])
      here.close()
      all.close()
      await client.send('DELETE', path.replace(namespace, 'default'))
      await client.send('DELETE', `${path}/here`)
    })

    test('the old way to watch one object still works', async () => {
      const old = path.replace('/v1/', '/v1/watch/')
      const watch = await client.watch(`${old}/first?resourceVersion=${await versionNow()}`)
      await client.send('PATCH', `${path}/second`, { spec: { size: 8 } }, merge)
      await client.send('PATCH', `${path}/first`, { spec: { size: 8 } }, merge)
      expect(brief(await watch.take(1))).toEqual(['MODIFIED first'])
      watch.close()
    })

    test('a watch at the path of one object watches that object', async () => {
      const watch = await client.watch(
        `${path}/first?watch=true&resourceVersion=${await versionNow()}`,
      )
      await client.send('PATCH', `${path}/second`, { spec: { size: 9 } }, merge)
      await client.send('PATCH', `${path}/first`, { spec: { size: 9 } }, merge)
      const [line] = await watch.take(1)
      watch.close()
      expect(line).toBeDefined()
    })
  })

  describe('initial events', () => {
    const initial = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan'
    const isEnd = ({ object }: WatchEvent) => {
      const { annotations } = object.metadata as { annotations?: Record<string, string> }
      return annotations?.['k8s.io/initial-events-end'] === 'true'
    }
    same('end with an annotated bookmark', 200, async () => {
      const watch = await client.watch(`${path}?${initial}&allowWatchBookmarks=true`)
      const events = await watch.takeUntil(isEnd)
      watch.close()
      const [last] = events.slice(-1)
      expect(last?.type).toBe('BOOKMARK')
      return asAnswer(last ? [last] : [])
    })
    test.each(['', '&resourceVersion=0', '&resourceVersion='])(
      'show everything and then the future (%s)',
      async (version) => {
        const watch = await client.watch(`${path}?${initial}&allowWatchBookmarks=true${version}`)
        const events = await watch.takeUntil(isEnd)
        await client.send('POST', path, widget('future'))
        await client.send('DELETE', `${path}/future`)
        // A server may send a bookmark at any time.
        const future = await watch.takeUntil(({ type }) => type === 'DELETED')
        watch.close()
        expect(brief(future.filter(({ type }) => type !== 'BOOKMARK'))).toEqual([
          'ADDED future',
          'DELETED future',
        ])
        expect(brief(events.slice(0, -1)).sort()).toEqual(['ADDED first', 'ADDED second'])
      },
    )
    test('respect selectors', async () => {
      const watch = await client.watch(
        `${path}?${initial}&allowWatchBookmarks=true&fieldSelector=metadata.name%3Dfirst`,
      )
      const events = await watch.takeUntil(isEnd)
      watch.close()
      expect(brief(events.slice(0, -1))).toEqual(['ADDED first'])
    })
    test('may be refused, and then a watch without a version has none', async () => {
      const from = await versionNow()
      const watch = await client.watch(
        `${path}?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=${from}`,
      )
      await client.send('POST', path, widget('only'))
      await client.send('DELETE', `${path}/only`)
      expect(brief(await watch.take(2))).toEqual(['ADDED only', 'DELETED only'])
      watch.close()
    })
    sameEach([
      [
        'need a match',
        422,
        'GET',
        `${path}?watch=true&sendInitialEvents=true&allowWatchBookmarks=true`,
      ],
      [
        'need the right match',
        422,
        'GET',
        `${path}?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=Exact&resourceVersion=1`,
      ],
      [
        'are the only reason for a match',
        422,
        'GET',
        `${path}?watch=true&resourceVersionMatch=NotOlderThan&resourceVersion=1`,
      ],
    ])
  })

  describe('the end', () => {
    test('comes when the client said so', async () => {
      const watch = await client.watch(
        `${path}?watch=true&resourceVersion=${await versionNow()}&timeoutSeconds=1`,
      )
      expect(await watch.rest()).toEqual([])
    })

    same('comes when the definition goes', 200, async () => {
      const other = { plural: 'passings', kind: 'Passing' }
      await serve(client, definitionOf(group, other))
      const at = `/apis/${group}/v1/namespaces/${namespace}/passings`
      await client.send('POST', at, { ...widget('last'), kind: 'Passing' })
      const watch = await client.watch(`${at}?watch=true`)
      await client.send('DELETE', `${definitionsPath}/passings.${group}`)
      const events = await watch.rest()
      expect(brief(events)).toContain('DELETED last')
      return asAnswer(events.filter(isLast('last')))
    })
  })

  describe('refusals', () => {
    const plain: Replacements = []
    const rows: readonly Row[] = [
      ['a version that is not a number', 500, 'GET', `${path}?watch=true&resourceVersion=abc`],
      ['a wrong label selector', 400, 'GET', `${path}?watch=true&labelSelector=%3D`],
      ['a wrong field selector', 400, 'GET', `${path}?watch=true&fieldSelector=spec.size%3D1`],
      ['a timeout that is not a number', 400, 'GET', `${path}?watch=true&timeoutSeconds=soon`],
      ['a kind that is not there', 404, 'GET', `/apis/${group}/v1/nothings?watch=true`],
    ]
    sameEach(rows)
    test('are no streams', async () => {
      const answer = await client.get(`${path}?watch=true&labelSelector=%3D`)
      expect(normalise([answer], plain)[0]?.type).toBe('application/json')
      expect(valueAt(answer, 'kind')).toBe('Status')
    })
  })
})
