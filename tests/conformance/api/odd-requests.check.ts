import { beforeAll, describe } from 'vitest'
import type { Answer } from './client.ts'
import { conformance, type Row } from './suite.ts'
import { fullWidgetDefinition, serve, widgetsOf } from './widget.ts'

const mebibyte = 1024 * 1024

conformance('odd-requests', (suite) => {
  const { client, namespace, group, same, sameEach } = suite
  const { path, widget } = widgetsOf(suite)
  const maps = `/api/v1/namespaces/${namespace}/configmaps`

  beforeAll(async () => {
    await serve(client, fullWidgetDefinition(group))
    await client.send('POST', path, widget('a', { spec: { size: 1 } }))
    await client.send('POST', maps, { metadata: { name: 'a' }, data: { a: '1' } })
  })

  describe('large objects', () => {
    const large = (name: string, size: number) =>
      widget(name, { spec: { free: { text: 'x'.repeat(size) } } })
    for (const [what, size, code] of [
      ['1.4 MiB are stored', 1.4 * mebibyte, 201],
      ['1.6 MiB are refused', 1.6 * mebibyte, 500],
    ] as const) {
      same(what, code, async () =>
        brief(await client.send('POST', path, large(`large-${size}`, size))),
      )
    }
    same('2.5 MiB are refused', 500, async () => ({
      ...(await client.send('POST', path, large('largest', 2.5 * mebibyte))),
      // The real server names a limit of the client of etcd.
      body: 'refused',
    }))
    same('1.6 MiB are created by a dry run', 201, async () =>
      brief(await client.send('POST', `${path}?dryRun=All`, large('dry', 1.6 * mebibyte))),
    )
    same('an update that makes an object larger is refused', 500, async () =>
      brief(
        await client.send(
          'PATCH',
          `${path}/a`,
          { spec: { free: { text: 'x'.repeat(1.6 * mebibyte) } } },
          { type: 'application/merge-patch+json' },
        ),
      ),
    )
  })

  describe('YAML', () => {
    const accept = 'application/yaml'
    sameEach(
      [
        ['of a watch', 406, 'GET', `${maps}?watch=true&timeoutSeconds=1`, undefined, { accept }],
        [
          'of a watch of custom resources',
          406,
          'GET',
          `${path}?watch=true&timeoutSeconds=1`,
          undefined,
          { accept },
        ],
        [
          'of a watch, with JSON second',
          406,
          'GET',
          `${path}?watch=true&timeoutSeconds=1&resourceVersion=0&labelSelector=none`,
          undefined,
          { accept: 'application/yaml, application/json' },
        ],
      ],
      unfolded,
    )
  })

  describe('paths and parameters', () => {
    sameEach([
      ['an export', 400, 'GET', `${maps}/a?export=true`],
      ['an export of a custom resource', 400, 'GET', `${path}/a?export=true`],
      ['an export that is false', 200, 'GET', `${maps}/a?export=false`],
      ['an export of a list', 200, 'GET', `${path}?export=true&labelSelector=none`],
      [
        'an API version that starts with a slash',
        201,
        'POST',
        `${maps}?dryRun=All`,
        { apiVersion: '/v1', kind: 'ConfigMap', metadata: { name: 'x' } },
      ],
      [
        'an API version of only a slash',
        201,
        'POST',
        `${maps}?dryRun=All`,
        { apiVersion: '/', kind: 'ConfigMap', metadata: { name: 'x' } },
      ],
      ...['v1/', 'apps/', 'v1/v1/', 'v1/v1/v1', '//'].map(
        (apiVersion): Row => [
          `the API version ${apiVersion}`,
          400,
          'POST',
          `${maps}?dryRun=All`,
          { apiVersion, kind: 'ConfigMap', metadata: { name: 'x' } },
        ],
      ),
    ])
    const bad = [
      ['nonsense and a bad selector', 'continue=nonsense&labelSelector=a=('],
      ['nonsense and a bad field selector', 'continue=nonsense&fieldSelector=odd%3Dx'],
      ['nonsense and a resource version', 'continue=nonsense&resourceVersion=5'],
      ['nonsense and a bad resource version', 'continue=nonsense&resourceVersion=x'],
      ['nonsense and a match', 'continue=nonsense&resourceVersion=5&resourceVersionMatch=Exact'],
      ['nonsense and a negative limit', 'continue=nonsense&limit=-1'],
      ['an empty start', `continue=${token({ v: 'meta.k8s.io/v1', rv: 1, start: '' })}`],
      ['a zero version', `continue=${token({ v: 'meta.k8s.io/v1', rv: 0, start: 'a' })}`],
      ['an old version', `continue=${token({ v: 'meta.k8s.io/v2', rv: 0, start: '../a' })}`],
      [
        'a valid token and a resource version',
        `continue=${token({ v: 'meta.k8s.io/v1', rv: 1, start: '../a' })}&resourceVersion=7`,
      ],
    ] as const
    for (const [what, query] of bad) {
      const code = query.includes('Match') ? 422 : 400
      same(`a continue token: ${what}`, code, () => client.get(`${maps}?${query}`))
      same(`a continue token of a custom resource: ${what}`, code, () =>
        client.get(`${path}?${query}`),
      )
    }
  })
})

/** Without the large object itself. */
function brief(answer: Answer): Answer {
  return answer.code < 300 ? { ...answer, body: 'accepted', text: '' } : answer
}

/** YAML without line breaks in strings and without quotes, which depend on the library. */
function unfolded(answer: Answer): Answer {
  return { ...answer, text: answer.text.replaceAll(/\n +/g, ' ').replaceAll(/['"]/g, '') }
}

function token(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
