import { beforeAll, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import { conformance, stringAt, valueAt } from './suite.ts'
import type { WatchEvent } from './watch-stream.ts'
import { definitionOf, serve, widgetsOf } from './widget.ts'

/** The guarantees that a reflector relies on when it reconnects. */
conformance('reflector', (suite) => {
  const { client, group, same } = suite
  const { path, widget } = widgetsOf(suite)
  const numbers = [
    [/\d{3,}/g, '<number>'],
    [/\(\d+\)/g, '(<number>)'],
    [/: \d+ \(/g, ': <number> ('],
  ] as const
  const oldToken = Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":"a\\u0000"}').toString(
    'base64url',
  )
  const brief = ({ type, object }: WatchEvent) =>
    `${type} ${(object.metadata as { name?: string }).name ?? ''}`.trim()

  const versionOf = (event: WatchEvent | undefined): string =>
    (event?.object.metadata as { resourceVersion?: string } | undefined)?.resourceVersion ?? ''

  beforeAll(async () => {
    await serve(client, definitionOf(group))
    for (const name of ['a', 'b', 'c']) await client.send('POST', path, widget(name))
  })

  test('a watch goes on where a list ended', async () => {
    const list = await client.get(`${path}?resourceVersion=0`)
    const from = stringAt(list, 'metadata.resourceVersion')
    await client.send('POST', path, widget('between'))
    const watch = await client.watch(
      `${path}?watch=true&allowWatchBookmarks=true&resourceVersion=${from}`,
    )
    expect((await watch.take(1)).map(brief)).toEqual(['ADDED between'])
    watch.close()
    await client.send('DELETE', `${path}/between`)
  })

  test('a watch goes on where a watch ended', async () => {
    const from = stringAt(await client.get(path), 'metadata.resourceVersion')
    const first = await client.watch(`${path}?watch=true&resourceVersion=${from}`)
    await client.send('POST', path, widget('one'))
    const [event] = await first.take(1)
    first.close()
    const resourceVersion = versionOf(event)
    await client.send('POST', path, widget('two'))
    await client.send('DELETE', `${path}/one`)
    const second = await client.watch(`${path}?watch=true&resourceVersion=${resourceVersion}`)
    expect((await second.take(2)).map(brief)).toEqual(['ADDED two', 'DELETED one'])
    second.close()
    await client.send('DELETE', `${path}/two`)
  })

  test('the version of a deletion is a place to go on from', async () => {
    await client.send('POST', path, widget('passing'))
    const from = stringAt(await client.get(path), 'metadata.resourceVersion')
    const first = await client.watch(`${path}?watch=true&resourceVersion=${from}`)
    await client.send('DELETE', `${path}/passing`)
    const [event] = await first.take(1)
    first.close()
    const resourceVersion = versionOf(event)
    const second = await client.watch(`${path}?watch=true&resourceVersion=${resourceVersion}`)
    await client.send('POST', path, widget('next'))
    expect((await second.take(1)).map(brief)).toEqual(['ADDED next'])
    second.close()
    await client.send('DELETE', `${path}/next`)
  })

  test('the bookmark at the end of initial events is a place to go on from', async () => {
    const query =
      'watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan'
    const first = await client.watch(`${path}?${query}`)
    const events = await first.takeUntil(({ type }) => type === 'BOOKMARK')
    first.close()
    const resourceVersion = versionOf(events.at(-1))
    await client.send('POST', path, widget('marked'))
    const second = await client.watch(`${path}?watch=true&resourceVersion=${resourceVersion}`)
    expect((await second.take(1)).map(brief)).toEqual(['ADDED marked'])
    second.close()
    await client.send('DELETE', `${path}/marked`)
  })

  test('two watchers see the same', async () => {
    const from = stringAt(await client.get(path), 'metadata.resourceVersion')
    const watches = await Promise.all(
      [1, 2].map(() => client.watch(`${path}?watch=true&resourceVersion=${from}`)),
    )
    await client.send('POST', path, widget('seen'))
    await client.send('DELETE', `${path}/seen`)
    const [first, second] = await Promise.all(watches.map((watch) => watch.take(2)))
    for (const watch of watches) watch.close()
    expect(first).toEqual(second)
  })

  const isExpired = async () =>
    (await client.get(`${path}?limit=1&continue=${oldToken}`)).code === 410

  // Last, because the real server compacts only every twenty seconds.
  same(
    'a token that is too old comes with one to go on with',
    410,
    async () => {
      await until(isExpired, undefined, { timeoutMs: 200_000 })
      return client.get(`${path}?limit=1&continue=${oldToken}`)
    },
    numbers,
  )
  test('the token to go on with works', async () => {
    const expired = await client.get(`${path}?limit=1&continue=${oldToken}`)
    const token = stringAt(expired, 'metadata.continue')
    const answer = await client.get(`${path}?limit=1&continue=${token}`)
    expect(answer.code, answer.text).toBe(200)
    expect(valueAt(answer, 'items.0.metadata.name')).toBe('b')
  })
  same(
    'an exact list of an expired version',
    410,
    () => client.get(`${path}?resourceVersion=1&resourceVersionMatch=Exact`),
    numbers,
  )
})
