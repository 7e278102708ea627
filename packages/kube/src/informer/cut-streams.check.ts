import { expect, test } from 'vitest'
import { createKubeClient } from '../client/kube-client.ts'
import { ConfigMapKind } from '../kind/builtin-kinds.ts'
import type { ConfigMap } from '../kind/builtin-objects.ts'
import { recordHistory } from '../testing/history.ts'
import {
  answerJson,
  type ScriptedRequest,
  startScriptedServer,
} from '../testing/scripted-server.ts'
import { createInformer } from './informer.ts'

/** Has characters of two, three and four bytes, so that chunks end inside characters. */
const text = 'größer ✓ 漢字 🚀'

function object(namespace: string, name: string, revision: number, value: string): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, uid: `uid-${name}`, resourceVersion: String(revision) },
    data: { text, value },
  }
}

/** The events after the list at revision 10, which contains `a` and `gone`. */
function recorded(namespace: string) {
  return [
    { type: 'ADDED', object: object(namespace, 'b', 11, '1') },
    { type: 'MODIFIED', object: object(namespace, 'a', 12, '2') },
    { type: 'BOOKMARK', object: { metadata: { resourceVersion: '13' } } },
    { type: 'DELETED', object: object(namespace, 'gone', 14, '1') },
    { type: 'MODIFIED', object: object(namespace, 'b', 15, '3') },
  ].map((event) => ({
    revision: Number(event.object.metadata.resourceVersion),
    line: `${JSON.stringify(event)}\n`,
  }))
}

/** The namespace of a request determines where and how its first watch is cut. */
function answers() {
  const begun = new Set<string>()
  return ({ path, query }: ScriptedRequest, response: Parameters<typeof answerJson>[0]): void => {
    const namespace = path.split('/')[4] ?? ''
    const [way, offset] = namespace.split('-')
    if (query.get('watch') !== 'true') {
      const items = ['a', 'gone'].map((name) => object(namespace, name, 9, '1'))
      answerJson(response, 200, { metadata: { resourceVersion: '10' }, items })
      return
    }
    const since = Number(query.get('resourceVersion'))
    const body = Buffer.from(
      recorded(namespace)
        .filter(({ revision }) => revision > since)
        .map(({ line }) => line)
        .join(''),
    )
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    if (begun.has(namespace)) {
      response.write(body)
      return
    }
    begun.add(namespace)
    const cut = body.subarray(0, Number(offset))
    if (way === 'end') response.end(cut)
    else if (way === 'reset') response.write(cut, () => response.destroy())
    else {
      // Only split: the rest follows as a separate chunk.
      response.write(cut, () => setImmediate(() => response.write(body.subarray(cut.length))))
    }
  }
}

test.each([
  { way: 'split', because: 'events may be split anywhere into chunks' },
  { way: 'end', because: 'a stream that ends anywhere is resumed where it ended' },
  { way: 'reset', because: 'a stream whose connection breaks is resumed where it ended' },
])('$because', async ({ way }) => {
  const server = await startScriptedServer(answers())
  const client = createKubeClient({ server: server.url, namespace: '' })
  const run = async (offset: number): Promise<void> => {
    const namespace = `${way}-${offset}`
    const history = recordHistory<ConfigMap>()
    const informer = createInformer({
      client,
      kind: ConfigMapKind,
      namespace,
      watchList: false,
      backoff: { baseMs: 1, maxMs: 2 },
    })
    informer.addHandler(history.handler)
    informer.start()
    await informer.waitForRevision('15', { timeoutMs: 240_000 })
    expect(history.contradictions, namespace).toEqual([])
    expect(history.lines, namespace).toEqual([
      'add a',
      'add gone',
      'add b',
      'update a',
      'delete gone',
      'update b',
    ])
    expect(
      informer.store.list().map(({ data }) => data?.value),
      namespace,
    ).toEqual(['2', '3'])
    expect(informer.store.list().every(({ data }) => data?.text === text)).toBe(true)
    expect(informer.stats().replaces, namespace).toBe(1)
    await informer.stop()
  }
  const namespace = `${way}-1000`
  const length = Buffer.byteLength(
    recorded(namespace)
      .map(({ line }) => line)
      .join(''),
  )
  const offsets = Array.from({ length: length + 1 }, (_, offset) => offset)
  for (let at = 0; at < offsets.length; at += 64) {
    await Promise.all(offsets.slice(at, at + 64).map(run))
  }
  client.close()
  await server.stop()
})
