import type { Clock } from '@agents/controller'
import type { Logger } from '@agents/log'
import type { MayDo } from '../../api/access/authorizer.ts'
import type { CallerClient } from '../../api/caller-client.ts'
import type { RunSource } from '../../api/list-runs.ts'
import { runQueues } from '../../api/run-queues.ts'
import { clusterChecks } from '../../cluster-checks/cluster-checks.ts'
import type { ControllersPlace } from '../../cluster-checks/examined.ts'
import { failureOf } from '../../cluster-checks/failed-check.ts'
import type { Finding } from '../../cluster-checks/finding.ts'
import type { OpenRequests } from '../open-requests.ts'
import { pathParameters } from '../path-pattern.ts'
import { callerRoute, type Route } from '../route.ts'
import type { JsonSchema } from '../schema.ts'

interface DoctorPorts {
  readonly sources: readonly RunSource[]
  readonly mayDo: MayDo
  readonly callerClient: CallerClient
  readonly clock: Clock
  readonly log: Logger
  /** Of what reads much. */
  readonly costly: OpenRequests
  /** Undefined if the process does not know where they run. */
  readonly controllers: ControllersPlace | undefined
}

const text = { type: 'string' } as const
const count = { type: 'integer' } as const

const findingsSchema: JsonSchema = {
  type: 'object',
  required: ['findings'],
  properties: {
    findings: {
      type: 'array',
      items: {
        type: 'object',
        required: ['about', 'verdict', 'says'],
        properties: {
          about: text,
          verdict: { ...text, enum: ['good', 'doubtful', 'bad'] },
          says: text,
          advice: { type: 'array', items: text, description: 'What to do about it.' },
        },
      },
    },
  },
}

const queuesSchema: JsonSchema = {
  type: 'object',
  required: ['queues'],
  properties: {
    queues: {
      type: 'array',
      items: {
        type: 'object',
        required: ['kind', 'namespace', 'waiting', 'running', 'unreconciled'],
        properties: {
          kind: text,
          namespace: text,
          waiting: { ...count, description: 'Runs that have not started.' },
          running: count,
          unreconciled: {
            ...count,
            description: 'Runs among them whose status does not show their last change yet.',
          },
        },
      },
    },
  },
}

/** All checks together. */
const longestMs = 20_000

/** What `agentctl doctor` finds in the cluster, for those who have no shell. */
export function doctorRoutes(ports: DoctorPorts): readonly Route[] {
  const { callerClient, clock, controllers } = ports
  return [
    callerRoute({
      method: 'GET',
      path: '/v1/doctor',
      id: 'examinePlatform',
      summary: 'Checks the platform.',
      description:
        'The checks of `agentctl doctor` about the cluster, each with the rights of the caller. What the caller may not read is not checked, and the finding says so.',
      query: {
        namespace: {
          ...pathParameters.namespace,
          description: 'Where the caller works with runs. If omitted, `agents`.',
        },
      },
      answers: { 200: { description: 'The findings.', schema: findingsSchema } },
      handle: async ({ query: { namespace = 'agents' }, signal: left }, caller) => {
        const signal = AbortSignal.any([left, AbortSignal.timeout(longestMs)])
        const release = ports.costly.take(caller.username)
        const client = callerClient.open(caller)
        try {
          const examined = { client, namespace, now: () => clock.now(), signal, controllers }
          const failedAs = failureOf(signal, ports.log)
          const checks = clusterChecks(examined)
          const findings = checks.map(({ about, run }) => run().catch(failedAs(about)))
          const server = client.discovery
            .version({ signal })
            .then(({ gitVersion }): Finding => {
              return { about: 'API server', verdict: 'good', says: `Kubernetes ${gitVersion}` }
            })
            .catch(failedAs('API server'))
          return { json: { findings: await Promise.all([server, ...findings]) } }
        } finally {
          client.close()
          release()
        }
      },
    }),
    callerRoute({
      method: 'GET',
      path: '/v1/queues',
      id: 'listQueues',
      summary: 'Counts runs that wait and run.',
      description:
        'By kind and namespace, of the runs that the caller may list. Without the right to list runs in the whole cluster, at most 200 namespaces can be asked about at once.',
      query: {
        namespace: {
          ...pathParameters.namespace,
          description: 'If omitted, all namespaces whose runs the caller may list.',
        },
      },
      answers: { 200: { description: 'The queues.', schema: queuesSchema } },
      handle: async ({ query: { namespace } }, caller) => ({
        json: { queues: await runQueues(ports, caller, namespace) },
      }),
    }),
  ]
}
