import { type AgentRun, agentRun } from '@agents/jangar-api'
import {
  ConfigMapKind,
  type KindRef,
  type KubeClient,
  type KubeObject,
  kindRef,
} from '@agents/kube'

/** One kind of write, repeated for many objects. The writes of a series are sent in order for each object. */
export interface Write {
  readonly name: string
  send(client: KubeClient, objectName: string): Promise<unknown>
}

const namespace = 'default'

/** The writes of a run's life, and one more of its status as a patch. */
export function runWrites(group: string): readonly Write[] {
  const kind: KindRef<AgentRun> = { ...kindRef<AgentRun>(agentRun), group }
  const key = (name: string) => ({ name, namespace })
  /** The objects as last written: reading them before a write would be measured, too. */
  const versions = new Map<string, AgentRun>()
  const patch = (client: KubeClient, name: string, body: object, subresource?: string) =>
    client.patch(kind, key(name), { type: 'merge', body }, { subresource })
  const updateStatus = async (client: KubeClient, name: string, status: object) => {
    const current = versions.get(name)
    if (current === undefined) throw new Error(`${name} was not created`)
    const { apiVersion, kind: kindName, metadata } = current
    const { uid, resourceVersion } = metadata
    // As the controllers send it: without spec, managed fields and the like.
    const named = { ...key(name), uid, resourceVersion }
    const body = { apiVersion, kind: kindName, metadata: named, status } as AgentRun
    versions.set(name, await client.update(kind, body, { subresource: 'status' }))
  }
  return [
    {
      name: 'create AgentRun',
      send: async (client, name) => {
        const run = { metadata: key(name), spec: runSpec }
        versions.set(name, await client.create(kind, run as never))
      },
    },
    {
      name: 'finalizer (merge patch)',
      send: async (client, name) => {
        const finalizers = ['agents.proompteng.ai/runtime-cleanup']
        versions.set(name, await patch(client, name, { metadata: { finalizers } }))
      },
    },
    {
      name: 'first status update',
      send: (client, name) => updateStatus(client, name, startedStatus),
    },
    {
      name: 'second status update',
      send: (client, name) => updateStatus(client, name, finishedStatus),
    },
    {
      name: 'status (merge patch of one field)',
      send: (client, name) => patch(client, name, { status: { exitCode: 1 } }, 'status'),
    },
    {
      name: 'finalizer removed (merge patch)',
      send: (client, name) => patch(client, name, { metadata: { finalizers: null } }),
    },
  ]
}

interface Event extends KubeObject {
  readonly involvedObject: object
}
const eventKind: KindRef<Event> = {
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
}

/** Writes of built-in kinds, for comparison. */
export const builtinWrites: readonly Write[] = [
  {
    name: 'create ConfigMap',
    send: (client, name) => client.create(ConfigMapKind, configMap(name, 'created')),
  },
  {
    name: 'update ConfigMap',
    send: (client, name) => client.update(ConfigMapKind, configMap(name, 'updated') as never),
  },
  { name: 'create Event', send: (client, name) => client.create(eventKind, event(name) as never) },
]

const at = '2026-01-02T03:04:05Z'
const later = '2026-01-02T03:04:07Z'

const runSpec = {
  agentRef: { name: 'shell' },
  implementation: { inline: { text: 'Run a script.' } },
  runtime: { type: 'job' },
  parameters: { script: 'true' },
}

const runtimeRef = {
  type: 'job',
  name: 'object-job',
  namespace,
  uid: '27aa19d3-0611-4d2f-9ce1-d05936891efe',
  submittedAt: at,
  runTimeoutSeconds: 0,
  limits: { retries: 0, retryBackoffSeconds: 0, timeoutSeconds: 0 },
}

const passed = [
  condition('Accepted', 'True', 'Accepted', 'all references are resolved and permitted'),
  condition('Admitted', 'True', 'Admitted', 'a slot was assigned to the run'),
]

/** As controllers write it when they have created the Job. */
const startedStatus = {
  observedGeneration: 1,
  updatedAt: at,
  phase: 'Pending',
  attempts: 1,
  runtimeRef: { ...runtimeRef, task: { phase: 'Pending' } },
  conditions: [
    ...['Succeeded', 'Ready'].map((type) =>
      condition(type, 'Unknown', 'Submitting', 'the Job was created'),
    ),
    ...passed,
    condition('Started', 'False', 'Submitting', 'the Job was created'),
  ],
}

/** As controllers write it when the run has succeeded. */
const finishedStatus = {
  ...startedStatus,
  updatedAt: later,
  phase: 'Succeeded',
  exitCode: 0,
  startedAt: at,
  finishedAt: later,
  runtimeRef: { ...runtimeRef, task: { phase: 'Succeeded', startedAt: at, finishedAt: later } },
  conditions: [
    ...['Succeeded', 'Finished', 'Ready'].map((type) =>
      condition(type, 'True', 'Succeeded', 'exit code 0'),
    ),
    ...passed,
    condition('Started', 'True', 'Started', 'the container of the run started'),
  ],
}

function condition(type: string, status: string, reason: string, message: string) {
  return { type, status, reason, message, lastTransitionTime: at, observedGeneration: 1 }
}

function configMap(name: string, state: string) {
  const labels = { 'app.kubernetes.io/managed-by': 'bench' }
  const type = { apiVersion: 'v1', kind: 'ConfigMap' }
  return { ...type, metadata: { name, namespace, labels }, data: { 'run.json': text, state } }
}

/** A kilobyte, as the input of a small run. */
const text = JSON.stringify({ instructions: 'Run a script. '.repeat(70) })

function event(name: string) {
  return {
    metadata: { name, namespace },
    involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name, namespace },
    type: 'Normal',
    reason: 'Succeeded',
    message: 'exit code 0',
    action: 'Reconcile',
    count: 1,
    firstTimestamp: at,
    lastTimestamp: at,
    source: { component: 'agents-controller' },
    reportingComponent: 'agents-controller',
    reportingInstance: 'bench',
  }
}
