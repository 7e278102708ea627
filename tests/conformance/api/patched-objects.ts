import { beforeAll, expect } from 'vitest'
import type { Fields } from './client.ts'
import type { Suite } from './suite.ts'
import { fullWidgetDefinition, serve, widgetsOf } from './widget.ts'

interface PatchedObjects {
  /** Path of the widgets. */
  readonly path: string
  readonly maps: string
  readonly deployments: string
  readonly accounts: string
}

/** Creates an object called `dry` of each kind that the patch suites use, before the tests. */
export function patchedObjects(suite: Suite): PatchedObjects {
  const { client, namespace, group } = suite
  const { path, widget } = widgetsOf(suite)
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`
  beforeAll(async () => {
    await serve(client, fullWidgetDefinition(group))
    await client.send('POST', path, widget('dry', { spec: widgetSpec }))
    await client.send('POST', maps, { metadata: { name: 'dry' }, data: { a: '1', b: '2' } })
    const made = await client.send('POST', deployments, {
      metadata: { name: 'dry' },
      spec: deploymentSpec,
    })
    expect(made.code, made.text).toBe(201)
    await client.send('POST', accounts, {
      metadata: { name: 'dry' },
      secrets: [{ name: 'a' }, { name: 'b' }],
      imagePullSecrets: [{ name: 'p' }],
    })
  })
  return { path, maps, deployments, accounts }
}

const widgetSpec: Fields = {
  size: 1,
  color: 'red',
  labels: { a: '1', 'b/c': '2', 'd~e': '3' },
  words: ['x', 'y'],
  ports: [{ port: 1 }, { port: 2, name: 'two' }],
}

const labels = { app: 'a' }
const deploymentSpec: Fields = {
  replicas: 0,
  paused: true,
  selector: { matchLabels: labels },
  template: {
    metadata: { labels },
    spec: {
      containers: [
        {
          name: 'one',
          image: 'one:1',
          env: [
            { name: 'A', value: '1' },
            { name: 'B', value: '2' },
          ],
          ports: [{ containerPort: 80 }],
        },
        { name: 'two', image: 'two:1', args: ['x', 'y'] },
      ],
      tolerations: [{ key: 'a', operator: 'Exists' }],
      volumes: [{ name: 'v', emptyDir: {} }],
    },
  },
}

/** A patch of the pod template of a deployment. */
export function podPatch(patch: Fields): Fields {
  return { spec: { template: { spec: patch } } }
}
