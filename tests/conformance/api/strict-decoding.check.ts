import { beforeAll } from 'vitest'
import { conformance } from './suite.ts'
import { fullWidgetDefinition, serve, widgetsOf } from './widget.ts'

conformance('strict-decoding', (suite) => {
  const { client, namespace, group, sameEach } = suite
  const { path } = widgetsOf(suite)
  const strict = '?dryRun=All&fieldValidation=Strict'
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  const pods = `/api/v1/namespaces/${namespace}/pods`
  const head = `"apiVersion":"${group}/v1","kind":"Widget","metadata":{"name":"x"}`
  const mixed =
    '{"z":1,"data":{"a":"1"},"metadata":{"name":"x","name":"x","odd":1},"data":{"a":"1"},"b":2}'
  const containers =
    '[{"name":"a","image":"i","odd":1,"old":2},{"name":"b","image":"i","odd":1,"name":"b"}]'
  const type = 'application/yaml'

  beforeAll(() => serve(client, fullWidgetDefinition(group)))

  sameEach([
    ['unknown and duplicate fields mixed', 400, 'POST', maps + strict, mixed],
    [
      'warnings of unknown and duplicate fields mixed',
      201,
      'POST',
      `${maps}?dryRun=All&fieldValidation=Warn`,
      mixed,
    ],
    [
      'an unknown field twice',
      400,
      'POST',
      maps + strict,
      '{"metadata":{"name":"x"},"z":1,"z":2,"a":3}',
    ],
    [
      'duplicates in an unknown field',
      400,
      'POST',
      maps + strict,
      '{"metadata":{"name":"x"},"z":{"a":1,"a":2},"y":[{"b":1,"b":2}]}',
    ],
    [
      'a field three times',
      400,
      'POST',
      maps + strict,
      '{"metadata":{"name":"x","name":"x","name":"x"}}',
    ],
    [
      'fields of items',
      400,
      'POST',
      pods + strict,
      `{"metadata":{"name":"x"},"spec":{"containers":${containers},"y":1,"a":2}}`,
    ],
    [
      'YAML with unknown fields',
      400,
      'POST',
      maps + strict,
      'z: 1\nmetadata: {name: x, odd: 1}\nb: 2\n',
      { type },
    ],
    [
      'YAML with unknown and duplicate fields',
      400,
      'POST',
      maps + strict,
      'z: 1\nmetadata: {name: x, odd: 1}\ndata: {}\ndata: {}\nb: 2\nb: 3\n',
      { type },
    ],
    [
      'a custom resource with both',
      400,
      'POST',
      path + strict,
      `{${head},"spec":{"z":1,"size":1,"size":2,"size":3,"b":2},"odd":1}`,
    ],
  ])
})
