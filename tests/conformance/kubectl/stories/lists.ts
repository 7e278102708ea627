import type { Scenario } from '../scenario.ts'
import { managers } from './managers.ts'
import { configMap } from './manifests.ts'

const workloads = list([
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          containers: [{ name: 'main', image: 'web:1', ports: [{ containerPort: 80 }] }],
        },
      },
    },
  },
])

/** kubectl validates lists and kinds that the server does not know itself, with OpenAPI v2 in protobuf. */
export const lists: Scenario = {
  name: 'lists',
  steps: [
    { command: 'apply -f -', stdin: listOf('blue', 'red') },
    { command: 'apply -f -', stdin: listOf('blue', 'green') },
    { command: 'apply -f - --dry-run=server', stdin: listOf('blue', 'black') },
    { command: 'create -f -', stdin: listOf('white') },
    { command: 'replace -f -', stdin: listOf('white', 'grey') },
    { command: 'apply --server-side --force-conflicts -f -', stdin: listOf('pink') },
    { command: 'apply -f -', stdin: listOf('blue').replace('"data"', '"dataa"') },
    { command: 'apply -f -', stdin: listOf('blue').replace('"blue"', '7') },
    { command: 'apply -f - --validate=false', stdin: listOf('blue').replace('"data"', '"dataa"') },
    { command: 'apply -f -', stdin: listOf('blue').replace('"kind":"ConfigMap",', '') },
    { command: 'apply -f -', stdin: workloads.replace('"replicas"', '"replicass"') },
    { command: 'apply -f -', stdin: workloads },
    'get configmaps,deployments',
    { command: 'replace -f -', stdinFrom: 'get configmaps -o yaml' },
    { command: 'replace -f -', stdinFrom: 'get deployments,configmaps -o json' },
    {
      command: 'edit configmap/first configmap/second',
      editor: `sed -i 's/colour: .*/colour: edited/' "$1"`,
    },
    'get configmap/first configmap/second -o jsonpath={.items[*].data}',
    managers('configmap first'),
    { command: 'delete -f -', stdin: listOf('blue', 'red') },
  ],
}

export const unknownKinds: Scenario = {
  name: 'unknown-kinds',
  steps: [
    { command: 'apply -f -', stdin: unknownKind('v1', 'Nothing') },
    { command: 'apply -f -', stdin: unknownKind('apps/v9', 'Deployment') },
    {
      command: 'apply -f -',
      stdin: `${configMap({ a: '1' })}---\n${unknownKind('v1', 'Nothing')}`,
    },
    { command: 'apply -f -', stdin: list([JSON.parse(unknownKind('v1', 'Nothing'))]) },
    { command: 'create -f -', stdin: unknownKind('nothing.example.dev/v1', 'Nothing') },
    { command: 'replace -f -', stdin: unknownKind('nothing.example.dev/v1', 'Nothing') },
    { command: 'apply --server-side -f -', stdin: unknownKind('v1', 'Nothing') },
  ],
}

function listOf(...colours: readonly string[]): string {
  const names = ['first', 'second']
  return list(
    colours.map((colour, index) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: names[index] },
      data: { colour },
    })),
  )
}

function list(items: readonly object[]): string {
  return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items })}\n`
}

function unknownKind(apiVersion: string, kind: string): string {
  return `${JSON.stringify({ apiVersion, kind, metadata: { name: 'a' } })}\n`
}
