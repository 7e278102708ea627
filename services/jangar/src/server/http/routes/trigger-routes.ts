import { type Schedule, schedule, signalDelivery } from '@agents/jangar-api'
import { formatApiVersion, type KindRef, type KubeObject, kindRef } from '@agents/kube'
import { ApiError } from '../../api/api-error.ts'
import type { CallerClient } from '../../api/caller-client.ts'
import { type AnyRun, runKinds, runSummary } from '../../api/run-summary.ts'
import {
  kindOf,
  type ScheduledRun,
} from '../../supporting-primitives-controller/schedule/run-kinds.ts'
import {
  copiedSpec,
  manualRun,
  type RunTemplate,
  targetProblem,
} from '../../supporting-primitives-controller/schedule/scheduled-run.ts'
import { callerRoute, type Route } from '../route.ts'
import { objectSchema } from './object-schemas.ts'
import { runSchema } from './run-schemas.ts'

const deliveries = kindRef<KubeObject>(signalDelivery)
const schedules = kindRef<Schedule>(schedule)

/** Signals and schedules, each as the caller. */
export function triggerRoutes({
  callerClient,
}: {
  readonly callerClient: CallerClient
}): readonly Route[] {
  return [
    callerRoute({
      method: 'POST',
      path: '/v1/signals/{namespace}/{name}/deliveries',
      id: 'deliverSignal',
      summary: 'Delivers a signal.',
      description: 'Creates a SignalDelivery. Its status says whether it was accepted.',
      body: {
        ...{ form: 'json', contentType: 'application/json', maxBytes: 1024 * 1024 },
        required: false,
        schema: {
          type: 'object',
          additionalProperties: false,
          properties: {
            payload: { description: 'Any JSON. If omitted, that of the signal.' },
            deliveryId: {
              ...{ type: 'string', minLength: 1, maxLength: 253 },
              description: 'Identifies the event, so that it counts once.',
            },
          },
        },
      },
      answers: { 201: { description: 'The delivery.', schema: objectSchema } },
      handle: async ({ path: { namespace = '', name = '' }, body, signal }, caller) => {
        const delivery = {
          apiVersion: formatApiVersion(deliveries),
          kind: deliveries.kind,
          metadata: { generateName: `${name.slice(0, 200)}-`, namespace },
          spec: { signalRef: { name }, ...(body as object | undefined) },
        }
        const created = await callerClient.create(caller, deliveries, namespace, delivery, signal)
        return { status: 201, json: created }
      },
    }),
    callerRoute({
      method: 'POST',
      path: '/v1/schedules/{namespace}/{name}/trigger',
      id: 'triggerSchedule',
      summary: 'Starts the run of a schedule now.',
      description:
        'Creates a run from the template of the schedule, whose own times stay as they are.',
      answers: { 201: { description: 'The new run.', schema: runSchema } },
      handle: async ({ path: { namespace = '', name = '' }, signal }, caller) => {
        const found = await callerClient.get(caller, schedules, { namespace, name }, signal)
        const kind = runKindOf(found)
        const template = await templateOf(found, (target) =>
          callerClient.get(caller, kind, { namespace, name: target }, signal),
        )
        const wanted = {
          ...{ apiVersion: formatApiVersion(kind), kind: kind.kind },
          ...manualRun(found, template),
        }
        const run = await callerClient.create(caller, kind, namespace, wanted, signal)
        return { status: 201, json: { run: runSummary(run as AnyRun), resource: run } }
      },
    }),
  ]
}

function runKindOf(found: Schedule): KindRef<AnyRun> {
  const wanted = kindOf(found)
  const kind = runKinds.find((one) => one.kind === wanted)
  if (kind !== undefined) return kind
  const message = `Schedule ${found.metadata.name} starts no kind of runs: ${wanted}`
  throw new ApiError('BadRequest', message)
}

async function templateOf(
  schedule: Schedule,
  read: (name: string) => Promise<AnyRun>,
): Promise<RunTemplate> {
  const { template, targetRef } = schedule.spec
  if (template !== undefined) return template as unknown as RunTemplate
  const target = await read(targetRef?.name ?? '')
  const problem = targetProblem(schedule, target)
  if (problem !== undefined) throw new ApiError('Conflict', problem)
  return { spec: copiedSpec(target as unknown as ScheduledRun) }
}
