import {
  type AgentRun,
  agentRunConditions,
  type ToolRun,
  toolRunConditions,
} from '@agents/jangar-api'
import { type KindRef, type KubeObject, kindRef } from '@agents/kube'
import { platformKind } from '../cluster/known-kinds.ts'

export const AgentRunKind: KindRef<AgentRun> = kindRef<AgentRun>(platformKind('AgentRun'))
export const ToolRunKind: KindRef<ToolRun> = kindRef<ToolRun>(platformKind('ToolRun'))

type AgentRunStatus = NonNullable<AgentRun['status']>

/** A run of any kind that Jobs execute, as far as it is shown. A field that its kind lacks is undefined. */
export type ShownRun = KubeObject & {
  readonly spec?: Partial<
    Pick<
      AgentRun['spec'],
      'timeoutSeconds' | 'retries' | 'retryOn' | 'cancel' | 'ttlSecondsAfterFinished'
    >
  >
  readonly status?: Omit<AgentRunStatus, 'outputs'>
}

/** How commands find and name the runs of one kind. */
export interface ShownKind {
  readonly kind: KindRef<ShownRun>
  readonly conditions: typeof agentRunConditions | typeof toolRunConditions
  /** The label of its pods that holds the name of the run. */
  readonly label: string
  /** As in `agentctl explain WORD NAME`. */
  readonly word: string
  /** What its pods run. */
  readonly program: string
  /** As in `agentctl logs NAME`. */
  argument(name: string): string
}

const domain = 'agents.proompteng.ai'

export const agentRuns: ShownKind = {
  kind: AgentRunKind as unknown as KindRef<ShownRun>,
  conditions: agentRunConditions,
  label: `${domain}/agent-run`,
  word: 'run',
  program: 'agent',
  argument: (name) => name,
}

export const toolRuns: ShownKind = {
  kind: ToolRunKind as unknown as KindRef<ShownRun>,
  conditions: toolRunConditions,
  label: `${domain}/tool-run`,
  word: 'toolrun',
  program: 'tool',
  argument: (name) => `toolrun/${name}`,
}

/** The kind of runs with this name, such as `ToolRun`. */
export function shownKind(kind: string | undefined): ShownKind | undefined {
  return [agentRuns, toolRuns].find((one) => one.kind.kind === kind)
}
