import type { RunSummary } from '../../../api/run-summary.ts'
import type { JsonSchema } from '../../schema.ts'

/** A run as the predecessor's database had it. */
interface RunRecord {
  /** The uid of the run. */
  readonly id: string
  readonly namespace: string
  /** The name of the run. */
  readonly externalRunId: string
  readonly agentName?: string
  readonly orchestrationName?: string
  readonly toolName?: string
  /** The phase. */
  readonly status: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly archived?: true
}

const nameFields = {
  AgentRun: 'agentName',
  OrchestrationRun: 'orchestrationName',
  ToolRun: 'toolName',
} as const

export function runRecord(run: RunSummary): RunRecord {
  const { kind, uid, namespace, name, phase = 'Pending', of, createdAt } = run
  const field = nameFields[kind as keyof typeof nameFields]
  return {
    ...{ id: uid, namespace, externalRunId: name },
    ...(of !== undefined && { [field]: of }),
    ...{ status: phase, createdAt, updatedAt: run.finishedAt ?? run.startedAt ?? createdAt },
    ...(run.archived && { archived: true }),
  }
}

const text = { type: 'string' } as const
const time = { ...text, format: 'date-time' } as const

export const recordSchema: JsonSchema = {
  type: 'object',
  required: ['id', 'namespace', 'externalRunId', 'status', 'createdAt', 'updatedAt'],
  properties: {
    id: { ...text, description: 'The uid of the run.' },
    namespace: text,
    externalRunId: { ...text, description: 'The name of the run.' },
    agentName: { ...text, description: 'The Agent of an AgentRun.' },
    orchestrationName: { ...text, description: 'The Orchestration of an OrchestrationRun.' },
    toolName: { ...text, description: 'The Tool of a ToolRun.' },
    status: { ...text, description: 'The phase. `Pending` until a controller has seen the run.' },
    createdAt: time,
    updatedAt: { ...time, description: 'When it was created, started or finished.' },
    archived: { const: true, description: 'Present if the run comes from the archive.' },
  },
}

/** An answer of success. */
export function okSchema(properties: JsonSchema, required = Object.keys(properties)): JsonSchema {
  return {
    type: 'object',
    required: ['ok', ...required],
    properties: { ok: { const: true }, ...properties },
  }
}
