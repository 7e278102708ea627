import type { RunRequest } from '../../../api/submit-run.ts'
import { pathParameters } from '../../path-pattern.ts'
import type { JsonSchema } from '../../schema.ts'

type Fields = Readonly<Record<string, unknown>>

/** A body that starts a run, and the run that it means. */
interface NewRun {
  readonly schema: JsonSchema
  of(body: Fields): RunRequest
}

const object = { type: 'object' } as const
const reference = {
  ...{ ...object, additionalProperties: false, required: ['name'] },
  properties: { name: pathParameters.name },
}
const parameters = {
  ...object,
  additionalProperties: { type: 'string', maxLength: 2048 },
  description: 'At most 100, each of at most 2048 bytes.',
}
/** There is no default: whoever forgets it must not start a run elsewhere. */
const namespace = pathParameters.namespace
const ofRun = asInKind('AgentRun')

export const newAgentRun: NewRun = {
  schema: {
    ...{ ...object, additionalProperties: false },
    required: ['agentRef', 'namespace', 'runtime'],
    properties: {
      agentRef: reference,
      namespace,
      implementationSpecRef: reference,
      implementation: {
        ...object,
        description: 'The fields of the work itself, such as `text`. In AgentRuns, `inline`.',
      },
      runtime: {
        ...{ ...object, required: ['type'] },
        properties: { type: { type: 'string' }, config: object },
      },
      workflow: ofRun,
      workload: ofRun,
      memoryRef: reference,
      vcsRef: reference,
      vcsPolicy: ofRun,
      parameters,
      secrets: { type: 'array', items: pathParameters.name, maxItems: 1000 },
      policy: ofRun,
      systemPrompt: { type: 'string', maxLength: 16_384 },
      systemPromptRef: ofRun,
      ttlSecondsAfterFinished: { type: 'integer', minimum: 0, maximum: 2_147_483_647 },
    },
  },
  of: ({ namespace: place, implementation, ...spec }) => ({
    kind: 'AgentRun',
    namespace: String(place),
    spec: {
      ...spec,
      ...(implementation !== undefined && { implementation: { inline: implementation } }),
    },
  }),
}

export const newOrchestrationRun: NewRun = {
  schema: {
    ...{ ...object, additionalProperties: false },
    required: ['orchestrationRef', 'namespace'],
    properties: {
      orchestrationRef: reference,
      namespace,
      parameters,
      policy: asInKind('OrchestrationRun'),
    },
  },
  of: ({ namespace: place, ...spec }) => ({
    ...{ kind: 'OrchestrationRun', namespace: String(place), spec },
  }),
}

function asInKind(kind: string): JsonSchema {
  return { type: 'object', description: `As in the spec of ${kind}.` }
}
