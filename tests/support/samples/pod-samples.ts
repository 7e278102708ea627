import { at, type Sample } from './sample.ts'

const pods = '/api/v1/namespaces/default/pods'

interface PodParts {
  readonly containers?: number
  readonly init?: readonly object[]
  readonly spec?: object
  readonly metadata?: object
  readonly status: object
  readonly deleted?: true
}

function pod(
  name: string,
  { containers = 1, init, spec, metadata, status, deleted }: PodParts,
): Sample {
  return {
    path: pods,
    body: {
      metadata: { name, ...metadata },
      spec: {
        containers: Array.from({ length: containers }, (_, index) => ({
          name: `c${index}`,
          image: 'i',
        })),
        ...(init === undefined
          ? {}
          : {
              initContainers: init.map((each, index) => ({
                name: `i${index}`,
                image: 'i',
                ...each,
              })),
            }),
        ...spec,
      },
    },
    status,
    ...(deleted === undefined ? {} : { deleted }),
  }
}

function container(name: string, state: object, rest: object = {}): object {
  return {
    name,
    image: 'i',
    imageID: '',
    ready: false,
    restartCount: 0,
    state,
    ...rest,
  }
}

const running = { running: { startedAt: at(60) } }

function waiting(reason?: string): object {
  return { waiting: reason === undefined ? {} : { reason } }
}

function terminated(exitCode: number, rest: object = {}): object {
  return {
    terminated: { exitCode, finishedAt: at(5), ...rest },
  }
}

function ready(status: string): object {
  return { type: 'Ready', status }
}

const sidecar = { restartPolicy: 'Always' }

export const podSamples: readonly Sample[] = [
  pod('pending', { status: { phase: 'Pending', nominatedNodeName: 'node-b' } }),
  pod('running', {
    containers: 2,
    status: {
      phase: 'Running',
      podIPs: [{ ip: '10.0.0.7' }, { ip: 'fd00::7' }],
      podIP: '10.0.0.7',
      containerStatuses: [container('c0', running, { ready: true }), container('c1', running)],
      conditions: [ready('True')],
    },
    spec: {
      nodeName: 'node-a',
      readinessGates: [{ conditionType: 'a.test/x' }, { conditionType: 'a.test/y' }],
    },
  }),
  pod('gates', {
    spec: { readinessGates: [{ conditionType: 'a.test/x' }, { conditionType: 'a.test/y' }] },
    status: {
      phase: 'Running',
      conditions: [
        { type: 'a.test/x', status: 'True' },
        { type: 'a.test/y', status: 'False' },
      ],
    },
  }),
  pod('scheduling-gated', {
    spec: { schedulingGates: [{ name: 'a.test/wait' }] },
    status: {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
    },
  }),
  pod('crash-loop', {
    status: {
      phase: 'Running',
      containerStatuses: [
        container('c0', waiting('CrashLoopBackOff'), { restartCount: 7, lastState: terminated(1) }),
      ],
    },
  }),
  pod('restarts-undated', {
    status: {
      phase: 'Running',
      containerStatuses: [container('c0', running, { ready: true, restartCount: 3 })],
    },
  }),
  pod('waiting-wordless', {
    status: { phase: 'Pending', containerStatuses: [container('c0', waiting())] },
  }),
  pod('evicted', { status: { phase: 'Failed', reason: 'Evicted' } }),
  pod('succeeded', {
    status: {
      phase: 'Succeeded',
      containerStatuses: [container('c0', terminated(0, { reason: 'Completed' }))],
    },
  }),
  pod('failed', {
    status: {
      phase: 'Failed',
      containerStatuses: [container('c0', terminated(3, { reason: 'Error' }))],
    },
  }),
  pod('exit-code', {
    status: { phase: 'Failed', containerStatuses: [container('c0', terminated(3))] },
  }),
  pod('signal', {
    status: {
      phase: 'Failed',
      containerStatuses: [container('c0', terminated(137, { signal: 9 }))],
    },
  }),
  pod('half-done-ready', {
    containers: 2,
    status: {
      phase: 'Running',
      conditions: [ready('True')],
      containerStatuses: [
        container('c0', terminated(0, { reason: 'Completed' })),
        container('c1', running, { ready: true }),
      ],
    },
  }),
  pod('half-done-not-ready', {
    containers: 2,
    status: {
      phase: 'Running',
      conditions: [ready('False')],
      containerStatuses: [
        container('c0', terminated(0, { reason: 'Completed' })),
        container('c1', running, { ready: true }),
      ],
    },
  }),
  pod('half-done-failed', {
    containers: 2,
    status: {
      phase: 'Running',
      containerStatuses: [
        container('c0', terminated(0, { reason: 'Completed' })),
        container('c1', terminated(2, { reason: 'OOMKilled' })),
      ],
    },
  }),
  pod('init-waiting', {
    init: [{}, {}],
    status: {
      phase: 'Pending',
      initContainerStatuses: [
        container('i0', terminated(0)),
        container('i1', waiting('PodInitializing')),
      ],
      containerStatuses: [container('c0', waiting('PodInitializing'))],
    },
  }),
  pod('init-image', {
    init: [{}],
    status: {
      phase: 'Pending',
      initContainerStatuses: [container('i0', waiting('ImagePullBackOff'), { restartCount: 1 })],
    },
  }),
  pod('init-failed', {
    init: [{}],
    status: {
      phase: 'Pending',
      initContainerStatuses: [
        container('i0', terminated(1, { reason: 'Error' }), {
          restartCount: 2,
          lastState: terminated(1),
        }),
      ],
    },
  }),
  pod('init-exit-code', {
    init: [{}],
    status: { phase: 'Pending', initContainerStatuses: [container('i0', terminated(4))] },
  }),
  pod('init-signal', {
    init: [{}],
    status: {
      phase: 'Pending',
      initContainerStatuses: [container('i0', terminated(4, { signal: 15 }))],
    },
  }),
  pod('init-running', {
    init: [{}, {}],
    status: { phase: 'Pending', initContainerStatuses: [container('i0', running)] },
  }),
  pod('initialized-again', {
    init: [{}],
    status: {
      phase: 'Running',
      conditions: [{ type: 'Initialized', status: 'True' }],
      initContainerStatuses: [container('i0', running, { restartCount: 4 })],
      containerStatuses: [
        container('c0', running, { ready: true, restartCount: 1, lastState: terminated(1) }),
      ],
    },
  }),
  pod('sidecar', {
    init: [sidecar],
    status: {
      phase: 'Running',
      initContainerStatuses: [
        container('i0', running, {
          ready: true,
          started: true,
          restartCount: 2,
          lastState: terminated(1),
        }),
      ],
      containerStatuses: [container('c0', running, { ready: true, restartCount: 1 })],
    },
  }),
  pod('sidecar-starting', {
    init: [sidecar],
    status: {
      phase: 'Pending',
      initContainerStatuses: [container('i0', running, { started: false })],
    },
  }),
  pod('terminating', {
    metadata: { finalizers: ['a.test/hold'] },
    status: { phase: 'Running', containerStatuses: [container('c0', running, { ready: true })] },
    deleted: true,
  }),
  pod('terminating-lost', {
    metadata: { finalizers: ['a.test/hold'] },
    status: { phase: 'Running', reason: 'NodeLost' },
    deleted: true,
  }),
  pod('terminating-done', {
    metadata: { finalizers: ['a.test/hold'] },
    status: {
      phase: 'Succeeded',
      containerStatuses: [container('c0', terminated(0, { reason: 'Completed' }))],
    },
    deleted: true,
  }),
]
