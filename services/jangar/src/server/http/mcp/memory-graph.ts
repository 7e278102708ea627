import { randomBytes } from 'node:crypto'
import {
  type Memory,
  type OrchestrationRun,
  orchestration,
  orchestrationRun,
} from '@agents/jangar-api'
import { formatApiVersion, kindRef } from '@agents/kube'

/** What a tool does with a Memory, as a step of kind MemoryOp takes it. */
export interface MemoryAct {
  readonly op: 'put' | 'get' | 'search'
  readonly key?: string
  readonly value?: string
  readonly query?: string
  readonly limit?: string
}

export const graphKind = kindRef(orchestration)
export const graphRunKind = kindRef<OrchestrationRun>(orchestrationRun)

/** One attempt, and then all of it: whatever becomes of the caller, the run ends. */
const stepSeconds = 60
const runSeconds = 120
/** The run, and the graph that it owns, are deleted so long after its end. */
const keptSeconds = 300

export function newName(tool: string): string {
  return `${tool}-${randomBytes(8).toString('hex')}`
}

export function runSpec(name: string): object {
  return {
    orchestrationRef: { name },
    timeoutSeconds: runSeconds,
    ttlSecondsAfterFinished: keptSeconds,
  }
}

/**
 * A graph with one step. What the caller says is in it as plain text, and the graph takes no parameters: whoever else
 * may start runs in the namespace can do nothing but the same with it.
 */
export function graphOf(name: string, runUid: string, memory: string, act: MemoryAct): object {
  const given = Object.entries(act).map(([field, value]) => [field, literally(value)])
  const owner = { apiVersion: formatApiVersion(graphRunKind), kind: graphRunKind.kind }
  return {
    apiVersion: formatApiVersion(graphKind),
    kind: graphKind.kind,
    metadata: { name, ownerReferences: [{ ...owner, name, uid: runUid }] },
    spec: {
      parameters: [],
      steps: [
        {
          ...{ name: 'memory', kind: 'MemoryOp', memoryRef: { name: memory } },
          ...{ with: Object.fromEntries(given), timeoutSeconds: stepSeconds },
        },
      ],
    },
  }
}

/** A template that gives the text, whatever is in it. */
export function literally(text: string): string {
  return text.replaceAll('{{', '{{ "{{" }}')
}

/** What the step found. */
export function outputsOf(run: OrchestrationRun): object {
  return run.status?.stepStatuses?.[0]?.outputs ?? {}
}

/** Why the step failed, if it is known. */
export function failureOf(run: OrchestrationRun): string | undefined {
  return run.status?.stepStatuses?.[0]?.message
}

/** The one that runs use if none is named. */
export function defaultMemory(all: readonly Memory[]): Memory | undefined {
  return all
    .filter(({ spec }) => spec.default === true)
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))[0]
}
